package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/BurntSushi/toml"
)

// maxProblems bounds how many mistakes of a file are reported: a file that is
// not ours at all would fill the log.
const maxProblems = 50

// tomlFile is a configuration file on its way into a Config.
type tomlFile struct {
	path     string
	meta     toml.MetaData
	problems problems
}

// complain notes a mistake in a line.
func (f *tomlFile) complain(line int, format string, args ...any) {
	if len(f.problems) < maxProblems {
		f.problems = append(f.problems, fmt.Errorf("%s:%d: "+format, slices.Concat([]any{f.path, line}, args)...))
	} else if len(f.problems) == maxProblems {
		f.problems = append(f.problems, fmt.Errorf("%s: more mistakes, not shown", f.path))
	}
}

// applyTOML sets every option that the document has, and reports every mistake
// in it with its line. Only a syntax error hides what comes after it.
func (c *Config) applyTOML(data []byte) problems {
	file := &tomlFile{path: c.ConfigFile}
	if line := unreasonableLine(data); line > 0 {
		file.complain(line, "too many dots or braces, a configuration file needs few")
		return file.problems
	}
	var values map[string]toml.Primitive
	meta, err := toml.Decode(string(data), &values)
	if syntax, ok := errors.AsType[toml.ParseError](err); ok {
		// The library's own line is off by one at the end of a line or of the
		// document. Its offset is right, but can be one before the start.
		before := data[:min(max(syntax.Position.Start, 0), len(data))]
		line := bytes.Count(before, []byte("\n")) + 1
		file.complain(line, "%s", syntax.Message)
		return file.problems
	}
	if err != nil {
		file.complain(1, "%w", err)
		return file.problems
	}
	file.meta = meta
	done := map[string]bool{}
	for _, key := range meta.Keys() {
		name := key[0]
		if done[name] || len(file.problems) > maxProblems {
			continue // done: a further key of a table that was handled as one
		}
		done[name] = true
		c.applyTOMLKey(file, name, values[name])
	}
	return file.problems
}

// applyTOMLKey sets the option of one top-level key.
func (c *Config) applyTOMLKey(file *tomlFile, name string, value toml.Primitive) {
	data, line := file.inspect(value)
	o := optionByName(name)
	if o == nil {
		known := optionNames(func(o *Option) bool { return !o.NotInFile })
		file.complain(line, "unknown key %q%s", name, didYouMean(name, known))
		return
	}
	if o.NotInFile {
		file.complain(line, "%s cannot be set in a file, use --%s or %s", name, name, o.envName())
		return
	}
	before := len(file.problems)
	var words []string
	if _, isTable := data.(map[string]any); isTable && o.kind() == kindTable {
		words = file.tableWords(o, value)
	} else {
		var err error
		if words, err = tomlWords(o.kind(), data); err != nil {
			file.complain(line, "%s: %w", name, err)
		}
	}
	if len(file.problems) > before {
		return
	}
	if err := c.apply(o, words, fmt.Sprintf("%s:%d", file.path, line)); err != nil {
		file.complain(line, "%s: %w", name, err)
	}
}

// tableWords turns a table into the words that its setting takes. It checks
// each entry by itself, since each has a line of its own.
func (f *tomlFile) tableWords(o *Option, table toml.Primitive) []string {
	var entries map[string]toml.Primitive
	if err := f.meta.PrimitiveDecode(table, &entries); err != nil {
		_, line := f.inspect(table)
		f.complain(line, "%s: %w", o.Name, err)
		return nil
	}
	words := []string{}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		data, line := f.inspect(entries[key])
		number, err := tomlNumber(data)
		if err == nil {
			words = append(words, key+"="+number)
			err = o.bind(new(Config)).set(words[len(words)-1:])
		}
		if err != nil {
			f.complain(line, "%s.%s: %w", o.Name, key, err)
		}
	}
	return words
}

// inspection makes the decoder hand over a raw value and, through the error
// that it always returns, the line of its key. The library has no other way.
type inspection struct{ data any }

var errInspected = errors.New("inspected")

func (i *inspection) UnmarshalTOML(data any) error {
	i.data = data
	return errInspected
}

// inspect returns a value and the line of its key. A table that exists only by
// its entries (entropy.hwrng = 4.0) has the line of the first of them.
func (f *tomlFile) inspect(value toml.Primitive) (data any, line int) {
	var seen inspection
	if at, ok := errors.AsType[toml.ParseError](f.meta.PrimitiveDecode(value, &seen)); ok {
		line = at.Position.Line
	}
	var entries map[string]toml.Primitive
	if _, isTable := seen.data.(map[string]any); isTable && line == 0 && f.meta.PrimitiveDecode(value, &entries) == nil {
		for _, entry := range entries {
			if _, l := f.inspect(entry); line == 0 || l < line {
				line = l
			}
		}
	}
	return seen.data, line
}

// tomlWords checks the TOML type of a value and turns it into words.
func tomlWords(k kind, data any) ([]string, error) {
	text, isText := data.(string)
	switch k {
	case kindBool:
		if b, ok := data.(bool); ok {
			return []string{strconv.FormatBool(b)}, nil
		}
		return nil, fmt.Errorf("want true or false without quotes, not %s", tomlType(data))
	case kindDuration:
		if number, err := tomlNumber(data); err == nil {
			return nil, fmt.Errorf("a bare number has no unit, write %q for seconds", number+"s")
		}
	case kindList, kindTable:
		if isText {
			return splitList(text), nil
		}
		return tomlListWords(k, data)
	}
	if !isText {
		return nil, fmt.Errorf("want a text in quotes, not %s", tomlType(data))
	}
	return []string{text}, nil
}

// tomlListWords turns a list of texts into words.
func tomlListWords(k kind, data any) ([]string, error) {
	want := `a list of texts such as ["a", "b"]`
	if k == kindTable {
		want = `a table such as { hwrng = 4.0 } or a list such as ["hwrng=4.0"]`
	}
	list, ok := data.([]any)
	if !ok {
		return nil, fmt.Errorf("want %s, not %s", want, tomlType(data))
	}
	words := make([]string, len(list))
	for i, element := range list {
		if words[i], ok = element.(string); !ok {
			return nil, fmt.Errorf("want %s, but the list holds %s", want, tomlType(element))
		}
	}
	return words, nil
}

// tomlNumber returns a number as text.
func tomlNumber(data any) (string, error) {
	switch number := data.(type) {
	case int64:
		return strconv.FormatInt(number, 10), nil
	case float64:
		return strconv.FormatFloat(number, 'g', -1, 64), nil
	}
	return "", fmt.Errorf("want a number without quotes, not %s", tomlType(data))
}

// tomlType names the type of a value in words.
func tomlType(data any) string {
	switch data.(type) {
	case string:
		return "a text"
	case bool:
		return "true or false"
	case int64, float64:
		return "a number"
	case time.Time:
		return "a date or time"
	case map[string]any:
		return "a table"
	}
	return "a list"
}

// unreasonableLine returns the first line with more dots, or after more
// braces, than any real configuration has, else 0. The library keeps the full
// dotted name of every key, so that memory grows with the square of the
// nesting: without this, half a megabyte of "a.a.a" takes all of it.
func unreasonableLine(data []byte) int {
	const maxDots, maxBraces = 64, 32
	braces, number := 0, 0
	for line := range bytes.Lines(data) {
		number++
		if line = bytes.TrimSpace(line); bytes.HasPrefix(line, []byte("#")) {
			continue
		}
		braces += bytes.Count(line, []byte("{"))
		if braces > maxBraces || bytes.Count(line, []byte(".")) > maxDots {
			return number
		}
	}
	return 0
}
