// Package qemu starts virtual machines and controls them. They are emulated (-accel tcg): nested
// virtualisation, where a test machine has it at all, does not run what is tested here.
package qemu

import (
	"fmt"
	"slices"
)

// arch is how QEMU plays a machine of one architecture.
type arch struct {
	program string
	machine []string
	console string // the kernel's name of the first serial line
	serial  []string
	device  string // the virtio random number generator
	hotplug bool   // generators sit in slots of their own and can be pulled

	// timeless are snapshots without the CPU's timer (QEMU, target/mips/sysemu/machine.c). Who restores one stays
	// without a tick until the old life's timer is due, later each time.
	timeless bool
}

var serialLine = []string{"-serial", "chardev:console"}

// architectures by Debian's names.
//
// The x86 CPU lacks the instructions that would seed the kernel before anything else can, and
// cmpxchg16b, after which QEMU 7.2 has wrong flags at times: Linux 6.12 panics of that.
//
// The ARM machines get no seed in their device tree: the kernel finds it there, and credits it, before
// it reads from its command line whether it may.
var architectures = map[string]arch{
	"amd64": {
		program: "qemu-system-x86_64", machine: []string{"-M", "q35", "-cpu", "max,-rdrand,-rdseed,-cx16"},
		console: "ttyS0", serial: serialLine, device: "virtio-rng-pci", hotplug: true,
	},
	"arm64": {
		program: "qemu-system-aarch64", machine: []string{"-M", "virt,dtb-randomness=off", "-cpu", "cortex-a57"},
		console: "ttyAMA0", serial: serialLine, device: "virtio-rng-pci",
	},
	"armhf": {
		program: "qemu-system-arm", machine: []string{"-M", "virt,dtb-randomness=off", "-cpu", "cortex-a15"},
		console: "ttyAMA0", serial: serialLine, device: "virtio-rng-device",
	},
	"mipsel": {
		program: "qemu-system-mipsel", machine: []string{"-M", "malta", "-cpu", "24Kf"},
		console: "ttyS0", serial: serialLine, device: "virtio-rng-pci", timeless: true,
	},
	"s390x": {
		program: "qemu-system-s390x", machine: []string{"-M", "s390-ccw-virtio"},
		console: "ttysclp0", serial: []string{"-device", "sclpconsole,chardev=console"}, device: "virtio-rng-ccw",
	},
}

// Program returns the name of the QEMU that plays an architecture.
func Program(name string) string { return architectures[name].program }

// Generator is a random number generator of the machine.
type Generator struct {
	Name   string // its id; its backend is NAME-rng, its slot NAME-slot
	Socket string // where its hardware listens
	Absent bool   // it is not in its slot yet
}

// arguments returns QEMU's command line.
func (c *Config) arguments(a arch) []string {
	args := slices.Concat(
		[]string{"-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-accel", "tcg"}, a.machine,
		[]string{"-m", fmt.Sprint(c.MemoryMiB)},
		[]string{"-chardev", "stdio,id=console,signal=off"}, a.serial,
		[]string{"-qmp", "unix:" + c.socket() + ",server=on,wait=off"},
		[]string{"-kernel", c.Image, "-initrd", c.Initrd, "-append", c.commandLine(a)},
	)
	if c.Disk != "" {
		args = append(args, "-drive", "if=virtio,format=raw,snapshot=on,file="+c.Disk)
	}
	for i, g := range c.Generators {
		args = append(args, "-chardev", fmt.Sprintf("socket,id=%s-line,path=%s", g.Name, g.Socket),
			"-object", fmt.Sprintf("rng-egd,id=%s-rng,chardev=%s-line", g.Name, g.Name))
		device := fmt.Sprintf("%s,id=%s,rng=%s-rng", a.device, g.Name, g.Name)
		if a.hotplug {
			args = append(args, "-device", fmt.Sprintf("pcie-root-port,id=%s-slot,chassis=%d,slot=%d", g.Name, i+1, i+1))
			device += ",bus=" + g.Name + "-slot"
		}
		if !g.Absent {
			args = append(args, "-device", device)
		}
	}
	if c.TPM != "" {
		args = append(args, "-chardev", "socket,id=tpm-line,path="+c.TPM, "-tpmdev", "emulator,id=tpm-chip,chardev=tpm-line",
			"-device", "tpm-tis,tpmdev=tpm-chip")
	}
	return args
}

func (c *Config) commandLine(a arch) string {
	// The console carries the test's conversation, so the kernel says only what ends it.
	line := "console=" + a.console + " quiet loglevel=1 panic=-1 oops=panic"
	// Nobody but the daemon is to seed the kernel. On a busy host an emulated TSC looks unstable to
	// the kernel, which would then take away the clock that jitter is measured by. It may be of a
	// wrong rate from the start, too, which whoever boots the machine has to look at.
	line += " random.trust_cpu=off random.trust_bootloader=off tsc=reliable"
	if c.Append != "" {
		line += " " + c.Append
	}
	return line
}
