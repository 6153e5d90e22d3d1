package sourcetest

import (
	"log/slog"
	"strings"
	"sync"

	"github.com/hwrngd/hwrngd/internal/loglimit"
)

// Log remembers what was logged, one line of text each, such as
// `level=WARN msg="source quarantined" source=hwrng`. The zero value is ready to use.
type Log struct {
	mu    sync.Mutex
	lines []string
}

// NewLog returns an empty log and a logger that writes to it with the daemon's limit of one line a
// kind and minute.
func NewLog() (*Log, *slog.Logger) {
	l := &Log{}
	return l, slog.New(loglimit.New(slog.NewTextHandler(l, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	})))
}

// Write implements [io.Writer] for the log's logger.
func (l *Log) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}

// Lines returns the lines of that level or above which contain text.
func (l *Log) Lines(atLeast slog.Level, text string) (lines []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		word, _, _ := strings.Cut(strings.TrimPrefix(line, "level="), " ")
		var level slog.Level
		if level.UnmarshalText([]byte(word)) == nil && level >= atLeast && strings.Contains(line, text) {
			lines = append(lines, line)
		}
	}
	return lines
}
