package main

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// gatedHandler writes only while its gate is open.
type gatedHandler struct {
	slog.Handler
	gate <-chan struct{}
}

func (h gatedHandler) Handle(ctx context.Context, r slog.Record) error {
	<-h.gate
	return h.Handler.Handle(ctx, r)
}

func TestLogQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		gate := make(chan struct{})
		h, flush := newQueueHandler(gatedHandler{slog.NewTextHandler(&out, nil), gate})
		defer close(h.(*queueHandler).queue) // ends the writer
		log := slog.New(h)

		const messages = 3 * logQueue
		begin := time.Now()
		for i := range messages {
			log.Info("m", "i", i)
		}
		flush(time.Second)
		if took := time.Since(begin); took > time.Second {
			t.Errorf("a log that hangs held its users up for %v", took)
		}
		close(gate)
		flush(time.Second)
		synctest.Wait()

		written := strings.Count(out.String(), "msg=m ")
		if written < logQueue || written > logQueue+1 {
			t.Errorf("%d messages written, want those that the queue held", written)
		}
		if !strings.Contains(out.String(), "level=WARN msg=\"log is slow, messages were lost\" lost=") {
			t.Error("the loss is not told")
		}
		if first := strings.Index(out.String(), "i=0"); first < 0 || first > 200 {
			t.Error("the oldest message is not the first")
		}
	})
}

func TestLogQueueFlush(t *testing.T) {
	var out bytes.Buffer
	h, flush := newQueueHandler(slog.NewTextHandler(&out, nil))
	slog.New(h).With("a", 1).Info("last words")
	flush(10 * time.Second)
	if !strings.Contains(out.String(), `msg="last words" a=1`) {
		t.Errorf("written: %q", out.String())
	}
}
