package faults

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/faults/script"
	"github.com/hwrngd/hwrngd/test/kit"
)

// Each file of cases/ is a case.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("cases/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := kit.ReadFile(t, file)
			c, err := script.Parse(text)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			carryOut(t, c, verdicts.add(t, name, c.Title))
		})
	}
}
