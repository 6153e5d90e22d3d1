package rules

import (
	"os/exec"
	"strings"
	"testing"
)

// tooLarge are package trees for which the minimal build has no room. All but the first four are what would
// bring them back, or would cost a tenth of a megabyte and more by themselves.
var tooLarge = []string{
	"net/http", "crypto/tls", "google.golang.org/protobuf", "go.uber.org/zap",
	"github.com/prometheus", "github.com/coreos/go-systemd/v22/activation", "crypto/x509", "math/big",
	"html/template", "text/template", "regexp", "encoding/xml", "gonum.org", module + "/audit",
	"os/exec", "os/user", "golang.org/x/sys/cpu",
	module + "/source/afalg", module + "/source/command", module + "/source/cpu", module + "/source/tpm",
}

func TestMinimalBuildIsSmall(t *testing.T) {
	dependencies := func(tags string) string {
		out, err := exec.Command("go", "list", "-deps", "-tags", tags, module+"/cmd/hwrngd").Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		return string(out)
	}
	for path := range strings.Lines(dependencies("minimal")) {
		for _, tree := range tooLarge {
			if within(strings.TrimSpace(path), tree) {
				t.Errorf("the minimal build has %s", strings.TrimSpace(path))
			}
		}
	}
	if full := dependencies(""); !strings.Contains(full, "\nnet/http\n") {
		t.Error("the full build lacks net/http, so that this test cannot fail")
	}
}
