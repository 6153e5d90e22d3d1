package e2e

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"github.com/hwrngd/hwrngd/test/kit"
)

// What the cases about the jitter source have in common.

// jitterRead is what the daemon reads of the jitter source for one seed.
const jitterRead = blockBytes

// startWith starts the daemon with these sources.
func (b *bench) startWith(sources string, args ...string) *daemon {
	b.t.Helper()
	return b.start(append([]string{"--sources", sources}, args...)...)
}

// named returns the status of one of several sources.
func (d *daemon) named(name string) sourceStatus {
	d.t.Helper()
	s := d.status()
	for _, source := range s.Sources {
		if source.Name == name {
			return source
		}
	}
	d.t.Fatalf("no source %s in %+v", name, s.Sources)
	return sourceStatus{}
}

// becomes waits until a source is in a state.
func (d *daemon) becomes(name, state string, limit time.Duration) sourceStatus {
	d.t.Helper()
	var s sourceStatus
	kit.Within(d.t, limit, "source "+name+" is "+state, func() bool {
		s = d.named(name)
		return s.State == state
	})
	return s
}

// added waits until a source has given n more seeds to the kernel than are in a scrape, nil if all
// count, and returns the scrape that shows it.
func (d *daemon) added(name string, n int, since scrape) scrape {
	d.t.Helper()
	want := since.addedBy(name) + float64(64*n)
	var s scrape
	// Noise is made at the lowest priority: on a machine that is busy with other things it comes late.
	kit.Within(d.t, 3*kit.Patience, fmt.Sprintf("%d seeds of %s", n, name), func() bool {
		s = d.scrape()
		return s.addedBy(name) >= want
	})
	return s
}

func (s scrape) addedBy(source string) float64 {
	return s.from(source, "entropy_added_bytes_total", "")
}

func (s scrape) readOf(source string) float64 { return s.from(source, "source_read_bytes_total", "") }

func (s scrape) fallback() bool { return s["hwrngd_source_fallback_active"] == 1 }

// processTime returns the CPU time of the whole process so far, with that of threads that have
// ended: the jitter source makes noise on threads of its own.
func (d *daemon) processTime() time.Duration {
	d.t.Helper()
	const schedClock = 2 // CPUCLOCK_SCHED; see clock_getcpuclockid(3)
	var ts syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, uintptr(^d.pid()<<3|schedClock), uintptr(unsafe.Pointer(&ts)), 0); errno != 0 {
		d.t.Fatal("CPU time of the daemon:", errno)
	}
	return time.Duration(ts.Nano())
}

// memory returns a size out of the process's status file, in bytes: VmRSS or VmHWM.
func (d *daemon) memory(field string) int {
	d.t.Helper()
	text := d.taskField(strconv.Itoa(d.pid()), field)
	kb, err := strconv.Atoi(strings.TrimSuffix(text, " kB"))
	if err != nil {
		d.t.Fatalf("%s is %q: %v", field, text, err)
	}
	return kb << 10
}

// noiseLevel is the nice level at which the jitter source makes noise, where the daemon's own is not higher.
const noiseLevel = 10

// showNoise lets the daemons to be started have a nice level below that of noise, at whichever the tests run,
// so that [daemon.niceTasks] can tell its threads from others. It skips the case where that is forbidden.
func (b *bench) showNoise() {
	b.t.Helper()
	level := func(prefix ...string) int {
		out, err := exec.Command("nice", prefix...).Output() // without a command nice tells the level
		n, _ := strconv.Atoi(strings.TrimSpace(string(out)))
		if err != nil {
			b.t.Fatal("nice:", err)
		}
		return n
	}
	own := level()
	if own < noiseLevel {
		return
	}
	prefix := []string{"nice", "-n", strconv.Itoa(noiseLevel - 1 - own)}
	if level(prefix[1], prefix[2], "nice") >= noiseLevel {
		kit.Missing(b.t, "at nice level %d no thread can be seen to have a lower priority for making noise; a lower level is not allowed here", own)
	}
	b.prefix = append(prefix, b.prefix...)
}

// niceTasks counts the daemon's threads at a nice level above the daemon's own.
func (d *daemon) niceTasks() (n int) {
	d.t.Helper()
	own := d.nice(strconv.Itoa(d.pid()))
	for _, task := range d.tasks() {
		if d.nice(task) > own {
			n++
		}
	}
	return n
}

// nice returns a thread's nice level, the lowest if the thread has gone.
func (d *daemon) nice(task string) int {
	// The name, in brackets, may hold blanks. Nice is field 19, the name field 2.
	_, rest, _ := strings.Cut(d.taskFile(task, "stat"), ") ")
	if fields := strings.Fields(rest); len(fields) > 16 {
		level, _ := strconv.Atoi(fields[16])
		return level
	}
	return -20
}

// quota puts the daemons to be started into a cgroup of their own that gets a share of one core in
// percent. It skips the case where no such cgroup can be made.
func (b *bench) quota(percent int) {
	b.t.Helper()
	kit.NeedRoot(b.t)
	const period = 100_000 // microseconds, the kernel's default
	limit := strconv.Itoa(period * percent / 100)
	var failed error
	for _, c := range []struct{ root, file, value string }{
		{"/sys/fs/cgroup", "cpu.max", limit + " " + strconv.Itoa(period)},
		{"/sys/fs/cgroup/unified", "cpu.max", limit + " " + strconv.Itoa(period)},
		{"/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", limit}, // version 1
		{"/sys/fs/cgroup/cpu,cpuacct", "cpu.cfs_quota_us", limit},
	} {
		if _, err := os.Stat(filepath.Join(c.root, "cgroup.procs")); err != nil {
			failed = cmp.Or(failed, err)
			continue
		}
		dir := filepath.Join(c.root, filepath.Base(b.dir))
		if err := os.Mkdir(dir, 0o755); err != nil {
			failed = cmp.Or(failed, err)
			continue
		}
		// Registered before the daemon's own cleanup, so it runs after the daemon's end. The kernel
		// may need a moment to forget it.
		b.t.Cleanup(func() {
			kit.Eventually(b.t, "the cgroup is empty", func() bool { return os.Remove(dir) == nil })
		})
		if _, err := os.Stat(filepath.Join(dir, c.file)); err != nil { // nothing is made up by writing
			failed = cmp.Or(failed, err)
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, c.file), []byte(c.value), 0o644); err != nil {
			failed = cmp.Or(failed, err)
			continue
		}
		b.prefix = []string{"sh", "-c", `echo $$ > "$0" && exec "$@"`, filepath.Join(dir, "cgroup.procs")}
		return
	}
	kit.Missing(b.t, "no cgroup with a CPU quota can be made: %v", failed)
}
