package vm

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/hwrngd/hwrngd/test/vm/kernel"
)

// Scenario tpm: a machine with a TPM 2.0 that its kernel does not offer behind /dev/hwrng. Debian's cloud
// kernels are such ones: they have the driver, tpm_tis, and are built without CONFIG_HW_RANDOM_TPM.

// tpmSource is the name of the source that asks a TPM directly.
const tpmSource = "tpm"

// chip is a TPM of swtpm, which QEMU puts into a machine.
type chip struct {
	socket string
	cmd    *exec.Cmd
}

// newChip switches a TPM on.
func newChip(t *testing.T) *chip {
	t.Helper()
	kit.NeedTool(t, "swtpm")
	dir := kit.TempDir(t)
	c := &chip{socket: filepath.Join(dir, "ctrl")}
	c.cmd = exec.Command("swtpm", "socket", "--tpm2", "--tpmstate", "dir="+dir, "--ctrl", "type=unixio,path="+c.socket)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	})
	kit.Within(t, bootLimit, "swtpm listens", func() bool { _, err := os.Stat(c.socket); return err == nil })
	return c
}

// hold stops the chip's clock, and lets it go on.
func (c *chip) hold(t *testing.T, held bool) {
	t.Helper()
	signal := syscall.SIGCONT
	if held {
		signal = syscall.SIGSTOP
	}
	if err := c.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
}

// tpmKernels are those that have the driver built in.
func tpmKernels(t *testing.T, scenario func(t *testing.T, k kernel.Spec)) {
	t.Helper()
	if !all() {
		t.Skip("SKIPPED, NOT TESTED: needs HWRNGD_VM=all")
	}
	for _, k := range []kernel.Spec{linux61, linux612} {
		t.Run(k.Version, func(t *testing.T) {
			defer reportVerdict(t, k, time.Now())
			scenario(t, k)
		})
	}
}

// The kernel's resource manager gives the source what the chip has; it earns credit, and a chip that hangs
// keeps nobody waiting.
func TestTPM(t *testing.T) {
	tpmKernels(t, func(t *testing.T, k kernel.Spec) {
		c := newChip(t)
		m := boot(t, setup{kernel: k, tpm: c.socket})
		if device := m.read("/sys/class/tpmrm/tpmrm0/dev"); device == "" {
			t.Fatal("the kernel has no TPM")
		}
		if row := matching(m.hwrngd("list").Text, "tpm ", "/dev/tpmrm0", "usable"); len(row) != 1 || strings.Contains(row[0], "not usable") {
			t.Errorf("list has %q", row)
		}
		begin := time.Now()
		d := m.start(everySecond, "--sources=tpm")
		d.credits(tpmSource)
		if s := d.source(tpmSource); s.State != source.Active.String() || s.MinEntropy != 1 {
			t.Errorf("%+v", s)
		}
		reportTime(t, k, "first credit of a TPM", time.Since(begin), "by this machine's clock")
		d.credits(tpmSource)

		// While it hangs, a command sits in the kernel. Not for long: when the kernel loses patience, after 2 s,
		// it has QEMU cancel the command, and QEMU waits for the chip with all of the machine.
		c.hold(t, true)
		time.Sleep(time.Second / 2)
		took := d.stop()
		reportTime(t, k, "SIGTERM to the end while a TPM hangs", took, "by the machine's clock")
		c.hold(t, false)
	})
}

// The chip's own device is one program's alone, and its resource manager is for all.
func TestTPMInUse(t *testing.T) {
	tpmKernels(t, func(t *testing.T, k kernel.Spec) {
		m := boot(t, setup{kernel: k, tpm: newChip(t).socket})
		d := m.start(everySecond, "--sources=tpm", "--tpm-device=/dev/tpm0")
		d.credits(tpmSource)
		list := m.hwrngd("list", "--tpm-device=/dev/tpm0").Text
		if !strings.Contains(list, "open /dev/tpm0: device or resource busy") || !strings.Contains(list, "such as /dev/tpmrm0, which serves many") {
			t.Errorf("list does not say who has the TPM:\n%s", list)
		}
		if row := matching(m.hwrngd("list").Text, "tpm ", "/dev/tpmrm0", "usable"); len(row) != 1 || strings.Contains(row[0], "not usable") {
			t.Errorf("beside the daemon: %q", row)
		}
		// Whatever is no TPM is left alone.
		if list := m.hwrngd("list", "--tpm-device=/dev/mem").Text; !strings.Contains(list, "/dev/mem is no TPM but the device mem of class mem") {
			t.Errorf("list does not refuse /dev/mem:\n%s", list)
		}
		d.stop()
	})
}
