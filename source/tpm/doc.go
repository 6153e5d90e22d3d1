// Package tpm is the source of a TPM 2.0 that is asked directly, by TPM2_GetRandom on /dev/tpmrm0: for
// kernels that do not offer it behind /dev/hwrng, as those built without CONFIG_HW_RANDOM_TPM.
//
// # A TPM twice
//
// Where the kernel lists the TPM among its hardware generators (tpm-rng-0), the hwrng source reads it, and
// this one stays out of it: one noise source must not count as two.
//
// # Slow
//
// A TPM is a shared device on a slow bus, and while a firmware TPM works it stalls the whole machine. So one
// command asks for 32 bytes, each is followed by a rest as long as it took, and once the start-up test has
// its block, there are at most 128 bytes a second. Kernels since 6.5 do not use AMD's firmware TPM as a
// generator at all, because of that; this source does not either, unless somebody names it.
//
// # Claim
//
// One bit a byte. What a TPM gives is the output of a DRBG, which tests cannot tell from a good one whose
// noise source is dead, and how often the noise is drawn upon its specification leaves to the maker.
package tpm
