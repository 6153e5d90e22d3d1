package vm

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/hwrngd/hwrngd/test/vm/egd"
	"github.com/hwrngd/hwrngd/test/vm/kernel"
	"github.com/hwrngd/hwrngd/test/vm/qemu"
	"github.com/hwrngd/hwrngd/test/vm/wire"
)

// setup describes a machine.
type setup struct {
	kernel   kernel.Spec
	append   string       // to the kernel's command line
	hardware []egd.Script // one generator each; the kernel calls them virtio_rng.0 and so on
	programs []program
	edition  edition // of the daemon
	late     bool    // the generators' driver is not loaded yet
	absent   bool    // the generators are not in their slots yet
	seeding  string  // tool that made the initrd of a whole Debian, with hwrngd in it, "" for one without
	tpm      string  // control socket of a software TPM, "" for none
}

// machine is a running virtual machine.
type machine struct {
	*conversation
	t        *testing.T
	kernel   *kernel.Files
	vm       *qemu.Machine
	hardware []*egd.Server
	late     []string // modules that are not loaded yet, in order
	ready    bool     // the kernel's generator was seeded at boot

	bootAgain func() // turns it off and on
}

// generator is the id of a generator's device in QEMU.
func generator(i int) string { return fmt.Sprintf("hw%d", i) }

// name is what the kernel calls a generator.
func name(i int) string { return fmt.Sprintf("virtio_rng.%d", i) }

// boot starts a machine that runs nothing but what the case starts. It ends with the case.
func boot(t *testing.T, s setup) *machine {
	t.Helper()
	m, c := prepare(t, s)
	c.MemoryMiB, c.Image, c.Initrd = 256, m.kernel.Image, image(t, c.Dir, m.kernel, s)
	m.bootAgain = func() {
		m.turnOn(c)
		m.late = nil
		for _, module := range m.kernel.Modules {
			module = kernel.ModuleName(module)
			if m.late = append(m.late, module); !s.late || !slices.Contains(lateModules, module) {
				m.loadLate()
			}
		}
	}
	m.bootAgain()
	return m
}

// prepare makes all of a machine but the system that it boots.
func prepare(t *testing.T, s setup) (*machine, qemu.Config) {
	t.Helper()
	kit.NeedTool(t, qemu.Program(s.kernel.Arch))
	m := &machine{t: t, kernel: needKernel(t, s.kernel)}
	dir := kit.TempDir(t)
	c := qemu.Config{Arch: s.kernel.Arch, Append: s.append, Dir: dir, TPM: s.tpm}
	for i, script := range s.hardware {
		path := filepath.Join(dir, generator(i))
		server, err := egd.Listen(path, script)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(server.Close)
		m.hardware = append(m.hardware, server)
		c.Generators = append(c.Generators, qemu.Generator{Name: generator(i), Socket: path, Absent: s.absent})
	}
	return m, c
}

// Emulation is not perfect. On a busy host the kernel at times measures its clock's rate completely
// wrong when it boots, and once in a hundred boots or so the machine resets before it says a word.
// Where many test at the same time, QEMU may not even get its threads. None of that is about the
// daemon.
const (
	bootAttempts = 4
	bootPause    = 5 * time.Second
	clockWindow  = 1500 * time.Millisecond
	clockError   = 1.5
)

// turnOn starts the machine and waits until it talks.
func (m *machine) turnOn(c qemu.Config) {
	m.t.Helper()
	for attempt := 1; ; attempt++ {
		err := m.attempt(c)
		if err == nil {
			return
		}
		if attempt == bootAttempts {
			m.t.Fatalf("no use after %d attempts: %v", attempt, err)
		}
		m.t.Logf("booting again: %v", err)
		time.Sleep(bootPause)
	}
}

// attempt starts the machine. It returns an error if it is of no use.
func (m *machine) attempt(c qemu.Config) error {
	m.t.Helper()
	if m.vm != nil {
		m.vm.Kill()
	}
	vm, err := qemu.Start(c)
	if err != nil {
		return err
	}
	m.vm = vm
	m.t.Cleanup(vm.Kill)
	m.conversation = converse(m.t, vm)
	hello, err := m.receive(0, bootLimit)
	if err != nil {
		return fmt.Errorf("the machine did not boot: %w; QEMU said %q, the machine %q", err, m.vm.Said(), m.lines())
	}
	begin := time.Now()
	m.ready = hello.Ready
	time.Sleep(clockWindow)
	later := m.ask(wire.Request{Op: wire.Read, Path: "/proc/uptime"})
	rate := float64(later.Up-hello.Up) / float64(time.Since(begin))
	if rate > clockError || rate < 1/clockError {
		return fmt.Errorf("the machine's clock runs at %.2f times the right rate", rate)
	}
	return nil
}

// lateModules are the class, where it is not built in, and the driver. They load last.
var lateModules = []string{"rng_core", driver}

// loadLate inserts the modules that are not loaded yet.
func (m *machine) loadLate() {
	m.t.Helper()
	for _, module := range m.late {
		m.ask(wire.Request{Op: wire.Load, Path: filepath.Join(modulesDir, module)})
	}
	m.late = nil
}

// read returns a file of the machine, without blanks around it.
func (m *machine) read(path string) string {
	m.t.Helper()
	return strings.TrimSpace(m.ask(wire.Request{Op: wire.Read, Path: path}).Text)
}

// write writes a line to a file of the machine.
func (m *machine) write(path, line string) {
	m.t.Helper()
	m.ask(wire.Request{Op: wire.Write, Path: path, Data: line + "\n"})
}

// classDir is the hw_random class in sysfs.
const classDir = "/sys/class/misc/hw_random/"

// distrust makes the kernel's own thread give no credit for the current generator, as it does by
// itself for most real ones up to Linux 6.1.
func (m *machine) distrust() {
	m.t.Helper()
	const perDevice, global = classDir + "rng_quality", "/sys/module/rng_core/parameters/current_quality"
	if _, err := m.try(wire.Request{Op: wire.Read, Path: perDevice}); err == nil {
		m.write(perDevice, "0")
		return
	}
	m.write(global, "0")
}

// step does something to the machine from outside.
func (m *machine) step(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatalf("%v; QEMU said: %q", err, m.vm.Said())
	}
}
