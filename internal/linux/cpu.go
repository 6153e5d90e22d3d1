package linux

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Cache is one cache that the first CPU uses.
type Cache struct {
	Level int    // 1 is nearest to the CPU
	Kind  string // "Data", "Instruction" or "Unified"
	Bytes int
}

// Caches lists the caches of the first CPU, nearest first. Many small boards state none: the
// directory is then missing, which errors.Is tells as os.ErrNotExist
// (Documentation/ABI/testing/sysfs-devices-system-cpu).
func (s Sysfs) Caches() ([]Cache, error) {
	const dir = "devices/system/cpu/cpu0/cache"
	var list []Cache
	for i := range 16 {
		index := filepath.Join(dir, "index"+strconv.Itoa(i))
		size, err := readAttribute(string(s), index, "size")
		if err != nil {
			if i == 0 {
				return nil, err
			}
			break
		}
		bytes, err := parseSize(size)
		if err != nil {
			return nil, &os.PathError{Op: "parse", Path: filepath.Join(string(s), index, "size"), Err: err}
		}
		level, err := readInt(string(s), index, "level")
		if err != nil {
			return nil, err
		}
		kind, err := readAttribute(string(s), index, "type")
		if err != nil {
			return nil, err
		}
		list = append(list, Cache{level, kind, bytes})
	}
	return list, nil
}

// parseSize reads sizes as sysfs and procfs write them: "32K", "8M" or plain bytes.
func parseSize(text string) (int, error) {
	unit := 1
	switch {
	case strings.HasSuffix(text, "K"):
		unit = 1 << 10
	case strings.HasSuffix(text, "M"):
		unit = 1 << 20
	}
	n, err := strconv.Atoi(strings.TrimRight(text, "KM"))
	if err != nil || n < 0 || n > math.MaxInt32/unit {
		return 0, fmt.Errorf("%q is no size", text)
	}
	return n * unit, nil
}

const clocksource = "devices/system/clocksource/clocksource0"

// Clocksource returns the name of what the kernel's clocks count, such as "tsc" or
// "arch_sys_counter".
func (s Sysfs) Clocksource() (string, error) {
	return readAttribute(string(s), clocksource, "current_clocksource")
}

// Clocksources lists what the kernel's clocks could count.
func (s Sysfs) Clocksources() ([]string, error) {
	text, err := readAttribute(string(s), clocksource, "available_clocksource")
	return words(text), err
}

// MemTotal returns the machine's memory in bytes, as far as the kernel may use it.
func (p Procfs) MemTotal() (int64, error) {
	text, err := readAttribute(string(p), "meminfo")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			if err != nil || kib < 0 || kib > 1<<50 {
				break
			}
			return kib << 10, nil
		}
	}
	return 0, &os.PathError{Op: "parse", Path: filepath.Join(string(p), "meminfo"), Err: fmt.Errorf("no line MemTotal with a size in kB")}
}
