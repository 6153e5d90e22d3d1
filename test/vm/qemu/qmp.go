package qemu

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
)

// QMP is a connection to QEMU's control socket (QEMU, docs/interop/qmp-spec.rst).
type QMP struct {
	conn    net.Conn
	mu      sync.Mutex
	changed *sync.Cond
	answers []message
	events  []message
	closed  error
}

// message is all that QEMU sends.
type message struct {
	Return json.RawMessage `json:"return"`
	Error  *struct {
		Class string `json:"class"`
		Desc  string `json:"desc"`
	} `json:"error"`
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data"`
}

// Limits on how long QEMU may take. They are long, for an emulated machine on a busy one.
const (
	commandLimit = 60 * time.Second
	eventLimit   = 60 * time.Second
)

// Dial connects and makes QEMU take commands.
func Dial(path string) (*QMP, error) {
	conn, err := net.Dial("unix", path)
	if err != nil {
		return nil, err
	}
	q := &QMP{conn: conn}
	q.changed = sync.NewCond(&q.mu)
	go q.receive()
	if err := q.Do("qmp_capabilities", nil, nil); err != nil {
		q.Close()
		return nil, err
	}
	return q, nil
}

// Close ends the connection. The machine goes on.
func (q *QMP) Close() { q.conn.Close() }

func (q *QMP) receive() {
	in := json.NewDecoder(q.conn)
	for {
		var m message
		err := in.Decode(&m)
		q.mu.Lock()
		switch {
		case err != nil:
			q.closed = fmt.Errorf("QMP: %w", err)
		case m.Event != "":
			q.events = append(q.events, m)
		case m.Return != nil || m.Error != nil:
			q.answers = append(q.answers, m)
		}
		q.changed.Broadcast()
		q.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// wait waits until done, which is called under the lock.
func (q *QMP) wait(limit time.Duration, what string, done func() bool) error {
	stop := time.AfterFunc(limit, q.changed.Broadcast)
	defer stop.Stop()
	for begin := time.Now(); !done(); q.changed.Wait() {
		if q.closed != nil {
			return q.closed
		}
		if time.Since(begin) >= limit {
			return fmt.Errorf("QMP: no %s within %s", what, limit)
		}
	}
	return nil
}

// Do executes a command. Arguments may be nil, and so may result, which gets the answer.
func (q *QMP) Do(command string, arguments, result any) error {
	request := map[string]any{"execute": command}
	if arguments != nil {
		request["arguments"] = arguments
	}
	text, err := json.Marshal(request)
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.answers = nil
	if _, err := q.conn.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("QMP %s: %w", command, err)
	}
	if err := q.wait(commandLimit, "answer to "+command, func() bool { return len(q.answers) > 0 }); err != nil {
		return err
	}
	a := q.answers[0]
	switch {
	case a.Error != nil:
		return fmt.Errorf("QMP %s: %s", command, a.Error.Desc)
	case result != nil:
		return json.Unmarshal(a.Return, result)
	}
	return nil
}

// Event waits for an event that matches and takes it, with all that came before it.
func (q *QMP) Event(name string, match func(data json.RawMessage) bool) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.wait(eventLimit, "event "+name, func() bool {
		i := slices.IndexFunc(q.events, func(e message) bool { return e.Event == name && match(e.Data) })
		if i < 0 {
			return false
		}
		q.events = slices.Delete(q.events, 0, i+1)
		return true
	})
}

// job runs a command that QEMU does in the background, and waits for its end.
func (q *QMP) job(command string, arguments map[string]any) error {
	id := fmt.Sprintf("job-%d", time.Now().UnixNano())
	arguments["job-id"] = id
	if err := q.Do(command, arguments, nil); err != nil {
		return err
	}
	err := q.Event("JOB_STATUS_CHANGE", func(data json.RawMessage) bool {
		var job struct{ ID, Status string }
		return json.Unmarshal(data, &job) == nil && job.ID == id && job.Status == "concluded"
	})
	if err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	var jobs []struct{ ID, Error string }
	if err := q.Do("query-jobs", nil, &jobs); err != nil {
		return err
	}
	for _, j := range jobs {
		if j.ID == id && j.Error != "" {
			err = errors.New(command + ": " + j.Error)
		}
	}
	return errors.Join(err, q.Do("job-dismiss", map[string]any{"id": id}, nil))
}
