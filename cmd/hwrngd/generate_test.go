//go:build !minimal

package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
	"github.com/spf13/pflag"
)

// writtenPages writes the man pages and returns their directory.
func writtenPages(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if got := call(nil, "man", "--date=2026-01-31", dir); got != (result{}) {
		t.Fatalf("%+v", got)
	}
	return dir
}

func TestManPagesAreClean(t *testing.T) {
	kit.NeedTool(t, "mandoc")
	pages, _ := filepath.Glob(writtenPages(t) + "/*")
	if len(pages) != len(manPages()) {
		t.Fatalf("%d pages, want %d", len(pages), len(manPages()))
	}
	for _, page := range pages {
		if out, err := exec.Command("mandoc", "-T", "lint", "-W", "style", page).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// TestManPagesAreComplete: nothing that a user can do is missing, and nothing hidden is told.
func TestManPagesAreComplete(t *testing.T) {
	dir := writtenPages(t)
	read := func(name string) string {
		text := kit.ReadFile(t, filepath.Join(dir, name))
		return strings.NewReplacer(`\-`, "-", `\fB`, "", `\fI`, "", `\fR`, "", `\(aq`, "'").Replace(text)
	}
	daemon, config := read("hwrngd.8"), read("hwrngd.toml.5")
	if !strings.Contains(daemon, "2026-01-31") {
		t.Error("the page has not the date that was asked for")
	}
	for i := range options {
		o := &options[i]
		if got := strings.Contains(daemon, "--"+o.Name); got == o.Hidden {
			t.Errorf("hwrngd(8): option %s is there: %t", o.Name, got)
		}
		if got := strings.Contains(config, "\n"+o.Name+" = "); got == (o.Hidden || o.NotInFile) {
			t.Errorf("hwrngd.toml(5): key %s is there: %t", o.Name, got)
		}
	}
	for _, c := range commands() {
		if got := strings.Contains(daemon, "\n.TP\n"+c.Name); got == c.Hidden {
			t.Errorf("hwrngd(8): command %s is there: %t", c.Name, got)
		}
		if !c.hasPage() {
			continue
		}
		page := read("hwrngd-" + c.Name + ".1")
		c.flagSet(&Invocation{}).VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(page, "--"+f.Name) {
				t.Errorf("hwrngd-%s(1): option %s is missing", c.Name, f.Name)
			}
		})
	}
}

func TestRoffWord(t *testing.T) {
	for _, test := range []struct{ word, want string }{
		{"--hwrng-select", `\fB\-\-hwrng\-select\fR`},
		{"keep|best|NAME", `\fBkeep|best|\fINAME\fR`},
		{"[SOURCE...]", `\fR[\fISOURCE\fR...]\fR`},
		{"1..8", `\fB1..8\fR`},
		{"-V,", `\fB\-V\fR,\fR`},
	} {
		if got := roffWord(test.word); got != test.want {
			t.Errorf("%s: got %s, want %s", test.word, got, test.want)
		}
	}
	if got, want := roffText(`.x 'a\b' --c it's-not ~`), `\&.x \(aqa\eb\(aq \-\-c it\(aqs-not \(ti`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestGenerateUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"man"}, exitUsage, "hwrngd: no directory for the man pages\nhint: name the directory: hwrngd man DIR\n"},
		{[]string{"man", "--date=May", "."}, exitUsage, "hwrngd: --date: must be like 2006-01-02, not \"May\"\n"},
		{[]string{"man", "/nowhere"}, exitOS, "hwrngd: cannot write the man page: open /nowhere/hwrngd.8: no such file or directory\n"},
		{[]string{"completion"}, exitUsage, "hwrngd: no completion for the shell \"\"\nhint: there are: bash, fish, zsh\n"},
		{[]string{"completion", "sh"}, exitUsage, "hwrngd: no completion for the shell \"sh\"\nhint: there are: bash, fish, zsh\n"},
	} {
		if got := call(nil, test.args...); got.code != test.code || got.stderr != test.want || got.stdout != "" {
			t.Errorf("%q: got %+v, want code %d, %q", test.args, got, test.code, test.want)
		}
	}
}

// TestCompletedValues: each value that completion offers for an option is one that the option takes,
// and no placeholder in capitals is left without a thought.
func TestCompletedValues(t *testing.T) {
	free := []string{"NAME", "SOURCE=BITS", "SOURCE=SHARE", "TIME", "ADDRESS"} // any text of that form
	for i := range options {
		o := &options[i]
		v := valuesOf(o.Name, o.Arg)
		for _, word := range v.words {
			if err := o.bind(new(Config)).set([]string{word}); err != nil {
				t.Errorf("--%s=%s: %v", o.Name, word, err)
			}
		}
		if o.Arg != "" && len(v.words) == 0 && !v.files && !v.dirs && !slices.Contains(free, o.Arg) {
			t.Errorf("--%s %s: nothing to offer", o.Name, o.Arg)
		}
	}
}

// TestBashCompletion asks the script as bash would.
func TestBashCompletion(t *testing.T) {
	script := filepath.Join(t.TempDir(), "hwrngd")
	kit.WriteFile(t, script, call(nil, "completion", "bash").stdout, 0o644)
	for _, test := range []struct {
		words []string // the last one is to be completed
		want  []string // these at least
		not   string
	}{
		{[]string{"hwrngd", ""}, []string{"run", "list", "status", "check"}, "man"},
		{[]string{"hwrngd", "st"}, []string{"status"}, "run"},
		{[]string{"hwrngd", "--hwrng-s"}, []string{"--hwrng-select"}, "--sources"},
		{[]string{"hwrngd", "--hwrng-select", "="}, []string{"keep", "best"}, "NAME"},
		{[]string{"hwrngd", "--hwrng-select", "=", "b"}, []string{"best"}, "keep"},
		{[]string{"hwrngd", "run", "--log-level", "d"}, []string{"debug"}, "info"},
		{[]string{"hwrngd", "list", "-o", ""}, []string{"text", "json"}, "yaml"},
		{[]string{"hwrngd", "list", "--m"}, nil, "--monitor"},
		{[]string{"hwrngd", "capture", ""}, []string{"hwrng", "jitter"}, "SOURCE"},
		{[]string{"hwrngd", "help", "ch"}, []string{"check"}, "run"},
		{[]string{"hwrngd", "--allow-f"}, nil, "--allow-file-source"},
	} {
		line := "compopt() { :; }; . " + script + "; COMP_WORDS=("
		for _, word := range test.words {
			line += " '" + word + "'"
		}
		line += "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _hwrngd; printf '%s\\n' \"${COMPREPLY[@]}\""
		out, err := exec.Command("bash", "-uc", line).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		got := strings.Fields(string(out))
		for _, want := range test.want {
			if !slices.Contains(got, want) {
				t.Errorf("%q: %q is not offered, only %q", test.words, want, got)
			}
		}
		if slices.Contains(got, test.not) || test.want == nil && len(got) > 0 {
			t.Errorf("%q: offered %q", test.words, got)
		}
	}
}

// TestCompletionSyntax lets each shell read its script.
func TestCompletionSyntax(t *testing.T) {
	for shell := range shells {
		t.Run(shell, func(t *testing.T) {
			kit.NeedTool(t, shell)
			script := call(nil, "completion", shell)
			if script.code != exitOK || script.stdout == "" {
				t.Fatalf("%+v", script)
			}
			cmd := exec.Command(shell, "-n", "/dev/stdin")
			cmd.Stdin = bytes.NewReader([]byte(script.stdout))
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
