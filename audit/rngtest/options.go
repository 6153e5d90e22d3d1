package rngtest

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/hwrngd/hwrngd/fips"
)

// Options are those of rngtest, and the file that it cannot take.
type Options struct {
	BlockCount int64         // -c: end after so many blocks; 0: at the end of the input
	BlockStats int64         // -b: statistics every so many blocks; 0: never
	TimedStats time.Duration // -t: statistics after a block if the last are older; 0: never
	Pipe       bool          // -p: copy good blocks to the output, and say nothing but statistics
	File       string        // the operand, "" if there is none
	Show       Show          // what to print instead of a test
}

// Show is a text that is asked for.
type Show int

// The texts.
const (
	Nothing Show = iota
	Help
	Usage
	Version
)

// Largest numbers that the counters can hold. Larger ones mean the same to anybody: for ever.
const (
	maxBlocks  = math.MaxInt64/fips.BlockBits - 1
	maxSeconds = math.MaxInt64 / int64(time.Second)
)

// option is a row of the table of options.
type option struct {
	long   string
	short  byte // 0 for none
	number func(o *Options, n int64)
	flag   func(o *Options) // of options without a number
}

var table = []option{
	{long: "blockcount", short: 'c', number: func(o *Options, n int64) { o.BlockCount = min(n, maxBlocks) }},
	{long: "blockstats", short: 'b', number: func(o *Options, n int64) { o.BlockStats = n }},
	{long: "timedstats", short: 't', number: func(o *Options, n int64) { o.TimedStats = time.Duration(min(n, maxSeconds)) * time.Second }},
	{long: "pipe", short: 'p', flag: func(o *Options) { o.Pipe = true }},
	{long: "help", short: '?', flag: func(o *Options) { o.Show = Help }},
	{long: "usage", flag: func(o *Options) { o.Show = Usage }},
	{long: "version", short: 'V', flag: func(o *Options) { o.Show = Version }},
}

// Parse reads a command line as getopt_long(3) does: short options in groups and with their number
// attached or not, long ones abbreviated as far as they stay unique, operands anywhere. It ends at
// the first option that asks for a text.
func Parse(args []string) (Options, error) {
	var o Options
	var operands []string
	for len(args) > 0 && o.Show == Nothing {
		arg := args[0]
		args = args[1:]
		var err error
		switch {
		case arg == "--":
			operands, args = append(operands, args...), nil
		case strings.HasPrefix(arg, "--"):
			args, err = o.long(arg[2:], args)
		case strings.HasPrefix(arg, "-") && arg != "-":
			args, err = o.group(arg[1:], args)
		default:
			operands = append(operands, arg)
		}
		if err != nil {
			return o, err
		}
	}
	switch {
	case o.Show != Nothing:
	case len(operands) > 1:
		return o, fmt.Errorf("too many arguments: there is one input, not %d", len(operands))
	case len(operands) == 1:
		o.File = operands[0]
	}
	return o, nil
}

// long takes one long option, without its dashes, and returns the arguments that are left.
func (o *Options) long(text string, args []string) ([]string, error) {
	name, value, attached := strings.Cut(text, "=")
	var found []*option
	for i := range table {
		if table[i].long == name {
			found = []*option{&table[i]}
			break
		}
		if strings.HasPrefix(table[i].long, name) {
			found = append(found, &table[i])
		}
	}
	switch {
	case len(found) == 0:
		return nil, fmt.Errorf("unknown option --%s", name)
	case len(found) > 1:
		return nil, fmt.Errorf("option --%s is ambiguous: --%s or --%s", name, found[0].long, found[1].long)
	case found[0].flag != nil && attached:
		return nil, fmt.Errorf("option --%s takes no value", found[0].long)
	case found[0].flag != nil:
		found[0].flag(o)
		return args, nil
	case attached:
		return args, found[0].set(o, value)
	}
	return found[0].next(o, args)
}

// group takes the short options of one argument, without the dash.
func (o *Options) group(letters string, args []string) ([]string, error) {
	for i := range len(letters) {
		opt := short(letters[i])
		switch rest := letters[i+1:]; {
		case opt == nil:
			return nil, fmt.Errorf("unknown option -%.1s", letters[i:])
		case opt.flag != nil:
			opt.flag(o)
		case rest != "":
			return args, opt.set(o, rest)
		default:
			return opt.next(o, args)
		}
	}
	return args, nil
}

// short finds an option by its letter.
func short(letter byte) *option {
	for i := range table {
		if table[i].short == letter {
			return &table[i]
		}
	}
	return nil
}

// next sets the option to the next argument, whatever that looks like.
func (opt *option) next(o *Options, args []string) ([]string, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("option --%s (-%c) needs a number", opt.long, opt.short)
	}
	return args[1:], opt.set(o, args[0])
}

func (opt *option) set(o *Options, text string) error {
	n, ok := parseNumber(text)
	if !ok || n < 0 {
		return fmt.Errorf("option --%s (-%c) needs a number from 0 up, not %q", opt.long, opt.short, text)
	}
	opt.number(o, n)
	return nil
}
