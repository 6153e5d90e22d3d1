//go:build !minimal

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"slices"

	"github.com/hwrngd/hwrngd/sp80090b"
)

// sampleFile is a file of samples.
type sampleFile struct {
	samples []byte
	bits    int
	derived bool   // bits were found from the samples
	source  string // that made them, "" if nothing says
}

func (in *sampleFile) sha256() string {
	sum := sha256.Sum256(in.samples)
	return hex.EncodeToString(sum[:])
}

// readSamples reads the samples to assess and checks that they are some.
func readSamples(ctx context.Context, inv *Invocation, opt *assessOptions) (*sampleFile, error) {
	in := &sampleFile{bits: opt.bits}
	name := inputName(opt.file)
	if header := readSidecar(opt.file); header != nil {
		if header.Format == formatU64 {
			return nil, exitErrorf(exitUsage, "judge them by --replay, or capture samples with --format=bin", "%s holds times, not samples, says %s.json", opt.file, opt.file)
		}
		in.source = header.Source
		if header.Rows > 1 && opt.rows == 0 {
			inv.Warn(fmt.Sprintf("%s.json says that the file has %d rows, each taken after a restart: an estimate wants consecutive samples", opt.file, header.Rows))
		}
	}
	limit := opt.samples
	if limit == 0 {
		limit = sp80090b.MaxSampleBits / max(opt.bits, 1)
	}
	data, more, err := readInput(ctx, inv, opt.file, limit)
	if err != nil {
		return nil, err
	}
	in.samples = data
	if in.bits == 0 {
		in.bits, in.derived = max(1, bits.Len8(slices.Max(append([]byte{0}, data...)))), true
	}
	if (more && opt.samples == 0) || len(data) > sp80090b.MaxSampleBits/in.bits {
		most := sp80090b.MaxSampleBits / in.bits
		return nil, exitErrorf(exitUsage, fmt.Sprintf("assess a part: --samples=%d", sp80090b.EnoughSamples), "%s has more than %d samples of %d bits", name, most, in.bits)
	}
	for i, s := range data {
		if width := bits.Len8(s); width > in.bits {
			return nil, exitErrorf(exitUsage, "one sample a byte, in its low bits; leave --bits out to have the width found",
				"%s: byte %d at offset %d needs %d bits, --bits says %d", name, s, i, width, in.bits)
		}
	}
	if len(data) < sp80090b.MinSamples {
		return nil, exitErrorf(exitTooLittleData, fmt.Sprintf("the standard asks for %d", sp80090b.EnoughSamples),
			"%s has %d samples, at least %d are needed", name, len(data), sp80090b.MinSamples)
	}
	return in, nil
}

// inputName names the input in messages.
func inputName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// readInput reads at most limit bytes of a file, of standard input for "-", and tells whether there is
// more. A pipe that stays silent does not keep it when ctx is done.
func readInput(ctx context.Context, inv *Invocation, path string, limit int) (data []byte, more bool, err error) {
	from := inv.Stdin
	if path == "-" {
		if isTerminalReader(from) {
			return nil, false, exitErrorf(exitUsage, "name a file, or send samples into a pipe", "standard input is a terminal")
		}
	} else {
		file, err := os.Open(path)
		if err != nil {
			code := exitNoInput
			if errors.Is(err, fs.ErrPermission) {
				code = exitPermission
			}
			return nil, false, exitErrorf(code, "", "cannot assess: %w", err)
		}
		defer file.Close()
		from = file
	}
	type outcome struct {
		data []byte
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(from, int64(limit)+1))
		done <- outcome{data, err}
	}()
	select {
	case got := <-done:
		if got.err != nil {
			return nil, false, exitErrorf(exitIO, "", "cannot read the samples: %w", got.err)
		}
		if len(got.data) > limit {
			return got.data[:limit], true, nil
		}
		return got.data, false, nil
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
}

// isTerminalReader tells whether standard input is somebody at a keyboard.
func isTerminalReader(r io.Reader) bool {
	file, ok := r.(*os.File)
	return ok && isTerminal(file)
}

// readSidecar returns the header that capture wrote beside a sample file, nil if there is none that it
// could have written.
func readSidecar(path string) *captureHeader {
	if path == "-" {
		return nil
	}
	file, err := os.Open(filepath.Clean(path) + ".json")
	if err != nil {
		return nil
	}
	defer file.Close()
	h := &captureHeader{}
	if err := json.NewDecoder(io.LimitReader(file, 1<<16)).Decode(h); err != nil || !slices.Contains(captureFormats, h.Format) || !slices.Contains(sourceNames(), h.Source) {
		return nil
	}
	return h
}
