//go:build !minimal

package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/test/kit"
)

// parseAudit reads a report, which has to be as docs/audit.schema.json says.
func parseAudit(t *testing.T, document string) *audit.Report {
	t.Helper()
	if problems := newSchema(t).check(document); len(problems) > 0 {
		t.Fatalf("not by the schema: %s\n%s", strings.Join(problems, "\n"), document)
	}
	r, err := audit.ParseReport([]byte(document))
	if err != nil {
		t.Fatalf("%v\n%s", err, document)
	}
	return r
}

// schema is a JSON schema, as far as docs/audit.schema.json makes use of the language. Members that it
// does not describe are a problem too: it has to be complete.
type schema struct {
	Ref        string            `json:"$ref"`
	Type       any               `json:"type"` // a name, or a list of them
	Const      any               `json:"const"`
	Enum       []any             `json:"enum"`
	Pattern    string            `json:"pattern"`
	Minimum    *float64          `json:"minimum"`
	Maximum    *float64          `json:"maximum"`
	MinItems   *int              `json:"minItems"`
	MaxItems   *int              `json:"maxItems"`
	Items      *schema           `json:"items"`
	Required   []string          `json:"required"`
	Properties map[string]schema `json:"properties"`
	Further    *schema           `json:"additionalProperties"`
	Defs       map[string]schema `json:"$defs"`

	// These change nothing in what is valid.
	Language    string `json:"$schema"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Format      string `json:"format"`

	root *schema
	name string          // of the definition that the schema is, as in #/$defs
	seen map[string]bool // of the root: members that documents had
}

func newSchema(t *testing.T) *schema {
	t.Helper()
	text := kit.ReadFile(t, "../../docs/audit.schema.json")
	var s schema
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields() // what this test does not know, it does not check
	if err := decoder.Decode(&s); err != nil {
		t.Fatal(err)
	}
	s.root, s.seen = &s, map[string]bool{}
	return &s
}

// check returns what is wrong with a document.
func (s *schema) check(document string) []string {
	var v any
	if err := json.Unmarshal([]byte(document), &v); err != nil {
		return []string{err.Error()}
	}
	return s.problems("", v)
}

func (s *schema) problems(at string, v any) (found []string) {
	if s.Ref != "" {
		name := strings.TrimPrefix(s.Ref, "#/$defs/")
		def, ok := s.root.Defs[name]
		if !ok {
			return []string{at + ": no definition " + s.Ref}
		}
		def.name = "#" + name
		return def.of(s).problems(at, v)
	}
	report := func(format string, args ...any) { found = append(found, at+": "+fmt.Sprintf(format, args...)) }
	if s.Type != nil && !s.hasType(v) {
		report("%v is no %v", v, s.Type)
		return found
	}
	if s.Const != nil && v != s.Const {
		report("%v is not %v", v, s.Const)
	}
	if s.Enum != nil && !slices.Contains(s.Enum, v) {
		report("%v is not one of %v", v, s.Enum)
	}
	switch v := v.(type) {
	case string:
		if !regexp.MustCompile(s.Pattern).MatchString(v) {
			report("%q does not match %s", v, s.Pattern)
		}
	case float64:
		if s.Minimum != nil && v < *s.Minimum || s.Maximum != nil && v > *s.Maximum {
			report("%v is out of range", v)
		}
	case []any:
		if s.MinItems != nil && len(v) < *s.MinItems || s.MaxItems != nil && len(v) > *s.MaxItems {
			report("%d items", len(v))
		}
		for i, item := range v {
			found = append(found, s.Items.of(s).problems(fmt.Sprintf("%s[%d]", at, i), item)...)
		}
	case map[string]any:
		found = append(found, s.members(at, v)...)
	}
	return found
}

// members looks at those of an object.
func (s *schema) members(at string, v map[string]any) (found []string) {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			found = append(found, at+": lacks "+name)
		}
	}
	for name, member := range v {
		described, ok := s.Properties[name]
		if !ok {
			if s.Further == nil {
				found = append(found, at+"."+name+": not described")
				continue
			}
			described = *s.Further
		}
		s.root.seen[s.name+"."+name] = true
		found = append(found, described.of(s).problems(at+"."+name, member)...)
	}
	return found
}

// of makes a part of a schema know the whole.
func (s schema) of(whole *schema) *schema {
	s.root = whole.root
	return &s
}

// hasType tells whether a value has one of the types.
func (s *schema) hasType(v any) bool {
	names, ok := s.Type.([]any)
	if !ok {
		names = []any{s.Type}
	}
	return slices.ContainsFunc(names, func(name any) bool {
		switch v := v.(type) {
		case nil:
			return name == "null"
		case string:
			return name == "string"
		case bool:
			return name == "boolean"
		case float64:
			return name == "number" || name == "integer" && v == float64(int64(v))
		case []any:
			return name == "array"
		}
		return name == "object"
	})
}

// unseen lists the members that no document had.
func (s *schema) unseen(at string) (names []string) {
	for name := range s.Defs {
		def := s.Defs[name].of(s)
		names = append(names, def.unseen("#"+name)...)
	}
	for name := range s.Properties {
		if !s.root.seen[at+"."+name] {
			names = append(names, at+"."+name)
		}
	}
	return names
}
