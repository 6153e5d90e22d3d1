package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// tasks returns the daemon's threads.
func (d *daemon) tasks() []string {
	d.t.Helper()
	entries, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(d.pid()), "task"))
	if err != nil {
		d.t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// taskFile reads a file that the kernel shows of a thread; "" if the thread has ended.
func (d *daemon) taskFile(task, name string) string {
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(d.pid()), "task", task, name))
	return string(text)
}

// taskField returns a field of a thread's status file.
func (d *daemon) taskField(task, field string) string {
	for line := range strings.Lines(d.taskFile(task, "status")) {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// wakeUps returns how often the daemon's threads have gone to sleep so far, which is how often
// they were woken.
func (d *daemon) wakeUps() (n int) {
	for _, task := range d.tasks() {
		count, _ := strconv.Atoi(d.taskField(task, "voluntary_ctxt_switches"))
		n += count
	}
	return n
}

// cpuTime returns how long the daemon's threads have run so far. Ticks would be too coarse.
func (d *daemon) cpuTime() (sum time.Duration) {
	for _, task := range d.tasks() {
		fields := strings.Fields(d.taskFile(task, "schedstat"))
		if len(fields) > 0 {
			ns, _ := strconv.ParseInt(fields[0], 10, 64)
			sum += time.Duration(ns)
		}
	}
	return sum
}

// descriptor returns the daemon's descriptor of a file, -1 if it has none.
func (d *daemon) descriptor(path string) int {
	dir := filepath.Join("/proc", strconv.Itoa(d.pid()), "fd")
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if target, _ := os.Readlink(filepath.Join(dir, e.Name())); target == path {
			fd, _ := strconv.Atoi(e.Name())
			return fd
		}
	}
	return -1
}

// opened tells whether the daemon has the file open.
func (d *daemon) opened(path string) bool { return d.descriptor(path) >= 0 }

// stuckIn counts the threads that are in a system call on a file of that path.
func (d *daemon) stuckIn(number int, path string) (n int) {
	for _, task := range d.tasks() {
		// "0 0x7 0xc000..." is read(7, ...); "running" and "-1" are none.
		fields := strings.Fields(d.taskFile(task, "syscall"))
		if len(fields) < 2 || fields[0] != strconv.Itoa(number) {
			continue
		}
		fd, err := strconv.ParseUint(fields[1], 0, 32)
		if err != nil {
			continue
		}
		target, _ := os.Readlink(filepath.Join("/proc", strconv.Itoa(d.pid()), "fd", strconv.FormatUint(fd, 10)))
		if target == path {
			n++
		}
	}
	return n
}

// readers counts the threads that wait in a read of the source.
func (d *daemon) readers() int { return d.stuckIn(syscall.SYS_READ, d.bench.device) }

// serviceManager makes the bench's daemon a service of Type=notify.
func (b *bench) serviceManager() *kit.Manager {
	b.t.Helper()
	path := filepath.Join(b.dir, "notify")
	b.env = append(b.env, "NOTIFY_SOCKET="+path)
	return kit.NewManager(b.t, path)
}
