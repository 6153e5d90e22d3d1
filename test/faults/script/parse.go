package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Error is a mistake in a case file.
type Error struct {
	Line int // from 1
	Text string
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %v: %s", e.Line, e.Err, e.Text) }

func (e *Error) Unwrap() error { return e.Err }

// Parse reads a case file. Errors are of type [*Error].
func Parse(text string) (*Case, error) {
	p := parser{c: &Case{}}
	n := 0
	for line := range strings.Lines(text) {
		n++
		words, rest, err := split(line)
		if err == nil && len(words) > 0 {
			err = p.line(n, words, rest)
		}
		if err != nil {
			return nil, &Error{n, strings.TrimSpace(line), err}
		}
	}
	if err := p.end(); err != nil {
		return nil, &Error{n, "", err}
	}
	return p.c, nil
}

// parser is what is known half way through a file.
type parser struct {
	c       *Case
	started bool // a start or run line came
}

func (p *parser) line(n int, words []word, rest string) error {
	verb := words[0].text
	r := &reader{words: words[1:]}
	if p.c.Title == "" {
		if verb != "title" || words[0].quoted {
			return fmt.Errorf("the first line is title TEXT")
		}
		p.c.Title = strings.Join(r.rest(), " ")
		if p.c.Title == "" {
			return fmt.Errorf("the title is empty")
		}
		return nil
	}
	if p.c.Channel == "" {
		if verb != "channel" || words[0].quoted {
			return fmt.Errorf("the second line is channel KIND")
		}
		p.c.Channel = r.oneOf("fifo", "pty", "fuse", "file", "link")
		p.c.Cooked = p.c.Channel == "pty" && r.is("cooked")
		if p.c.Channel == "link" {
			p.c.Target = r.next("the path that it leads to")
		}
		return r.done()
	}
	if verb == "cpu" && !words[0].quoted {
		share, err := strconv.ParseFloat(strings.TrimSuffix(r.next("a share"), "%"), 64)
		if err != nil || !(share > 0 && share <= 100) {
			return fmt.Errorf("want a share of a core such as 10%%")
		}
		p.c.CPU = share / 100
		return r.done()
	}
	action, err := parseAction(verb, r)
	if err == nil {
		err = r.done()
	}
	if err == nil {
		err = p.allowed(action)
	}
	if err != nil {
		return err
	}
	p.c.Steps = append(p.c.Steps, Step{n, rest, action})
	return nil
}

// allowed tells whether an action may stand where it does.
func (p *parser) allowed(a Action) error {
	onlyFUSE := false
	switch a := a.(type) {
	case Start, Run:
		if p.started {
			return fmt.Errorf("the program is started already")
		}
		p.started = true
		return nil
	case Fail:
		onlyFUSE = true
	case Feed:
		onlyFUSE = a.Every > 0
	case Check:
		onlyFUSE = a.Condition.Quantity == "asked" || a.Condition.Quantity == "opened"
	}
	_, awaits := a.(Await)
	switch {
	case awaits && p.c.Channel != "pty":
		return fmt.Errorf("only channel pty can do that")
	case onlyFUSE && p.c.Channel != "fuse":
		return fmt.Errorf("only channel fuse can do that")
	case p.started && beforeStart(a):
		return fmt.Errorf("that belongs before the start")
	case !p.started && afterStart(a):
		return fmt.Errorf("that belongs after the start")
	}
	return nil
}

func (p *parser) end() error {
	switch {
	case p.c.Title == "" || p.c.Channel == "":
		return fmt.Errorf("title and channel are missing")
	case !p.started:
		return fmt.Errorf("nothing is started")
	case !slices.ContainsFunc(p.c.Steps, func(s Step) bool { _, ok := s.Action.(Check); return ok }):
		return fmt.Errorf("nothing is checked")
	}
	return nil
}

func parseAction(verb string, r *reader) (Action, error) {
	switch verb {
	case "feed":
		return r.feed(), r.err
	case "silence":
		if r.empty() {
			return Silence{}, nil
		}
		return Silence{r.duration()}, r.err
	case "error":
		f := Fail{Errno: r.errno()}
		if !r.empty() {
			f.Times = r.count("a number of times")
			if !r.is("times") {
				r.fail("want error ERRNO N times")
			}
		}
		return f, r.err
	case "await":
		a := Await{r.next("a text")}
		if r.err == nil && a.Text == "" {
			r.fail("the text is empty")
		}
		return a, r.err
	case "fault":
		return Fault{}, nil
	case "plug":
		if r.is("as") {
			return Plug{r.next("a name")}, r.err
		}
		return Plug{}, nil
	case "unplug":
		return Unplug{}, nil
	case "sys", "proc":
		return SetFile{verb, r.next("a path"), r.next("a text")}, r.err
	case "config":
		return SetFile{verb, "", r.next("a text")}, r.err
	case "reload":
		return Reload{}, nil
	case "stop":
		return Stop{}, nil
	case "wait":
		return Wait{r.duration()}, r.err
	}
	return parseMachine(verb, r)
}

func parseMachine(verb string, r *reader) (Action, error) {
	switch verb {
	case "sink":
		return Sink{r.next("a path")}, r.err
	case "without":
		return Without{r.oneOf("CAP_SYS_ADMIN")}, r.err
	case "notify":
		if r.is("watchdog") {
			return Notify{r.duration()}, r.err
		}
		return Notify{}, nil
	case "trace":
		t := Trace{Calls: strings.Split(r.next("system calls"), ",")}
		t.Of = r.of("device", "sink", "any")
		return t, r.err
	case "inject":
		i := Inject{Call: r.next("a system call"), Errno: r.next("an error")}
		if _, known := errnos[i.Errno]; !known {
			r.fail("no such error %q", i.Errno)
		}
		if r.is("when") {
			i.When = r.next("N+M")
		}
		i.Of = r.of("device", "sink")
		return i, r.err
	case "start":
		return Start{r.rest()}, nil
	case "run":
		return Run{append([]string{r.next("a command")}, r.rest()...)}, r.err
	case "within", "for":
		c := Check{When: verb, For: r.duration()}
		if r.err != nil {
			return nil, r.err
		}
		return c.of(r)
	case "expect":
		return Check{When: verb}.of(r)
	}
	return nil, fmt.Errorf("no such verb %q", verb)
}

// of adds the condition.
func (c Check) of(r *reader) (Action, error) {
	var err error
	c.Condition, err = parseCondition(r.words)
	r.words = nil
	return c, err
}

func (r *reader) of(choices ...string) string {
	if !r.is("of") {
		r.fail("want of %s", strings.Join(choices, "|"))
	}
	return r.oneOf(choices...)
}
