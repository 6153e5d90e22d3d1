package linux

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestTPMExchange: one command goes out and one answer comes in.
func TestTPMExchange(t *testing.T) {
	master, line := cookedLine(t)
	if _, err := line.TakeLine(); err != nil { // makes it raw
		t.Fatal(err)
	}
	dev, err := OpenTPM(line.path)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	if !dev.Node().Same(line.Node()) {
		t.Errorf("%+v", dev.Node())
	}
	command := []byte{0x80, 0x01, 0, 0, 0, 12, 3, 4, 10, 13}
	asked := make(chan []byte, 1)
	go func() {
		buf := make([]byte, 100)
		n, _ := master.Read(buf)
		asked <- buf[:n]
		_, _ = master.Write([]byte("answer"))
	}()
	buf := make([]byte, 100)
	n, err := dev.Exchange(command, buf)
	if got := <-asked; err != nil || string(buf[:n]) != "answer" || !bytes.Equal(got, command) {
		t.Errorf("%q, %v to the command % x", buf[:n], err, got)
	}
}

func TestTPMErrors(t *testing.T) {
	for _, c := range []struct {
		name, path, op string
		want           error
	}{
		{"no device", filepath.Join(t.TempDir(), "tpmrm0"), "open", os.ErrNotExist},
		{"refuses to be written", "/dev/full", "write", unix.ENOSPC},
		{"gives no answer", "/dev/null", "read", io.EOF},
	} {
		t.Run(c.name, func(t *testing.T) {
			noLeak(t, func() {
				dev, err := OpenTPM(c.path)
				if err == nil {
					_, err = dev.Exchange([]byte("command"), make([]byte, 10))
					dev.Close()
				}
				path, ok := errors.AsType[*os.PathError](err)
				if !ok || path.Op != c.op || path.Path != c.path || !errors.Is(err, c.want) {
					t.Errorf("%v", err)
				}
			})
		})
	}
}

func TestCharDevice(t *testing.T) {
	sys := Sysfs(tree(t, map[string]string{
		"dev/char/253:65536": "->../../devices/platform/MSFT0101:00/tpmrm/tpmrm0",
		"devices/platform/MSFT0101:00/tpmrm/tpmrm0/subsystem": "->../../../../../class/tpmrm",
		"dev/char/1:3": "->../../devices/virtual/mem/null", // leads nowhere
	}))
	for _, c := range []struct {
		sys         Sysfs
		node        Node
		class, name string
	}{
		{sys, Node{Type: CharDevice, Major: 253, Minor: 65536}, "tpmrm", "tpmrm0"},
		{sys, Node{Type: CharDevice, Major: 1, Minor: 3}, "", "null"},
		{sys, Node{Type: CharDevice, Major: 136, Minor: 0}, "", ""},
		{sys, Node{Type: RegularFile}, "", ""},
		{"", Node{Type: CharDevice, Major: 253, Minor: 65536}, "", ""},
		{"/sys", Node{Type: CharDevice, Major: 1, Minor: 3}, "mem", "null"},
	} {
		if class, name := c.sys.CharDevice(c.node); class != c.class || name != c.name {
			t.Errorf("%s: %q, %q, want %q, %q", c.node, class, name, c.class, c.name)
		}
	}
}

func TestTPMVersion(t *testing.T) {
	sys := Sysfs(tree(t, map[string]string{
		"class/tpm/tpm0/tpm_version_major": "2\n", "class/tpm/tpm1/tpm_version_major": "1\n", "class/tpm/tpm2/tpm_version_major": "new\n",
	}))
	for number, want := range map[string]int{"0": 2, "1": 1, "2": 0, "3": 0, "": 0} {
		if got := sys.TPMVersion(number); got != want {
			t.Errorf("TPM %s: %d, want %d", number, got, want)
		}
	}
}
