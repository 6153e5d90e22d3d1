package linux

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestStatNode(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "hwrng")
	if err := os.Symlink("/dev/urandom", link); err != nil {
		t.Fatal(err)
	}
	linkLink := filepath.Join(dir, "hwrng2")
	if err := os.Symlink(link, linkLink); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "socket")
	if l, err := net.Listen("unix", socket); err == nil {
		defer l.Close()
	}
	for _, c := range []struct {
		name, path string
		want       Node
		own        string
		text       string
	}{
		{"random", "/dev/random", Node{Type: CharDevice, Major: 1, Minor: 8}, "/dev/random", "character device 1:8"},
		{"urandom", "/dev/urandom", Node{Type: CharDevice, Major: 1, Minor: 9}, "/dev/urandom", "character device 1:9"},
		{"kmsg", "/dev/kmsg", Node{Type: CharDevice, Major: 1, Minor: 11}, "/dev/kmsg", "character device 1:11"},
		{"null", "/dev/null", Node{Type: CharDevice, Major: 1, Minor: 3}, "", "character device 1:3"},
		{"link", link, Node{Type: CharDevice, Major: 1, Minor: 9}, "/dev/urandom", "character device 1:9"},
		{"link to a link", linkLink, Node{Type: CharDevice, Major: 1, Minor: 9}, "/dev/urandom", "character device 1:9"},
		{"FIFO", mkfifo(t), Node{Type: FIFO}, "", "FIFO"},
		{"file", file, Node{Type: RegularFile}, "", "regular file"},
		{"directory", dir, Node{Type: Directory}, "", "directory"},
		{"socket", socket, Node{}, "", "special file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := StatNode(c.path)
			if errors.Is(err, os.ErrNotExist) && c.name == "kmsg" {
				t.Skip(err) // containers often have none
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.Type != c.want.Type || got.Major != c.want.Major || got.Minor != c.want.Minor {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if again, err := StatNode(c.path); err != nil || !again.Same(got) || got.Same(Node{}) {
				t.Errorf("not the same file when looked at again: %+v, %+v (%v)", got, again, err)
			}
			if own := got.KernelGenerator(); own != c.own {
				t.Errorf("kernel generator %q, want %q", own, c.own)
			}
			if got.IsURandom() != (c.own == "/dev/urandom") {
				t.Errorf("IsURandom is %v", got.IsURandom())
			}
			if got.String() != c.text {
				t.Errorf("text %q, want %q", got.String(), c.text)
			}
		})
	}
}

func TestStatNodeErrors(t *testing.T) {
	dir := t.TempDir()
	dangling := filepath.Join(dir, "dangling")
	if err := os.Symlink("nothing", dangling); err != nil {
		t.Fatal(err)
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink("loop", loop); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "missing"), dangling, loop} {
		_, err := StatNode(path)
		if err == nil {
			t.Errorf("%s: no error", path)
		} else if path != loop && !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Numbers decide, and only those of a character device.
func TestKernelGenerator(t *testing.T) {
	for _, c := range []struct {
		node Node
		want string
	}{
		{Node{Type: CharDevice, Major: 1, Minor: 8}, "/dev/random"},
		{Node{Type: CharDevice, Major: 1, Minor: 9}, "/dev/urandom"},
		{Node{Type: CharDevice, Major: 1, Minor: 10}, ""},
		{Node{Type: CharDevice, Major: 1, Minor: 11}, "/dev/kmsg"},
		{Node{Type: CharDevice, Major: 10, Minor: 8}, ""},
		{Node{Type: CharDevice, Major: 10, Minor: 183}, ""},
		{Node{Type: OtherNode, Major: 1, Minor: 8}, ""}, // a block device: the RAM disk /dev/ram8
		{Node{Type: RegularFile, Major: 1, Minor: 9}, ""},
		{Node{}, ""},
	} {
		if got := c.node.KernelGenerator(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.node, got, c.want)
		}
	}
}

func TestFileNode(t *testing.T) {
	for path, want := range map[string]Node{
		"/dev/null": {Type: CharDevice, Major: 1, Minor: 3}, t.TempDir(): {Type: Directory},
	} {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := FileNode(f)
		if err != nil || got.Type != want.Type || got.Major != want.Major || got.Minor != want.Minor {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
		if same, err := StatNode(path); err != nil || !same.Same(got) {
			t.Errorf("%s: not the node of its path, %v", path, err)
		}
		f.Close()
		if _, err := FileNode(f); err == nil {
			t.Errorf("%s: there is a node of a closed file", path)
		}
	}
}
