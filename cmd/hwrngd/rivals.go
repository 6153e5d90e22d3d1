package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// rivals are the other daemons that feed the kernel, with their services. One that runs beside hwrngd
// takes the generator's bytes and credits what hwrngd would not, and nobody can tell from the
// kernel's state who did what. OpenWrt's urngd only adds a little at boot, and is none.
var rivals = []struct {
	program  string // as it is started
	services []string
}{
	{"rngd", []string{"rngd", "rng-tools", "rng-tools-debian"}},
	{"haveged", []string{"haveged"}},
	{"jitterentropy-rngd", []string{"jitterentropy", "jitterentropy-rngd"}},
}

// enabledAt are the places below /etc where services are switched on: systemd, SysV init and
// OpenWrt's, OpenRC.
var enabledAt = []string{"systemd/system/*.wants/%s.service", "rc[0-9S].d/S[0-9][0-9]%s", "rc.d/S[0-9][0-9]%s", "runlevels/*/%s"}

// recipeFiles may hold the options of rngd.
var recipeFiles = []string{
	"default/rng-tools", "default/rng-tools5", "default/rng-tools-debian", "sysconfig/rngd", "conf.d/rngd", "config/system",
	"systemd/system/rngd.service", "systemd/system/rngd.service.d/*.conf",
}

// maxRecipe is more than any of these files has.
const maxRecipe = 64 << 10

// recipeHint says what is wrong with the recipe of old guides, rngd -r /dev/urandom.
const recipeHint = "the kernel's own output comes back to it with credit, and an unseeded kernel takes itself for seeded; remove it"

// checkRivals looks for rivals that run, are enabled, or are set up to feed the kernel with its own
// output.
func checkRivals(cfg *Config) []finding {
	found := runningRivals(cfg.Procfs)
	etc := filepath.Join(cfg.Procfs, "self", "root", "etc")
	for _, r := range rivals {
		for _, service := range r.services {
			if enabled(etc, service) {
				found = append(found, finding{
					Subject: "rival", Level: "warning", Text: "the service " + service + " is enabled",
					Hint: "one daemon is enough: disable it, or remove its package",
				})
			}
		}
	}
	return append(found, recipes(etc)...)
}

// runningRivals looks at all processes.
func runningRivals(procfs string) (found []finding) {
	lines, err := filepath.Glob(filepath.Join(procfs, "[0-9]*", "cmdline"))
	if err != nil {
		return nil
	}
	for _, path := range lines {
		text, err := os.ReadFile(path)
		if err != nil || len(text) == 0 { // it has ended, or is a thread of the kernel
			continue
		}
		args := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
		name := filepath.Base(args[0])
		for _, r := range rivals {
			if name != r.program {
				continue
			}
			f := finding{
				Subject: "rival", Level: "warning",
				Text: fmt.Sprintf("%s runs as process %s", name, filepath.Base(filepath.Dir(path))),
				Hint: "both feed the same kernel: stop one of them",
			}
			if slices.ContainsFunc(args[1:], ownOutput) {
				f.Text += ", fed by the kernel's own " + strings.Join(slices.DeleteFunc(args[1:], func(a string) bool { return !ownOutput(a) }), " ")
				f.Hint = recipeHint
			}
			found = append(found, f)
		}
	}
	return found
}

// ownOutput tells whether an option or a word makes the kernel's output a source. /dev/random alone
// may as well be where rngd writes.
func ownOutput(word string) bool {
	return strings.HasSuffix(word, "/dev/urandom") || strings.HasPrefix(word, "-r") && strings.HasSuffix(word, "/dev/random") ||
		word == "--rng-device=/dev/random"
}

// enabled tells whether a service is switched on at some place. A link to what is not there any more
// starts nothing.
func enabled(etc, service string) bool {
	for _, pattern := range enabledAt {
		links, err := filepath.Glob(filepath.Join(etc, fmt.Sprintf(pattern, service)))
		if err == nil && slices.ContainsFunc(links, func(link string) bool { return inRoot(etc, link) }) {
			return true
		}
	}
	return false
}

// inRoot tells whether a link leads to something, in the file system that holds etc.
func inRoot(etc, link string) bool {
	target, err := os.Readlink(link)
	if err != nil {
		return true // no link
	}
	if filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(etc), target)
	} else {
		target = filepath.Join(filepath.Dir(link), target)
	}
	_, err = os.Lstat(target)
	return err == nil
}

// recipes looks into rngd's configuration for the kernel's own output as its source.
func recipes(etc string) (found []finding) {
	for _, pattern := range recipeFiles {
		files, err := filepath.Glob(filepath.Join(etc, pattern))
		if err != nil {
			continue
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil || len(text) > maxRecipe {
				continue
			}
			number := 0
			for line := range bytes.Lines(text) {
				number++
				line = bytes.TrimSpace(line)
				if bytes.HasPrefix(line, []byte("#")) || !bytes.Contains(line, []byte("/dev/urandom")) {
					continue
				}
				// As the user knows the file, not below procfs.
				name := "/etc/" + strings.TrimPrefix(path, etc+"/")
				found = append(found, finding{
					Subject: "rival", Level: "warning", Text: fmt.Sprintf("%s:%d makes /dev/urandom the source of rngd", name, number), Hint: recipeHint,
				})
			}
		}
	}
	return found
}
