package audit

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/fips/fipstest"
)

// unit is the report of good data, under a name.
func unit(name string, seed uint64, blocks int) *Report {
	r := judged(good(seed, blocks), Rules{})
	r.Label = name
	return r
}

// badUnit is the report of data that fails.
func badUnit(name string) *Report {
	r := judged(fipstest.G18(20), Rules{})
	r.Input.Name = name
	return r
}

// suspect is a report of good data that says to be suspicious.
func suspect(name string, seed uint64) *Report {
	r := unit(name, seed, 12)
	r.Verdict, r.Reason = Suspicious, "by chance"
	return r
}

func TestMergeVerdicts(t *testing.T) {
	var goods []*Report
	for i := range 110 {
		goods = append(goods, unit(fmt.Sprintf("good %d", i), uint64(100+i), 12))
	}
	many := func(n int, more ...*Report) []*Report { return append(more, goods[:n]...) }
	short := judged(good(90, 12), Rules{Wanted: 100})
	short.Label = "short"
	twin, alike := unit("twin", 91, 12), unit("alike", 91, 12)
	dead, silent := judged(nil, Rules{}), judged(nil, Rules{})
	dead.Label, silent.Label = "dead", "silent"
	for _, test := range []struct {
		name    string
		reports []*Report
		verdict Verdict
		reason  string
		hints   []string
	}{
		{"good", many(20), Pass, "1 of 240 blocks failed; an ideal source fails as many or more in 17 % of audits", nil},
		{"one fails", many(3, badUnit("b.bin")), Fail, "1 of 4 units: fail: b.bin (every word of 32 bits comes twice)", nil},
		{
			"four fail",
			[]*Report{badUnit("1"), judgedAs("2", fipstest.G10(12)), judgedAs("3", fipstest.G17(12)), judgedAs("4", fipstest.G26(12))},
			Fail,
			"4 of 4 units: fail: 1 (every word of 32 bits comes twice); 2 (stuck at ff: every byte is that); 3 (byte 31 of every 32 bytes is always 00); and 1 more", nil,
		},
		{"short", many(3, short), Insufficient, "1 of 4 units: insufficient: short (only 12 of 100 blocks came)", nil},
		{"short and bad", many(3, short, badUnit("b.bin")), Fail, "1 of 5 units: fail: b.bin", nil},
		{"suspicious", many(3, suspect("s", 80)), Suspicious, "1 of 4 units: suspicious: s (by chance)", nil},
		{"suspicious among many", many(110, suspect("s", 80)), Pass, "blocks failed", nil},
		{"two suspicious among many", many(110, suspect("s", 80), suspect("t", 81)), Suspicious, "2 of 112 units: suspicious: s (by chance); t (by chance)", nil},
		{"short and suspicious", many(3, short, suspect("s", 80)), Insufficient, "1 of 5 units: insufficient", nil},
		{"the same data", many(3, twin, alike), Fail, "the same data from different units: twin and alike", []string{HintDuplicates}},
		{"the same data and one bad", many(3, twin, badUnit("b.bin"), alike), Fail, "1 of 6 units: fail: b.bin (every word of 32 bits comes twice); the same data from different units: twin and alike", []string{HintDuplicates}},
		{"two dead units", many(3, dead, silent), Insufficient, "2 of 5 units: insufficient: dead (no whole block of 2500 bytes came); silent (no whole block of 2500 bytes came)", nil},
		{"too short together", []*Report{unit("a", 1, 5)}, Insufficient, "5 blocks came", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			lot, err := Merge(test.reports, Rules{})
			if err != nil {
				t.Fatal(err)
			}
			if lot.Verdict != test.verdict || !strings.Contains(lot.Reason, test.reason) || !slices.Equal(hintNames(lot), test.hints) {
				t.Errorf("%s: %q, hints %q; want %s: %q, %q", lot.Verdict, lot.Reason, lot.Hints, test.verdict, test.reason, test.hints)
			}
			if len(lot.Units) != len(test.reports) || lot.Input.Kind != "lot" || lot.Validate() != nil {
				t.Errorf("%d units, input %+v, %v", len(lot.Units), lot.Input, lot.Validate())
			}
		})
	}
}

// judgedAs is the report of data under a name.
func judgedAs(name string, data []byte) *Report {
	r := judged(data, Rules{})
	r.Label = name
	return r
}

// TestMergeSeesMore: a bias that no unit is long enough to show.
func TestMergeSeesMore(t *testing.T) {
	var reports []*Report
	for seed := range uint64(30) {
		r := judgedAs(fmt.Sprint("unit ", seed), biased(seed, 21, 0.502, 0))
		if r.Verdict != Pass {
			t.Fatalf("unit %d: %s, %s", seed, r.Verdict, r.Reason)
		}
		reports = append(reports, r)
	}
	lot, err := Merge(reports, Rules{})
	if err != nil {
		t.Fatal(err)
	}
	if lot.Verdict != Fail || !slices.Equal(hintNames(lot), []string{HintBias}) {
		t.Errorf("%s: %s; %q", lot.Verdict, lot.Reason, lot.Hints)
	}
	if n := lot.Budget.Comparisons; n != comparisons-1 {
		t.Errorf("%d figures, want one less than %d: what repeats in a unit does not add up", n, comparisons)
	}
	for i, u := range lot.Units {
		r := reports[i]
		if want := (Unit{r.Label, Pass, r.Reason, 21, r.Tests[0].Failures, r.Run.SHA256, r.Tests[0].PMore}); u != want {
			t.Errorf("unit %+v, want %+v", u, want)
		}
	}
}

// TestMergeAdds: the counters of a lot are the sums, and lots of lots those of all units.
func TestMergeAdds(t *testing.T) {
	a, b, c := unit("a", 1, 11), unit("b", 2, 12), unit("c", 3, 13)
	merge := func(reports ...*Report) *Report {
		t.Helper()
		lot, err := Merge(reports, Rules{})
		if err != nil {
			t.Fatal(err)
		}
		return lot
	}
	all := merge(a, b, c)
	if nested := merge(merge(a, b), c); !reflect.DeepEqual(all, nested) {
		t.Errorf("merged at once %+v, in two steps %+v", all, nested)
	}
	sum := all.Run.Counters
	if sum.Blocks != 36 || sum.OddStreams != 2 || sum.Ones != a.Run.Ones+b.Run.Ones+c.Run.Ones {
		t.Errorf("%d blocks, %d odd streams, %d ones", sum.Blocks, sum.OddStreams, sum.Ones)
	}
	if sum.MostInWindow != max(a.Run.MostInWindow, b.Run.MostInWindow, c.Run.MostInWindow) {
		t.Errorf("most in a window: %d", sum.MostInWindow)
	}
	// A bit that is stuck in one unit only is not stuck in the lot; one that is in all of them is.
	stuck := func(name string, seed uint64, at ...int) *Report {
		data := good(seed, 12)
		for _, first := range at {
			for i := first; i < len(data); i += RowBytes {
				data[i] = 0xFF
			}
		}
		return judgedAs(name, data)
	}
	lot := merge(stuck("d", 4, 5, 9), stuck("e", 5, 5))
	ones, zeros := lot.Run.stuck()
	if ones[5] != 0xFF || ones[9] != 0 || zeros != [RowBytes]byte{} {
		t.Errorf("stuck: ones %x, zeros %x", ones, zeros)
	}
}

func TestMergeErrors(t *testing.T) {
	a := unit("a", 1, 11)
	again := *a
	old := *unit("old", 2, 11)
	old.Schema = 0
	other := Judge(measure(good(3, 11)), Rules{Profile: ProfileFIPS1401})
	other.Label = "other"
	for _, test := range []struct {
		name    string
		reports []*Report
		rules   Rules
		want    string
	}{
		{"none", nil, Rules{}, "merge reports: there is none"},
		{"twice", []*Report{a, a}, Rules{}, "merge reports: a: this report is given twice"},
		{"a copy", []*Report{a, &again}, Rules{}, "merge reports: a: this report is given twice"},
		{"another schema", []*Report{a, &old}, Rules{}, "merge reports: old: schema version 0, this program has 1"},
		{"another profile", []*Report{a, other}, Rules{}, "merge reports: other: judged by profile fips140-1, the lot is by fips140-2: audit its data again with --profile=fips140-2"},
		{"bad rules", []*Report{a}, Rules{Claim: 9}, "merge reports: min-entropy of 9 bits a byte is not between 0 and 8"},
	} {
		_, err := Merge(test.reports, test.rules)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

// TestReportRoundTrip: what goes out as JSON comes in again, apart from what documents do not hold.
func TestReportRoundTrip(t *testing.T) {
	lot, err := Merge([]*Report{unit("a", 1, 11), badUnit("b")}, Rules{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Report{
		unit("good", 1, 20), judged(nil, Rules{}), judged(fipstest.G10(20), Rules{}), judged(fipstest.G16(), Rules{}), lot,
	} {
		first, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		read, err := ParseReport(first)
		if err != nil {
			t.Fatal(err)
		}
		second, err := json.Marshal(read)
		if err != nil {
			t.Fatal(err)
		}
		if string(first) != string(second) {
			t.Errorf("%s\ncame back as\n%s", first, second)
		}
	}
}

// TestParseReport: absurd figures have an error that names the member.
func TestParseReport(t *testing.T) {
	valid := *unit("good", 1, 20)
	for _, test := range []struct {
		name   string
		change func(r *Report)
		want   string
	}{
		{"valid", func(*Report) {}, ""},
		{"schema", func(r *Report) { r.Schema = 2 }, "schema_version is 2, this program knows 1"},
		{"verdict", func(r *Report) { r.Verdict = "good" }, `verdict is "good"`},
		{"profile", func(r *Report) { r.Profile = "" }, `profile is ""`},
		{"blocks", func(r *Report) { r.Run.Blocks = -1 }, "counters.blocks is -1, not from 0 to"},
		{"too many blocks", func(r *Report) { r.Run.Blocks = 1 << 41 }, "counters.blocks is 2199023255552, not from 0 to"},
		{"bytes", func(r *Report) { r.Run.Bytes = 0 }, "counters.bytes is 0, not from the 50000 of the blocks"},
		{"odd streams", func(r *Report) { r.Run.OddStreams = 1 }, "counters.odd_streams is 1, while there are 20 blocks"},
		{"failures", func(r *Report) { r.Run.FIPS1402.Any = 21 }, "counters.fips_140_2.any is 21, not from 0 to 20"},
		{"failures of a test", func(r *Report) { r.Run.FIPS1401.Tests[1] = 1 }, "counters.fips_140_1.tests[1] is 1, not from 0 to 0"},
		{"failures of no test", func(r *Report) { r.Run.FIPS1402 = Failures{Any: 2, Tests: [5]int64{1}} }, "counters.fips_140_2.any is more than the failures of all tests"},
		{"nibbles", func(r *Report) { r.Run.Nibbles[3]++ }, "the sum of counters.nibbles is 100001, not the 100000 that"},
		{"a nibble", func(r *Report) { r.Run.Nibbles[3] = -1 }, "counters.nibbles[3] is -1"},
		{"ones", func(r *Report) { r.Run.Ones++ }, "counters.ones is"},
		{"runs", func(r *Report) { r.Run.Runs[1][2] = -5 }, "counters.runs[1][2] is -5"},
		{"longest run", func(r *Report) { r.Run.LongestRun = 20_001 }, "counters.longest_run is 20001"},
		{"a lane", func(r *Report) { r.Run.LaneOnes[7] = 1 << 40 }, "counters.lane_ones[7] is"},
		{"lanes", func(r *Report) { r.Run.LaneOnes[7]++ }, "the sum of counters.lane_ones is"},
		{"equal bytes", func(r *Report) { r.Run.LongestEqual = 50_001 }, "counters.longest_equal_bytes is 50001"},
		{"window", func(r *Report) { r.Run.MostInWindow = 513 }, "counters.most_in_window is 513, not from 1 to 512"},
		{"windows", func(r *Report) { r.Run.Windows = 98 }, "counters.windows is 98, not from 80 to 97"},
		{"no window", func(r *Report) { r.Run.Windows = 0 }, "counters.windows is 0, not from 80 to 97"},
		{"nothing sampled", func(r *Report) { r.Run.Sampled.Blocks = 0 }, "counters.sampled.blocks is 0, not from 1 to 20"},
		{"sampled", func(r *Report) { r.Run.Sampled.Blocks = 21 }, "counters.sampled.blocks is 21"},
		{"a value", func(r *Report) { r.Run.Sampled.Values[9] = -1 }, "counters.sampled.byte_values[9] is -1"},
		{"values", func(r *Report) { r.Run.Sampled.Values[9]++ }, "the sum of counters.sampled.byte_values is 50001"},
		{"lag", func(r *Report) { r.Run.Sampled.Differ[1] = 399_961 }, "counters.sampled.differ_at_lag[1] is 399961, not from 0 to 399960"},
		{"changes", func(r *Report) { r.Run.Sampled.Changes[2][3] = 1 << 30 }, "counters.sampled.lane_changes[2][3] is"},
		{"pairs", func(r *Report) { r.Run.Sampled.Pairs[2][3] = 1 << 30 }, "counters.sampled.lane_pairs[2][3] is"},
		{"equal words", func(r *Report) { r.Run.Sampled.EqualWords[4] = 3126 }, "counters.sampled.equal_words[4] is 3126, not from 0 to 3125"},
		{"line ends", func(r *Report) { r.Run.Sampled.LineEnds = -1 }, "counters.sampled.line_ends is -1"},
		{"a unit", func(r *Report) { r.Units = []Unit{{Verdict: "?"}} }, `units[0].verdict is "?"`},
		{"units of other blocks", func(r *Report) { r.Units = []Unit{{Verdict: Pass, Blocks: 7}, {Verdict: Pass, Blocks: 12}} }, "the sum of units[].blocks is 19, not the 20 that other members tell"},
		{"a unit's blocks", func(r *Report) { r.Units = []Unit{{Verdict: Pass, Blocks: -1}} }, "units[0].blocks is -1"},
		{"a unit's failures", func(r *Report) { r.Units = []Unit{{Verdict: Pass}, {Verdict: Pass, Blocks: 1, Failures: 2}} }, "units[1].failures is 2, not from 0 to 1"},
	} {
		r := valid // Counters hold no pointers
		test.change(&r)
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		_, err = ParseReport(data)
		if test.want == "" {
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), "this is no report of an audit: "+test.want) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
	for _, text := range []string{"", "[]", "{", `{"schema_version": "1"}`} {
		if _, err := ParseReport([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), "read report of an audit: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzParseReport: whatever is accepted can be merged and judged.
func FuzzParseReport(f *testing.F) {
	for _, r := range []*Report{unit("a", 1, 11), badUnit("b"), judged(nil, Rules{})} {
		data, err := json.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add([]byte(strings.Replace(string(data), `"blocks":11,`, `"blocks":1099511627776,`, 1)))
	}
	f.Add([]byte(`{"schema_version":1,"verdict":"pass","profile":"ais31","units":[{"verdict":"fail","name":"x"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseReport(data)
		if err != nil {
			return
		}
		lot, err := Merge([]*Report{r}, Rules{Profile: r.Profile})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(lot); err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(Judge(&r.Run, Rules{})); err != nil {
			t.Fatal(err)
		}
	})
}
