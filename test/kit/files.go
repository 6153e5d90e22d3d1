package kit

import (
	"os"
	"path/filepath"
	"testing"
)

// ReadFile returns a file's content.
func ReadFile(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// WriteFile writes a file, and makes the directories that it needs.
func WriteFile[T ~string | ~[]byte](t testing.TB, path string, data T, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), mode); err != nil {
		t.Fatal(err)
	}
}

// CopyFile copies a file's content.
func CopyFile(t testing.TB, from, to string, mode os.FileMode) {
	t.Helper()
	WriteFile(t, to, ReadFile(t, from), mode)
}
