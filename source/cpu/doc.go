// Package cpu is the source of random-number instructions: RDSEED and RDRAND of x86, RNDRRS and RNDR
// of arm64, DARN of POWER, and the TRNG function of PRNO on s390x.
//
// # What is claimed, and why so little
//
// None of these instructions delivers raw noise. Between the noise source and the program stand a
// conditioner and mostly a DRBG, inside the chip: a generator whose noise has died, or whose seed
// somebody knows, passes every test of its output. So a test proves nothing here but that the
// instruction is not stuck, and the claim is a judgement about a design.
//
//   - RDSEED, RNDRRS, DARN and TRNG claim 4 bits a byte, half of what their makers state: each number
//     is drawn from conditioned noise, or after a reseed of its own.
//   - RDRAND and RNDR claim 1 bit a byte. They stretch a seed: Intel's RDRAND takes up to 511 numbers
//     of 128 bits from one (Digital Random Number Generator Software Implementation Guide, revision
//     2.1, section 3.2), and Arm leaves the rate of RNDR's reseeding to the implementation. One bit
//     trusts the cipher in the chip. Who does not trust it claims 128 bits for these 8176 bytes, which
//     is 0.0156 bits a byte.
//
// The kernel mixes these instructions into its generator by itself wherever it knows them
// (random.trust_cpu decides about the credit), so this source adds credit where the kernel gives none,
// and tests that the kernel does not make.
//
// # What goes wrong with them
//
// Firmware of some AMD processors lets RDRAND and RDSEED deliver only ones after a suspend, or from
// the start, each with the flag for success. Nothing in this package looks for that: the worker's
// health tests see constant data within a few dozen bytes, at the start-up test that follows each
// resume and later. What the kernel took out of cpuinfo, because it failed the kernel's own test at
// boot or is known to be broken, is not used here either.
//
// Other CPUs have an instruction that never succeeds: RNDRRS of Qualcomm's Oryon is one. With [Auto], the
// next instruction takes the place of one that has given nothing since the start.
package cpu
