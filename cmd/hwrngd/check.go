package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/pflag"
)

// checkFlags are the options of check alone.
func checkFlags(set *pflag.FlagSet) {
	set.Bool("print", false, "show the value of every option and where it comes from")
}

// checkReport is what hwrngd check --output=json prints.
type checkReport struct {
	Schema   int             `json:"schema_version"`
	Valid    bool            `json:"valid"`
	File     *checkedFile    `json:"config_file,omitempty"` // absent if the configuration is not valid
	Errors   []string        `json:"errors"`
	Warnings []string        `json:"warnings"`
	Options  []printedOption `json:"options,omitempty"`
	Machine  []finding       `json:"machine,omitempty"`
}

// checkedFile is the configuration file that was looked for.
type checkedFile struct {
	Path  string `json:"path"`
	Found bool   `json:"found"`
}

// cmdCheck validates the configuration and looks at the machine or, with --print, shows the
// configuration.
func cmdCheck(ctx context.Context, inv *Invocation) int {
	cfg, err := inv.LoadConfig()
	if err != nil {
		return failCheck(inv, err)
	}
	show, _ := inv.Flags.GetBool("print")
	var machine []finding
	if !show {
		machine = checkMachine(ctx, cfg)
	}
	code := worst(machine)
	if inv.JSON {
		report := checkReport{
			Schema: 1, Valid: true, File: &checkedFile{cfg.ConfigFile, cfg.ConfigFound},
			Errors: []string{}, Warnings: append([]string{}, cfg.Warnings...), Machine: machine,
		}
		if show {
			report.Options = cfg.printedOptions()
		}
		return cmp.Or(inv.exit(inv.WriteJSON(report)), code)
	}
	for _, warning := range cfg.Warnings {
		inv.Warn(warning)
	}
	r := inv.NewReport()
	if show {
		cfg.print(r)
	} else {
		r.Line("the configuration is valid (" + cfg.fileText() + ")")
		showMachine(r, machine)
	}
	return cmp.Or(inv.exit(inv.WriteReport(r)), code)
}

// worst returns the exit code of the first error.
func worst(found []finding) int {
	for _, f := range found {
		if f.code != exitOK {
			return f.code
		}
	}
	return exitOK
}

// showMachine adds what the machine check found.
func showMachine(r *Report, found []finding) {
	r.Section("Machine")
	for _, f := range found {
		level := good(f.Level)
		switch f.Level {
		case "warning":
			level = warn(f.Level)
		case "error":
			level = bad(f.Level)
		}
		r.Row(plain("  "+f.Subject), level, plain(f.Text))
		if f.Hint != "" {
			r.Row(plain(""), plain(""), dim("hint: "+f.Hint))
		}
	}
}

// failCheck reports a configuration that is not valid in the format asked for.
func failCheck(inv *Invocation, err error) int {
	if !inv.JSON {
		return inv.Fail(err)
	}
	report := checkReport{Schema: 1, Errors: []string{err.Error()}, Warnings: []string{}}
	if all, ok := errors.AsType[problems](err); ok {
		report.Errors = nil
		for _, one := range all {
			report.Errors = append(report.Errors, one.Error())
		}
	}
	if writeErr := inv.WriteJSON(report); writeErr != nil {
		return inv.Fail(writeErr)
	}
	return exitCode(err)
}
