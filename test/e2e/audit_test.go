package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// auditReport is the part of a report that cases look at.
type auditReport struct {
	Verdict string
	Reason  string
	Hints   []struct{ Name, Text string }
	Input   struct{ Name, Kind, Stopped, Error, Warning string }
	Counts  struct {
		Bytes, Blocks int64
		SHA256        string
	} `json:"counters"`
}

// running is an audit that has begun.
type running struct {
	t              testing.TB
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	exited         chan struct{}
}

// audit starts an audit of the bench. stdin may be nil.
func (b *bench) audit(stdin io.Reader, args ...string) *running {
	b.t.Helper()
	r := &running{t: b.t, exited: make(chan struct{})}
	r.cmd = b.command(context.Background(), slices.Concat([]string{"audit"}, b.arguments(), args)...)
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = stdin, &r.stdout, &r.stderr
	r.cmd.WaitDelay = kit.Patience
	if err := r.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	go func() {
		_ = r.cmd.Wait()
		close(r.exited)
	}()
	b.t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		<-r.exited
	})
	return r
}

// ends waits for the end.
func (r *running) ends() result {
	r.t.Helper()
	select {
	case <-r.exited:
	case <-time.After(kit.Patience):
		r.t.Fatalf("still runs after %s", kit.Patience)
	}
	return result{code: r.cmd.ProcessState.ExitCode(), stdout: r.stdout.String(), stderr: r.stderr.String()}
}

func (r *running) signal(sig syscall.Signal) {
	r.t.Helper()
	if err := r.cmd.Process.Signal(sig); err != nil {
		r.t.Fatal(err)
	}
}

// report reads the document of an audit.
func (r *result) report(t testing.TB) (a auditReport) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.stdout), &a); err != nil {
		t.Fatalf("%v in %s%s", err, r.stdout, r.stderr)
	}
	return a
}

// data makes a file of the bench with the first bytes of a stream.
func (b *bench) data(name string, n int, of io.Reader) string {
	b.t.Helper()
	all, err := io.ReadAll(first(n, of))
	if err != nil {
		b.t.Fatal(err)
	}
	path := filepath.Join(b.dir, name)
	b.write(path, string(all))
	return path
}

// streamBytes is the length of a stream of so many blocks: a word comes before the first.
func streamBytes(blocks int) int { return 4 + blocks*blockBytes }

// FC-005: one failure in 2000 blocks is what a good generator does, and no reason for a red light. Data that
// do fail are named, the likely cause too.
func TestFC005Verdicts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, tt := range []struct {
		name   string
		blocks int
		of     io.Reader
		args   []string
		code   int
		text   string
		hint   string
	}{
		{"good", 2000, good(), nil, 0, "PASS  1 of 2000 blocks failed; an ideal source fails as many or more in 80 % of audits\n", ""},
		{"strict", 2000, good(), []string{"--strict"}, 1, "FAIL  No block may fail, but 1 of 2000 blocks failed", ""},
		{"dead", 100, stuck(0), nil, 1, "FAIL  Stuck at 00", "stuck"},
		{"stale", 100, sixteenBytes(), nil, 1, "FAIL  ", "repeats"},
		{"FC-048", 100, &biased{good(), 0.40}, nil, 1, "FAIL  ", "bias"},
		{"words twice", 100, wordsTwice(), nil, 1, "FAIL  ", "word-twice"},
		{"FC-093", 100, hexText(), nil, 1, "FAIL  ", "text"},
		{"too few", 100, good(), []string{"--blocks=1000"}, 65, "INSUFFICIENT  Only 100 of 1000 blocks came\n", ""},
	} {
		file := b.data("data", streamBytes(tt.blocks), tt.of)
		text := b.audit(nil, append(tt.args, file)...).ends()
		if text.code != tt.code || !strings.HasPrefix(text.stdout, tt.text) || text.stderr != "" {
			t.Errorf("%s: exit code %d, want %d:\n%s%s", tt.name, text.code, tt.code, text.stdout, text.stderr)
		}
		input, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		for stdin, args := range map[*os.File][]string{nil: {file}, input: {"-"}} {
			r := &running{}
			if stdin == nil {
				r = b.audit(nil, slices.Concat(tt.args, args, []string{"--output=json"})...)
			} else {
				r = b.audit(stdin, slices.Concat(tt.args, args, []string{"--output=json"})...)
			}
			got := r.ends()
			a := got.report(t)
			hinted := tt.hint == "" && len(a.Hints) == 0
			for _, h := range a.Hints {
				hinted = hinted || h.Name == tt.hint
			}
			if got.code != tt.code || !hinted || a.Counts.Blocks != int64(tt.blocks) || a.Input.Kind != "file" {
				t.Errorf("%s: exit code %d, %+v", tt.name, got.code, a)
			}
		}
		input.Close()
	}
}

// hexText is the good stream as text, for ever.
func hexText() io.Reader { return &hexer{source: good()} }

type hexer struct{ source io.Reader }

// Read implements io.Reader.
func (h *hexer) Read(p []byte) (int, error) {
	raw := make([]byte, (len(p)+1)/2)
	if _, err := io.ReadFull(h.source, raw); err != nil {
		return 0, err
	}
	const digits = "0123456789abcdef"
	n := len(p) &^ 1
	for i := range n {
		p[i] = digits[raw[i/2]>>(4*(1-i%2))&15]
	}
	return n, nil
}

// FC-027, FC-086: a pipe with too little is never a pass, and programs need neither standard error nor a
// second look.
func TestFC027Pipes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for n, verdict := range map[int]string{0: "insufficient", 3: "insufficient", 4: "insufficient", 2499: "insufficient", streamBytes(30): "pass"} {
		got := b.audit(first(n, good()), "--output=json").ends()
		a := got.report(t)
		want := 65
		if verdict == "pass" {
			want = 0
		}
		if got.code != want || a.Verdict != verdict || a.Counts.Bytes != int64(n) || a.Input.Kind != "pipe" || got.stderr != "" {
			t.Errorf("%d bytes: exit code %d, %+v, %s", n, got.code, a, got.stderr)
		}
		if again := b.audit(first(n, good()), "--output=json").ends(); again.stdout != got.stdout {
			t.Errorf("%d bytes: two documents differ", n)
		}
	}
}
