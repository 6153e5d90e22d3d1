package debian

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestSources(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(Sources("s390x", []string{"bookworm", "bookworm-security"})), "\n")
	if len(lines) != 2 {
		t.Fatalf("%q", lines)
	}
	for i, want := range []string{" bookworm main", " bookworm-security main"} {
		if !strings.HasPrefix(lines[i], "deb [signed-by=") || !strings.Contains(lines[i], " arch=s390x] http") || !strings.HasSuffix(lines[i], want) {
			t.Errorf("%q", lines[i])
		}
	}
}

// A library is found whichever directory the package has put it in, by a link too, and the one for
// every processor before that for some.
func TestFindLibraries(t *testing.T) {
	root := t.TempDir()
	for _, path := range []string{"lib/x/libc.so.6", "usr/lib/x/libz.so.1.3", "usr/lib/x/hwcaps/power9/libz.so.1.3", "usr/bin/so"} {
		write(t, filepath.Join(root, path), path)
	}
	for link, target := range map[string]string{"usr/lib/x/libz.so.1": "libz.so.1.3", "lib/ld.so.1": "/lib/x/libc.so.6", "lib/lost.so": "gone.so"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	l, err := readLibraries(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"libc.so.6": "lib/x/libc.so.6", "libz.so.1": "usr/lib/x/libz.so.1.3", "ld.so.1": "lib/x/libc.so.6",
		"lost.so": "", "libm.so.6": "",
	} {
		path, err := l.find(name)
		if want == "" {
			if err == nil {
				t.Errorf("%s: found %s", name, path)
			}
			continue
		}
		if err != nil || path != filepath.Join(root, want) {
			t.Errorf("%s: %s, %v", name, path, err)
		}
	}
}

// A dynamically linked program of this machine names what every such program does.
func TestNeeds(t *testing.T) {
	names, loader, err := needs("/bin/sh")
	if os.IsNotExist(err) || err == nil && loader == "" {
		t.Skip("no dynamically linked /bin/sh")
	}
	if err != nil || !filepath.IsAbs(loader) || !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, "libc.") }) {
		t.Errorf("%q, %q, %v", names, loader, err)
	}
	if _, _, err := needs("debian_test.go"); err == nil {
		t.Error("a text is no program")
	}
}

// What is in the cache is not fetched again.
func TestCached(t *testing.T) {
	cache := t.TempDir()
	dir := filepath.Join(cache, "program-hello-s390x")
	write(t, filepath.Join(dir, "hello"), "program")
	write(t, filepath.Join(dir, "root", "lib", "libc.so.6"), "library")
	f, err := GetProgram(cache, Program{Arch: "s390x", Package: "hello", File: "/usr/bin/hello"})
	if err != nil || f.Program != filepath.Join(dir, "hello") || len(f.Libraries) != 1 || f.Libraries["/lib/libc.so.6"] != filepath.Join(dir, "root/lib/libc.so.6") {
		t.Errorf("%+v, %v", f, err)
	}

	root := Root{Name: "tiny", Arch: "s390x", Suites: []string{"bookworm"}, Packages: []string{"hello"}}
	path := filepath.Join(cache, "tiny-s390x.tar")
	write(t, path, "archive")
	write(t, path+".of", "hello\n"+Sources("s390x", root.Suites))
	if got, err := Get(cache, root); err != nil || got != path {
		t.Errorf("%s, %v", got, err)
	}
}
