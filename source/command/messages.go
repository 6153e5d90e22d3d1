package command

import (
	"bufio"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"
)

// messageRate is how many lines a second are read. A program that writes more has to wait: else it would take
// as much of a processor from this process as it takes for itself.
const messageRate = 100

// maxMessage is where a line of a program's is cut, in characters.
const maxMessage = 200

// messages is what a program writes to its standard error.
type messages struct {
	log  *slog.Logger
	pipe *os.File

	mu     sync.Mutex
	newest string
}

// newMessages starts to log what is written to end, the child's part of a pipe.
func newMessages(log *slog.Logger) (m *messages, end *os.File, err error) {
	pipe, end, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	m = &messages{log: log, pipe: pipe}
	go m.run()
	return m, end, nil
}

func (m *messages) run() {
	// No line is longer for us than this, so that none can fill the memory.
	lines := bufio.NewReaderSize(m.pipe, 4096)
	begin, n := time.Now(), 0
	for continued := false; ; {
		if n++; n > messageRate {
			time.Sleep(time.Second - time.Since(begin))
			begin, n = time.Now(), 0
		}
		line, err := lines.ReadSlice('\n')
		if text := printable(line); text != "" && !continued {
			m.mu.Lock()
			m.newest = text
			m.mu.Unlock()
			m.log.Info("the program says", "text", text)
		}
		continued = errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !continued {
			return
		}
	}
}

// printable returns the first characters of a line without what could play tricks on a terminal.
func printable(line []byte) string {
	text := strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, string(line)))
	if runes := []rune(text); len(runes) > maxMessage {
		text = string(runes[:maxMessage]) + "..."
	}
	return text
}

func (m *messages) last() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.newest
}

// close ends the reading, even if some process still holds the other end.
func (m *messages) close() { m.pipe.Close() }
