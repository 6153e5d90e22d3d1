package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// same compares what was counted with what should have been, times aside.
func same(t *testing.T, got, want *Run) {
	t.Helper()
	g, w := reflect.ValueOf(got).Elem(), reflect.ValueOf(want).Elem()
	for _, part := range []string{"Counters", "Trace"} {
		g, w := g.FieldByName(part), w.FieldByName(part)
		for i := range g.NumField() {
			name := g.Type().Field(i).Name
			a, b := g.Field(i).Interface(), w.Field(i).Interface()
			if name == "Timeline" {
				a, b = untimed(a.([]Bin)), untimed(b.([]Bin))
			}
			if !reflect.DeepEqual(a, b) && (g.Field(i).Kind() != reflect.Slice || g.Field(i).Len()+w.Field(i).Len() > 0) {
				t.Errorf("%s is %s, want %s", name, brief(a), brief(b))
			}
		}
	}
}

func untimed(bins []Bin) []Bin {
	bins = append([]Bin{}, bins...)
	for i := range bins {
		bins[i].Seconds = 0
	}
	return bins
}

// brief prints a value, if it is not too long.
func brief(v any) string {
	s := fmt.Sprintf("%+v", v)
	if len(s) > 3000 {
		s = s[:3000] + "..."
	}
	return s
}

func TestMeterCounts(t *testing.T) {
	for i, s := range streams() {
		if race && i%5 != 0 {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			want := plainRun(s.data)
			for _, way := range ways() {
				t.Run(way.name, func(t *testing.T) {
					m := NewMeter(MeterOptions{Workers: way.workers, Keep: 5000})
					way.feed(t, m, s.data)
					if kept := m.Kept(); !bytes.Equal(kept, s.data[:min(len(s.data), 5000)]) {
						t.Errorf("kept %d bytes, not the start of the stream", len(kept))
					}
					same(t, m.Finish(), want)
					size, blocks, failed := m.Progress()
					if size != want.Bytes || blocks != want.Blocks || failed != want.FIPS1402.Any {
						t.Errorf("progress of %d bytes, %d blocks, %d failed; want %d, %d, %d",
							size, blocks, failed, want.Bytes, want.Blocks, want.FIPS1402.Any)
					}
				})
			}
		})
	}
}

// Which blocks are sampled, by either pass.
func TestMeterSamples(t *testing.T) {
	if race {
		t.Skip("needs more than SampledAll blocks")
	}
	const blocks = SampledAll + 4*SampledEvery + 2
	data := make([]byte, blockOffset(blocks))
	block := func(i int64) *[fips.BlockBytes]byte { return (*[fips.BlockBytes]byte)(data[blockOffset(i):]) }
	var zeros [2]Sampled // of blocks of zeros, by whether the index is odd
	plainSample(&zeros[0], block(0), 32)
	plainSample(&zeros[1], block(1), 32+fips.BlockBits)
	var want Sampled
	for i := range int64(blocks) {
		sampled := i < 4096 || i%64 == 0
		if i%509 < 2 || i > 4094 { // the others stay zeros, for speed
			fill(uint64(i), block(i)[:])
			if sampled {
				plainSample(&want, block(i), 32+int(i)*fips.BlockBits)
			}
		} else if sampled {
			addSampled(&want, &zeros[i%2])
		}
	}
	for _, workers := range []int{1, 2} {
		m := NewMeter(MeterOptions{Workers: workers})
		if _, err := m.ReadFrom(bytes.NewReader(data)); err != nil {
			t.Fatal(err)
		}
		run := m.Finish()
		if got := run.Sampled; got != want {
			t.Errorf("%d workers: %s; want %s", workers, brief(got), brief(want))
		}
		if n := len(run.Failed); n != MaxFailed || run.FIPS1402.Any <= MaxFailed {
			t.Errorf("%d workers: %d failed blocks of %d listed", workers, n, run.FIPS1402.Any)
		}
	}
}

func FuzzMeter(f *testing.F) {
	f.Add([]byte("\x00\x01"), uint16(9000), []byte{1, 2, 3}, uint8(2))
	f.Add([]byte("\x00"), uint16(2503), []byte{255, 0, 255}, uint8(1))
	f.Add(fipstest.S("hwrngd-good", 4000), uint16(20000), []byte{100, 100, 7}, uint8(4))
	f.Fuzz(func(t *testing.T, pattern []byte, size uint16, cuts []byte, workers uint8) {
		data := bytes.Repeat(append(pattern, 0), int(size)/(len(pattern)+1)+1)[:size]
		want := measure(data)
		m := NewMeter(MeterOptions{Workers: int(workers)})
		for i, cut := range cuts {
			part := data[:min(len(data), 16*int(cut))]
			var n int64
			var err error
			if i%2 == 0 {
				n, err = m.ReadFrom(bytes.NewReader(part))
			} else {
				n, err = io.Copy(struct{ io.Writer }{m}, bytes.NewReader(part))
			}
			if n != int64(len(part)) || err != nil {
				t.Fatalf("%d bytes: %d, %v", len(part), n, err)
			}
			data = data[len(part):]
		}
		m.Write(data)
		same(t, m.Finish(), want)
	})
}

func TestMeterMaxBlocks(t *testing.T) {
	data := good(8, 9)
	for _, blocks := range []int64{1, 2, 7} {
		want := plainRun(data[:blockOffset(blocks)])
		for _, workers := range []int{1, 2} {
			name := fmt.Sprintf("%d with %d", blocks, workers)
			options := MeterOptions{MaxBlocks: blocks, Workers: workers}
			t.Run("write "+name, func(t *testing.T) {
				m := NewMeter(options)
				n, err := m.Write(data)
				if int64(n) != want.Bytes || err != ErrStop {
					t.Errorf("write: %d, %v; want %d and a stop", n, err, want.Bytes)
				}
				stopped(t, m, want)
			})
			t.Run("write just enough "+name, func(t *testing.T) {
				m := NewMeter(options)
				if n, err := m.Write(data[:want.Bytes-1]); int64(n) != want.Bytes-1 || err != nil {
					t.Errorf("write all but one: %d, %v", n, err)
				}
				if n, err := m.Write(data[want.Bytes-1 : want.Bytes]); n != 1 || err != ErrStop {
					t.Errorf("write the last: %d, %v; want a stop", n, err)
				}
				stopped(t, m, want)
			})
			t.Run("read "+name, func(t *testing.T) {
				m := NewMeter(options)
				m.Write(data[:1000])
				input := bytes.NewReader(data[1000:])
				if n, err := m.ReadFrom(input); n != want.Bytes-1000 || err != ErrStop {
					t.Errorf("read: %d, %v; want %d and a stop", n, err, want.Bytes-1000)
				}
				if left := int64(input.Len()); left != int64(len(data))-want.Bytes {
					t.Errorf("%d bytes left in the input, want %d", left, int64(len(data))-want.Bytes)
				}
				stopped(t, m, want)
			})
		}
	}
	m := NewMeter(MeterOptions{MaxBlocks: 1 << 62}) // more bytes than can be counted
	if n, err := m.Write(data); n != len(data) || err != nil {
		t.Errorf("no limit: %d, %v", n, err)
	}
}

// stopped checks a Meter that takes no more.
func stopped(t *testing.T, m *Meter, want *Run) {
	t.Helper()
	same(t, m.Finish(), want)
	if n, err := m.Write([]byte("more")); n != 0 || err != ErrStop {
		t.Errorf("write after the stop: %d, %v", n, err)
	}
	if n, err := m.ReadFrom(iotest.ErrReader(errors.New("was read"))); n != 0 || err != ErrStop {
		t.Errorf("read after the stop: %d, %v", n, err)
	}
	same(t, m.Finish(), want)
	if size, blocks, _ := m.Progress(); size != want.Bytes || blocks != want.Blocks {
		t.Errorf("progress of %d bytes and %d blocks, want %d and %d", size, blocks, want.Bytes, want.Blocks)
	}
}

func TestMeterOnBlock(t *testing.T) {
	data := append(fipstest.G11(2, 110), "unfinished"...) // more than a piece
	for _, last := range []int64{0, 3, 99, 105} {
		want := plainRun(data[:blockOffset(last+1)])
		for _, way := range []string{"write", "write parts", "read", "read in parallel"} {
			t.Run(fmt.Sprintf("%s %d", way, last), func(t *testing.T) {
				var next int64
				workers := 1 + strings.Count(way, "parallel")
				m := NewMeter(MeterOptions{Workers: workers, OnBlock: func(index int64, failed fips.Failure) bool {
					if index != next || (failed != 0) != (index >= 2) {
						t.Errorf("block %d, %v; block %d is next", index, failed, next)
					}
					next++
					return index == last
				}})
				var n int64
				var err error
				switch way {
				case "write":
					n, err = io.Copy(struct{ io.Writer }{m}, struct{ io.Reader }{bytes.NewReader(data)})
				case "write parts":
					n, err = io.CopyBuffer(struct{ io.Writer }{m}, struct{ io.Reader }{bytes.NewReader(data)}, make([]byte, 777))
				default:
					n, err = m.ReadFrom(bytes.NewReader(data))
				}
				if n != want.Bytes || err != ErrStop {
					t.Errorf("took %d, %v; want %d and a stop", n, err, want.Bytes)
				}
				stopped(t, m, want)
				if next != last+1 {
					t.Errorf("asked about %d blocks, want %d", next, last+1)
				}
			})
		}
	}
}
