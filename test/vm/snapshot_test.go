package vm

import (
	"encoding/hex"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/hwrngd/hwrngd/test/vm/egd"
	"github.com/hwrngd/hwrngd/test/vm/kernel"
)

// Scenario g: a machine is saved while the daemon runs, and brought back twice. Both lives begin
// with the same memory, and with the same left-overs in the kernel. What they credit must differ
// all the same.
func TestSnapshotTwoLives(t *testing.T) {
	onAllKernels(t, func(t *testing.T, k kernel.Spec) {
		for _, c := range []struct {
			what, source string
			rate         int // bytes a second, 0: as fast as it goes
		}{
			{"between blocks", hardware, 0},
			{"within a block", hardware, 1000},
			{"jitter", jitter, 0},
		} {
			t.Run(c.what, func(t *testing.T) {
				m := boot(t, setup{kernel: k, hardware: []egd.Script{{egd.Good("g").At(c.rate)}}, programs: []program{strace}})
				d := m.startUnder(straceCommand, everySecond, "--sources="+c.source)
				d.credits(c.source)
				d.credits(c.source)
				if c.rate > 0 {
					kit.Eventually(t, "half a block", func() bool { return math.Abs(d.source(c.source).BlockFilled-0.5) < 0.2 })
				}
				m.step(m.vm.Save("parting"))
				before := m.read(tracePath)
				var lives [2]life
				for i := range lives {
					m.step(m.vm.Restore("parting"))
					for range 3 {
						d.credits(c.source)
					}
					lives[i] = parseTrace(t, strings.TrimPrefix(m.read(tracePath), before))
				}
				if s := d.source(c.source); s.State != source.Active.String() {
					t.Errorf("after the snapshot %s is %s: %s", s.Name, s.State, s.Reason)
				}
				lives[0].differs(t, lives[1])
				report(t, k, "snapshot "+c.what+": credited in two lives", float64(len(lives[0].seeds)+len(lives[1].seeds)), "seeds", "none in both")
				if c.source != hardware {
					return
				}

				// What both lives had in common when they made their first seeds.
				held, read := parseTrace(t, before).held, common(lives[0].raw, lives[1].raw)
				if read > leftOvers {
					t.Errorf("both lives read the same %d bytes, want %d at most", read, leftOvers)
				}
				report(t, k, "snapshot "+c.what+": in the daemon's memory", float64(held), "bytes", fmt.Sprintf("of a block of %d", fips.BlockBytes))
				report(t, k, "snapshot "+c.what+": read in both lives", float64(read), "bytes", "left in the kernel's buffers")
			})
		}
	})
}

// leftOvers are what the kernel may have in store of a generator: a buffer of the hw_random core and
// one of the driver, 64 bytes each.
const leftOvers = 128

const tracePath = "/run/trace"

// straceCommand records what is read from the device and what the kernel gets, in hex. The daemon
// stays a child of who starts it (-D).
var straceCommand = []string{
	"/bin/strace", "-D", "-f", "-qq", "-xx", "-s", "4096", "-e", "signal=none", "-e", "trace=read,ioctl",
	"-P", "/dev/hwrng", "-P", "/dev/random", "-o", tracePath,
}

var strace = program{path: "/bin/strace", pkg: "strace", file: "/usr/bin/strace"}

// life is what a trace shows of one life.
type life struct {
	seeds []string // data of RNDADDENTROPY with credit
	raw   []byte   // read from the device
	held  int      // bytes read after the last seed
}

// differs asserts that no seed is in both lives.
func (l life) differs(t *testing.T, other life) {
	t.Helper()
	if a, b := len(l.seeds), len(other.seeds); a < 3 || b < 3 {
		t.Errorf("the lives credited %d and %d seeds, want 3 or more", a, b)
	}
	for _, seed := range l.seeds {
		if slices.Contains(other.seeds, seed) {
			t.Errorf("both lives credited %x", seed)
		}
	}
}

// A call that another thread's line interrupts shows its data where it begins if it sends them,
// and where it ends if it gets them.
var (
	seedCall = regexp.MustCompile(`RNDADDENTROPY, \{entropy_count=[1-9]\d*, buf_size=\d+, buf="([^"]+)"`)
	readCall = regexp.MustCompile(`read(?:\(\d+, | resumed>)"([^"]+)", \d+\) += \d+`)
)

func parseTrace(t *testing.T, text string) life {
	t.Helper()
	var l life
	data := func(quoted string) []byte {
		b, err := hex.DecodeString(strings.ReplaceAll(quoted, `\x`, ""))
		if err != nil {
			t.Fatalf("trace: %v", err)
		}
		return b
	}
	for line := range strings.Lines(text) {
		if m := seedCall.FindStringSubmatch(line); m != nil {
			l.seeds, l.held = append(l.seeds, string(data(m[1]))), 0
		}
		if m := readCall.FindStringSubmatch(line); m != nil {
			got := data(m[1])
			l.raw, l.held = append(l.raw, got...), l.held+len(got)
		}
	}
	return l
}

// common counts the bytes of b that lie in a run of at least 8 that a has, too. By chance there is
// none in so little data.
func common(a, b []byte) (n int) {
	const width = 8
	have := map[string]bool{}
	for i := 0; i+width <= len(a); i++ {
		have[string(a[i:i+width])] = true
	}
	for i, end := 0, 0; i+width <= len(b); i++ {
		if have[string(b[i:i+width])] {
			n += i + width - max(i, end)
			end = i + width
		}
	}
	return n
}
