package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// TestBill makes the bill of this very program, with modules that it does not have.
func TestBill(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1769817600")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	info.Deps = []*debug.Module{
		{Path: "example.com/a", Version: "v1.2.3", Sum: "h1:x"},
		{Path: "example.com/b", Version: "v1.0.0", Replace: &debug.Module{Path: "example.com/c", Version: "v2.0.0", Sum: "h1:y"}},
	}
	b, err := billOf(program, info)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	if got := b.Metadata.Component.Hashes[0].Content; got != hex.EncodeToString(sum[:]) {
		t.Errorf("the hash is %s", got)
	}
	if b.Metadata.Timestamp != "2026-01-31T00:00:00Z" {
		t.Errorf("the time is %s", b.Metadata.Timestamp)
	}
	var got []string
	for _, c := range b.Components {
		got = append(got, c.PURL)
	}
	want := "pkg:golang/std@" + strings.TrimPrefix(runtime.Version(), "go") + " pkg:golang/example.com/a@v1.2.3 pkg:golang/example.com/c@v2.0.0"
	if strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", got, want)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "")
	if _, err := billOf(program, info); err == nil {
		t.Error("no time, and no error")
	}
}

// TestLicenseFiles: what has no licence file cannot be shipped.
func TestLicenseFiles(t *testing.T) {
	dir := t.TempDir()
	var b bytes.Buffer
	if err := addTexts(&b, "m", dir); err == nil {
		t.Error("no licence, and no error")
	}
	for name, text := range map[string]string{"NOTICE": "notice", "README": "readme"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := addTexts(&b, "m", dir); err == nil {
		t.Error("a notice alone is no licence")
	}
	if err := os.WriteFile(filepath.Join(dir, "LICENSE.txt"), []byte("licence"), 0o644); err != nil {
		t.Fatal(err)
	}
	b.Reset()
	if err := addTexts(&b, "m", dir); err != nil || !strings.Contains(b.String(), "licence") || !strings.Contains(b.String(), "notice") || strings.Contains(b.String(), "readme") {
		t.Errorf("%v: %q", err, b.String())
	}
}
