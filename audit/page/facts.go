package page

import (
	"fmt"
	"strings"

	"github.com/hwrngd/hwrngd/audit"
)

// stopped says why reading ended.
var stopped = map[string]string{
	"end":         "at the end of the data",
	"blocks":      "after the blocks asked for",
	"bytes":       "after the bytes asked for",
	"duration":    "after the time asked for",
	"confident":   "as soon as the verdict was certain",
	"interrupted": "by an interrupt",
	"error":       "by an error",
}

// tested says what was tested.
func tested(r *audit.Report) []fact {
	ended := stopped[r.Input.Stopped]
	if ended == "" {
		ended = r.Input.Stopped
	}
	list := []fact{
		{Name: "Input", Value: r.Input.Name, Code: true},
		{Name: "Label", Value: r.Label},
		{Name: "Kind", Value: r.Input.Kind},
		{Name: "Bytes", Value: bytesText(r.Run.Bytes)},
		{Name: "Blocks", Value: blocksText(r)},
		{Name: "Ended", Value: ended},
		{Name: "Error", Value: r.Input.Error},
		{Name: "Profile", Value: r.Profile},
	}
	if t := r.Timing; t != nil {
		list = append(list,
			fact{Name: "Started", Value: t.Started.UTC().Format("2006-01-02 15:04:05 UTC")},
			fact{Name: "Time", Value: timeText(t, r.Run.Bytes)},
			fact{Name: "First byte", Value: "after " + seconds(t.First)},
		)
	}
	return facts(append(list, fact{Name: "SHA-256", Value: r.Run.SHA256, Code: true})...)
}

// timeText says how long the audit took to read its data, and how fast that is.
func timeText(t *audit.Timing, bytes int64) string {
	text := seconds(t.Seconds)
	if t.Seconds > 0 {
		text += fmt.Sprintf(" in %s reads, %s", count(t.Reads), rate(float64(bytes)/t.Seconds))
	}
	return text
}

// provenance says where the data came from and by what they were judged.
func provenance(r *audit.Report) []fact {
	var m audit.Machine
	if r.Machine != nil {
		m = *r.Machine
	}
	return facts(
		fact{Name: "Board", Value: m.Board},
		fact{Name: "Kernel", Value: m.Kernel},
		fact{Name: "CPU", Value: m.CPU},
		fact{Name: "rng_current", Value: r.Input.Generator, Code: true},
		fact{Name: "rng_available", Value: strings.Join(r.Input.Available, " "), Code: true},
		fact{Name: "rng_quality", Value: r.Input.Quality, Code: true},
		fact{Name: "hwrngd", Value: m.Version},
		fact{Name: "SHA-256", Value: r.Run.SHA256, Code: true},
	)
}
