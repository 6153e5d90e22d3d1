// Package debian gets Debian's packages for virtual machines, of any release that is still served
// and any architecture, without touching what this machine has installed: unpacked packages,
// single programs, whole systems that boot.
package debian

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// keyring signs every release of Debian that is still served.
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// Apt is an apt with a state of its own. So other releases and architectures do not touch the
// machine's lists, no root is needed, and no lock is waited for.
type Apt struct {
	dir, arch  string
	incomplete error // why not all lists are there
}

// NewApt gets the lists of an architecture's packages in these suites (as in a line of
// sources.list, without the component). It keeps its state in dir, which exists.
func NewApt(dir, arch string, suites []string) (*Apt, error) {
	a := &Apt{dir: dir, arch: arch}
	if _, err := os.Stat(keyring); err != nil {
		return nil, fmt.Errorf("this is no Debian: %w", err)
	}
	for _, d := range []string{"lists/partial", "cache/archives/partial", "preferences.d"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return nil, err
		}
	}
	conf := strings.NewReplacer("DIR", dir, "ARCH", arch).Replace(`
Dir::State "DIR"; Dir::State::lists "DIR/lists"; Dir::State::status "DIR/status"; Dir::Cache "DIR/cache";
Dir::Etc::sourcelist "DIR/sources.list"; Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null"; Dir::Etc::preferencesparts "DIR/preferences.d";
APT::Architecture "ARCH"; APT::Architectures { "ARCH"; };
APT::Sandbox::User ""; APT::Update::Error-Mode "any"; APT::Install-Recommends "false"; Debug::NoLocking "true";
Acquire::Languages "none"; Acquire::Retries "3"; Acquire::http::Timeout "60";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
`)
	for name, text := range map[string]string{"status": "", "sources.list": Sources(arch, suites), "apt.conf": conf} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	// Of several suites one may be out of order, which happens while a mirror is brought up to date.
	_, a.incomplete = a.run("apt-get", "-qq", "update")
	return a, nil
}

// Sources returns lines of a sources.list for an architecture's packages in these suites.
func Sources(arch string, suites []string) string {
	var lines strings.Builder
	for _, suite := range suites {
		fmt.Fprintf(&lines, "deb [signed-by=%s arch=%s] %s %s main\n", keyring, arch, mirror(suite), suite)
	}
	return lines.String()
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

// Names lists the packages whose names begin so.
func (a *Apt) Names(prefix string) ([]string, error) {
	out, err := a.run("apt-cache", "pkgnames", prefix)
	return strings.Fields(out), errors.Join(err, a.incomplete)
}

// Unpack unpacks the newest version of a package into a directory.
func (a *Apt) Unpack(name, dir string) error {
	return a.unpack(dir, "download", name+":"+a.arch)
}

// UnpackAll unpacks a package and all that it depends on into a directory.
func (a *Apt) UnpackAll(name, dir string) error {
	return a.unpack(dir, "install", "-y", "--download-only", name)
}

// unpack makes apt-get download packages, and unpacks those into a directory.
func (a *Apt) unpack(dir string, command ...string) error {
	if _, err := a.run("apt-get", append([]string{"-qq"}, command...)...); err != nil {
		return errors.Join(err, a.incomplete)
	}
	for _, place := range []string{"*.deb", "cache/archives/*.deb"} {
		debs, err := filepath.Glob(filepath.Join(a.dir, place))
		if err != nil {
			return err
		}
		for _, deb := range debs {
			if err := errors.Join(Run("dpkg-deb", "-x", deb, dir), os.Remove(deb)); err != nil {
				return err
			}
		}
	}
	return nil
}

// run runs a program in the state's directory with the state's configuration.
func (a *Apt) run(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = a.dir
	cmd.Env = append(os.Environ(), "APT_CONFIG="+filepath.Join(a.dir, "apt.conf"), "LC_ALL=C")
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

// Run runs a program to its end. An error holds all that it wrote.
func Run(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}
