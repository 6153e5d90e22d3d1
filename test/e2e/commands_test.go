package e2e

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hwrngd/hwrngd/test/kit"
)

// commandExample finds the examples of the command source in docs/sources.md.
var commandExample = regexp.MustCompile(`(?m)^command = .*$`)

// documented returns the example with that program.
func documented(t *testing.T, program string) string {
	t.Helper()
	text := kit.ReadFile(t, "../../docs/sources.md")
	for _, line := range commandExample.FindAllString(text, -1) {
		if strings.Contains(line, program) {
			return line
		}
	}
	t.Fatalf("docs/sources.md has no example with %s", program)
	return ""
}

// standIn makes a program that writes data without an end, other data if the option is given.
func (b *bench) standIn(name string, data io.Reader, option string, other io.Reader) string {
	const size = 1 << 20 // far beyond what the repeat detector remembers
	path := filepath.Join(b.dir, name)
	plain, changed := b.data(name+".plain", size, data), b.data(name+".other", size, other)
	b.write(path, fmt.Sprintf("#!/bin/sh\nfile=%s\nfor a; do [ \"$a\" != %q ] || file=%s; done\nwhile cat $file; do :; done\n", plain, option, changed))
	mustChmod(b.t, path, 0o755)
	return path
}

// multiplier is a model of the infinite noise multiplier: a voltage that is doubled, almost, folded at each
// step, and gets a little noise.
type multiplier struct {
	v   float64
	rnd *rand.Rand
}

// Read implements io.Reader.
func (m *multiplier) Read(p []byte) (int, error) {
	const gain = 1.82 // of the device
	for i := range p {
		for range 8 {
			p[i] <<= 1
			if m.v >= 0.5 {
				p[i] |= 1
				m.v = 1 - gain*(1-m.v)
			} else {
				m.v *= gain
			}
			m.v = min(max(m.v+1e-4*m.rnd.NormFloat64(), 0), 1)
		}
	}
	return len(p), nil
}

// receiver is a model of a radio without an antenna: bytes of I and Q that stay near the middle.
type receiver struct{ rnd *rand.Rand }

// Read implements io.Reader.
func (r *receiver) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(min(max(127.5+2.5*r.rnd.NormFloat64(), 0), 255))
	}
	return len(p), nil
}

// middle is a dead receiver.
type middle struct{}

// Read implements io.Reader.
func (middle) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 127
	}
	return len(p), nil
}

func seeded() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// The documented example of Infinite Noise, with a program that has its options and writes what it would.
func TestCommandInfnoise(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	program := b.standIn("infnoise", good(), "--raw", &multiplier{v: 0.3, rnd: seeded()})
	example := strings.ReplaceAll(documented(t, "infnoise"), "/usr/bin/infnoise", program)
	b.write(b.config, example+"\n")
	d := b.startWith("command", "--refill-interval=1s")
	d.added("command", 2, nil)
	d.stop()

	b.write(b.config, "command = ["+fmt.Sprintf("%q", program)+", \"--raw\"]\n")
	d = b.startWith("command")
	d.becomes("command", "quarantined", kit.Patience)
	if n := d.scrape().addedBy("command"); n != 0 {
		t.Errorf("%v raw bytes were used", n)
	}
	d.stop()
	raw := filepath.Join(b.dir, "raw")
	captured := b.exec("capture", "command", "--samples=100000", "--out="+raw)
	assessed := b.shell("hwrngd assess raw --output=json")
	if captured.code != 0 || assessed.code != 0 || !regexp.MustCompile(`"assessed_min_entropy": [1-6]\.`).MatchString(assessed.stdout) {
		t.Errorf("capture: %s, assess: %s%s", captured.stderr, assessed.stdout, assessed.stderr)
	}
}

// The documented example of a radio, with a program in the place of rtl_sdr.
func TestCommandRadio(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	kit.NeedTool(t, "openssl")
	kit.NeedTool(t, "split")
	for _, tt := range []struct {
		name  string
		noise io.Reader
		state string
	}{
		{"noise", &receiver{seeded()}, "active"},
		{"dead", middle{}, "quarantined"},
	} {
		b := newBench(t)
		program := b.standIn("rtl_sdr", middle{}, "-", tt.noise) // to standard output: the last argument is -
		b.write(b.config, strings.ReplaceAll(documented(t, "rtl_sdr"), "rtl_sdr", program)+"\n")
		d := b.startWith("command")
		d.becomes("command", tt.state, 2*kit.Patience)
		if n := d.scrape().addedBy("command"); tt.state != "active" && n != 0 {
			t.Errorf("%s: %v bytes were used", tt.name, n)
		}
		d.stop()
	}
}

// The documented example of a token, with the real pkcs11-tool and SoftHSM.
func TestCommandPKCS11(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	kit.NeedTool(t, "pkcs11-tool")
	kit.NeedTool(t, "softhsm2-util")
	b := newBench(t)
	config, tokens := filepath.Join(b.dir, "softhsm2.conf"), filepath.Join(b.dir, "tokens")
	if err := os.Mkdir(tokens, 0o777); err != nil {
		t.Fatal(err)
	}
	b.write(config, "directories.tokendir = "+tokens+"\nobjectstore.backend = file\nlog.level = ERROR\n")
	cmd := exec.Command("softhsm2-util", "--init-token", "--free", "--label", "test", "--pin", "1234", "--so-pin", "1234")
	cmd.Env = append(os.Environ(), "SOFTHSM2_CONF="+config)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command("chmod", "-R", "a+rX", tokens).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	example := regexp.MustCompile(`--module \S+`).ReplaceAllString(documented(t, "pkcs11-tool"), "--module /usr/lib/softhsm/libsofthsm2.so")
	b.write(b.config, strings.Replace(example, "while ", "export SOFTHSM2_CONF="+config+"; while ", 1)+"\n")
	d := b.startWith("command", "--refill-interval=1s")
	d.added("command", 2, nil)
	d.logged("the program says", "Using slot")
	d.stop()
}
