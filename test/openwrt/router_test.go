package openwrt

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// router is a root directory with what an OpenWrt router has of ours, and stand-ins for the rest.
type router struct {
	t    *testing.T
	root string
}

// applets are the programs of OpenWrt's busybox that the scripts may use.
var applets = strings.Fields("sh basename cat dirname grep head mkdir mv rm sed tr")

// machineFiles are what a router's kernel shows. They are plain files: no test changes the generator of
// this machine.
var machineFiles = map[string]string{
	"/proc/sys/kernel/random/poolsize":                  "256\n",
	"/proc/sys/kernel/random/entropy_avail":             "256\n",
	"/proc/sys/kernel/osrelease":                        "6.12.94\n",
	"/sys/devices/virtual/misc/hw_random/rng_available": "mtk_rng.0\n",
	"/sys/devices/virtual/misc/hw_random/rng_current":   "mtk_rng.0\n",
	"/sys/devices/virtual/misc/hw_random/rng_quality":   "900\n",
}

// newRouter makes a router with the package's files. /var is memory in /tmp there.
func newRouter(t *testing.T) *router {
	t.Helper()
	busybox := os.Getenv("BUSYBOX")
	if busybox == "" {
		kit.Missing(t, "$BUSYBOX has to name a static busybox, as 'make openwrt' sets it")
	}
	kit.NeedRoot(t)
	r := &router{t, t.TempDir()}
	r.copy(busybox, "/bin/busybox", 0o755)
	for _, name := range applets {
		r.link("busybox", "/bin/"+name)
	}
	r.copy(standin(), "/sbin/uci", 0o755)
	r.link("/sbin/uci", "/usr/bin/logger")
	if err := os.CopyFS(r.root, os.DirFS("testdata/root")); err != nil {
		t.Fatal(err)
	}
	r.hard(kit.Program(), "/usr/sbin/hwrngd")
	r.copy(files+"hwrngd.init", "/etc/init.d/hwrngd", 0o755)
	r.copy(files+"hwrngd.json", "/etc/capabilities/hwrngd.json", 0o644)
	r.copy(files+"hwrngd.hotplug", "/etc/hotplug.d/misc/50-hwrngd", 0o644)
	r.copy(files+"hwrngd.uci-defaults", "/etc/uci-defaults/50-hwrngd", 0o755)
	r.link("/var/etc/hwrngd/hwrngd.toml", "/etc/hwrngd.toml")
	r.link("tmp", "/var")
	if err := os.Mkdir(r.root+"/tmp", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range machineFiles {
		kit.WriteFile(t, r.root+name, text, 0o644)
	}
	r.link("../../devices/virtual/misc/hw_random", "/sys/class/misc/hw_random")
	r.link("/", "/proc/self/root")
	if err := os.Chmod(r.root+"/etc/rc.common", 0o755); err != nil {
		t.Fatal(err)
	}
	kit.WriteFile(t, r.root+"/dev/kmsg", "", 0o600)
	r.node("/dev/null", syscall.S_IFCHR, 1<<8|3)
	r.node("/dev/random", syscall.S_IFCHR, 1<<8|8)
	r.node("/dev/urandom", syscall.S_IFCHR, 1<<8|9)
	return r
}

func (r *router) copy(from, to string, mode os.FileMode) {
	r.t.Helper()
	kit.WriteFile(r.t, r.root+to, kit.ReadFile(r.t, from), mode)
}

// hard links a large file where that is possible. The router must not change it.
func (r *router) hard(from, to string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.root+to), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Link(from, r.root+to); err != nil {
		r.copy(from, to, 0o755)
	}
}

func (r *router) link(target, name string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.root+name), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Symlink(target, r.root+name); err != nil {
		r.t.Fatal(err)
	}
}

func (r *router) node(name string, kind uint32, number int) {
	r.t.Helper()
	if err := syscall.Mknod(r.root+name, kind|0o666, number); err != nil {
		kit.Missing(r.t, "device nodes cannot be made here: %v", err)
	}
}

// config writes a file of /etc/config.
func (r *router) config(name, text string) {
	r.t.Helper()
	kit.WriteFile(r.t, r.root+"/etc/config/"+name, text, 0o600)
}

// logd has the system's log run.
func (r *router) logd() { r.node("/dev/log", syscall.S_IFSOCK, 0) }

// ujail has ujail installed.
func (r *router) ujail() { kit.WriteFile(r.t, r.root+"/sbin/ujail", "", 0o755) }

// command prepares a program, by its whole path, that runs on the router.
func (r *router) command(args ...string) *exec.Cmd {
	return &exec.Cmd{
		Path: args[0], Args: args, Dir: "/",
		Env:         []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"},
		SysProcAttr: &syscall.SysProcAttr{Chroot: r.root},
	}
}

// try runs a program on the router and returns its output and exit code.
func (r *router) try(args ...string) (string, int) {
	r.t.Helper()
	out, err := r.command(args...).CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(out), exit.ExitCode()
	}
	if err != nil {
		r.t.Fatalf("%q: %v", args, err)
	}
	return string(out), 0
}

// run is try for what must succeed.
func (r *router) run(args ...string) string {
	r.t.Helper()
	out, code := r.try(args...)
	if code != 0 {
		r.t.Fatalf("%q: exit code %d\n%s", args, code, out)
	}
	return out
}

// service calls the init script, as init does.
func (r *router) service(action string) string {
	r.t.Helper()
	return r.run("/etc/init.d/hwrngd", action)
}

// read returns a file of the router, "" if there is none.
func (r *router) read(name string) string {
	r.t.Helper()
	data, err := os.ReadFile(r.root + strings.Replace(name, "/var/", "/tmp/", 1))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.t.Fatal(err)
	}
	return string(data)
}

// log returns what the scripts logged, wherever it went.
func (r *router) log() string { return r.read("/dev/kmsg") + r.read("/tmp/log") }

// forget empties the log and the record of calls.
func (r *router) forget() {
	r.t.Helper()
	for _, name := range []string{"/dev/kmsg", "/tmp/log", "/tmp/calls"} {
		kit.WriteFile(r.t, r.root+name, "", 0o600)
	}
}

// effective returns the options that the daemon would have, by the name in its file, as it says itself;
// those that have their default are left out.
func (r *router) effective() map[string]any {
	r.t.Helper()
	out := r.run("/usr/sbin/hwrngd", "check", "--print", "--output=json", "--config=/var/etc/hwrngd/hwrngd.toml")
	var report struct {
		Options []struct {
			Name, Origin string
			Value        any
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
	options := map[string]any{}
	for _, o := range report.Options {
		if o.Origin != "default" && o.Name != "config" && o.Name != "runtime-dir" {
			options[o.Name] = o.Value
		}
	}
	return options
}
