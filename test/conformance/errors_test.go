package conformance

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/test/kit"
)

// TestOutputErrors: a full device, and a reader that has gone.
func TestOutputErrors(t *testing.T) {
	t.Run("full", func(t *testing.T) {
		both(t, "output full", func(t *testing.T, program string) result {
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				kit.Missing(t, "%v", err)
			}
			defer full.Close()
			p := start(t, func(cmd *exec.Cmd) { cmd.Stdout = full }, program, "-p")
			p.write(fipstest.G1(3))
			return p.end()
		})
	})
	for _, which := range []string{"stdout", "stderr"} {
		t.Run(which+" without a reader", func(t *testing.T) {
			both(t, which+" without a reader", func(t *testing.T, program string) result {
				r, w, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				r.Close()
				defer w.Close()
				p := start(t, func(cmd *exec.Cmd) {
					if which == "stderr" {
						cmd.Stderr = w
					} else {
						cmd.Stdout = w
					}
				}, program, "-p", "-c", "2")
				p.write(fipstest.G1(3))
				got := p.end()
				if got.exit != -int(syscall.SIGPIPE) {
					t.Errorf("%s: exit %d, want death by SIGPIPE", program, got.exit)
				}
				return got
			})
		})
	}
}

// TestInputErrors: a directory cannot be read at all, a piece of memory up to its end.
func TestInputErrors(t *testing.T) {
	for _, options := range []string{"", "-p", "-b 1"} {
		t.Run("directory/"+options, func(t *testing.T) {
			both(t, "directory", func(t *testing.T, program string) result {
				in, err := os.Open(kit.Dir())
				if err != nil {
					t.Fatal(err)
				}
				defer in.Close()
				got := execute(t, in, program, strings.Fields(options)...)
				got.offset = -1 // means nothing
				return got
			})
		})
		t.Run("memory/"+options, func(t *testing.T) {
			both(t, "error in a block", func(t *testing.T, program string) result {
				in, done := memory(t, fipstest.G1(3))
				defer done()
				got := execute(t, in, program, strings.Fields(options)...)
				got.offset = -1 // an address
				return got
			})
		})
	}
}

// memory returns a file that delivers data and then fails: the memory of this process, before a page
// that is mapped beyond the end of its file.
func memory(t *testing.T, data []byte) (*os.File, func()) {
	t.Helper()
	page := os.Getpagesize()
	size := (len(data) + page - 1) / page * page
	backing, err := os.Create(filepath.Join(t.TempDir(), "pages"))
	if err != nil {
		t.Fatal(err)
	}
	defer backing.Close()
	if _, err := backing.Write(append(make([]byte, size-len(data)), data...)); err != nil {
		t.Fatal(err)
	}
	area, err := syscall.Mmap(int(backing.Fd()), 0, size+page, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	address, err := strconv.ParseInt(fmt.Sprintf("%p", area[size-len(data):]), 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("/proc/self/mem")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(address, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	return file, func() {
		file.Close()
		if err := syscall.Munmap(area); err != nil {
			t.Error(err)
		}
	}
}
