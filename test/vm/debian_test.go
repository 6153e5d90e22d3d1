package vm

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/hwrngd/hwrngd/test/vm/debian"
	"github.com/hwrngd/hwrngd/test/vm/kernel"
)

// userland is what a whole Debian has beside its kernel.
var userland = []string{"systemd", "systemd-sysv", "dbus", "udev", "kmod", "initramfs-tools", "dracut-core"}

// system is a whole Debian on a disk, with hwrngd's own package installed. It boots as any other
// does: the kernel, the first root file system of initramfs-tools, systemd.
type system struct {
	image, initrd, disk string

	seeding map[string]string // paths of more initrds, which have hwrngd in them
}

// diskMiB is the size of the disk, of which half is used.
const diskMiB = 700

// agentPath is the program in directory init, which runs as a service there.
const agentPath = "/usr/local/sbin/vm-agent"

const agentUnit = `[Unit]
Description=Does what a test asks for over the console
[Service]
ExecStart=` + agentPath + ` serve
[Install]
WantedBy=multi-user.target
`

// patienceUnit gives the daemon the time that an emulated machine on a busy host takes.
const patienceUnit = `[Service]
TimeoutStartSec=10min
WatchdogSec=10min
`

// bootDebian starts a machine with a whole Debian and waits until systemd is done. It ends with the
// case.
func bootDebian(t *testing.T, s setup) *machine {
	t.Helper()
	m, c := prepare(t, s)
	sys := needSystem(t, s.kernel, m.kernel)
	c.MemoryMiB, c.Image, c.Initrd, c.Disk = 512, sys.image, sys.initrd, sys.disk
	if s.seeding != "" {
		c.Initrd = sys.seeding[s.seeding]
	}
	// The console is the test's, not for a login.
	c.Append += " root=/dev/vda rw systemd.mask=serial-getty@ttyS0.service"
	m.turnOn(c)
	if state, _ := m.command("systemctl", "is-system-running", "--wait"); state != "running" {
		failed, _ := m.command("systemctl", "--failed", "--no-legend", "--plain")
		t.Fatalf("the system is %s; failed units:\n%s", state, failed)
	}
	return m
}

var systems sync.Map // of what was made, or why not, by kernel

// needSystem returns a Debian with this kernel and the package, or skips the case.
func needSystem(t *testing.T, k kernel.Spec, files *kernel.Files) *system {
	t.Helper()
	debs, _ := filepath.Glob(filepath.Join(os.Getenv("HWRNGD_PACKAGES"), "*.deb"))
	switch {
	case len(debs) != 1:
		kit.Missing(t, "$HWRNGD_PACKAGES has to name a directory with one .deb file, as 'make package' makes it; found %q", debs)
	case os.Geteuid() != 0:
		kit.Missing(t, "root is needed to make a root file system")
	}
	agent := build(t, module+"/test/vm/init", k.Arch, edition{})
	once, _ := systems.LoadOrStore(k.String(), sync.OnceValues(func() (*system, error) {
		archive, err := debian.Get(cacheDir(t), debian.Root{
			Name: "debian-" + k.Version, Arch: k.Arch,
			Suites:   slices.Compact(append([]string{"bookworm"}, k.Suites...)),
			Packages: append(slices.Clone(userland), files.Package),
		})
		if err != nil {
			return nil, err
		}
		return install(k, archive, files.Release, debs[0], agent)
	}))
	s, err := once.(func() (*system, error))()
	if errors.Is(err, debian.ErrNotThere) {
		kit.Missing(t, "%v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// install makes a disk of a root file system, with the package and the agent installed and nothing
// started, as whoever makes images for machines does.
func install(k kernel.Spec, archive, release, deb, agent string) (*system, error) {
	dir, err := os.MkdirTemp(kit.Dir(), "debian-")
	if err != nil {
		return nil, err
	}
	root := filepath.Join(dir, "root")
	defer os.RemoveAll(root)
	s := &system{image: filepath.Join(dir, "image"), initrd: filepath.Join(dir, "initrd"), disk: filepath.Join(dir, "disk"), seeding: map[string]string{}}
	in := func(argv ...string) func() error {
		return func() error { return debian.Run("chroot", append([]string{root}, argv...)...) }
	}
	file := func(to string, mode os.FileMode, from string) func() error {
		return func() error {
			data, err := os.ReadFile(from)
			if err != nil {
				return err
			}
			return os.WriteFile(to, data, mode)
		}
	}
	text := func(to, text string) func() error {
		return func() error { return os.WriteFile(to, []byte(text), 0o644) }
	}
	steps := []func() error{
		func() error { return debian.Unpack(archive, root) },
		file(root+"/hwrngd.deb", 0o644, deb),
		in("dpkg", "-i", "/hwrngd.deb"),
		file(root+agentPath, 0o755, agent),
		text(root+"/etc/systemd/system/vm-agent.service", agentUnit),
		func() error { return os.Mkdir(root+"/etc/systemd/system/hwrngd.service.d", 0o755) },
		text(root+"/etc/systemd/system/hwrngd.service.d/patience.conf", patienceUnit),
		in("systemctl", "enable", "vm-agent.service"),
		file(s.image, 0o644, root+"/boot/vmlinuz-"+release),
		file(s.initrd, 0o644, root+"/boot/initrd.img-"+release),
		func() error { return debian.Disk(root, s.disk, diskMiB) },
		// What the disk has not: initrds with hwrngd, and jitter turned off.
		text(root+"/etc/hwrngd.toml", "sources = [\"hwrng\"]\n"),
		text(root+"/etc/initramfs-tools/conf.d/hwrngd", "HWRNGD=y\n"),
	}
	if k.Version == early.Version {
		for name, command := range makers {
			s.seeding[name] = filepath.Join(dir, "initrd "+name)
			steps = append(steps, in(append(slices.Clone(command), release)...), file(s.seeding[name], 0o644, root+"/initrd"))
		}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return s, nil
}
