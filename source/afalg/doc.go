// Package afalg is the source of the kernel crypto API's random-number generators: engines of
// system-on-chips whose drivers register there and not behind /dev/hwrng, and the kernel's own jitter
// generator. They are read through AF_ALG sockets of type "rng".
//
// # What is taken for a source
//
// The kernel lists its generators in /proc/crypto. With [Auto] the source takes a hardware engine, of
// several the one with the highest priority, else jitterentropy_rng.
//
//   - Hardware engines claim 4 bits a byte, half, as unknown drivers behind /dev/hwrng do.
//   - jitterentropy_rng claims 1 bit a byte. It is conditioned by a hash, so tests of its output show
//     nothing; it and the jitter source of this program see the same CPU's timing, and one of them is
//     enough.
//   - DRBGs (drbg_*) and krng are seeded by the kernel's generator: to give it its own output back adds
//     nothing. They are read only when they are named, as for a capture, and then claim next to nothing.
//   - Generators that want a seed from their user (a seed size in /proc/crypto), such as ansi_cprng and
//     the PRNG engines of Allwinner chips, are never read: what they give is as random as the seed.
package afalg
