package script

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"
)

const head = "title t\nchannel fuse\n"

// Each verb, and what it means.
func TestParseSteps(t *testing.T) {
	for _, c := range []struct {
		line string
		want Action
	}{
		{`feed G1`, Feed{Stream: Stream{Name: "G1"}}},
		{`feed G1 from 5000 2 blocks`, Feed{Stream: Stream{Name: "G1", Param: 5000}, Bytes: 5000}},
		{`feed zeros 4096 bytes`, Feed{Stream: Stream{Name: "zeros"}, Bytes: 4096}},
		{`feed repeat 16`, Feed{Stream: Stream{Name: "repeat", Param: 16}}},
		{`feed G15 p=0.40 rate 200`, Feed{Stream: Stream{Name: "G15", Param: 0.4}, Chunk: 4, Pause: 20 * time.Millisecond}},
		{`feed G1 rate 20`, Feed{Stream: Stream{Name: "G1"}, Chunk: 1, Pause: 50 * time.Millisecond}},
		{`feed G1 burst 1024 every 10s`, Feed{Stream: Stream{Name: "G1"}, Chunk: 1024, Pause: 10 * time.Second}},
		{`feed G1 chunk 1 # a comment`, Feed{Stream: Stream{Name: "G1"}, Chunk: 1}},
		{`feed G1 error EIO every 3`, Feed{Stream: Stream{Name: "G1"}, Errno: syscall.EIO, Every: 3}},
		{`feed G21 hex`, Feed{Stream: Stream{Name: "G21", Form: "hex"}}},
		{`silence`, Silence{}},
		{`silence 60s`, Silence{time.Minute}},
		{`error EIO`, Fail{Errno: syscall.EIO}},
		{`error EIO 1 times`, Fail{syscall.EIO, 1}},
		{`fault`, Fault{}},
		{`plug`, Plug{}},
		{`plug as hw_random`, Plug{"hw_random"}},
		{`unplug`, Unplug{}},
		{`sys class/misc/hw_random/rng_current "none\n"`, SetFile{"sys", "class/misc/hw_random/rng_current", "none\n"}},
		{`proc a ""`, SetFile{"proc", "a", ""}},
		{`config "monitor = true\n"`, SetFile{"config", "", "monitor = true\n"}},
		{`sink /dev/null`, Sink{"/dev/null"}},
		{`without CAP_SYS_ADMIN`, Without{"CAP_SYS_ADMIN"}},
		{`notify`, Notify{}},
		{`notify watchdog 4s`, Notify{4 * time.Second}},
		{`trace ioctl,write of sink`, Trace{[]string{"ioctl", "write"}, "sink"}},
		{`inject read EINTR when 2+2 of device`, Inject{"read", "EINTR", "2+2", "device"}},
		{`inject openat EPERM of sink`, Inject{"openat", "EPERM", "", "sink"}},
		{`wait 3s`, Wait{3 * time.Second}},
	} {
		got, err := Parse(head + c.line + "\nstart\nexpect exit = -1\n")
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if !reflect.DeepEqual(got.Steps[0].Action, c.want) || got.Steps[0].Line != 3 {
			t.Errorf("%s: line %d, %#v, want %#v", c.line, got.Steps[0].Line, got.Steps[0].Action, c.want)
		}
	}
	for _, c := range []struct {
		line string
		want Action
	}{
		{`reload`, Reload{}},
		{`stop`, Stop{}},
		{`within 10s state hwrng = active`, Check{"within", 10 * time.Second, Condition{Quantity: "state", Args: []string{"hwrng"}, Op: "=", IsText: true, Text: "active"}}},
		{`for 3s credited hwrng <= +0`, Check{"for", 3 * time.Second, Condition{Quantity: "credited", Args: []string{"hwrng"}, Op: "<=", Relative: true}}},
		{`expect log WARN,ERROR "a # b" "c" <= 1`, Check{"expect", 0, Condition{Quantity: "log", Args: []string{"WARN,ERROR", "a # b", "c"}, Op: "<=", Number: 1}}},
		{`expect reason hwrng contains "no driver"`, Check{"expect", 0, Condition{Quantity: "reason", Args: []string{"hwrng"}, Op: "contains", IsText: true, Text: "no driver"}}},
		{`expect claim hwrng = 0.0078125`, Check{"expect", 0, Condition{Quantity: "claim", Args: []string{"hwrng"}, Op: "=", Number: 0.0078125}}},
	} {
		got, err := Parse(head + "start --monitor\n" + c.line + "\nexpect exit = -1\n")
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if !reflect.DeepEqual(got.Steps[1].Action, c.want) {
			t.Errorf("%s: %#v, want %#v", c.line, got.Steps[1].Action, c.want)
		}
	}
}

func TestParseHead(t *testing.T) {
	c, err := Parse("# comment\n\ntitle  Only ones   # here\nchannel link /dev/urandom\ncpu 10%\nrun list --output json\nexpect exit = 0")
	if err != nil {
		t.Fatal(err)
	}
	want := Case{Title: "Only ones", Channel: "link", Target: "/dev/urandom", CPU: 0.1, Steps: []Step{
		{6, "run list --output json", Run{[]string{"list", "--output", "json"}}},
		{7, "expect exit = 0", Check{When: "expect", Condition: Condition{Quantity: "exit", Op: "="}}},
	}}
	if !reflect.DeepEqual(*c, want) {
		t.Errorf("%+v", *c)
	}
}

func TestParsePTY(t *testing.T) {
	c, err := Parse("title t\nchannel pty cooked\nawait \"cmdO\\n\"\nstart\nexpect processes \"cat x\" = 0")
	if err != nil || !c.Cooked || c.Steps[0].Action != (Await{"cmdO\n"}) {
		t.Errorf("%+v, %v", c, err)
	}
}

// Mistakes are told with their line.
func TestParseErrors(t *testing.T) {
	const tail = "\nstart\nexpect exit = -1\n"
	for _, c := range []struct {
		name, text string
		line       int
		want       string
	}{
		{"empty", "", 0, "title and channel are missing"},
		{"no title", "channel fifo", 1, "the first line is title"},
		{"no channel", "title t\nfeed G1", 2, "the second line is channel"},
		{"channel", "title t\nchannel usb", 2, `"usb" is none of fifo, pty, fuse, file, link`},
		{"nothing started", head, 2, "nothing is started"},
		{"nothing checked", head + "start", 3, "nothing is checked"},
		{"started twice", head + "start\nrun list", 4, "started already"},
		{"verb", head + "fed G1" + tail, 3, `no such verb "fed"`},
		{"quoted text without end", head + `config "a` + tail, 3, "text without its end"},
		{"words stuck together", head + `config "a"b` + tail, 3, "no blank after the text"},
		{"stream", head + "feed G2" + tail, 3, `no such stream "G2"`},
		{"share", head + "feed G15 p=1.5" + tail, 3, "want G15 p=SHARE"},
		{"NaN share", head + "feed G15 p=NaN" + tail, 3, "want G15 p=SHARE"},
		{"two amounts", head + "feed G1 2 blocks 3 bytes" + tail, 3, "one amount is enough"},
		{"unit", head + "feed G1 2 kB" + tail, 3, `"kB" is none of bytes, blocks`},
		{"rate", head + "feed G1 rate 0" + tail, 3, `"0" is not a number above 0`},
		{"burst", head + "feed G1 burst 10" + tail, 3, "want burst N every TIME"},
		{"time", head + "silence 10" + tail, 3, `"10" is not a time`},
		{"negative time", head + "wait -1s" + tail, 3, "is not a time"},
		{"errno", head + "error EFOO" + tail, 3, `no such error "EFOO"`},
		{"await of a FIFO", "title t\nchannel fifo\nawait \"x\"" + tail, 3, "only channel pty"},
		{"await of nothing", "title t\nchannel pty\nawait \"\"" + tail, 3, "the text is empty"},
		{"cooked FIFO", "title t\nchannel fifo cooked", 2, `"cooked" is too much`},
		{"error on a FIFO", "title t\nchannel fifo\nerror EIO" + tail, 3, "only channel fuse"},
		{"errors on a FIFO", "title t\nchannel fifo\nfeed G1 error EIO every 2" + tail, 3, "only channel fuse"},
		{"counts of a FIFO", "title t\nchannel fifo\nstart\nexpect asked = 0", 4, "only channel fuse"},
		{"too early", head + "reload" + tail, 3, "after the start"},
		{"too late", head + "start\ntrace ioctl of sink\nexpect exit = 0", 4, "before the start"},
		{"too much", head + "unplug now" + tail, 3, `"now" is too much`},
		{"quantity", head + "start\nexpect luck = 1", 4, `no such quantity "luck"`},
		{"words of a quantity", head + "start\nexpect errors = 1", 4, "errors SOURCE [REASON]"},
		{"comparison of texts", head + "start\nexpect state hwrng >= active", 4, "compare state by one of = contains"},
		{"comparison of numbers", head + "start\nexpect exit contains 1", 4, "compare exit by one of"},
		{"state", head + "start\nexpect state hwrng = asleep", 4, `no such state "asleep"`},
		{"entered", head + "start\nexpect entered hwrng asleep = 1", 4, `no such state "asleep"`},
		{"number", head + "start\nexpect exit = one", 4, `"one" is not a number`},
		{"NaN", head + "start\nexpect exit = NaN", 4, `"NaN" is not a number`},
		{"cpu", head + "cpu 0%" + tail, 3, "want a share of a core"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(c.text)
			e, ok := err.(*Error)
			if !ok || e.Line != c.line || !strings.Contains(e.Error(), c.want) {
				t.Errorf("got %v, want line %d: %s", err, c.line, c.want)
			}
		})
	}
}

// A file that is understood means the same when its lines are written anew.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("../cases/*.txt")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(head + "feed G15 p=0.4 3 blocks burst 2 every 1s error EIO every 2\nstart\nwithin 1s log any \"x\\\"#\" >= +1 # y")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse(text)
		if err != nil {
			if _, ok := err.(*Error); !ok {
				t.Fatalf("error of another type: %T", err)
			}
			return
		}
		again := "title t\nchannel " + c.Channel
		if c.Channel == "link" {
			again += ` "x"`
		}
		if c.Cooked {
			again += " cooked"
		}
		for _, s := range c.Steps {
			again += "\n" + s.Text
		}
		d, err := Parse(again)
		if err != nil {
			t.Fatalf("%v in\n%s", err, again)
		}
		for i, s := range c.Steps {
			if !reflect.DeepEqual(s.Action, d.Steps[i].Action) {
				t.Errorf("%q means %#v, then %#v", s.Text, s.Action, d.Steps[i].Action)
			}
			if f, ok := s.Action.(Feed); ok && (f.Bytes < 0 || f.Chunk < 0 || f.Pause < 0) {
				t.Errorf("%q: %+v", s.Text, f)
			}
		}
	})
}
