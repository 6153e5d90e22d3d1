package systemd

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// try runs a command in the machine and returns what it prints.
func (m *machine) try(args ...string) (string, error) {
	cmd := exec.Command("nsenter", append([]string{"-t", strconv.Itoa(m.init), "-a", "--"}, args...)...)
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", "SYSTEMD_PAGER=", "SYSTEMD_COLORS=0"}
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// run is try for a command that must work.
func (m *machine) run(args ...string) string {
	m.t.Helper()
	out, err := m.try(args...)
	if err != nil {
		m.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// shell runs a line of shell in the machine.
func (m *machine) shell(line string) string {
	m.t.Helper()
	return m.run("/bin/sh", "-euc", line)
}

// path is where a file of the machine is seen from outside.
func (m *machine) path(name string) string { return fmt.Sprintf("/proc/%d/root%s", m.init, name) }

// read returns a file of the machine, without the final newline.
func (m *machine) read(name string) string {
	m.t.Helper()
	return strings.TrimSpace(kit.ReadFile(m.t, m.path(name)))
}

// write replaces a file of the machine.
func (m *machine) write(name, text string) {
	m.t.Helper()
	kit.WriteFile(m.t, m.path(name), text, 0o644)
}

// dropIn changes the unit of a running machine.
func (m *machine) dropIn(unit, text string) {
	m.t.Helper()
	m.write(unitDir+"/"+unit+".d/case.conf", text)
	m.run("systemctl", "daemon-reload")
}

// property returns a property of a unit.
func (m *machine) property(unit, name string) string {
	m.t.Helper()
	return m.run("systemctl", "show", "--value", "-p", name, unit)
}

// moment returns a monotonic time stamp of a unit.
func (m *machine) moment(unit, name string) time.Duration {
	m.t.Helper()
	n, err := strconv.ParseInt(m.property(unit, name+"Monotonic"), 10, 64)
	if err != nil {
		m.t.Fatal(err)
	}
	return time.Duration(n) * time.Microsecond
}

// state waits until the unit is in that state.
func (m *machine) state(unit, want string) {
	m.t.Helper()
	kit.Eventually(m.t, unit+" "+want, func() bool { return m.property(unit, "ActiveState") == want })
}

// journal returns the messages that match, of hwrngd unless the matches say otherwise.
func (m *machine) journal(matches ...string) []string {
	m.t.Helper()
	if len(matches) == 0 {
		matches = []string{"SYSLOG_IDENTIFIER=hwrngd"}
	}
	out := m.run(append([]string{"journalctl", "--no-pager", "-q", "-o", "cat"}, matches...)...)
	if out == "" {
		return nil
	}
	return strings.Split(out, "\n")
}

// logged waits for a message of hwrngd that has all the parts.
func (m *machine) logged(parts ...string) {
	m.t.Helper()
	kit.Eventually(m.t, fmt.Sprintf("a message with %q", parts), func() bool { return m.count(parts...) > 0 })
}

// count is how many messages of hwrngd have all the parts.
func (m *machine) count(parts ...string) (n int) {
	m.t.Helper()
lines:
	for _, line := range m.journal() {
		for _, part := range parts {
			if !strings.Contains(line, part) {
				continue lines
			}
		}
		n++
	}
	return n
}

// pid is hwrngd's process as the machine numbers it.
func (m *machine) pid() string {
	m.t.Helper()
	return m.property("hwrngd.service", "MainPID")
}

// status returns a field of hwrngd's /proc/PID/status.
func (m *machine) status(field string) string {
	m.t.Helper()
	for line := range strings.Lines(m.read("/proc/" + m.pid() + "/status")) {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	m.t.Fatalf("no %s in /proc/PID/status", field)
	return ""
}

// metrics fetches the metrics from the port that they have in the machine's network, "" if nobody
// answers. The program that fetches is this one, since a machine need not have any.
func (m *machine) metrics() string {
	m.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		m.t.Fatal(err)
	}
	cmd := exec.Command("nsenter", "-t", strconv.Itoa(m.init), "-n", "--", exe)
	cmd.Env = append(os.Environ(), fetchEnv+"=http://127.0.0.1:9779/metrics")
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// sample returns the value of a metric with its labels, such as `hwrngd_ready`; -1 if there is none.
func (m *machine) sample(name string) float64 {
	m.t.Helper()
	for line := range strings.Lines(m.metrics()) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err == nil {
				return v
			}
		}
	}
	return -1
}

// fetch prints a page and returns an exit code.
func fetch(url string) int {
	client := http.Client{Timeout: 5 * time.Second}
	answer, err := client.Get(url)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer answer.Body.Close()
	if _, err := io.Copy(os.Stdout, answer.Body); err != nil || answer.StatusCode != http.StatusOK {
		return 1
	}
	return 0
}

// signal sends a signal to hwrngd.
func (m *machine) signal(sig syscall.Signal) {
	m.t.Helper()
	m.run("kill", "-"+strconv.Itoa(int(sig)), m.pid())
}
