package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/metrics/web"
	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/source/hwrng"
	"github.com/hwrngd/hwrngd/source/tty"
)

// finding is one result of the machine check.
type finding struct {
	Subject string `json:"subject"`
	Level   string `json:"level"` // "ok", "warning" or "error"
	Text    string `json:"text"`
	Hint    string `json:"hint,omitempty"`
	code    int    // exit code of an error
}

// checkMachine looks whether the machine will do for this configuration. It reads nothing of a
// generator and changes nothing.
func checkMachine(ctx context.Context, cfg *Config) []finding {
	found := []finding{checkSink(cfg)}
	wanted := wantedSources(cfg)
	if slices.Contains(wanted, hwrng.Name) {
		found = append(found, checkGenerators(ctx, cfg)...)
		found = append(found, checkSelection(cfg))
	}
	found = append(found, checkSingle(ctx, cfg, wanted)...)
	found = append(found, checkRuntimeDir(cfg))
	if cfg.WebConfig != "" {
		found = append(found, checkWebConfig(cfg))
	}
	for _, a := range cfg.MetricsListen {
		found = append(found, checkAddress(a.String(), cfg))
	}
	found = append(found, checkRivals(cfg)...)
	return slices.DeleteFunc(found, func(f finding) bool { return f.Level == "" })
}

func checkSink(cfg *Config) finding {
	kernel, err := openKernel(cfg)
	return judgeSink(cfg, kernel, err)
}

// judgeSink says what it means that opening the sink gave kernel or err.
func judgeSink(cfg *Config, kernel pool.Kernel, err error) finding {
	f := finding{Subject: "crediting", Level: "ok", Text: cfg.RandomDevice + " takes credit from this user"}
	if err != nil {
		f.Level, f.Text, f.code = "error", err.Error(), exitCode(err)
		if exit, ok := errors.AsType[*exitError](err); ok {
			f.Hint = exit.hint
		}
		return f
	}
	if !pool.CanCredit(kernel) {
		f.Level, f.Text, f.code = "error", "this user may not credit", exitPermission
		f.Hint = pool.ErrCannotCredit.Error()
		if cfg.Monitor {
			f.Level, f.Hint, f.code = "ok", "monitor mode does not need it", exitOK
		}
	}
	return f
}

func checkGenerators(ctx context.Context, cfg *Config) []finding {
	if err := vetDevice(cfg); err != nil {
		f := finding{Subject: "source hwrng", Level: "error", Text: err.Error(), code: exitCode(err)}
		if exit, ok := errors.AsType[*exitError](err); ok {
			f.Hint = exit.hint
		}
		return []finding{f}
	}
	lacks := func(text, hint string) finding {
		f := finding{Subject: "source hwrng", Level: "warning", Text: text, Hint: hint}
		if cfg.RequireSource {
			f.Level, f.code = "error", exitUnavailable
		}
		return f
	}
	var all []finding
	var others []string // not current, which is no fault by itself
	for _, g := range hwrng.Survey(ctx, hwrngOptions(cfg), 0) {
		name := g.Driver
		if name == "" {
			name = g.Device
		}
		switch {
		case g.Usable:
			text := fmt.Sprintf("%s, claimed at %.3g bits a byte (%s)", name, g.MinEntropy, g.ClaimOrigin)
			all = append(all, finding{Subject: "source hwrng", Level: "ok", Text: text})
		case g.Driver != "" && !g.Current:
			others = append(others, name)
		default:
			all = append(all, lacks(g.Reason, g.Hint))
		}
	}
	if len(all) == 0 && cfg.HWRNGSelect == hwrng.Keep {
		all = append(all, lacks("no generator is current; there are: "+strings.Join(others, " "), "select one with --hwrng-select"))
	}
	return all
}

// checkSingle looks at the wanted sources that are neither hwrng nor jitter.
func checkSingle(ctx context.Context, cfg *Config, wanted []string) (found []finding) {
	for _, s := range surveySingle(ctx, cfg, 0) {
		if !s.Current || !slices.Contains(wanted, s.Source) {
			continue
		}
		f := finding{Subject: "source " + s.Source, Level: "warning", Text: s.Reason, Hint: s.Hint}
		if exit, bad := errors.AsType[*exitError](vetLine(cfg)); bad && s.Source == tty.Name {
			f.Level, f.Text, f.Hint, f.code = "error", exit.Error(), exit.hint, exit.code
		} else if s.Usable {
			f.Level, f.Text = "ok", fmt.Sprintf("%s, claimed at %.3g bits a byte (%s)", cmp.Or(s.Driver, s.Device), s.MinEntropy, s.ClaimOrigin)
		}
		found = append(found, f)
	}
	return found
}

// checkSelection looks whether the generator that is to be selected is there and can be.
func checkSelection(cfg *Config) finding {
	if cfg.HWRNGSelect == hwrng.Keep {
		return finding{}
	}
	f := finding{Subject: "selection", Level: "ok", Text: "rng_current can be written"}
	class := hwrng.ReadClass(linux.Sysfs(cfg.Sysfs))
	if cfg.HWRNGSelect == hwrng.Rotate {
		usable := slices.DeleteFunc(class.Available, func(name string) bool { return slices.Contains(cfg.HWRNGDeny, name) })
		if len(usable) < 2 {
			f.Level, f.Text = "warning", "nothing to rotate; generators that may be used: "+orDash(strings.Join(usable, " "))
			return f
		}
	}
	if !hwrng.Policy(cfg.HWRNGSelect) && !slices.Contains(class.Available, cfg.HWRNGSelect) {
		f.Level = "warning"
		f.Text = fmt.Sprintf("generator %s is not there; there are: %s", cfg.HWRNGSelect, orDash(strings.Join(class.Available, " ")))
		if near := nearest(cfg.HWRNGSelect, class.Available); near != "" {
			f.Hint = "did you mean " + near + "?"
		}
		return f
	}
	if err := linux.Sysfs(cfg.Sysfs).CanSelectRNG(); err != nil {
		f.Level, f.Text, f.Hint = "warning", err.Error(), "selecting a generator needs root and a writable sysfs"
	}
	return f
}

func checkRuntimeDir(cfg *Config) finding {
	f := finding{Subject: "runtime directory", Level: "ok", Text: cfg.RuntimeDir}
	if status, err := askStatus(cfg.RuntimeDir); err == nil {
		f.Level, f.Text = "warning", fmt.Sprintf("a hwrngd already runs here as process %d", status.PID)
		return f
	}
	info, err := os.Stat(cfg.RuntimeDir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.Text += " does not exist; the daemon makes it"
	case err != nil:
		f.Level, f.Text = "warning", err.Error()
	case !info.IsDir():
		f.Level, f.Text = "warning", cfg.RuntimeDir+" is not a directory: no lock and no status socket"
	}
	return f
}

func checkWebConfig(cfg *Config) finding {
	f := finding{Subject: "web configuration", Level: "ok", Text: cfg.WebConfig}
	if exit, bad := errors.AsType[*exitError](vetWebConfig(cfg)); bad {
		f.Level, f.Text, f.Hint, f.code = "error", exit.Error(), exit.hint, exit.code
	}
	return f
}

// checkAddress tries to listen where the metrics are to be served.
func checkAddress(address string, cfg *Config) finding {
	f := finding{Subject: "metrics", Level: "ok", Text: address + " is free"}
	if strings.HasPrefix(address, "unix:") || address == web.Systemd {
		f.Text = address
		return f
	}
	if err := web.TryListen(address); err != nil {
		f.Level, f.Text, f.Hint = "warning", err.Error(), "the daemon feeds all the same and tries again"
		if _, running := askStatus(cfg.RuntimeDir); running == nil {
			f.Level, f.Text, f.Hint = "ok", address+" is in use, by the running daemon as it seems", ""
		}
		return f
	}
	return f
}
