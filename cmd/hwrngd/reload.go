package main

import (
	"context"
	"slices"
	"strings"
	"time"
)

// What a changed option asks for.
var (
	// needRestart cannot change in a running daemon: they decide what it is.
	needRestart = []string{"sysfs", "procfs", "random-device", "runtime-dir", "log-format", "once", "sandbox"}
	// needSources make the sources start anew, with their start-up tests.
	needSources = append([]string{"sources", "hwrng-select", "hwrng-turn", "hwrng-deny", "hwrng-device", "entropy", "failure-rate", "allow-file-source"}, singleNames()...)
)

// reload reads the configuration again (SIGHUP). A valid one is applied without losing a counter;
// an invalid one changes nothing.
func (d *daemon) reload(ctx context.Context) {
	d.manager.reloading()
	defer d.manager.reloaded()
	next, err := d.loadConfig()
	if err == nil {
		err = vet(next)
	}
	d.rec.Reloaded(err == nil, time.Now())
	if err != nil {
		d.log.Error("configuration refused, the old one stays", "reason", err.Error())
		return
	}
	changed := d.cfg.Changed(next)
	has := func(names []string) bool {
		return slices.ContainsFunc(changed, func(c string) bool { return slices.Contains(names, c) })
	}
	late := slices.DeleteFunc(slices.Clone(changed), func(c string) bool { return !slices.Contains(needRestart, c) })
	if d.sandboxed != nil {
		late = append(late, beyondSandbox(d.sandboxed, next)...)
	}
	if len(late) > 0 {
		d.log.Warn("some options take effect only after a restart", "options", strings.Join(late, " "))
	}
	for _, w := range next.Warnings {
		d.log.Warn("configuration", "warning", w)
	}
	d.cfg = next
	d.level.Set(next.LogLevel)
	d.feeder.SetPolicy(policyOf(next))
	d.publish(next)
	// A rotation that was stopped begins anew.
	if rotation := d.status().Rotation(); has(needSources) || rotation != nil && !rotation.Running {
		d.restartSources(ctx)
	}
	what := strings.Join(changed, " ")
	if what == "" {
		what = "nothing"
	}
	d.log.Info("configuration reloaded", "changed", what)
}
