package qemu

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
)

// fakeQEMU answers each command by what answer returns, line by line.
func fakeQEMU(t *testing.T, answer func(command, job string) string) *QMP {
	t.Helper()
	path := filepath.Join(t.TempDir(), "q")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		fmt.Fprintln(conn, `{"QMP": {"version": {}, "capabilities": []}}`)
		for lines := bufio.NewScanner(conn); lines.Scan(); {
			var request struct {
				Execute   string `json:"execute"`
				Arguments struct {
					JobID string `json:"job-id"`
				} `json:"arguments"`
			}
			if err := json.Unmarshal(lines.Bytes(), &request); err != nil {
				return
			}
			fmt.Fprintln(conn, answer(request.Execute, request.Arguments.JobID))
		}
	}()
	q, err := Dial(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

func TestCommands(t *testing.T) {
	q := fakeQEMU(t, func(command, _ string) string {
		switch command {
		case "query-status":
			return `{"return": {"status": "running"}}`
		case "device_del":
			return `{"return": {}}` + "\n" +
				`{"event": "DEVICE_DELETED", "data": {"device": "other"}}` + "\n" +
				`{"event": "DEVICE_DELETED", "data": {"device": "hw0"}}`
		case "qmp_capabilities":
			return `{"return": {}}`
		}
		return `{"error": {"class": "CommandNotFound", "desc": "unknown command"}}`
	})
	var status struct{ Status string }
	if err := q.Do("query-status", nil, &status); err != nil || status.Status != "running" {
		t.Errorf("query-status: %v, %v", status, err)
	}
	if err := q.Do("nonsense", nil, nil); err == nil || !strings.Contains(err.Error(), "nonsense: unknown command") {
		t.Errorf("error %v", err)
	}
	m := &Machine{QMP: q}
	if err := m.Unplug("hw0"); err != nil {
		t.Error(err)
	}
}

func TestJobs(t *testing.T) {
	for _, failure := range []string{"", "no space left"} {
		running := ""
		q := fakeQEMU(t, func(command, job string) string {
			switch command {
			case "snapshot-save":
				running = job
				event := `{"event": "JOB_STATUS_CHANGE", "data": {"status": %q, "id": %q}}` + "\n"
				return fmt.Sprintf(event+event+event+`{"return": {}}`, "concluded", "another", "running", job, "concluded", job)
			case "query-jobs":
				return fmt.Sprintf(`{"return": [{"id": "another", "error": "x"}, {"id": %q, "error": %q}]}`, running, failure)
			}
			return `{"return": {}}`
		})
		err := q.job("snapshot-save", map[string]any{"tag": "x"})
		if failure == "" && err != nil || failure != "" && (err == nil || !strings.Contains(err.Error(), failure)) {
			t.Errorf("failure %q: error %v", failure, err)
		}
	}
}

func TestConnectionEnds(t *testing.T) {
	q := fakeQEMU(t, func(_, _ string) string { return `{"return": {}}` })
	q.Close()
	if err := q.Do("query-status", nil, nil); err == nil {
		t.Error("no error after the end of the connection")
	}
}
