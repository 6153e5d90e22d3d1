package linux

import (
	"errors"
	"os"
	"slices"
	"testing"
)

func TestCaches(t *testing.T) {
	const dir = "devices/system/cpu/cpu0/cache/"
	full := map[string]string{
		dir + "index0/level": "1\n", dir + "index0/type": "Data\n", dir + "index0/size": "32K\n",
		dir + "index1/level": "1\n", dir + "index1/type": "Instruction\n", dir + "index1/size": "32K\n",
		dir + "index2/level": "2\n", dir + "index2/type": "Unified\n", dir + "index2/size": "1024K\n",
		dir + "index3/level": "3\n", dir + "index3/type": "Unified\n", dir + "index3/size": "32M\n",
		dir + "uevent": "\n",
	}
	got, err := Sysfs(tree(t, full)).Caches()
	want := []Cache{{1, "Data", 32 << 10}, {1, "Instruction", 32 << 10}, {2, "Unified", 1 << 20}, {3, "Unified", 32 << 20}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}

	// FC-100: boards without the tree.
	if got, err := Sysfs(t.TempDir()).Caches(); got != nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("empty tree: %v, %v", got, err)
	}
	if _, err := Sysfs("").Caches(); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	for _, size := range []string{"", "K", "-1K", "1G", "1048577M", "big"} {
		files := map[string]string{dir + "index0/level": "1\n", dir + "index0/type": "Data\n", dir + "index0/size": size + "\n"}
		if got, err := Sysfs(tree(t, files)).Caches(); err == nil {
			t.Errorf("size %q: %v", size, got)
		}
	}
	for _, missing := range []string{"level", "type"} {
		files := map[string]string{dir + "index0/level": "1\n", dir + "index0/type": "Data\n", dir + "index0/size": "4096\n"}
		delete(files, dir+"index0/"+missing)
		if got, err := Sysfs(tree(t, files)).Caches(); err == nil {
			t.Errorf("no %s: %v", missing, got)
		}
	}
}

func TestClocksource(t *testing.T) {
	sys := Sysfs(tree(t, map[string]string{
		clocksource + "/current_clocksource":   "arch_sys_counter\n",
		clocksource + "/available_clocksource": "arch_sys_counter jiffies \n",
	}))
	if name, err := sys.Clocksource(); name != "arch_sys_counter" || err != nil {
		t.Errorf("%q, %v", name, err)
	}
	if names, err := sys.Clocksources(); !slices.Equal(names, []string{"arch_sys_counter", "jiffies"}) || err != nil {
		t.Errorf("%q, %v", names, err)
	}
	empty := Sysfs(t.TempDir())
	if name, err := empty.Clocksource(); name != "" || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%q, %v", name, err)
	}
	if names, err := empty.Clocksources(); len(names) != 0 || err == nil {
		t.Errorf("%q, %v", names, err)
	}
}

func TestMemTotal(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       int64
	}{
		{"usual", "MemTotal:       24683340 kB\nMemFree:        21637000 kB\n", 24683340 << 10},
		{"router", "MemTotal:          59372 kB\n", 59372 << 10},
		{"not first", "Something: 1 kB\nMemTotal: 12 kB\n", 12 << 10},
		{"empty", "", 0},
		{"another", "MemFree: 1 kB\n", 0},
		{"no number", "MemTotal: much kB\n", 0},
		{"negative", "MemTotal: -5 kB\n", 0},
		{"too much", "MemTotal: 9223372036854775807 kB\n", 0},
	} {
		got, err := Procfs(tree(t, map[string]string{"meminfo": c.text})).MemTotal()
		if got != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%s: %d, %v", c.name, got, err)
		}
	}
	if _, err := Procfs(t.TempDir()).MemTotal(); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
