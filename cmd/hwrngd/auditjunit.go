//go:build !minimal

package main

import (
	"cmp"
	"encoding/xml"
	"fmt"

	"github.com/hwrngd/hwrngd/audit"
)

// junitSuite is a report in the form that CI systems read: that of the JUnit task of Apache Ant, as
// far as all of them agree on it.
type junitSuite struct {
	XMLName    xml.Name        `xml:"testsuite"`
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Time       string          `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr,omitempty"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
}

// junit expresses the report as JUnit XML: one case for the verdict, one for each block test, each
// statistic and each unit of a lot. The first fails for everything but a pass, so that a suite is
// green only where the exit code is 0.
func junit(r *audit.Report) ([]byte, error) {
	s := &junitSuite{Name: reportMark + ": " + subject(r), Time: "0"}
	if r.Timing != nil {
		s.Time, s.Timestamp = fmt.Sprintf("%.3f", r.Timing.Seconds), timestamp(r.Timing.Started)
	}
	for _, p := range []junitProperty{
		{"label", r.Label},
		{"input", r.Input.Name},
		{"profile", r.Profile},
		{"rng_current", r.Input.Generator},
		{"sha256", r.Run.SHA256},
		{"warning", r.Input.Warning},
	} {
		if p.Value != "" {
			s.Properties = append(s.Properties, p)
		}
	}
	s.add("audit", "verdict", r.Verdict != audit.Pass, r.Verdict, r.Reason)
	for i := range r.Tests {
		t := &r.Tests[i]
		s.add("block tests", t.Title, bears(t.Verdict), t.Verdict, testText(t))
	}
	for i := range r.Statistics {
		f := &r.Statistics[i]
		s.add("statistics", f.Title, bears(f.Verdict), f.Verdict, statisticText(f))
	}
	for _, u := range r.Units {
		s.add("units", u.Name, bears(u.Verdict), u.Verdict, u.Reason)
	}
	text, err := xml.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, exitErrorf(exitOS, "", "cannot express the report as JUnit XML: %w", err)
	}
	return append([]byte(xml.Header), append(text, '\n')...), nil
}

// add adds a case.
func (s *junitSuite) add(class, name string, failed bool, verdict audit.Verdict, message string) {
	c := junitCase{Class: "hwrngd " + class, Name: name}
	if failed {
		c.Failure = &junitFailure{Type: string(verdict), Message: message}
		s.Failures++
	}
	s.Tests++
	s.Cases = append(s.Cases, c)
}

// bears tells whether a figure speaks against the source.
func bears(v audit.Verdict) bool { return v == audit.Fail || v == audit.Suspicious }

// subject is what a report is about.
func subject(r *audit.Report) string { return cmp.Or(r.Label, r.Input.Name) }

// testText says how often blocks failed a test, and how likely that is.
func testText(t *audit.Test) string {
	return fmt.Sprintf("%d blocks failed, %s expected: %s", t.Failures, figureText(t.Expected), tailText(t))
}

// statisticText says what was observed and how likely that is.
func statisticText(f *audit.Statistic) string {
	where := ""
	if f.Where != "" {
		where = " at " + f.Where
	}
	return fmt.Sprintf("%s%s, %s expected: probability %s", figureText(f.Observed), where, figureText(f.Expected), chanceText(f.P))
}
