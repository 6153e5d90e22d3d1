package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/hwrngd/hwrngd/fips"
	"github.com/hwrngd/hwrngd/sp80090b"
)

// ParseReport reads a report in JSON and validates it. Members that this program does not know are
// ignored.
func ParseReport(data []byte) (*Report, error) {
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("read report of an audit: %w", err)
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return &r, nil
}

// Validate says what in a report cannot be so, by the path of the member in JSON.
func (r *Report) Validate() error {
	err := r.validate()
	if err != nil {
		err = fmt.Errorf("this is no report of an audit: %w", err)
	}
	return err
}

func (r *Report) validate() error {
	if r.Schema != SchemaVersion {
		return fmt.Errorf("schema_version is %d, this program knows %d", r.Schema, SchemaVersion)
	}
	if !slices.Contains(verdicts, r.Verdict) {
		return fmt.Errorf("verdict is %q", r.Verdict)
	}
	if !slices.Contains(Profiles, r.Profile) {
		return fmt.Errorf("profile is %q", r.Profile)
	}
	var blocks int64
	for i, u := range r.Units {
		at := fmt.Sprintf("units[%d].", i)
		if !slices.Contains(verdicts, u.Verdict) {
			return fmt.Errorf("%sverdict is %q", at, u.Verdict)
		}
		err := first(within(at+"blocks", u.Blocks, maxBlocks), within(at+"failures", u.Failures, u.Blocks))
		if err != nil {
			return err
		}
		blocks += u.Blocks
	}
	err := r.Run.Counters.validate()
	if err == nil && len(r.Units) > 0 {
		err = is("the sum of units[].blocks", blocks, r.Run.Blocks)
	}
	return err
}

var verdicts = []Verdict{Pass, Suspicious, Fail, Insufficient}

// maxBlocks, of 2.7 petabytes, is beyond any audit. Sums of figures about fewer fit into an int64.
const maxBlocks = 1 << 40

// validate says which figure is out of range or does not agree with others.
func (c *Counters) validate() error {
	if err := first(
		within("counters.blocks", c.Blocks, maxBlocks),
		within("counters.odd_streams", c.OddStreams, c.Blocks),
	); err != nil {
		return err
	}
	bytes := c.Blocks * fips.BlockBytes
	if err := eachWithin("counters.nibbles", c.Nibbles[:], 2*bytes); err != nil {
		return err
	}
	var ones int64
	for value, n := range c.Nibbles {
		ones += n * int64(bits.OnesCount(uint(value)))
	}
	if c.Bytes < bytes || c.Bytes > maxBlocks*fips.BlockBytes {
		return fmt.Errorf("counters.bytes is %d, not from the %d of the blocks to %d", c.Bytes, bytes, int64(maxBlocks*fips.BlockBytes))
	}
	if c.OddStreams%2 != c.Blocks%2 {
		return fmt.Errorf("counters.odd_streams is %d, while there are %d blocks", c.OddStreams, c.Blocks)
	}
	return first(
		c.FIPS1402.validate("counters.fips_140_2", c.Blocks),
		c.FIPS1401.validate("counters.fips_140_1", c.Blocks),
		is("the sum of counters.nibbles", total(c.Nibbles[:]), 2*bytes),
		is("counters.ones", c.Ones, ones),
		eachWithin("counters.runs[0]", c.Runs[0][:], 4*bytes),
		eachWithin("counters.runs[1]", c.Runs[1][:], 4*bytes),
		within("counters.longest_run", int64(c.LongestRun), min(c.Blocks, 1)*fips.BlockBits),
		c.validateLanes(),
		between("counters.longest_equal_bytes", int64(c.LongestEqual), min(c.Blocks, 1), bytes),
		between("counters.windows", c.Windows, c.Blocks*(fips.BlockBytes/sp80090b.WindowNonBinary), bytes/sp80090b.WindowNonBinary),
		between("counters.most_in_window", int64(c.MostInWindow), min(c.Blocks, 1), min(c.Blocks, 1)*sp80090b.WindowNonBinary),
		c.Sampled.validate(c.Blocks),
	)
}

// validateLanes compares the lanes with the number of their bits and of ones.
func (c *Counters) validateLanes() error {
	for lane, n := range c.LaneOnes {
		if err := within(fmt.Sprintf("counters.lane_ones[%d]", lane), n, c.laneBits(lane)); err != nil {
			return err
		}
	}
	return is("the sum of counters.lane_ones", total(c.LaneOnes[:]), c.Ones)
}

func (f *Failures) validate(name string, blocks int64) error {
	err := first(within(name+".any", f.Any, blocks), eachWithin(name+".tests", f.Tests[:], f.Any))
	if err == nil && total(f.Tests[:]) < f.Any {
		err = errors.New(name + ".any is more than the failures of all tests")
	}
	return err
}

func (s *Sampled) validate(blocks int64) error {
	if err := between("counters.sampled.blocks", s.Blocks, min(blocks, 1), blocks); err != nil {
		return err
	}
	bytes := s.Blocks * fips.BlockBytes
	if err := eachWithin("counters.sampled.byte_values", s.Values[:], bytes); err != nil {
		return err
	}
	if err := is("the sum of counters.sampled.byte_values", total(s.Values[:]), bytes); err != nil {
		return err
	}
	for i, n := range s.Differ {
		if err := within(fmt.Sprintf("counters.sampled.differ_at_lag[%d]", i), n, s.Blocks*int64(fips.BlockBits-i-1)); err != nil {
			return err
		}
	}
	for i := range s.Changes {
		for lane, n := range s.Changes[i] {
			if err := first(
				within(fmt.Sprintf("counters.sampled.lane_pairs[%d][%d]", i, lane), s.Pairs[i][lane], 8*bytes),
				within(fmt.Sprintf("counters.sampled.lane_changes[%d][%d]", i, lane), n, s.Pairs[i][lane]),
			); err != nil {
				return err
			}
		}
	}
	for i, n := range s.EqualWords {
		if err := within(fmt.Sprintf("counters.sampled.equal_words[%d]", i), n, bytes>>i); err != nil {
			return err
		}
	}
	return within("counters.sampled.line_ends", s.LineEnds, bytes)
}

// first returns the first error of several.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// within says that a figure is not from 0 to most.
func within(name string, n, most int64) error { return between(name, n, 0, most) }

// between says that a figure is not from least to most.
func between(name string, n, least, most int64) error {
	if n < least || n > most {
		return fmt.Errorf("%s is %d, not from %d to %d", name, n, least, most)
	}
	return nil
}

func eachWithin(name string, counts []int64, most int64) error {
	for i, n := range counts {
		if err := within(fmt.Sprintf("%s[%d]", name, i), n, most); err != nil {
			return err
		}
	}
	return nil
}

// is says that a figure is not what others make of it.
func is(name string, n, want int64) error {
	if n != want {
		return fmt.Errorf("%s is %d, not the %d that other members tell", name, n, want)
	}
	return nil
}
