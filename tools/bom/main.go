// Bom lists what a Go program contains: a bill of materials in CycloneDX 1.5 (ECMA-424) and the
// licence texts of its modules, which their licences want to go along.
//
//	bom --out FILE.cdx.json --licenses FILE PROGRAM
//
// Both come from what the linker wrote into the program, and the texts from the module cache. The
// time in the bill is $SOURCE_DATE_EPOCH, so that the same program gives the same bill.
package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	out := flag.String("out", "", "`file` for the bill of materials")
	licenses := flag.String("licenses", "", "`file` for the licence texts")
	flag.Parse()
	if *out == "" || *licenses == "" || flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *out, *licenses); err != nil {
		fmt.Fprintln(os.Stderr, "bom:", err)
		os.Exit(1)
	}
}

func run(program, out, licenses string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	bill, err := billOf(program, info)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(bill, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, append(text, '\n'), 0o644); err != nil {
		return err
	}
	texts, err := licenseTexts(info)
	if err != nil {
		return err
	}
	return os.WriteFile(licenses, texts, 0o644)
}

// The parts of CycloneDX 1.5 that are of use here.
type bill struct {
	Format     string      `json:"bomFormat"`
	Version    string      `json:"specVersion"`
	Revision   int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func billOf(program string, info *debug.BuildInfo) (*bill, error) {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	main := component{Type: "application", Name: info.Main.Path, Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}}}
	for _, s := range info.Settings {
		main.Properties = append(main.Properties, property{"go:build:" + s.Key, s.Value})
	}
	b := &bill{
		Format: "CycloneDX", Version: "1.5", Revision: 1,
		Metadata: metadata{time.Unix(seconds, 0).UTC().Format(time.RFC3339), main},
		// The standard library has as many bugs as anything else in there.
		Components: []component{{
			Type: "library", Name: "std", Version: info.GoVersion, PURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"),
		}},
	}
	for _, m := range modules(info) {
		b.Components = append(b.Components, component{
			Type: "library", Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path + "@" + m.Version,
			Properties: []property{{"go:sum", m.Sum}},
		})
	}
	return b, nil
}

// modules are the modules that the program was really built from.
func modules(info *debug.BuildInfo) (all []*debug.Module) {
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		all = append(all, m)
	}
	return all
}

// licenseTexts collects the licence files of the modules and of Go.
func licenseTexts(info *debug.BuildInfo) ([]byte, error) {
	var b bytes.Buffer
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	if err := addTexts(&b, "Go "+info.GoVersion, strings.TrimSpace(string(root))); err != nil {
		return nil, err
	}
	for _, m := range modules(info) {
		name := m.Path + "@" + m.Version
		out, err := exec.Command("go", "mod", "download", "-json", name).Output()
		if err != nil {
			return nil, fmt.Errorf("go mod download %s: %w", name, err)
		}
		var at struct{ Dir string }
		if err := json.Unmarshal(out, &at); err != nil {
			return nil, fmt.Errorf("go mod download %s: %w", name, err)
		}
		if err := addTexts(&b, name, at.Dir); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// addTexts appends the licence files of a directory. One without any cannot be shipped.
func addTexts(b *bytes.Buffer, name, dir string) error {
	var files []string
	for _, pattern := range []string{"LICENSE*", "License*", "LICENCE*", "COPYING*", "NOTICE*", "PATENTS"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		files = append(files, found...)
	}
	if !slices.ContainsFunc(files, func(f string) bool { return !strings.HasPrefix(filepath.Base(f), "NOTICE") }) {
		return fmt.Errorf("%s: no licence file in %s", name, dir)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "%s\n%s: %s\n\n%s\n", strings.Repeat("=", 72), name, filepath.Base(file), text)
	}
	return nil
}
