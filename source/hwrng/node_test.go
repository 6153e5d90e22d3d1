package hwrng

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

func TestVet(t *testing.T) {
	for _, c := range []struct {
		name      string
		node      linux.Node
		allowFile bool
		why, hint string // "" if it may be a source
	}{
		{"hwrng", linux.Node{Type: linux.CharDevice, Major: 10, Minor: 183}, false, "", ""},
		{"tty", linux.Node{Type: linux.CharDevice, Major: 166, Minor: 0}, false, "", ""},
		{"FIFO", linux.Node{Type: linux.FIFO}, false, "", ""},
		{"random", linux.Node{Type: linux.CharDevice, Major: 1, Minor: 8}, true, "the kernel's own /dev/random (character device 1:8)", "rngd"},
		{"urandom", linux.Node{Type: linux.CharDevice, Major: 1, Minor: 9}, true, "the kernel's own /dev/urandom (character device 1:9)", "rngd"},
		{"kmsg", linux.Node{Type: linux.CharDevice, Major: 1, Minor: 11}, true, "the kernel's own /dev/kmsg", "rngd"},
		{"file", linux.Node{Type: linux.RegularFile}, false, "a regular file", "audit"},
		{"file, allowed", linux.Node{Type: linux.RegularFile}, true, "", ""},
		{"directory", linux.Node{Type: linux.Directory}, true, "it is a directory", "character device or a FIFO"},
		{"socket", linux.Node{}, true, "it is a special file", "character device or a FIFO"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Vet("/dev/x", c.node, c.allowFile)
			if c.why == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			refused, ok := errors.AsType[*RefusedError](err)
			if !ok {
				t.Fatalf("got %v, want a RefusedError", err)
			}
			if !strings.Contains(refused.Why, c.why) || !strings.Contains(refused.Hint, c.hint) {
				t.Errorf("why %q, hint %q", refused.Why, refused.Hint)
			}
			if want := "/dev/x cannot be a source: " + refused.Why; err.Error() != want {
				t.Errorf("got  %s\nwant %s", err, want)
			}
		})
	}
}

// FC-029: the node had other names over the years, and still has them in old images.
func TestLocate(t *testing.T) {
	for _, c := range []struct {
		name   string
		have   []string // FIFOs
		device string
		want   string
	}{
		{"as configured", []string{"hwrng"}, "hwrng", "hwrng"},
		{"first name wins", []string{"misc/hw_random", "hwrandom", "hw_random", "hwrng"}, "hwrng", "hwrng"},
		{"hw_random", []string{"misc/hw_random", "hwrandom", "hw_random"}, "hwrng", "hw_random"},
		{"hwrandom", []string{"misc/hw_random", "hwrandom"}, "hwrng", "hwrandom"},
		{"misc/hw_random", []string{"misc/hw_random"}, "hwrng", "misc/hw_random"},
		{"old name configured", []string{"hw_random", "hwrng"}, "hw_random", "hw_random"},
		{"no guess for other names", []string{"hw_random", "hwrng"}, "ttyACM0", ""},
		{"no guess from an old name", []string{"hwrng"}, "hw_random", ""},
		{"nothing", nil, "hwrng", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "misc"), 0o755); err != nil {
				t.Fatal(err)
			}
			for _, name := range c.have {
				if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			configured := filepath.Join(dir, c.device)
			path, node, err := Locate(configured, false)
			if c.want != "" {
				if err != nil || path != filepath.Join(dir, c.want) || node.Type != linux.FIFO {
					t.Errorf("got %s, %v, %v", path, node, err)
				}
				return
			}
			sourcetest.WantUnavailable(t, err, "stat "+configured+": no such file or directory", "no driver", false)
			if path != configured || !errors.Is(err, os.ErrNotExist) {
				t.Errorf("got %s, %v", path, err)
			}
		})
	}
}

// FC-002 and FC-097: what may not be a source is refused under any name.
func TestLocateRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "recorded")
	if err := os.WriteFile(file, make([]byte, 7500), 0o600); err != nil {
		t.Fatal(err)
	}
	link := func(target string, elem ...string) string {
		path := filepath.Join(append([]string{t.TempDir()}, elem...)...)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct{ name, device, found, why string }{
		{"urandom", "/dev/urandom", "", "the kernel's own /dev/urandom"},
		{"random", "/dev/random", "", "the kernel's own /dev/random"},
		{"link to urandom", link("/dev/urandom", "hwrng"), "", "the kernel's own /dev/urandom"},
		{"link to a link", link(link("/dev/random", "hwrng"), "hwrng"), "", "the kernel's own /dev/random"},
		{"file", file, "", "regular file"},
		{"directory", dir, "", "directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, _, err := Locate(c.device, false)
			refused, ok := errors.AsType[*RefusedError](err)
			if !ok {
				t.Fatalf("got %v, want a RefusedError", err)
			}
			if path != c.device || refused.Path != c.device || !strings.Contains(refused.Why, c.why) {
				t.Errorf("got %+v", refused)
			}
		})
	}
	t.Run("alias that is urandom", func(t *testing.T) {
		alias := link("/dev/urandom", "hw_random")
		path, _, err := Locate(filepath.Join(filepath.Dir(alias), "hwrng"), false)
		if refused, ok := errors.AsType[*RefusedError](err); !ok || refused.Path != alias || path != alias {
			t.Errorf("got %s, %v", path, err)
		}
	})
	t.Run("file, allowed", func(t *testing.T) {
		if path, node, err := Locate(file, true); err != nil || path != file || node.Type != linux.RegularFile {
			t.Errorf("got %s, %v, %v", path, node, err)
		}
	})
	t.Run("broken node is no missing node", func(t *testing.T) {
		loop := link("hwrng", "hwrng")
		if err := syscall.Mkfifo(filepath.Join(filepath.Dir(loop), "hw_random"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, err := Locate(loop, false)
		sourcetest.WantUnavailable(t, err, "symbolic links", "", false)
	})
	t.Run("name below a file", func(t *testing.T) {
		_, _, err := Locate(filepath.Join(file, "hwrng"), false)
		// Not the hint about drivers: nothing would ever appear there.
		sourcetest.WantUnavailable(t, err, "not a directory", "", false)
		if !errors.Is(err, syscall.ENOTDIR) {
			t.Error(err)
		}
	})
}

// The class speaks of the hw_random device alone, so neither names nor qualities nor the deny
// list apply to another device.
func TestDescribed(t *testing.T) {
	hwrng := linux.Node{Type: linux.CharDevice, Major: 10, Minor: 183}
	for _, c := range []struct {
		name string
		dev  string // "" for no such file
		node linux.Node
		want bool
	}{
		{"the device", "10:183\n", hwrng, true},
		{"another device", "10:183\n", linux.Node{Type: linux.CharDevice, Major: 166}, false},
		{"FIFO", "10:183\n", linux.Node{Type: linux.FIFO}, false},
		{"block device of that number", "10:183\n", linux.Node{Major: 10, Minor: 183}, false},
		{"number not given", "", linux.Node{Type: linux.FIFO}, true},
		{"garbage", "hwrng\n", linux.Node{Type: linux.FIFO}, true},
	} {
		r := newRig(t, nil)
		if c.dev != "" {
			r.set("dev", c.dev)
		}
		if got := described(c.node, r.sys); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
