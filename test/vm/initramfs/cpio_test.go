package initramfs

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"testing"
)

// entry is a member of an archive as a reader sees it.
type entry struct {
	name, data   string
	mode         int64
	major, minor int64
}

// parse reads an archive by its definition.
func parse(t *testing.T, archive []byte) []entry {
	t.Helper()
	var all []entry
	for rest := archive; len(rest) > 0; {
		if len(rest) < 110 || string(rest[:6]) != "070701" {
			t.Fatalf("no header at offset %d:\n%s", len(archive)-len(rest), hex.Dump(rest[:min(len(rest), 32)]))
		}
		field := func(i int) int64 {
			n, err := strconv.ParseInt(string(rest[6+8*i:14+8*i]), 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		nameEnd := 110 + field(11)
		dataAt := (nameEnd + 3) &^ 3
		dataEnd := dataAt + field(6)
		all = append(all, entry{
			strings.TrimSuffix(string(rest[110:nameEnd]), "\x00"), string(rest[dataAt:dataEnd]),
			field(1), field(9), field(10),
		})
		rest = rest[(dataEnd+3)&^3:]
	}
	return all
}

func TestArchive(t *testing.T) {
	var b bytes.Buffer
	a := New(&b)
	a.Char("dev/console", 5, 1)
	a.File("/init", []byte("12345"))
	a.File("sbin/x", nil)
	a.Dir("dev")
	a.Dir("/a/b/")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	want := []entry{
		{"dev", "", 0o040755, 0, 0},
		{"dev/console", "", 0o020600, 5, 1},
		{"init", "12345", 0o100755, 0, 0},
		{"sbin", "", 0o040755, 0, 0},
		{"sbin/x", "", 0o100755, 0, 0},
		{"a", "", 0o040755, 0, 0},
		{"a/b", "", 0o040755, 0, 0},
		{"TRAILER!!!", "", 0, 0, 0},
	}
	got := parse(t, b.Bytes())
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("entry %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
}

func TestArchiveError(t *testing.T) {
	a := New(new(bytes.Buffer))
	a.Copy("x", "/does/not/exist")
	if err := a.Close(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want one of a missing file", err)
	}
}
