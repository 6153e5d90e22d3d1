package kernel

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

func TestCompareVersions(t *testing.T) {
	sorted := []string{
		"linux-image-6.1.0-9-cloud-amd64",
		"linux-image-6.1.0-10-cloud-amd64",
		"linux-image-6.1.0-57-cloud-amd64",
		"linux-image-6.12.9+deb12-cloud-amd64",
		"linux-image-6.12.90+deb12-cloud-amd64",
		"linux-image-6.12.90+deb12.1-cloud-amd64",
		"linux-image-6.12.095+deb12-cloud-amd64",
	}
	for i, a := range sorted {
		for j, b := range sorted {
			got := compareVersions(a, b)
			if got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("compareVersions(%s, %s) = %d", a, b, got)
			}
		}
	}
}

func TestPlainNames(t *testing.T) {
	for path, want := range map[string]string{
		"kernel/drivers/char/hw_random/virtio-rng.ko":     "virtio_rng",
		"/x/kernel/drivers/char/hw_random/rng-core.ko.xz": "rng_core",
	} {
		if got := nameOf(path); got != want {
			t.Errorf("nameOf(%s) = %s, want %s", path, got, want)
		}
	}
	if got := ModuleName("/c/kernel-6.1-amd64/05-virtio_rng.ko"); got != "virtio_rng" {
		t.Errorf("ModuleName = %s", got)
	}
}

// What another wish left in the cache must not be taken for what is wanted now.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	wish := Spec{Version: "6.1", Arch: "amd64", Package: regexp.MustCompile(`^linux-image-6\.1\.`), Modules: []string{"b", "a"}}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := load(dir, wish); err == nil {
		t.Error("an empty directory is no kernel")
	}
	write("00-a.ko", "")
	write("01-b.ko", "")
	write("image", "")
	write(manifest, "linux-image-6.1.0-57\n6.1.0-57\nb a\n")
	f, err := load(dir, wish)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(dir, "00-a.ko"), filepath.Join(dir, "01-b.ko")}
	if f.Release != "6.1.0-57" || f.Package != "linux-image-6.1.0-57" || !slices.Equal(f.Modules, want) {
		t.Errorf("%+v", f)
	}
	for what, text := range map[string]string{
		"other modules": "linux-image-6.1.0-57\n6.1.0-57\na\n",
		"other package": "linux-image-5.10.0-57\n5.10.0-57\nb a\n",
		"cut":           "linux-image-6.1.0-57\n",
	} {
		write(manifest, text)
		if _, err := load(dir, wish); err == nil {
			t.Errorf("%s: taken for what is wanted", what)
		}
	}
}

func TestOrderErrors(t *testing.T) {
	tree := &tree{files: map[string]string{"broken": "/dev/null"}, builtin: map[string]bool{"inside": true}}
	if order, err := tree.order([]string{"inside"}); err != nil || len(order) != 0 {
		t.Errorf("a module that is built in: %v, %v", order, err)
	}
	for _, name := range []string{"missing", "broken"} {
		if _, err := tree.order([]string{name}); err == nil {
			t.Errorf("module %s: no error", name)
		}
	}
}
