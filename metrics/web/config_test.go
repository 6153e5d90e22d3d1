//go:build !minimal

package web

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/cryptotest"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/hwrngd/hwrngd/metrics"
)

// folder is where a test keeps web configurations, keys and certificates.
type folder struct {
	t   *testing.T
	dir string
}

func newFolder(t *testing.T) folder { return folder{t, t.TempDir()} }

// write makes a file and returns its path.
func (f folder) write(name, text string) string {
	f.t.Helper()
	path := filepath.Join(f.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
	return path
}

// pair makes NAME.crt and NAME.key of a certificate that signs itself, and returns it.
func (f folder) pair(name string, key crypto.Signer) tls.Certificate {
	f.t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"hwrngd"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		f.t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		f.t.Fatal(err)
	}
	f.write(name+".crt", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})))
	f.write(name+".key", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
	return tls.Certificate{Certificate: [][]byte{cert}, PrivateKey: key}
}

// fast makes a pair with a key that takes no time.
func (f folder) fast(name string) tls.Certificate {
	f.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		f.t.Fatal(err)
	}
	return f.pair(name, key)
}

const (
	onlyTLS = "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n"
	mutual  = onlyTLS + "  client_ca_file: client.crt\n  client_auth_type: RequireAndVerifyClientCert\n"
)

func TestCheckConfig(t *testing.T) {
	f := newFolder(t)
	f.fast("server")
	f.fast("client")
	f.fast("other")
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"TLS", onlyTLS, ""},
		{"client certificates", mutual, ""},
		{"unknown keys", "tls: {}\nusers: {}\n", "line 1: field tls not found"},
		{"no YAML", "a: b: c", "mapping values are not allowed"},
		{"no key", "tls_server_config:\n  cert_file: server.crt\n", "missing one of key or key_file"},
		{"key is not there", strings.ReplaceAll(onlyTLS, "server.key", "gone.key"), "gone.key: no such file"},
		{"key of another certificate", strings.ReplaceAll(onlyTLS, "server.key", "other.key"), "private key does not match"},
		{"CA without a policy", strings.ReplaceAll(mutual, "RequireAndVerifyClientCert", "NoClientCert"), "Client Auth Policy"},
		{"password in the clear", "basic_auth_users:\n  prometheus: secret\n", "hashedSecret too short"},
		{"foreign header", "http_server_config:\n  headers:\n    Server: x\n", `HTTP header "Server" can not be configured`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := f.write("web.yml", c.text)
			err := CheckConfig(path)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q, want one line with %s and %q", err, path, c.want)
			}
		})
	}
	if err := CheckConfig(filepath.Join(f.dir, "gone.yml")); !strings.Contains(err.Error(), "no such file") {
		t.Errorf("error %v", err)
	}
}

// The configuration is checked before the kernel's generator is seeded. crypto/rand would block there.
func TestCheckConfigUsesNoRandomness(t *testing.T) {
	f := newFolder(t)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]crypto.Signer{"rsa": rsaKey, "ed25519": edKey, "ecdsa": ecKey} {
		f.pair("server", key)
		path := f.write("web.yml", onlyTLS+"basic_auth_users:\n  p: "+hashed(t, "secret")+"\n")
		next := func() (b [16]byte) {
			rand.Read(b[:])
			return b
		}
		cryptotest.SetGlobalRandom(t, 1)
		want := next()
		cryptotest.SetGlobalRandom(t, 1)
		if err := CheckConfig(path); err != nil {
			t.Fatal(err)
		}
		if next() != want {
			t.Errorf("%s: crypto/rand was used", name)
		}
	}
}

func hashed(t *testing.T, password string) string {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return string(hash)
}

// secure is a server with a web configuration on a port of its own.
type secure struct {
	*Server
	log    *logBuffer
	path   string
	failed atomic.Int32 // times that the web configuration failed
	seed   chan struct{}
}

func newSecure(t *testing.T, path string) *secure {
	t.Helper()
	o, s := okOptions(), &secure{path: path, seed: make(chan struct{})}
	o.Seeded = s.seed
	o.Failed = func(what metrics.Output) {
		if what == metrics.WebConfig {
			s.failed.Add(1)
		}
	}
	s.Server, s.log = newTestServer(t, o)
	s.lookEvery = 0
	return s
}

func (s *secure) listen(t *testing.T, address string) {
	t.Helper()
	if err := s.SetListeners([]string{address}, s.path); err != nil {
		t.Fatal(err)
	}
}

// ask fetches a page by a new TLS connection.
func ask(t *testing.T, address string, server tls.Certificate, own []tls.Certificate, user, password string) (int, string, error) {
	t.Helper()
	roots := x509.NewCertPool()
	cert, err := x509.ParseCertificate(server.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	roots.AddCert(cert)
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", address)
		},
		TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: own},
	}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), "GET", "https://hwrngd/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	if user != "" {
		req.SetBasicAuth(user, password)
	}
	resp, err := (&http.Client{Transport: transport, Timeout: 10 * time.Second}).Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}

// Nothing listens before the generator is seeded, neither by TLS nor in the clear.
func TestTLSWaitsForTheSeed(t *testing.T) {
	f := newFolder(t)
	cert := f.fast("server")
	s := newSecure(t, f.write("web.yml", onlyTLS))
	address := freeAddress(t)
	s.listen(t, address)
	if status := waitFor(t, s.Server, 0, "waiting", isFailing); !errors.Is(status.Err, errUnseeded) {
		t.Errorf("status %+v", status)
	}
	if conn, err := net.Dial("tcp", address); err == nil {
		conn.Close()
		t.Error("it listens")
	}
	if s.log.count(slog.LevelInfo) != 1 || s.log.count(slog.LevelWarn) != 0 {
		t.Error("want one line that says why")
	}
	close(s.seed)
	waitFor(t, s.Server, 0, "bound", isBound)
	if code, body, err := ask(t, address, cert, nil, "", ""); code != 200 || !strings.Contains(body, "hwrngd_ready") {
		t.Errorf("got %d %q, %v", code, body, err)
	}
	s.Close()
}

func TestCloseEndsTheWaitForTheSeed(t *testing.T) {
	f := newFolder(t)
	f.fast("server")
	s := newSecure(t, f.write("web.yml", onlyTLS))
	s.listen(t, "127.0.0.1:0")
	waitFor(t, s.Server, 0, "waiting", isFailing)
	s.Close()
}

// freeAddress returns a local address that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

func TestPasswordsAndClientCertificates(t *testing.T) {
	f := newFolder(t)
	server, client, other := f.fast("server"), f.fast("client"), f.fast("other")
	s := newSecure(t, f.write("web.yml", mutual+"basic_auth_users:\n  prometheus: "+hashed(t, "secret")+"\n"))
	close(s.seed)
	s.listen(t, "127.0.0.1:0")
	address := waitFor(t, s.Server, 0, "bound", isBound).Bound
	for _, c := range []struct {
		name           string
		own            []tls.Certificate
		user, password string
		code           int // 0: no connection
	}{
		{"all right", []tls.Certificate{client}, "prometheus", "secret", 200},
		{"no password", []tls.Certificate{client}, "", "", 401},
		{"wrong password", []tls.Certificate{client}, "prometheus", "Secret", 401},
		{"no certificate", nil, "prometheus", "secret", 0},
		{"certificate of another", []tls.Certificate{other}, "prometheus", "secret", 0},
	} {
		code, _, err := ask(t, address, server, c.own, c.user, c.password)
		if code != c.code || (err == nil) != (c.code != 0) {
			t.Errorf("%s: got %d, %v, want %d", c.name, code, err, c.code)
		}
	}
	if s.failed.Load() != 0 {
		t.Error("clients count as failures of the configuration")
	}
}

// A key that cannot be read any more turns clients away and says so; mended, all is well again
// without a reload.
func TestKeyGoesAndComesBack(t *testing.T) {
	f := newFolder(t)
	cert := f.fast("server")
	s := newSecure(t, f.write("web.yml", onlyTLS))
	close(s.seed)
	s.listen(t, "127.0.0.1:0")
	address := waitFor(t, s.Server, 0, "bound", isBound).Bound

	// The listener looks at its files before its first client, too.
	if code, _, err := ask(t, address, cert, nil, "", ""); code != 200 {
		t.Fatalf("got %d, %v", code, err)
	}
	key := filepath.Join(f.dir, "server.key")
	if err := os.Rename(key, key+".away"); err != nil {
		t.Fatal(err)
	}
	if code, _, err := ask(t, address, cert, nil, "", ""); err == nil {
		t.Errorf("answered %d without a key", code)
	}
	if s.failed.Load() != 1 || s.log.count(slog.LevelWarn) != 1 {
		t.Errorf("%d failures, %d warnings, want one each", s.failed.Load(), s.log.count(slog.LevelWarn))
	}
	if err := os.Rename(key+".away", key); err != nil {
		t.Fatal(err)
	}
	before := s.log.count(slog.LevelInfo)
	if code, _, err := ask(t, address, cert, nil, "", ""); code != 200 {
		t.Errorf("got %d, %v", code, err)
	}
	if s.log.count(slog.LevelInfo) != before+1 {
		t.Error("nothing says that it works again")
	}
}

// A client that keeps its connection is turned away as well when the file goes, and it is told.
func TestConfigGoesDuringAConnection(t *testing.T) {
	f := newFolder(t)
	s := newSecure(t, f.write("web.yml", ""))
	close(s.seed)
	s.listen(t, "127.0.0.1:0")
	client := newClient(t, "tcp", waitFor(t, s.Server, 0, "bound", isBound).Bound)
	get(t, client, "/metrics")
	if err := os.Remove(s.path); err != nil {
		t.Fatal(err)
	}
	if body := get(t, client, "/metrics"); !strings.Contains(body, "Internal Server Error") {
		t.Errorf("answered %q", body)
	}
	if s.failed.Load() != 1 || s.log.count(slog.LevelWarn) != 1 {
		t.Errorf("%d failures, %d warnings, want one each", s.failed.Load(), s.log.count(slog.LevelWarn))
	}
}

// A configuration that is bad when the listener starts is tried again like a port that is taken.
func TestBadConfigIsRetried(t *testing.T) {
	f := newFolder(t)
	cert := f.fast("server")
	s := newSecure(t, filepath.Join(f.dir, "web.yml"))
	close(s.seed)
	address := freeAddress(t)
	s.listen(t, address)
	waitFor(t, s.Server, 0, "failed", isFailing)
	f.write("web.yml", onlyTLS)
	var code int
	for deadline := time.Now().Add(10 * time.Second); code != 200 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		code, _, _ = ask(t, address, cert, nil, "", "")
	}
	if code != 200 {
		t.Error("it never recovered")
	}
}

// A reload takes a listener from plain HTTP to TLS and back on the same port.
func TestConfigChanges(t *testing.T) {
	f := newFolder(t)
	cert := f.fast("server")
	s := newSecure(t, "")
	close(s.seed)
	address := freeAddress(t)
	s.listen(t, address)
	waitFor(t, s.Server, 0, "bound", isBound)
	get(t, newClient(t, "tcp", address), "/metrics")

	for _, text := range []string{onlyTLS, onlyTLS + "http_server_config:\n  http2: false\n"} {
		s.path = f.write("web.yml", text)
		s.listen(t, address)
		waitFor(t, s.Server, 0, "bound", isBound)
		if code, _, err := ask(t, address, cert, nil, "", ""); code != 200 {
			t.Errorf("TLS: got %d, %v", code, err)
		}
	}
	s.path = ""
	s.listen(t, address)
	waitFor(t, s.Server, 0, "bound", isBound)
	get(t, newClient(t, "tcp", address), "/metrics")
	if n := s.log.count(slog.LevelWarn); n != 0 {
		t.Errorf("%d warnings", n)
	}
}
