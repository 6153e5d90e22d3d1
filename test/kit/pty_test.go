package kit

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// A line is for somebody at a keyboard until it is set raw.
func TestPTY(t *testing.T) {
	p := NewPTY(t)
	line, err := os.OpenFile(p.Line, os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer line.Close()
	before := p.Mode(t)
	for _, c := range []struct {
		want string
		raw  bool
	}{{"a\n", false}, {"a\r", true}} {
		if c.raw {
			if err := p.SetRaw(); err != nil {
				t.Fatal(err)
			}
			if p.Mode(t) == before {
				t.Error("the settings have not changed")
			}
		}
		if _, err := p.Master.WriteString("a\r"); err != nil {
			t.Fatal(err)
		}
		Eventually(t, "both bytes lie in the line", func() bool {
			n, err := Unread(line)
			if err != nil {
				t.Fatal(err)
			}
			return n == 2
		})
		got := make([]byte, 3)
		if n, err := line.Read(got); err != nil || string(got[:n]) != c.want {
			t.Errorf("raw %v: %q, %v", c.raw, got[:n], err)
		}
	}
	if _, err := OpenPTY("/dev/null"); err == nil || !strings.Contains(err.Error(), "/dev/null") {
		t.Errorf("no multiplexer: %v", err)
	}
}
