package afalg

import (
	"fmt"
	"io"

	"github.com/hwrngd/hwrngd/source/stream"
)

// opener opens a generator by its driver's name.
type opener func(driver string) (io.ReadCloser, error)

// of returns what opens the generator of that driver for a [stream.Reader]. Errors are an
// [*source.UnavailableError].
func (open opener) of(driver string) stream.Opener {
	return func() (stream.Stream, error) {
		g, err := open(driver)
		if err != nil {
			return nil, explain(err)
		}
		return &generator{g, driver}, nil
	}
}

// generator is an open generator as a stream. A hung engine holds its reader in the kernel, where nothing but the
// end of the process frees it.
type generator struct {
	io.ReadCloser
	driver string
}

// Read implements [stream.Stream].
func (g *generator) Read(p []byte) (int, error) {
	n, err := g.ReadCloser.Read(p)
	if n == 0 && err == nil {
		err = fmt.Errorf("read AF_ALG rng %s: %w", g.driver, io.ErrNoProgress)
	}
	return n, err
}

// Flush implements [stream.Stream]. Nothing lies between an engine and its reader.
func (g *generator) Flush() error { return nil }

// Interrupt implements [stream.Stream]. There is no way to.
func (g *generator) Interrupt() {}
