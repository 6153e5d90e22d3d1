package systemd

import (
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// example installs a drop-in that the packages have as an example.
func (m *machine) example(name string) {
	m.t.Helper()
	kit.CopyFile(m.t, tree+"/packaging/systemd/"+name, m.seed+unitDir+"/hwrngd.service.d/"+name, 0o644)
}

// line makes a terminal line of the machine with a good generator behind it, and returns its path there.
func (m *machine) line() string {
	m.t.Helper()
	p, err := kit.OpenPTY(m.path("/dev/pts/ptmx"))
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { p.Master.Close() })
	go func() { _, _ = io.Copy(p.Master, fipstest.NewShake("line")) }() // ends when the test closes it
	return p.Line
}

// The example for source tty opens USB serial devices, and a line works under it. No driver is behind
// the node here; what the filter forbids does not even ask for one.
func TestTTY(t *testing.T) {
	t.Parallel()
	const config = "metrics-listen = [\"off\"]\nsources = [\"tty\"]\ntty-device = \"/dev/noise\"\n"
	for _, test := range []struct{ example, says string }{
		{"tty.conf", "/dev/noise: no such device or address"},
		{"", "/dev/noise: operation not permitted"},
	} {
		m := newMachine(t)
		if test.example != "" {
			m.example(test.example)
		}
		m.put("/etc/hwrngd.toml", config)
		m.onBoot("mknod $root/dev/noise c 166 0")
		m.boot()
		m.logged(test.says)
		if test.example == "" {
			continue
		}
		m.run("ln", "-sf", m.line(), "/dev/noise")
		m.logged("first credit", "source=tty")
	}
}

// The example for source command lets a program run as nobody, and ends it with the daemon.
func TestCommand(t *testing.T) {
	t.Parallel()
	const config = "metrics-listen = [\"off\"]\nsources = [\"command\"]\n" +
		"command = [\"/bin/sh\", \"-c\", \"id -un >&2; while cat /usr/lib/noise; do :; done\"]\n"
	noise := make([]byte, 1<<20) // far beyond what the repeat detector remembers
	if _, err := io.ReadFull(fipstest.NewShake("program"), noise); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		example string
		says    []string
	}{
		{"command.conf", []string{"the program says", "nobody"}},
		{"", []string{"operation not permitted", "CAP_SETUID"}},
	} {
		m := newMachine(t)
		if test.example != "" {
			m.example(test.example)
		}
		m.put("/etc/hwrngd.toml", config)
		m.put("/usr/lib/noise", string(noise))
		m.boot()
		m.logged(test.says...)
		if test.example == "" {
			continue
		}
		m.logged("first credit", "source=command")
		m.run("systemctl", "stop", "hwrngd")
		if left, _ := m.try("pgrep", "-u", "nobody", "-f", "usr/lib/noise"); left != "" {
			t.Errorf("still there: %s", left)
		}
		if text := strings.Join(m.journal("_SYSTEMD_UNIT=hwrngd.service"), "\n"); strings.Contains(text, "timed out") {
			t.Errorf("the stop took long:\n%s", text)
		}
	}
}

// The example for source afalg, where the kernel has the crypto API for programs.
func TestAFALG(t *testing.T) {
	t.Parallel()
	fd, err := syscall.Socket(38, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0) // AF_ALG
	if err != nil {
		t.Skip("SKIPPED, NOT TESTED: this kernel has no AF_ALG: ", err)
	}
	syscall.Close(fd)
	m := newMachine(t)
	m.example("afalg.conf")
	m.put("/etc/hwrngd.toml", "metrics-listen = [\"off\"]\nsources = [\"afalg\"]\n")
	m.boot()
	m.logged("first credit", "source=afalg")
}

// Without the example the unit forbids these sockets.
func TestNoAFALG(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.put("/etc/hwrngd.toml", "metrics-listen = [\"off\"]\nsources = [\"afalg\"]\n")
	m.boot()
	m.logged("address family not supported by protocol", "RestrictAddressFamilies=")
}
