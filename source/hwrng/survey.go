package hwrng

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
	"github.com/hwrngd/hwrngd/source"
)

// probeBytes is what Survey reads to see whether the current generator answers.
const probeBytes = 16

// Finding is one generator that this machine has, or the device where it has none.
type Finding struct {
	source.Info
	Current bool
	Usable  bool
	Reason  string // why it is not usable, "" if it is
	Hint    string // what the user can do about it
}

// Survey lists the generators behind the configured device without changing anything. With a
// limit above zero it reads 16 bytes of the current one, unless that is denied, and waits no
// longer than limit for them.
func Survey(ctx context.Context, opt Options, limit time.Duration) []Finding {
	path, node, err := Locate(opt.Device, opt.AllowFile)
	if err != nil {
		return []Finding{finding(opt.describe(path, node, ""), err)}
	}
	if !described(node, opt.Sysfs) {
		f := Finding{Info: opt.describe(path, node, ""), Current: true, Usable: true}
		return []Finding{probed(ctx, f, node, opt, limit)}
	}
	class := ReadClass(opt.Sysfs)
	if len(class.Available) == 0 && class.Current != "" {
		class.Available = []string{class.Current} // the list cannot be read
	}
	if len(class.Available) == 0 {
		f := finding(opt.describe(path, node, ""), &source.UnavailableError{
			Reason: "device node present, but no driver behind it: " + opt.Sysfs.DescribeHWRandom(), Hint: noDriverHint,
		})
		return []Finding{f}
	}
	var all []Finding
	for _, name := range class.Available {
		f := Finding{Info: opt.describe(path, node, name), Current: name == class.Current}
		switch {
		case slices.Contains(opt.Deny, name):
			f.Reason, f.Hint = "denied by configuration", "take it off --hwrng-deny"
		case !f.Current:
			f.Reason = fmt.Sprintf("not current: the kernel reads one generator at a time, now %s", orNone(class.Current))
			f.Hint = "select it with --hwrng-select " + name
		default:
			f.Usable = true
			f = probed(ctx, f, node, opt, limit)
		}
		all = append(all, f)
	}
	return all
}

// probed reads a little of f's device and returns f with what came of it.
func probed(ctx context.Context, f Finding, node linux.Node, opt Options, limit time.Duration) Finding {
	if limit <= 0 {
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r := newReader(opt.open, nil)
	defer r.close()
	res, err := r.read(ctx, probeBytes, node)
	switch {
	case err != nil:
		err = &source.UnavailableError{Reason: fmt.Sprintf("no data within %s", limit), Hint: "the generator is slow, idle or hung; the daemon keeps waiting for such a source"}
	case res.err != nil:
		err = explain(res, f.Device, opt.Sysfs)
	}
	if err != nil {
		info, current := f.Info, f.Current
		f = finding(info, err)
		f.Current = current
	}
	return f
}

// finding describes a generator that cannot be used because of err.
func finding(info source.Info, err error) Finding {
	f := Finding{Info: info, Reason: err.Error()}
	if unavailable, ok := errors.AsType[*source.UnavailableError](err); ok {
		f.Hint = unavailable.Hint
	}
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		f.Hint = refused.Hint
	}
	return f
}

func orNone(name string) string {
	if name == "" {
		return "none"
	}
	return name
}
