package source_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// flusher drops bytes of its own before each read.
type flusher struct {
	*sourcetest.Source
	dropped *source.Dropped
}

func (f *flusher) Read(ctx context.Context, dst []byte) (int, error) {
	f.dropped.Add(64, time.Millisecond)
	return f.Source.Read(ctx, dst)
}

func (f *flusher) Dropped() uint64 { return f.dropped.Sum() }

// What a source read and dropped is read and discarded, in the metrics and in the status.
func TestDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		scripted := sourcetest.New(sourcetest.Info(), nil, sourcetest.Give(fips.BlockBytes), sourcetest.Silence()).Chunked(500)
		rec := &sourcetest.Recorder{}
		r := startRigOn(t, &flusher{scripted, source.NewDropped(rec)}, scripted)
		r.block(time.Second)
		const reads = fips.BlockBytes / 500
		if e := rec.Events(); e.BytesRead != reads*64 || e.Discarded[source.DiscardStartup] != reads*64 {
			t.Errorf("%d bytes read and %v discarded, want %d", e.BytesRead, e.Discarded, reads*64)
		}
		if got := r.w.Snapshot().BytesRead; got != fips.BlockBytes+reads*64 {
			t.Errorf("the snapshot says %d bytes, want %d", got, fips.BlockBytes+reads*64)
		}
		r.stop()
		<-r.ended
	})
}
