package kit

import (
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

// Manager plays the service manager: it receives what a daemon tells by sd_notify(3).
type Manager struct {
	mu   sync.Mutex
	told []Assignment
}

// Assignment is one line that the service manager was told.
type Assignment struct {
	At   time.Time
	Text string // such as READY=1
}

// NewManager listens until the end of the test at a socket of that path, for $NOTIFY_SOCKET.
func NewManager(t testing.TB, path string) *Manager {
	t.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	m := &Manager{}
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := conn.Read(buf)
			if err != nil {
				return
			}
			m.mu.Lock()
			for line := range strings.Lines(string(buf[:n])) {
				if line = strings.TrimSpace(line); line != "" {
					m.told = append(m.told, Assignment{time.Now(), line})
				}
			}
			m.mu.Unlock()
		}
	}()
	return m
}

// Got returns the assignments so far that begin with prefix.
func (m *Manager) Got(prefix string) (found []Assignment) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range m.told {
		if strings.HasPrefix(a.Text, prefix) {
			found = append(found, a)
		}
	}
	return found
}

// Wait waits for an assignment that begins with prefix, and returns the last one.
func (m *Manager) Wait(t testing.TB, prefix string) Assignment {
	t.Helper()
	Eventually(t, "the service manager gets "+prefix, func() bool { return len(m.Got(prefix)) > 0 })
	all := m.Got(prefix)
	return all[len(all)-1]
}
