package egd

import (
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// QEMU speaks one command of the entropy gathering daemon's protocol: a blocking request, which is
// this byte and a count, answered by so many bytes (QEMU, backends/rng-egd.c).
const blockingRead = 0x02

// Server is one generator's hardware.
type Server struct {
	listener net.Listener
	done     chan struct{}
	wg       sync.WaitGroup

	mu      sync.Mutex
	script  Script
	began   time.Time     // of the present phase
	given   int           // bytes in it
	busy    time.Time     // no answer before this
	total   int64         // bytes in all
	waiting bool          // a request has no answer yet
	changed chan struct{} // closed when the script is replaced
}

// Listen serves a socket at path by a script, from now on.
func Listen(path string, script Script) (*Server, error) {
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("socket of a generator: %w", err)
	}
	s := &Server{listener: listener, done: make(chan struct{}), changed: make(chan struct{})}
	s.Become(script...)
	s.wg.Go(s.accept)
	return s, nil
}

// Become replaces the script. A request that waits is answered by the new one.
func (s *Server) Become(script ...Phase) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = script
	s.begin()
	close(s.changed)
	s.changed = make(chan struct{})
}

// Given is how many bytes went to the machine so far.
func (s *Server) Given() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

// Waiting tells whether the machine asks and gets no answer.
func (s *Server) Waiting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waiting
}

// Close ends the service.
func (s *Server) Close() {
	close(s.done)
	s.listener.Close()
	s.wg.Wait()
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.wg.Go(func() { s.serve(conn) })
	}
}

func (s *Server) serve(conn net.Conn) {
	stop := make(chan struct{})
	defer close(stop)
	s.wg.Go(func() { // a read that waits ends with the service
		select {
		case <-s.done:
		case <-stop:
		}
		conn.Close()
	})
	var request [2]byte
	for {
		if _, err := io.ReadFull(conn, request[:]); err != nil || request[0] != blockingRead {
			return
		}
		answer := make([]byte, request[1])
		if !s.answer(answer) {
			return
		}
		if _, err := conn.Write(answer); err != nil {
			return
		}
	}
}

// answer fills p when the script says so. It returns false if the service ends before.
func (s *Server) answer(p []byte) bool {
	for {
		wait, changed := s.attempt(p)
		if wait == 0 {
			return true
		}
		select {
		case <-time.After(wait):
		case <-changed:
		case <-s.done:
			return false
		}
	}
}

// attempt fills p and returns 0, or returns how long to wait before the next attempt.
func (s *Server) attempt(p []byte) (wait time.Duration, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.script) > 1 && s.over() {
		s.script = s.script[1:]
		s.begin()
	}
	s.waiting = true
	phase := s.script[0]
	if phase.Fill == nil {
		if phase.For > 0 {
			return max(time.Until(s.began.Add(phase.For)), time.Millisecond), s.changed
		}
		return time.Hour, s.changed
	}
	if wait := time.Until(s.busy); wait > 0 {
		return wait, s.changed
	}
	if phase.Rate > 0 {
		s.busy = time.Now().Add(time.Duration(len(p)) * time.Second / time.Duration(phase.Rate))
	}
	phase.Fill(p)
	s.given += len(p)
	s.total += int64(len(p))
	s.waiting = false
	return 0, nil
}

// begin begins a phase.
func (s *Server) begin() { s.began, s.given, s.busy = time.Now(), 0, time.Time{} }

// over tells whether the present phase has ended.
func (s *Server) over() bool {
	phase := s.script[0]
	return phase.Bytes > 0 && s.given >= phase.Bytes || phase.For > 0 && time.Since(s.began) >= phase.For
}
