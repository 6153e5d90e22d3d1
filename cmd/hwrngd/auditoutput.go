//go:build !minimal

package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/hwrngd/hwrngd/audit"
	"github.com/hwrngd/hwrngd/audit/page"
)

// auditOutput is where a report goes, and a copy of the data. All files are made before anything is
// read, for what cannot be written should be known before and not after some minutes of reading.
type auditOutput struct {
	html, junit *reportFile // nil if not wanted
	tee         *os.File    // likewise
	kept        int64       // bytes in tee
}

func newAuditOutput(opt *auditOptions) (*auditOutput, error) {
	o := &auditOutput{}
	err := o.create(opt)
	if err != nil {
		o.abandon()
		return nil, err
	}
	return o, nil
}

func (o *auditOutput) create(opt *auditOptions) (err error) {
	if opt.html != "" {
		if o.html, err = newReportFile("html", opt.html); err != nil {
			return err
		}
	}
	if opt.junit != "" {
		if o.junit, err = newReportFile("junit", opt.junit); err != nil {
			return err
		}
	}
	if opt.tee != "" {
		o.tee, err = createNew("copy of the data", opt.tee)
	}
	return err
}

// Write takes data that were audited.
func (o *auditOutput) Write(p []byte) (int, error) {
	n, err := o.tee.Write(p)
	o.kept += int64(n)
	if err != nil {
		return n, fmt.Errorf("keep a copy: %w", err)
	}
	return n, nil
}

// deliver writes the report to all places, as many as it can.
func (o *auditOutput) deliver(inv *Invocation, report *audit.Report) (failed problems) {
	note := func(err error) {
		if err != nil {
			failed = append(failed, err)
		}
	}
	if o.tee != nil {
		if err := o.tee.Close(); err != nil {
			note(exitErrorf(exitIO, "", "cannot keep a copy: %w", err))
		}
		inv.tell(escapeControls(fmt.Sprintf("%d bytes in %s: never credit them to a kernel, and never make keys of them", o.kept, o.tee.Name())) + "\n")
	}
	if o.html != nil {
		var document bytes.Buffer
		if err := page.Write(&document, report, page.Options{}); err != nil {
			note(exitErrorf(exitOS, "", "cannot express the report as HTML: %w", err))
		} else {
			note(o.html.write(document.Bytes()))
		}
	}
	if o.junit != nil {
		if document, err := junit(report); err != nil {
			note(err)
		} else {
			note(o.junit.write(document))
		}
	}
	if inv.JSON {
		note(inv.WriteJSON(report))
	} else {
		r := inv.NewReport()
		showAudit(r, report)
		note(inv.WriteReport(r))
	}
	return failed
}

// abandon removes what is of no use: reports that are not complete, and a copy of nothing.
func (o *auditOutput) abandon() {
	o.html.abandon()
	o.junit.abandon()
	if o.tee != nil && o.kept == 0 {
		_ = o.tee.Close() // closed before if there was a report
		_ = os.Remove(o.tee.Name())
	}
}
