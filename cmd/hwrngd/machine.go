package main

import (
	"fmt"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source/hwrng"
)

// machine is what the kernel shows of its random generator and of who seeds it.
type machine struct {
	Kernel         string `json:"kernel"`
	CRNGReady      bool   `json:"crng_ready"`
	CRNGError      string `json:"crng_error,omitempty"`
	PoolBits       int    `json:"kernel_pool_size_bits"`         // 0: unknown
	EntropyBits    int    `json:"kernel_entropy_available_bits"` // of PoolBits
	FIPSMode       bool   `json:"kernel_fips_mode"`
	KernelThread   bool   `json:"kernel_hwrng_thread"`        // the kernel reads the generator itself
	TrustCPU       string `json:"trust_cpu,omitempty"`        // random.trust_cpu= of the command line
	TrustBootload  string `json:"trust_bootloader,omitempty"` // random.trust_bootloader= likewise
	DefaultQuality string `json:"rng_core_default_quality,omitempty"`

	CPUGenerators []string    `json:"cpu_generators"`
	HWRandom      hwrng.Class `json:"hw_random"`
}

// surveyMachine reads the kernel's state. It needs no privilege and waits for nothing.
func surveyMachine(cfg *Config) machine {
	proc := linux.Procfs(cfg.Procfs)
	var m machine
	m.Kernel, _ = proc.KernelRelease()
	ready, err := linux.CRNGReady()
	if m.CRNGReady = ready; err != nil {
		m.CRNGError = err.Error()
	}
	m.PoolBits, _ = proc.PoolSize()
	m.EntropyBits, _ = proc.EntropyAvailable()
	m.FIPSMode = proc.FIPSEnabled()
	m.KernelThread = proc.KernelThread("hwrng")
	m.TrustCPU, _ = proc.CommandLineOption("random.trust_cpu")
	m.TrustBootload, _ = proc.CommandLineOption("random.trust_bootloader")
	m.DefaultQuality, _ = proc.CommandLineOption("rng_core.default_quality")
	// Programs that read the report expect lists, also of nothing.
	m.CPUGenerators = append([]string{}, proc.CPUGenerators()...)
	m.HWRandom = hwrng.ReadClass(linux.Sysfs(cfg.Sysfs))
	m.HWRandom.Available = append([]string{}, m.HWRandom.Available...)
	return m
}

// poolText shows the kernel's estimate and says what the size of the pool tells.
func (m *machine) poolText() string {
	generation := "legacy, before Linux 5.18: it drains and asks for more"
	switch {
	case m.PoolBits == 0:
		return "unknown"
	case m.PoolBits <= pool.ModernPoolBits:
		generation = "modern, as of Linux 5.18: once seeded it stays full"
	}
	return fmt.Sprintf("%d of %d bits (%s)", m.EntropyBits, m.PoolBits, generation)
}

// threadCredit says what the kernel's own thread makes of the generator.
func (m *machine) threadCredit() string {
	class := m.HWRandom
	switch {
	case !m.KernelThread:
		return "not running"
	case !class.QualityShown: // Linux before 5.18 runs it for those alone
		return "running, credits what the generator's driver states"
	case class.Quality == 0:
		return "running, credits nothing: rng_quality is 0"
	case class.Quality == linux.UnstatedQuality:
		return "running, trusts the generator fully: rng_quality is 1024"
	}
	return fmt.Sprintf("running, credits %d/1024 bit per bit", class.Quality)
}
