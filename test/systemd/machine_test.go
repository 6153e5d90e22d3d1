package systemd

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

//go:embed machine.sh
var machineScript string

const (
	systemdBinary = "/lib/systemd/systemd"
	classDir      = "/sys/devices/virtual/misc/hw_random"
	unitDir       = "/etc/systemd/system"      // the administrator's
	systemUnits   = "/usr/lib/systemd/system/" // those of packages
)

// testTarget is what a machine boots into in place of multi-user.target: what every machine has, and
// what a case wants.
const testTarget = `[Unit]
Requires=basic.target
After=basic.target
AllowIsolate=yes
`

// machine is a systemd of its own, see doc.go.
type machine struct {
	t      *testing.T
	seed   string // directory that is laid over the root before systemd starts
	cgroup string
	init   int // process 1, as seen from outside
}

// newMachine prepares a machine with hwrngd installed and enabled. It boots with boot.
func newMachine(t *testing.T) *machine {
	t.Helper()
	m := bareMachine(t)
	kit.CopyFile(t, kit.Program(), m.seed+"/usr/sbin/hwrngd", 0o755)
	units := tree + "/packaging/systemd/"
	for _, name := range []string{"hwrngd.service", "hwrngd-metrics.socket", "hwrngd-metrics.service"} {
		kit.CopyFile(t, units+name, m.seed+systemUnits+name, 0o644)
	}
	config, err := exec.Command(kit.Program(), "config", "--systemd").Output()
	if err != nil {
		t.Fatalf("hwrngd config: %v", err)
	}
	m.put("/etc/hwrngd.toml", string(config))
	m.enable("hwrngd-test.target", "hwrngd.service")
	m.enable("sockets.target", "hwrngd-metrics.socket")
	return m
}

// bareMachine prepares a machine without hwrngd, but with generators.
func bareMachine(t *testing.T) *machine {
	t.Helper()
	name := fmt.Sprintf("hwrngd-test-%d-%d", os.Getpid(), time.Now().UnixNano())
	m := &machine{t: t, seed: t.TempDir(), cgroup: filepath.Join(cgroupRoot(t), name)}
	if err := os.Chmod(m.seed, 0o755); err != nil { // it becomes the root directory
		t.Fatal(err)
	}
	m.put(unitDir+"/hwrngd-test.target", testTarget)
	m.put(unitDir+"/hwrngd.service.d/container.conf", "[Unit]\nConditionVirtualization=\n")
	m.generators("virtio_rng.0", "virtio_rng.0 virtio_rng.1")
	return m
}

// cgroupRoot finds the version 2 hierarchy, and skips the case where machines cannot be had.
func cgroupRoot(t *testing.T) string {
	t.Helper()
	kit.NeedRoot(t)
	for _, tool := range []string{systemdBinary, "/bin/bash", "unshare", "nsenter"} {
		kit.NeedTool(t, tool)
	}
	for _, dir := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		if _, err := os.Stat(dir + "/cgroup.controllers"); err == nil {
			return dir
		}
	}
	kit.Missing(t, "there is no cgroup v2 hierarchy")
	return ""
}

// put writes a file that the machine is to have when it boots.
func (m *machine) put(path, text string) {
	m.t.Helper()
	kit.WriteFile(m.t, m.seed+path, text, 0o644)
}

// enable makes target start unit, as systemctl enable does.
func (m *machine) enable(target, unit string) {
	m.t.Helper()
	link := filepath.Join(m.seed, unitDir, target+".wants", unit)
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Symlink(systemUnits+unit, link); err != nil {
		m.t.Fatal(err)
	}
}

// occupy lets another program have the port of the metrics from the first moment on. Who stops
// holder.socket frees it.
func (m *machine) occupy() {
	m.t.Helper()
	m.put(systemUnits+"holder.socket", "[Unit]\nDefaultDependencies=no\nBefore=hwrngd.service\n[Socket]\nListenStream=127.0.0.1:9779\nAccept=yes\n")
	m.put(systemUnits+"holder@.service", "[Service]\nExecStart=/bin/true\n")
	m.enable("sysinit.target", "holder.socket")
}

// onBoot adds a shell command that runs before systemd starts, with the root directory in $root.
func (m *machine) onBoot(command string) {
	m.t.Helper()
	f, err := os.OpenFile(m.seed+"/boot.sh", os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		m.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(command + "\n"); err != nil {
		m.t.Fatal(err)
	}
}

// generators is what the hw_random class shows at boot. Both names must have the same length: writing
// one over the other does not shorten a plain file as it does an attribute.
func (m *machine) generators(current, available string) {
	m.onBoot(classFiles("$root", current, available))
}

// device makes /dev/hwrng at boot. Cases that need the real generator ask for it.
func (m *machine) device() {
	m.t.Helper()
	needDevice(m.t)
	m.onBoot("mknod -m 600 $root/dev/hwrng c 10 183")
}

func needDevice(t *testing.T) {
	t.Helper()
	f, err := os.Open("/dev/hwrng")
	if err == nil {
		defer f.Close()
		_, err = f.Read(make([]byte, 16))
	}
	if err != nil {
		kit.Missing(t, "a working /dev/hwrng is needed: %v", err)
	}
}

// classFiles is a shell command that makes the hw_random class below root.
func classFiles(root, current, available string) string {
	dir := root + classDir
	return "mkdir " + dir + " && cd " + dir + " && echo " + current + " >rng_current && echo '" + available +
		" none' >rng_available && echo 0 >rng_selected && echo 1024 >rng_quality && echo 10:183 >dev && cd /"
}

// boot starts the machine and waits until systemd is done.
func (m *machine) boot() {
	m.t.Helper()
	work := m.t.TempDir()
	var output strings.Builder
	cmd := exec.Command("/bin/bash", "-c", machineScript, "machine.sh", m.cgroup, work, m.seed)
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	m.t.Cleanup(func() { m.destroy(ended) })

	for deadline := time.Now().Add(kit.Patience); ; time.Sleep(50 * time.Millisecond) {
		select {
		case err := <-ended:
			ended <- err
			kit.Missing(m.t, "no machine could be made here: %v\n%s", err, output.String())
		default:
		}
		if m.init == 0 {
			m.init = initOf(cmd.Process.Pid)
		}
		if m.init != 0 {
			switch state, _ := m.try("systemctl", "is-system-running"); state {
			case "running", "degraded":
				return
			}
		}
		if time.Now().After(deadline) {
			jobs, _ := m.try("systemctl", "list-jobs")
			m.t.Fatalf("systemd has not booted within %s; jobs:\n%s\n%s", kit.Patience, jobs, output.String())
		}
	}
}

// destroy ends every process of the machine and removes its cgroup.
func (m *machine) destroy(ended chan error) {
	if m.t.Failed() && m.init != 0 {
		journal, _ := m.try("journalctl", "--no-pager", "-o", "short-monotonic", "-n", "60")
		m.t.Logf("the end of the machine's journal:\n%s", journal)
	}
	if err := os.WriteFile(m.cgroup+"/cgroup.kill", []byte("1"), 0); err != nil {
		m.t.Errorf("cannot end the machine: %v", err)
	}
	<-ended
	for deadline := time.Now().Add(kit.Patience); ; time.Sleep(20 * time.Millisecond) {
		_ = exec.Command("find", m.cgroup, "-depth", "-type", "d", "-exec", "rmdir", "{}", ";").Run()
		if _, err := os.Stat(m.cgroup); err != nil {
			return
		}
		if time.Now().After(deadline) {
			m.t.Errorf("the cgroup %s cannot be removed", m.cgroup)
			return
		}
	}
}

// initOf returns the process 1 of the machine that the script of that process id has become, 0 if it
// has none yet. Before, the script has other children for a moment.
func initOf(script int) int {
	stats, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, path := range stats {
		text, _ := os.ReadFile(path)
		parent, inner := "", ""
		for line := range strings.Lines(string(text)) {
			switch fields := strings.Fields(line); {
			case strings.HasPrefix(line, "PPid:"):
				parent = fields[1]
			case strings.HasPrefix(line, "NSpid:"):
				inner = fields[len(fields)-1]
			}
		}
		if parent == strconv.Itoa(script) && inner == "1" {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			return pid
		}
	}
	return 0
}
