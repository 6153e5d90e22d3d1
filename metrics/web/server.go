// Package web serves metrics and health over HTTP.
//
// Nothing in it can hold up the daemon: every listener binds, retries and serves in goroutines of
// its own, and a port that is taken is only a log line. Serving plain HTTP uses no randomness, so
// a scrape works while the kernel's generator is still unseeded; TLS waits until it is not.
package web

import (
	"context"
	"log/slog"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/hwrngd/hwrngd/metrics"
	"github.com/hwrngd/hwrngd/pool"
)

const (
	firstRetry = time.Second
	lastRetry  = 30 * time.Second

	// drainTime is how long a request in progress may still take when its listener closes. Close
	// may have to wait for it twice, after a SetListeners that is under way.
	drainTime = 200 * time.Millisecond

	// lookEvery is how often the web configuration is looked at while clients come.
	lookEvery = 10 * time.Second
)

// Options configures a Server. All fields but Sockets are needed. The functions must not block.
type Options struct {
	Metrics Metrics
	Healthy func() bool           // is the daemon's main loop alive
	Ready   func() (bool, string) // is the daemon ready, and if not, why
	Status  func() *pool.Status   // for people
	Logger  *slog.Logger
	// Sockets are those that the service manager passed, if any.
	Sockets []*os.File
	// Seeded is closed once the kernel's generator is ready. What may use TLS waits for it here, where
	// the wait can be ended and told, and not within crypto/rand.
	Seeded <-chan struct{}
	Failed func(metrics.Output) // called for each failure that is tried again
}

// Server serves the same pages on any number of listeners.
type Server struct {
	handler handler
	log     *slog.Logger
	sockets []*os.File
	seeded  <-chan struct{}
	failed  func(metrics.Output)

	// Tests replace these.
	bind                  func(context.Context, address) (net.Listener, error)
	firstRetry, lastRetry time.Duration
	lookEvery             time.Duration

	change sync.Mutex // held while listeners are opened and closed

	mu        sync.Mutex // guards what follows, never held while waiting
	listeners []*listener
	closed    bool
}

// New returns a server without listeners.
func New(o Options) *Server {
	s := &Server{
		handler:    newHandler(o),
		log:        o.Logger,
		sockets:    o.Sockets,
		seeded:     o.Seeded,
		failed:     o.Failed,
		firstRetry: firstRetry,
		lastRetry:  lastRetry,
		lookEvery:  lookEvery,
	}
	s.bind = s.open
	return s
}

// SetListeners makes the server listen on exactly these addresses, "host:port", "unix:PATH" or
// [Systemd], all by the web configuration in the file config, or by plain HTTP if that is "".
// Listeners that are not in the list close, new ones open, others stay untouched with their
// connections. Only those with a web configuration always open anew, since not all of it takes effect
// otherwise. It does not wait for new ones to be bound; see [Server.Listeners].
//
// If an address is malformed it changes nothing and returns an error.
func (s *Server) SetListeners(addresses []string, config string) error {
	var wanted []address
	for _, text := range addresses {
		if text == Systemd {
			wanted = append(wanted, s.activated()...)
			continue
		}
		a, err := parseAddress(text)
		if err != nil {
			return err
		}
		if !slices.Contains(wanted, a) {
			wanted = append(wanted, a)
		}
	}
	for i := range wanted {
		wanted[i].config = config
	}
	s.change.Lock()
	defer s.change.Unlock()
	s.replace(wanted)
	return nil
}

// replace first closes and then opens, since a new address may need the port of an old one.
func (s *Server) replace(wanted []address) {
	kept := make(map[address]*listener)
	var gone []*listener
	for _, l := range s.snapshot() {
		if l.address.config == "" && slices.Contains(wanted, l.address) {
			kept[l.address] = l
		} else {
			gone = append(gone, l)
		}
	}
	stopAll(gone)

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.listeners = nil
	for _, a := range wanted {
		l := kept[a]
		if l == nil {
			l = s.start(a)
		}
		s.listeners = append(s.listeners, l)
	}
}

// Status tells where one listener stands.
type Status struct {
	Address string // as configured
	Bound   string // what the socket is bound to, "" while it is not
	Err     error  // why it is not bound, nil if it is or if the first attempt is under way
}

// Listeners returns the status of every listener, in the order given to SetListeners.
func (s *Server) Listeners() []Status {
	var all []Status
	for _, l := range s.snapshot() {
		all = append(all, *l.status.Load())
	}
	return all
}

// Close closes all listeners and connections, for good. It returns within 500 ms; a handler that
// hangs is left behind.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()

	s.change.Lock()
	defer s.change.Unlock()
	stopAll(s.snapshot())
}

func (s *Server) snapshot() []*listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.listeners)
}
