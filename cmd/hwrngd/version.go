package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"strings"
)

// version is set by the build of a release: -ldflags "-X main.version=0.1.0".
var version string

// nextVersion is what a build from an unmarked tree is on the way to.
const nextVersion = "0.1.0-dev"

// buildInfo is what hwrngd version --output=json prints.
type buildInfo struct {
	Version  string            `json:"version"`
	Build    string            `json:"build"` // "full" or "minimal"
	Revision string            `json:"revision,omitempty"`
	Time     string            `json:"revision_time,omitempty"`
	Modified bool              `json:"modified,omitempty"`
	Go       string            `json:"go"`
	Platform string            `json:"platform"`
	Settings map[string]string `json:"settings"`
	Modules  []buildModule     `json:"modules"`
}

type buildModule struct {
	Path    string `json:"path"`
	Version string `json:"version"`
}

// buildVersion describes this program from what the linker knows. It needs no
// file, so that it works in an empty container and before /proc is there.
func buildVersion() buildInfo {
	info, _ := debug.ReadBuildInfo()
	return describeBuild(version, info)
}

func describeBuild(linked string, info *debug.BuildInfo) buildInfo {
	b := buildInfo{
		Version:  nextVersion,
		Build:    "full",
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Settings: map[string]string{},
		Modules:  []buildModule{},
	}
	if minimal {
		b.Build = "minimal"
	}
	if info == nil {
		info = &debug.BuildInfo{}
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		default:
			b.Settings[s.Key] = s.Value
		}
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		b.Modules = append(b.Modules, buildModule{m.Path, m.Version})
	}
	tag, tagged := strings.CutPrefix(info.Main.Version, "v")
	switch {
	case linked != "":
		b.Version = linked
	case tagged && !strings.HasPrefix(tag, "0.0.0-"): // not the pseudo-version of an untagged commit
		b.Version = tag
	case len(b.Revision) >= 12:
		b.Version += "+" + b.Revision[:12]
		if b.Modified {
			b.Version += ".modified"
		}
	}
	return b
}

// cmdVersion prints the version.
func cmdVersion(_ context.Context, inv *Invocation) int {
	b := buildVersion()
	if inv.JSON {
		return inv.exit(inv.WriteJSON(b))
	}
	r := inv.NewReport()
	r.Line(b.Version)
	if b.Revision != "" {
		r.Row(plain("revision"), plain(b.Revision))
	}
	r.Row(plain("build"), plain(b.Build))
	r.Row(plain("built with"), plain(b.Go))
	r.Row(plain("for"), plain(b.Platform))
	return inv.exit(inv.WriteReport(r))
}
