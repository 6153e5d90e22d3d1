package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Condition compares a quantity with a value.
type Condition struct {
	Quantity string
	Args     []string
	Op       string  // =, >=, <= or contains
	Number   float64 // of a quantity that is a number
	Relative bool    // Number counts from the beginning of the step
	IsText   bool    // the quantity is a text
	Text     string  // of one that is a text
}

// quantity describes a row of the vocabulary.
type quantity struct {
	least, most int  // number of its words
	text        bool // it is a text
	help        string
}

// quantities is what conditions are about.
var quantities = map[string]quantity{
	"state":     {1, 1, true, "state SOURCE: where a source stands"},
	"reason":    {1, 1, true, "reason SOURCE: why it is there"},
	"driver":    {1, 1, true, "driver SOURCE: which generator is behind it"},
	"sysfile":   {1, 1, true, "sysfile PATH: content of a file below /sys, trimmed"},
	"credited":  {1, 1, false, "credited SOURCE: bits credited"},
	"added":     {1, 1, false, "added SOURCE: bytes handed to the kernel, credited or not"},
	"read":      {1, 1, false, "read SOURCE: bytes read"},
	"claim":     {1, 1, false, "claim SOURCE: bits claimed for a byte"},
	"filled":    {1, 1, false, "filled SOURCE: share of a test block read"},
	"errors":    {1, 2, false, "errors SOURCE [REASON]: reads that failed"},
	"entered":   {2, 2, false, "entered SOURCE STATE: how often it came into a state"},
	"passed":    {1, 1, false, "passed SOURCE: blocks that passed their tests"},
	"failed":    {1, 1, false, "failed SOURCE: blocks that did not"},
	"alarms":    {2, 2, false, "alarms SOURCE rct|apt|vendor: alarms of a health test"},
	"discarded": {2, 2, false, "discarded SOURCE REASON: bytes read and never used"},
	"metric":    {1, 1, false, "metric SERIES: any series, with its labels sorted, 0 if it is not there"},
	"log":       {1, 4, false, "log LEVEL,...|any [TEXT...]: lines of these levels that hold all the texts"},
	"seeds":     {0, 0, false, "seeds: RNDADDENTROPY calls with data in the trace"},
	"tainted":   {0, 0, false, "tainted: seeds that rest on a byte that is not of G1"},
	"calls":     {1, 4, false, "calls TEXT...: calls in the trace that hold all the texts"},
	"asked":     {0, 0, false, "asked: reads that reached the device (channel fuse)"},
	"opened":    {0, 0, false, "opened: opens that reached the device (channel fuse)"},
	"told":      {1, 1, false, "told TEXT: assignments to the service manager that begin so"},
	"processes": {1, 1, false, "processes TEXT: programs on the machine whose command line, with blanks, holds the text"},
	"output":    {1, 1, false, "output TEXT: lines of the output and the log that hold the text"},
	"exit":      {0, 0, false, "exit: exit code of the program, -1 while it runs"},
}

var states = []string{"disabled", "starting", "active", "suspect", "quarantined", "failed"}

// parseCondition reads QUANTITY WORD... OP VALUE.
func parseCondition(words []word) (Condition, error) {
	var c Condition
	if len(words) < 3 {
		return c, fmt.Errorf("want QUANTITY OP VALUE")
	}
	c.Quantity = words[0].text
	q, known := quantities[c.Quantity]
	if !known || words[0].quoted {
		return c, fmt.Errorf("no such quantity %q", c.Quantity)
	}
	args, op, value := words[1:len(words)-2], words[len(words)-2], words[len(words)-1]
	if len(args) < q.least || len(args) > q.most {
		return c, fmt.Errorf("want %q", q.help)
	}
	for _, a := range args {
		c.Args = append(c.Args, a.text)
	}
	c.Op = op.text
	ops := []string{"=", ">=", "<="}
	if q.text {
		ops = []string{"=", "contains"}
	}
	if op.quoted || !slices.Contains(ops, c.Op) {
		return c, fmt.Errorf("compare %s by one of %s", c.Quantity, strings.Join(ops, " "))
	}
	if c.IsText = q.text; q.text {
		c.Text = value.text
		if c.Quantity == "state" && !slices.Contains(states, c.Text) {
			return c, fmt.Errorf("no such state %q", c.Text)
		}
		return c, nil
	}
	if c.Quantity == "entered" && !slices.Contains(states, c.Args[1]) {
		return c, fmt.Errorf("no such state %q", c.Args[1])
	}
	text, relative := strings.CutPrefix(value.text, "+")
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || value.quoted || number != number || strings.HasPrefix(text, "+") {
		return c, fmt.Errorf("%q is not a number", value.text)
	}
	c.Number, c.Relative = number, relative
	return c, nil
}
