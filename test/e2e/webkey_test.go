package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/hwrngd/hwrngd/test/kit"
)

// keyPair returns a certificate for the local host and its key, as PEM.
func keyPair(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	signed, err := x509.CreateCertificate(rand.Reader, form, form, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}))
}

// A key that cannot be used any more costs the clients only: one line, a count, and all is well again
// once it is mended, without a reload.
func TestWebConfigKeySpoiled(t *testing.T) {
	t.Parallel()
	kit.NeedRoot(t)
	b := newBench(t)
	address, holder := freePort(t)
	holder.Close()
	b.metrics = []string{address}
	b.feed(good(), pace{})
	cert, key := keyPair(t)
	keyFile := filepath.Join(b.dir, "web.key")
	b.write(filepath.Join(b.dir, "web.crt"), cert)
	b.write(keyFile, key)
	path := filepath.Join(b.dir, "web.yml")
	b.write(path, "tls_server_config:\n  cert_file: web.crt\n  key_file: web.key\n")
	d := b.start("--refill-interval", "1s", "--web-config", path)

	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM([]byte(cert))
	client := &http.Client{Timeout: kit.Patience, Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: trusted},
	}}
	ask := func() (string, error) {
		answer, err := client.Get("https://" + address + "/metrics")
		if err != nil {
			return "", err
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		return string(body), err
	}
	answers := func() bool { _, err := ask(); return err == nil }
	kit.Eventually(t, "it answers", answers)

	b.write(keyFile, "no key")
	kit.Eventually(t, "a line that tells of the key", func() bool { // it looks when clients come
		if answers() {
			t.Error("it answers without a key")
		}
		return len(d.lines("WARN", path, "key")) > 0
	})
	credited := d.status().Feeding.Bits["hwrng"]
	kit.Eventually(t, "feeding goes on", func() bool { return d.status().Feeding.Bits["hwrng"] > credited })
	b.write(keyFile, key)
	kit.Eventually(t, "it answers again", answers)
	text, err := ask()
	s, bad := kit.ParseScrape(text)
	if err != nil || bad != nil || s[`hwrngd_metrics_export_errors_total{output="web_config"}`] < 1 {
		t.Errorf("%v, %v: not counted: %s", err, bad, text)
	}
	d.atMost(1, "WARN ERROR")
}
