package audit

import (
	"bytes"
	"errors"
	"io"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/fips"
)

// slowReader gives a few bytes at a time, each after a pause. Before it does, it calls look.
type slowReader struct {
	data  []byte
	size  int
	pause time.Duration
	look  func(given int)
	given int
}

func (r *slowReader) Read(p []byte) (int, error) {
	time.Sleep(r.pause)
	r.look(r.given)
	n := copy(p[:min(r.size, len(p))], r.data[r.given:])
	r.given += n
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// A block is counted before the next byte is there, however slowly they come.
func TestReadFromSlowly(t *testing.T) {
	for _, workers := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			m := NewMeter(MeterOptions{Workers: workers})
			data := good(1, 6)[:blockOffset(5)+100]
			r := &slowReader{data: data, size: 32, pause: 3 * time.Millisecond, look: func(given int) {
				size, blocks, failed := m.Progress()
				if want := max(0, (int64(given)-4)/fips.BlockBytes); size != int64(given) || blocks != want || failed != 0 {
					t.Errorf("%d workers: %d bytes, %d blocks and %d failed after %d bytes, want %d blocks", workers, size, blocks, failed, given, want)
				}
			}}
			if n, err := m.ReadFrom(r); n != int64(len(data)) || err != nil {
				t.Errorf("%d, %v", n, err)
			}
			same(t, m.Finish(), plainRun(data))
		})
	}
}

// After OnBlock told it to stop, the reader is left alone.
func TestReadFromStopsAtOnce(t *testing.T) {
	for _, workers := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			data := good(1, 4)
			m := NewMeter(MeterOptions{Workers: workers, OnBlock: func(index int64, _ fips.Failure) bool {
				time.Sleep(time.Second) // ReadFrom has to wait for it
				return index == 1
			}})
			r := &slowReader{data: data, size: 500, look: func(given int) {
				if int64(given) >= blockOffset(2) {
					t.Errorf("%d workers: reads again after %d bytes", workers, given)
				}
			}}
			if n, err := m.ReadFrom(r); n != blockOffset(2) || err != ErrStop {
				t.Errorf("%d workers: took %d, %v", workers, n, err)
			}
		})
	}
}

func TestReadFromErrors(t *testing.T) {
	broken := errors.New("broken")
	data := good(1, 3)
	for _, workers := range []int{1, 2} {
		m := NewMeter(MeterOptions{Workers: workers})
		// An error that comes with the last bytes, then one without any, then none.
		for _, test := range []struct {
			name string
			data []byte
			err  error
			want error
		}{
			{"with data", data[:4000], broken, broken},
			{"without data", nil, broken, broken},
			{"never anything", nil, nil, io.ErrNoProgress},
			{"end with data", data[4000:], io.EOF, nil},
		} {
			n, err := m.ReadFrom(&lastReader{test.data, test.err})
			if n != int64(len(test.data)) || err != test.want {
				t.Errorf("%s: %d, %v; want %d, %v", test.name, n, err, len(test.data), test.want)
			}
		}
		same(t, m.Finish(), plainRun(data))
	}
}

// lastReader gives all it has and its error in one read.
type lastReader struct {
	data []byte
	err  error
}

func (r *lastReader) Read(p []byte) (int, error) {
	n := copy(p, r.data)
	r.data = r.data[n:]
	return n, r.err
}

// Bins are timed from when the last block before them was whole to when their own last one was.
func TestTimelineSeconds(t *testing.T) {
	for _, workers := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			m := NewMeter(MeterOptions{Workers: workers})
			time.Sleep(time.Second)
			m.Write(good(1, 1)[:2400]) // 104 short
			m.Finish()
			r := &slowReader{data: make([]byte, 104+2*MaxBins*fips.BlockBytes), size: 1250, pause: time.Second, look: func(int) {}}
			if _, err := m.ReadFrom(r); err != nil {
				t.Fatal(err)
			}
			// Half a block a read: a block of the stream ends with reads 1, 3, 5, ...
			run := m.Finish()
			var sum float64
			for i, bin := range run.Timeline {
				sum += bin.Seconds
				want := float64(2 * bin.Blocks)
				if i == 0 {
					want = float64(1 + 1 + 2*(bin.Blocks-1))
				}
				if bin.Seconds != want {
					t.Errorf("%d workers: bin %d with %d blocks took %g s, want %g", workers, i, bin.Blocks, bin.Seconds, want)
				}
			}
			if want := float64(1 + 1 + 2*2*MaxBins); sum != want || run.BinBlocks != 4 {
				t.Errorf("%d workers: bins of %d blocks took %g s, want %g", workers, run.BinBlocks, sum, want)
			}
		})
	}
}

func TestTimelineJoins(t *testing.T) {
	for _, blocks := range []int{1, MaxBins, MaxBins + 1, 2 * MaxBins, 2*MaxBins + 1, 3333} {
		var line timeline
		var want, got Run
		for i := range blocks {
			bin := Bin{Blocks: 1, Ones: int64(i * i)}
			if i%3 == 0 {
				bin.Failed = 1
			}
			want.Timeline = append(want.Timeline, bin)
			line.add(i%3 == 0, i*i, 0)
		}
		want.Blocks = int64(blocks)
		plainTimeline(&want)
		line.addTo(&got.Trace)
		want.Blocks = 0
		same(t, &got, &want)
	}
}

// Progress from another goroutine, for the race detector.
func TestProgressMeanwhile(t *testing.T) {
	m := NewMeter(MeterOptions{Workers: 2})
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.ReadFrom(bytes.NewReader(make([]byte, blockOffset(150))))
	}()
	for {
		size, blocks, failed := m.Progress()
		if failed > blocks || blockOffset(blocks) > max(size, 4) {
			t.Errorf("%d bytes, %d blocks, %d failed", size, blocks, failed)
		}
		select {
		case <-done:
			return
		default:
		}
	}
}

// A longer sequence than an int of 32 bits can tell.
func TestLongestEqualIsBounded(t *testing.T) {
	m := NewMeter(MeterOptions{})
	m.Write(make([]byte, blockOffset(1)))
	m.blockPass.equal.length += 1 << 40
	run := m.Finish()
	if run.LongestEqual != math.MaxInt32 || run.Plateaus[0].Length != 1<<40+fips.BlockBytes {
		t.Errorf("%d equal bytes, plateaus %v", run.LongestEqual, run.Plateaus)
	}
}
