package text

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/hwrngd/hwrngd/metrics"
)

// write writes the wanted metrics that have a series.
func (s *store) write(b *bytes.Buffer, wanted func(metrics.Desc) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.sorted {
		if len(f.series) > 0 && wanted(f.Desc) {
			f.write(b)
		}
	}
}

func (f *family) write(b *bytes.Buffer) {
	b.WriteString("# HELP " + f.Name + " " + helpEscapes.Replace(f.Help) + "\n")
	b.WriteString("# TYPE " + f.Name + " " + f.Type.String() + "\n")
	for _, s := range f.series {
		if f.Type == metrics.Histogram {
			f.writeHistogram(b, s)
		} else {
			f.writeSample(b, "", s, "", s.value)
		}
	}
}

// writeHistogram writes the buckets of a histogram, each of which counts also what is in those below.
func (f *family) writeHistogram(b *bytes.Buffer, s *series) {
	var count uint64
	for i, n := range s.counts {
		count += n
		bound := "+Inf"
		if i < len(f.Buckets) {
			bound = number(f.Buckets[i])
		}
		f.writeSample(b, "_bucket", s, bound, float64(count))
	}
	f.writeSample(b, "_sum", s, "", s.value)
	f.writeSample(b, "_count", s, "", float64(count))
}

// writeSample writes one line. bound is the bound of a histogram's bucket, or "".
func (f *family) writeSample(b *bytes.Buffer, suffix string, s *series, bound string, value float64) {
	b.WriteString(f.Name + suffix)
	separator := byte('{')
	label := func(name, value string) {
		b.WriteByte(separator)
		b.WriteString(name + `="`)
		_, _ = labelEscapes.WriteString(b, value) // a buffer takes everything
		b.WriteByte('"')
		separator = ','
	}
	for _, l := range f.labels {
		label(f.Labels[l].Name, s.labels[l])
	}
	if bound != "" {
		label("le", bound)
	}
	if separator == ',' {
		b.WriteByte('}')
	}
	b.WriteString(" " + number(value) + "\n")
}

// number writes the shortest text that gives the same number again.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)
