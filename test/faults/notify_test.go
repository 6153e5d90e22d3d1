package faults

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// manager plays the service manager: it receives what the daemon tells by sd_notify(3).
type manager struct {
	mu   sync.Mutex
	told []string // assignments such as READY=1
}

// notify makes the bench's daemon a service of Type=notify.
func (b *bench) notify(watchdog time.Duration) *manager {
	b.t.Helper()
	path := filepath.Join(b.dir, "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { conn.Close() })
	b.env = append(b.env, "NOTIFY_SOCKET="+path)
	if watchdog > 0 {
		b.env = append(b.env, fmt.Sprintf("WATCHDOG_USEC=%d", watchdog.Microseconds()))
	}
	m := &manager{}
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := conn.Read(buf)
			if err != nil {
				return
			}
			m.mu.Lock()
			m.told = append(m.told, strings.Split(strings.TrimSpace(string(buf[:n])), "\n")...)
			m.mu.Unlock()
		}
	}()
	return m
}

// count returns how many assignments begin with text.
func (m *manager) count(text string) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, told := range m.told {
		if strings.HasPrefix(told, text) {
			n++
		}
	}
	return n
}
