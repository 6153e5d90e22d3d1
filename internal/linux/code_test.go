package linux

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// block is one mapping as smaps shows it, of so many anonymous kilobytes.
func block(head, anonymous string) string {
	return head + "\nSize:                  4 kB\nRss:                   4 kB\nAnonymous:             " + anonymous +
		" kB\nVmFlags: rd ex mr mw me sd \n"
}

func TestCleanMappings(t *testing.T) {
	const file = "00000000 fe:00 1234                       /usr/sbin/hwrngd"
	for _, test := range []struct {
		name, smaps string
		want        Code
	}{
		{"nothing", "", nil},
		{"code", block("00400000-00402000 r-xp "+file, "0"), Code{{0x400000, 0x402000}}},
		{"constants", block("00402000-00403000 r--p "+file, "0"), Code{{0x402000, 0x403000}}},
		{"adjusted constants", block("00402000-00403000 r--p "+file, "4"), nil},
		{"data", block("00402000-00403000 rw-p "+file, "0"), nil},
		{"shared", block("00402000-00403000 r--s "+file, "0"), nil},
		{"no file", block("7ffd0000-7ffd1000 r-xp 00000000 00:00 0 [vdso]", "0"), nil},
		{"no access", block("7ffd0000-7ffd1000 ---p "+file, "0"), nil},
		{"not a number", block("x-y r-xp "+file, "0"), nil},
		{"in a row", block("00400000-00402000 r-xp "+file, "0") + block("00402000-00403000 rw-p "+file, "0"), Code{{0x400000, 0x402000}}},
		{"cut off", "00400000-00402000 r-xp " + file + "\nSize: 4 kB\n", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := cleanMappings(test.smaps); !slices.Equal(got, test.want) {
				t.Errorf("got %x, want %x", got, test.want)
			}
		})
	}
}

// TestForgetCode: the code is gone from the process and works all the same.
func TestForgetCode(t *testing.T) {
	if _, err := os.Stat("/proc/self/smaps"); err != nil {
		t.Skip("this kernel has no smaps:", err)
	}
	code, err := Procfs("/proc").Code()
	if err != nil || len(code) == 0 {
		t.Fatalf("the code of this program: %v, %v", code, err)
	}
	before := residentCode(t)
	if err := code.Forget(); err != nil {
		t.Error(err)
	}
	if after := residentCode(t); after >= before {
		t.Errorf("%d kB of files in memory, %d kB before", after, before)
	}
	if text := strings.Repeat("works", 2); text != "worksworks" {
		t.Error(text)
	}
	if _, err := Procfs(t.TempDir()).Code(); !os.IsNotExist(err) {
		t.Errorf("without smaps: %v", err)
	}
}

// residentCode returns the kilobytes of files that are in this process' memory.
func residentCode(t *testing.T) (kB int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "RssFile:")
	if _, err := fmt.Sscan(rest, &kB); err != nil {
		t.Fatal(err)
	}
	return kB
}
