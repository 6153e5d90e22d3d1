package main

import (
	"fmt"
	"strings"
)

// pkg is a file of /etc/config.
type pkg struct {
	name     string
	sections []*section
}

type section struct {
	kind, name string // the name may be empty
	options    []option
}

type option struct {
	name   string
	list   bool
	values []string
}

// find returns the index of a section, by name or as @TYPE[0], -1 if there is none.
func (p *pkg) find(name string) int {
	kind, first := strings.CutSuffix(name, "[0]")
	for i, s := range p.sections {
		if s.name == name || first && "@"+s.kind == kind {
			return i
		}
	}
	return -1
}

// parse reads the format of UCI's files.
func parse(name, text string) (*pkg, error) {
	p := &pkg{name: name}
	for text != "" {
		var words []string
		var err error
		if words, text, err = statement(text); err != nil {
			return nil, fmt.Errorf("uci: %s: %w", name, err)
		}
		switch {
		case len(words) == 0:
		case words[0] == "config" && len(words) == 2:
			p.sections = append(p.sections, &section{kind: words[1]})
		case words[0] == "config" && len(words) == 3:
			p.sections = append(p.sections, &section{kind: words[1], name: words[2]})
		case (words[0] == "option" || words[0] == "list") && len(words) == 3 && len(p.sections) > 0:
			p.sections[len(p.sections)-1].add(words[0] == "list", words[1], words[2])
		default:
			return nil, fmt.Errorf("uci: %s: parse error at %q", name, words)
		}
	}
	return p, nil
}

func (s *section) add(list bool, name, value string) {
	for i := range s.options {
		if o := &s.options[i]; o.name == name {
			if !list {
				o.values = nil
			}
			o.values = append(o.values, value)
			return
		}
	}
	s.options = append(s.options, option{name, list, []string{value}})
}

// statement takes the words of one line off the text. A quoted word may hold ends of lines.
func statement(text string) (words []string, rest string, err error) {
	var word strings.Builder
	open, quote := false, byte(0)
	end := func() {
		if open {
			words = append(words, word.String())
		}
		word.Reset()
		open = false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, open = c, true
		case c == '#' && !open:
			if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
				return words, text[i+n+1:], nil
			}
			return words, "", nil
		case c == '\n':
			end()
			return words, text[i+1:], nil
		case c == ' ' || c == '\t':
			end()
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if quote != 0 {
		return nil, "", fmt.Errorf("unterminated %c", quote)
	}
	end()
	return words, "", nil
}
