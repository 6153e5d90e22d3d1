package script

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// word is one word of a line.
type word struct {
	text   string
	quoted bool // it stood in quotes, so it is a text and no keyword
}

// split parts a line into words and takes the comment away. The rest is the line without it.
func split(line string) (words []word, rest string, err error) {
	left := strings.TrimSpace(line)
	for left != "" && left[0] != '#' {
		var w word
		if left[0] == '"' {
			quoted, err := strconv.QuotedPrefix(left)
			if err != nil {
				return nil, "", fmt.Errorf("text without its end: %s", left)
			}
			if w.text, err = strconv.Unquote(quoted); err != nil {
				return nil, "", err
			}
			w.quoted = true
			left = left[len(quoted):]
			if left != "" && !unicode.IsSpace(rune(left[0])) {
				return nil, "", fmt.Errorf("no blank after the text %s", quoted)
			}
		} else {
			end := strings.IndexFunc(left, unicode.IsSpace)
			if end < 0 {
				end = len(left)
			}
			w.text, left = left[:end], left[end:]
		}
		words = append(words, w)
		left = strings.TrimSpace(left)
	}
	return words, strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), left)), nil
}

// reader takes words one after the other.
type reader struct {
	words []word
	err   error // the first one
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *reader) empty() bool { return len(r.words) == 0 }

// next takes the next word.
func (r *reader) next(what string) string {
	if r.empty() {
		r.fail("%s is missing", what)
		return ""
	}
	w := r.words[0]
	r.words = r.words[1:]
	return w.text
}

// is takes the next word if it is that keyword.
func (r *reader) is(keyword string) bool {
	if r.empty() || r.words[0].quoted || r.words[0].text != keyword {
		return false
	}
	r.words = r.words[1:]
	return true
}

// rest takes all that is left.
func (r *reader) rest() []string {
	all := []string{}
	for _, w := range r.words {
		all = append(all, w.text)
	}
	r.words = nil
	return all
}

// done complains about words that nobody took.
func (r *reader) done() error {
	if !r.empty() {
		r.fail("%q is too much", r.words[0].text)
	}
	return r.err
}
