package main

import (
	"testing"
	"time"

	"github.com/spf13/pflag"
)

func TestCheckedFlags(t *testing.T) {
	flags := func() *pflag.FlagSet {
		set := pflag.NewFlagSet("test", pflag.ContinueOnError)
		intFlag(set, "n", 7, 1, 100, "")
		bitsFlag(set, "h", 8, "")
		durationFlag(set, "d", 2*time.Second, time.Second, time.Hour, "")
		powerFlag(set, "m", 64, 1<<30, "")
		sizeFlag(set, "s", 2504, "")
		chanceFlag(set, "p", 0.01, "")
		return set
	}
	for _, bad := range []string{
		"--n=0", "--n=101", "--n=x", "--n=", "--n=1.5", "--n=-1", "--h=0", "--h=8.1", "--h=NaN", "--h=x", "--h=-1", "--d=1", "--d=0s", "--d=2h", "--d=x",
		"--m=0", "--m=1000", "--m=32", "--m=2G", "--m=K", "--m=-1K", "--m=16MB", "--m=99999999999G", "--m=3M",
		"--s=0", "--s=2503", "--s=2K", "--s=-4K", "--s=x", "--s=", "--s=99999999999G", "--s=9223372036854775808", "--s=1.5M",
		"--p=0", "--p=0.01", "--p=-1", "--p=x", "--p=NaN", "--p=",
	} {
		if err := flags().Parse([]string{bad}); err == nil {
			t.Errorf("%s: accepted", bad)
		}
	}
	for _, good := range []struct {
		args []string
		n    int
		h    float64
		d    time.Duration
		m    int
		s    int64
	}{
		{nil, 7, 0, 2 * time.Second, 0, 0},
		{[]string{"--n=1", "--h=0.5", "--d=1m30s", "--m=64"}, 1, 0.5, 90 * time.Second, 64, 0},
		{[]string{"--n=100", "--h=8", "--d=1h", "--m=256k"}, 100, 8, time.Hour, 256 << 10, 0},
		{[]string{"--m=16M"}, 7, 0, 2 * time.Second, 16 << 20, 0},
		{[]string{"--m=1G"}, 7, 0, 2 * time.Second, 1 << 30, 0},
		{[]string{"--s=2504"}, 7, 0, 2 * time.Second, 0, 2504},
		{[]string{"--s=100G"}, 7, 0, 2 * time.Second, 0, 100 << 30},
	} {
		set := flags()
		if err := set.Parse(good.args); err != nil {
			t.Errorf("%q: %v", good.args, err)
		}
		n, err1 := set.GetInt("n")
		h, err2 := set.GetFloat64("h")
		d, err3 := set.GetDuration("d")
		m, err4 := set.GetInt("m")
		s, err5 := set.GetInt64("s")
		for _, err := range []error{err1, err2, err3, err4, err5} {
			if err != nil {
				t.Error(err)
			}
		}
		if n != good.n || h != good.h || d != good.d || m != good.m || s != good.s {
			t.Errorf("%q: %d, %g, %s, %d, %d", good.args, n, h, d, m, s)
		}
	}
}
