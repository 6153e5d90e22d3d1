package linux

import (
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// MaxCryptoRead is the largest number of bytes that one read of a crypto generator gives
// (crypto/algif_rng.c, MAXSIZE).
const MaxCryptoRead = 128

// CryptoGenerator is an open random-number generator of the kernel crypto API. Its reads cannot be
// interrupted, and some hardware hangs, so only a goroutine that nobody waits for may call Read.
type CryptoGenerator struct {
	fd     int
	driver string
}

// HasCryptoSockets returns why this process has no AF_ALG sockets at all, or nil. It opens no generator.
func HasCryptoSockets() error {
	fd, err := cryptoSocket("AF_ALG")
	if err == nil {
		unix.Close(fd)
	}
	return err
}

func cryptoSocket(path string) (int, error) {
	fd, err := unix.Socket(unix.AF_ALG, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, &os.PathError{Op: "socket", Path: path, Err: err}
	}
	return fd, nil
}

// OpenCryptoGenerator opens a generator by its driver's name, such as "jitterentropy_rng", through an
// AF_ALG socket (Documentation/crypto/userspace-if.rst). Errors name the call: socket answers
// EAFNOSUPPORT where the kernel or a sandbox has no AF_ALG; bind answers ENOENT where there is no
// such generator or the kernel lacks algif_rng, ELIBBAD where the kernel's self-test of it failed. The
// kernel may load modules for it.
func OpenCryptoGenerator(driver string) (*CryptoGenerator, error) {
	path := "AF_ALG rng " + driver
	parent, err := cryptoSocket(path)
	if err != nil {
		return nil, err
	}
	defer unix.Close(parent)
	if err := unix.Bind(parent, &unix.SockaddrALG{Type: "rng", Name: driver}); err != nil {
		return nil, &os.PathError{Op: "bind", Path: path, Err: err}
	}
	// A DRBG works only once it is seeded, which a seed of no bytes makes it do by itself; generators that
	// need none take that without a word.
	if err := unix.SetsockoptString(parent, unix.SOL_ALG, unix.ALG_SET_KEY, ""); err != nil {
		return nil, &os.PathError{Op: "seed", Path: path, Err: err}
	}
	// unix.Accept4 wants a peer's address, and this kind of socket has none.
	fd, err := retryEINTR(func() (int, error) {
		fd, _, errno := unix.Syscall6(unix.SYS_ACCEPT4, uintptr(parent), 0, 0, unix.SOCK_CLOEXEC, 0, 0)
		if errno != 0 {
			return -1, errno
		}
		return int(fd), nil
	})
	if err != nil {
		return nil, &os.PathError{Op: "accept", Path: path, Err: err}
	}
	return &CryptoGenerator{fd, driver}, nil
}

// Read fills at most MaxCryptoRead bytes of p.
func (g *CryptoGenerator) Read(p []byte) (int, error) {
	p = p[:min(len(p), MaxCryptoRead)]
	n, err := retryEINTR(func() (int, error) { return unix.Read(g.fd, p) })
	if err != nil {
		return 0, &os.PathError{Op: "read", Path: "AF_ALG rng " + g.driver, Err: err}
	}
	return n, nil
}

// Close closes the generator.
func (g *CryptoGenerator) Close() error { return unix.Close(g.fd) }

// CryptoRNG is one random-number generator that the crypto API has registered.
type CryptoRNG struct {
	Driver   string // unique, such as "drbg_nopr_sha256"
	Module   string // "kernel" if built in
	Priority int    // the API prefers high ones
	SeedSize int    // bytes of seed that it wants from its user, 0 for none
	Passed   bool   // the kernel's self-test
}

// maxCryptoList bounds what is read of /proc/crypto, in bytes. A kernel with everything lists some
// hundred kB.
const maxCryptoList = 4 << 20

// CryptoRNGs lists the registered generators of type rng that programs may use, in the kernel's order.
// Those of modules that are not loaded are not there.
func (p Procfs) CryptoRNGs() ([]CryptoRNG, error) {
	path, err := attributePath(string(p), []string{"crypto"})
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxCryptoList))
	if err != nil {
		return nil, err
	}
	return parseCrypto(string(text)), nil
}

// parseCrypto reads the paragraphs of /proc/crypto, "key : value" a line (crypto/proc.c). What it cannot
// read counts as not there.
func parseCrypto(text string) (list []CryptoRNG) {
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		values := map[string]string{}
		for line := range strings.Lines(paragraph) {
			if key, value, ok := strings.Cut(line, ":"); ok {
				values[strings.TrimSpace(key)] = strings.TrimSpace(value)
			}
		}
		if values["type"] != "rng" || values["driver"] == "" || values["internal"] == "yes" {
			continue
		}
		number := func(key string) int {
			n, _ := strconv.Atoi(values[key])
			return n
		}
		list = append(list, CryptoRNG{
			Driver: values["driver"], Module: values["module"], Priority: number("priority"),
			SeedSize: number("seedsize"), Passed: values["selftest"] == "passed",
		})
	}
	return list
}
