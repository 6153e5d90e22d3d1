package systemd

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

const hookPath = "/usr/share/initramfs-tools/hooks/hwrngd"

// initramfsMachine boots a machine that has the files of initramfs-tools and our hook.
func initramfsMachine(t *testing.T) *machine {
	t.Helper()
	functions := os.Getenv("INITRAMFS_FUNCTIONS")
	if functions == "" {
		kit.Missing(t, "$INITRAMFS_FUNCTIONS has to name initramfs-tools' hook-functions")
	}
	m := newMachine(t)
	kit.CopyFile(t, functions, m.seed+"/usr/share/initramfs-tools/hook-functions", 0o644)
	kit.CopyFile(t, tree+"/packaging/initramfs-tools/hook", m.seed+hookPath, 0o755)
	kit.CopyFile(t, tree+"/packaging/initramfs-tools/script", m.seed+"/script", 0o755)
	m.onBoot("[ -e $root/sbin/modprobe ] || ln -s /bin/true $root/usr/sbin/modprobe")
	m.boot()
	return m
}

// hook runs the hook as mkinitramfs does, and returns what it put into the initramfs.
func (m *machine) hook() string {
	m.t.Helper()
	return m.shell("rm -rf /ird && mkdir -p /ird/usr/sbin && ln -s usr/sbin /ird/sbin && " +
		"DESTDIR=/ird CONFDIR=/etc/initramfs-tools verbose=n version=0 MODULESDIR=/none " + hookPath + " && cd /ird && find . -type f | sort")
}

// The hook does nothing until it is asked to; then the program is there and works from there.
func TestInitramfsHook(t *testing.T) {
	m := initramfsMachine(t)
	if files := m.hook(); files != "" {
		t.Errorf("put into the initramfs unasked: %s", files)
	}
	m.shell("mkdir -p /etc/initramfs-tools/conf.d && echo HWRNGD=y >/etc/initramfs-tools/conf.d/hwrngd")
	files := m.hook()
	for _, want := range []string{"sbin/hwrngd", "etc/hwrngd.toml"} {
		if !strings.Contains(files, want) {
			t.Errorf("%s is not in the initramfs: %s", want, files)
		}
	}
	m.run("systemctl", "stop", "hwrngd")
	m.shell("cd /ird && mkdir -p dev proc run && mount --rbind /dev dev && mount -t proc proc proc && " +
		"chroot /ird /sbin/hwrngd run --once --metrics-listen=off")
}

// The script ends with the seeding, or after ten seconds: a boot is never held up for ever.
func TestInitramfsScript(t *testing.T) {
	t.Parallel()
	m := initramfsMachine(t)
	if out := m.run("/script", "prereqs"); out != "" {
		t.Errorf("prerequisites: %s", out)
	}
	m.run("systemctl", "stop", "hwrngd")
	m.run("/script")
	if testing.Short() {
		return
	}
	m.shell("mv /usr/sbin/hwrngd /usr/sbin/hwrngd.real && printf '#!/bin/sh\\nexec sleep 600\\n' >/usr/sbin/hwrngd && chmod 755 /usr/sbin/hwrngd")
	begin := time.Now()
	m.run("/script")
	if took := time.Since(begin); took > kit.Patience {
		t.Errorf("waited %s", took)
	}
	if out, err := m.try("pgrep", "-x", "sleep"); err == nil && out != "" {
		t.Errorf("still runs: %s", out)
	}
}

// The dracut module comes only when asked for, and hooks in before devices are looked for.
func TestDracutModule(t *testing.T) {
	record := `
moddir=/m dracutsysrootdir=` + t.TempDir() + `
require_binaries() { :; }
for f in inst_multiple inst_simple inst_hook instmods dracut_need_initqueue; do eval "$f() { echo $f \"\$@\"; }"; done
. ` + tree + `/packaging/dracut/module-setup.sh
check; echo "check $?"
depends; echo "depends $?"
installkernel; install; echo "install $?"`
	out, err := exec.Command("bash", "-uc", record).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := `check 255
depends 0
instmods =drivers/char/hw_random
instmods tpm_tis tpm_crb
inst_multiple hwrngd timeout
inst_hook pre-trigger 50 /m/hwrngd-seed.sh
inst_hook initqueue/finished 50 /m/hwrngd-seeded.sh
dracut_need_initqueue
install 0
`
	if string(out) != want {
		t.Errorf("got:\n%s\nwant:\n%s", out, want)
	}
}
