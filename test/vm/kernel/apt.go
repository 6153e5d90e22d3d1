package kernel

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// keyring signs every release of Debian that is still served.
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// download fetches the package's newest version and unpacks it below dir. It returns the
// package's name and the root of what it holds.
//
// apt gets a state of its own there. So other releases and architectures do not touch the
// machine's lists, no root is needed, and no lock is waited for.
func download(dir string, s Spec) (name, root string, err error) {
	a := apt{dir: filepath.Join(dir, "apt")}
	if err := a.setUp(s); err != nil {
		return "", "", err
	}
	// Of several suites one may be out of order, which happens while a mirror is brought up to date.
	_, incomplete := a.run("apt-get", "-qq", "update")
	out, err := a.run("apt-cache", "pkgnames", "linux-image-")
	if err != nil {
		return "", "", err
	}
	names := slices.DeleteFunc(strings.Fields(out), func(n string) bool { return !s.Package.MatchString(n) })
	if len(names) == 0 {
		return "", "", errors.Join(fmt.Errorf("no package %s in %s", s.Package, strings.Join(s.Suites, ", ")), incomplete)
	}
	name = slices.MaxFunc(names, compareVersions)
	if _, err := a.run("apt-get", "-qq", "download", name+":"+s.Arch); err != nil {
		return "", "", err
	}
	debs, err := filepath.Glob(filepath.Join(a.dir, "*.deb"))
	if err != nil || len(debs) != 1 {
		return "", "", fmt.Errorf("want one .deb in %s, found %d", a.dir, len(debs))
	}
	root = filepath.Join(dir, "root")
	_, err = a.run("dpkg-deb", "-x", debs[0], root)
	return name, root, err
}

// apt is an apt with a state of its own.
type apt struct{ dir string }

func (a *apt) config() string { return filepath.Join(a.dir, "apt.conf") }

func (a *apt) setUp(s Spec) error {
	if _, err := os.Stat(keyring); err != nil {
		return fmt.Errorf("this is no Debian: %w", err)
	}
	for _, d := range []string{"lists/partial", "cache/archives/partial", "preferences.d"} {
		if err := os.MkdirAll(filepath.Join(a.dir, d), 0o755); err != nil {
			return err
		}
	}
	var sources strings.Builder
	for _, suite := range s.Suites {
		fmt.Fprintf(&sources, "deb [signed-by=%s arch=%s] %s %s main\n", keyring, s.Arch, mirror(suite), suite)
	}
	conf := strings.NewReplacer("DIR", a.dir, "ARCH", s.Arch).Replace(`
Dir::State "DIR"; Dir::State::lists "DIR/lists"; Dir::State::status "DIR/status"; Dir::Cache "DIR/cache";
Dir::Etc::sourcelist "DIR/sources.list"; Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null"; Dir::Etc::preferencesparts "DIR/preferences.d";
APT::Architecture "ARCH"; APT::Architectures { "ARCH"; };
APT::Sandbox::User ""; APT::Update::Error-Mode "any"; Acquire::Languages "none"; Acquire::Retries "3"; Acquire::http::Timeout "60";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
`)
	for name, text := range map[string]string{"status": "", "sources.list": sources.String(), "apt.conf": conf} {
		if err := os.WriteFile(filepath.Join(a.dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// mirror returns where a suite is served: where the machine gets its own packages of that kind
// from, else Debian's general address.
func mirror(suite string) string {
	label, path := "Debian", "debian/"
	if strings.HasSuffix(suite, "-security") {
		label, path = "Debian-Security", "debian-security/"
	}
	out, err := exec.Command("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Label: "+label).Output()
	if first, _, _ := strings.Cut(string(out), "\n"); err == nil && first != "" {
		return first
	}
	return "http://deb.debian.org/" + path
}

// run runs a program in the state's directory with the state's configuration.
func (a *apt) run(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = a.dir
	cmd.Env = append(os.Environ(), "APT_CONFIG="+a.config(), "LC_ALL=C")
	out, err := cmd.Output()
	if err == nil {
		return string(out), nil
	}
	said := ""
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		said = ": " + strings.TrimSpace(string(exit.Stderr))
	}
	return "", fmt.Errorf("%s %s: %w%s", name, strings.Join(args, " "), err, said)
}

// compareVersions orders names of packages that differ in numbers, as people would.
func compareVersions(a, b string) int {
	for a != "" && b != "" {
		numA, restA := leadingDigits(a)
		numB, restB := leadingDigits(b)
		switch {
		case numA != "" && numB != "":
			if len(numA) != len(numB) {
				return len(numA) - len(numB)
			}
			if c := strings.Compare(numA, numB); c != 0 {
				return c
			}
			a, b = restA, restB
		case a[0] != b[0]:
			return int(a[0]) - int(b[0])
		default:
			a, b = a[1:], b[1:]
		}
	}
	return len(a) - len(b)
}

// leadingDigits splits a number off, without its leading zeros.
func leadingDigits(s string) (digits, rest string) {
	rest = strings.TrimLeft(s, "0123456789")
	digits = s[:len(s)-len(rest)]
	if trimmed := strings.TrimLeft(digits, "0"); trimmed != "" || digits == "" {
		return trimmed, rest
	}
	return "0", rest
}
