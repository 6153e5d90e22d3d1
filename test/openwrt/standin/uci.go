package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	committed = "/etc/config" // directory of the configuration
	staged    = "/tmp/.uci"   // directory of what is not yet committed
)

var errNoEntry = errors.New("uci: Entry not found")

// uci is a small part of OpenWrt's program: get, set, delete and commit, of whole names such as
// system.@rngd[0].device. "shell" prints a package as assignments, for the stand-in of config_load.
func uci(args []string) error {
	if len(args) > 0 && args[0] == "-q" {
		args = args[1:]
		if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
			os.Stderr = null
		}
	}
	if len(args) != 2 {
		return fmt.Errorf("uci: want a command and a name, not %q", args)
	}
	name, value, _ := strings.Cut(args[1], "=")
	words := strings.SplitN(name, ".", 3)
	if args[0] == "commit" {
		err := os.Rename(filepath.Join(staged, name), filepath.Join(committed, name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil // nothing was changed
		}
		return err
	}
	p, err := load(words[0])
	if err != nil {
		return err
	}
	switch {
	case args[0] == "shell":
		return p.shell()
	case args[0] == "get" && len(words) > 1:
		return p.get(words[1:])
	case args[0] == "set" && len(words) > 1 && value != "":
		if err := p.set(words[1:], value); err != nil {
			return err
		}
	case args[0] == "delete" && len(words) == 2:
		i := p.find(words[1])
		if i < 0 {
			return errNoEntry
		}
		p.sections = slices.Delete(p.sections, i, i+1)
	default:
		return fmt.Errorf("uci: no %q", args)
	}
	return p.stage()
}

func (p *pkg) get(words []string) error {
	i := p.find(words[0])
	if i < 0 {
		return errNoEntry
	}
	s := p.sections[i]
	if len(words) == 1 {
		fmt.Println(s.kind)
		return nil
	}
	for _, o := range s.options {
		if o.name == words[1] {
			fmt.Println(strings.Join(o.values, " "))
			return nil
		}
	}
	return errNoEntry
}

func (p *pkg) set(words []string, value string) error {
	i := p.find(words[0])
	switch {
	case len(words) == 1 && i < 0:
		p.sections = append(p.sections, &section{kind: value, name: words[0]})
	case len(words) == 1:
		p.sections[i].kind = value
	case i < 0:
		return errNoEntry
	default:
		s := p.sections[i]
		s.options = slices.DeleteFunc(s.options, func(o option) bool { return o.name == words[1] })
		s.options = append(s.options, option{name: words[1], values: []string{value}})
	}
	return nil
}

// shell prints the variables that config_load makes.
func (p *pkg) shell() error {
	quote := func(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
	for i, s := range p.sections {
		name := s.name
		if name == "" {
			name = "cfg" + strconv.Itoa(i+1)
		}
		fmt.Printf("CONFIG_%s_TYPE=%s\n", name, quote(s.kind))
		for _, o := range s.options {
			fmt.Printf("CONFIG_%s_%s=%s\n", name, o.name, quote(strings.Join(o.values, " ")))
		}
	}
	return nil
}

// stage writes the package to where a commit finds it.
func (p *pkg) stage() error {
	var b strings.Builder
	for _, s := range p.sections {
		fmt.Fprintf(&b, "\nconfig %s", s.kind)
		if s.name != "" {
			fmt.Fprintf(&b, " '%s'", s.name)
		}
		b.WriteString("\n")
		for _, o := range s.options {
			keyword := "option"
			if o.list {
				keyword = "list"
			}
			for _, v := range o.values {
				fmt.Fprintf(&b, "\t%s %s '%s'\n", keyword, o.name, v)
			}
		}
	}
	if err := os.MkdirAll(staged, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(staged, p.name), []byte(b.String()), 0o600)
}

// load reads a package, with the changes that are not yet committed.
func load(name string) (*pkg, error) {
	data, err := os.ReadFile(filepath.Join(staged, name))
	if errors.Is(err, fs.ErrNotExist) {
		data, err = os.ReadFile(filepath.Join(committed, name))
	}
	if err != nil {
		return nil, errNoEntry
	}
	return parse(name, string(data))
}
