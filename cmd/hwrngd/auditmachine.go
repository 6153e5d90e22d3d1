//go:build !minimal

package main

import (
	"slices"
	"strconv"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source/hwrng"
)

// auditMachine says where the audit runs.
func auditMachine(cfg *Config) *audit.Machine {
	m := &audit.Machine{Board: linux.Sysfs(cfg.Sysfs).Board(), CPU: cpuModel(cfg.Procfs), Version: buildVersion().Version}
	m.Kernel, _ = linux.Procfs(cfg.Procfs).KernelRelease()
	return m
}

// isHWRNG tells whether the input is the device of the hardware generators: by its number, or as the
// configured one where nothing states that.
func (in *auditInput) isHWRNG(cfg *Config) bool {
	major, minor, ok := linux.Sysfs(cfg.Sysfs).HWRandomDevice()
	if ok && in.node.Type == linux.CharDevice && in.node.Major == major && in.node.Minor == minor {
		return true
	}
	return in.name == cfg.HWRNGDevice
}

// generator is what the kernel shows of the generator behind the device at one moment.
func generator(cfg *Config) hwrng.Class { return hwrng.ReadClass(linux.Sysfs(cfg.Sysfs)) }

// describe puts the generator into a report. before and after are what was there when reading began
// and when it had ended.
func describe(input *audit.Input, before, after hwrng.Class) {
	input.Generator, input.Available = after.Current, slices.Clone(after.Available)
	if after.QualityStated || after.Quality == linux.UnstatedQuality {
		input.Quality = strconv.Itoa(after.Quality)
	}
	if before.Current != after.Current {
		input.Warning = "the kernel changed the generator behind the device from " + named(before.Current) + " to " + named(after.Current) + " meanwhile: the figures are of both"
	}
}

func named(generator string) string {
	if generator == "" {
		return "none"
	}
	return generator
}

// kernelWarning is about input that says nothing of any hardware, "" for other input.
func (in *auditInput) kernelWarning() string {
	if own := in.node.KernelGenerator(); in.node.IsURandom() || own == "/dev/random" {
		return own + ": this tests the kernel's own generator, not your hardware"
	}
	return ""
}
