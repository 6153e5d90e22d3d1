//go:build !minimal

package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// buildCommands are the commands with which a build makes man pages, shell completions and the
// configuration file of the packages. All come from the command table and the option table, so none
// can be out of date.
func buildCommands() []Command {
	return []Command{
		{
			Name:  "man",
			Args:  "DIR",
			Max:   1,
			Short: "write the man pages",
			Long: `Writes the man pages of hwrngd, of its commands and of its configuration file into a
directory, which must exist.`,
			Flags:  manFlags,
			Exits:  []int{exitIO, exitPermission},
			Hidden: true,
			Run:    cmdMan,
		},
		{
			Name:   "completion",
			Args:   "bash|zsh|fish",
			Max:    1,
			Short:  "print a shell's completion script",
			Long:   "Prints the script that makes a shell complete hwrngd's commands and options.",
			Exits:  []int{exitIO},
			Hidden: true,
			Run:    cmdCompletion,
		},
		{
			Name:   "config",
			Short:  "print a configuration file that shows every default",
			Long:   "Prints a configuration file in which every option is explained and commented out.",
			Flags:  configFlags,
			Exits:  []int{exitIO},
			Hidden: true,
			Run:    cmdConfig,
		},
	}
}

func manFlags(set *pflag.FlagSet) {
	set.String("date", "", "`YYYY-MM-DD`: date in the pages (default: of the commit that was built, else today)")
}

// cmdMan writes the man pages.
func cmdMan(_ context.Context, inv *Invocation) int {
	if len(inv.Args) == 0 {
		return inv.Fail(exitErrorf(exitUsage, "name the directory: hwrngd man DIR", "no directory for the man pages"))
	}
	build := buildVersion()
	date, _ := inv.Flags.GetString("date")
	// The linker's time is RFC 3339, which begins with the date.
	committed, _, _ := strings.Cut(build.Time, "T")
	date = cmp.Or(date, committed, time.Now().UTC().Format(time.DateOnly))
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return inv.Fail(exitErrorf(exitUsage, "", "--date: must be like 2006-01-02, not %q", date))
	}
	for _, page := range manPages() {
		path := filepath.Join(inv.Args[0], page.file())
		if err := os.WriteFile(path, []byte(page.roff(date, build.Version)), 0o644); err != nil {
			return inv.Fail(fmt.Errorf("cannot write the man page: %w", err))
		}
	}
	return exitOK
}

// shells maps a shell to the writer of its completion script.
var shells = map[string]func(*bytes.Buffer, []completedCommand){
	"bash": bashCompletion,
	"zsh":  zshCompletion,
	"fish": fishCompletion,
}

// cmdCompletion prints a completion script.
func cmdCompletion(_ context.Context, inv *Invocation) int {
	shell := ""
	if len(inv.Args) > 0 {
		shell = inv.Args[0]
	}
	write, ok := shells[shell]
	if !ok {
		return inv.Fail(exitErrorf(exitUsage, "there are: bash, fish, zsh", "no completion for the shell %q", shell))
	}
	var b bytes.Buffer
	write(&b, completedCommands())
	return inv.exit(inv.write(b.Bytes()))
}

func configFlags(set *pflag.FlagSet) {
	set.Bool("systemd", false, "serve the metrics where hwrngd-metrics.service looks for them")
}

// packagedSocket is where the daemon of hwrngd.service serves its metrics, having no network.
const packagedSocket = "/run/hwrngd/metrics.sock"

// cmdConfig prints the configuration file of the packages.
func cmdConfig(_ context.Context, inv *Invocation) int {
	systemd, _ := inv.Flags.GetBool("systemd")
	var b strings.Builder
	comment := func(text string) {
		for _, line := range wrap(text, helpWidth-len("# ")) {
			b.WriteString("# " + line + "\n")
		}
	}
	comment("Configuration of hwrngd; hwrngd.toml(5) explains it. A line that begins with # shows a default. " +
		"'hwrngd check' tests this file, a reload of the service applies it.")
	for _, g := range groupOrder {
		b.WriteString("\n# === " + string(g) + " ===\n")
		for i := range options {
			o := &options[i]
			if o.Group != g || o.Hidden || o.NotInFile {
				continue
			}
			b.WriteString("\n")
			comment(o.Help)
			b.WriteString("#" + o.Name + " = " + o.tomlForm() + "\n")
			if systemd && o.Name == "metrics-listen" {
				comment("hwrngd.service has no network: hwrngd-metrics.socket has the port and passes it on to this file.")
				fmt.Fprintf(&b, "%s = [%q]\n", o.Name, "unix:"+packagedSocket)
			}
		}
	}
	return inv.exit(inv.write([]byte(b.String())))
}
