package kit

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestParseScrape(t *testing.T) {
	s, err := ParseScrape("# HELP a b\n\nx{source=\"a b\",state=\"active\"} 1\ny 2e3\n")
	if err != nil || len(s) != 2 || s[`x{source="a b",state="active"}`] != 1 || s["y"] != 2000 {
		t.Errorf("%v, %v", s, err)
	}
	for _, bad := range []string{"novalue", "x one", "1"} {
		if s, err := ParseScrape(bad); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v, %v", bad, s, err)
		}
	}
}

func TestHTTPGet(t *testing.T) {
	path := filepath.Join(TempDir(t), "socket")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, r.URL.Path)
	}))
	tcp := server.Listener
	server.Listener = listener
	server.Start()
	go func() { _ = server.Config.Serve(tcp) }()
	defer server.Close()
	for _, address := range []string{"unix:" + path, tcp.Addr().String()} {
		if code, body, err := HTTPGet(address, "/page"); code != http.StatusTeapot || body != "/page" || err != nil {
			t.Errorf("%s: %d, %q, %v", address, code, body, err)
		}
	}
	if _, _, err := HTTPGet("unix:"+path+"x", "/page"); err == nil {
		t.Error("an answer without a server")
	}
}

func TestManager(t *testing.T) {
	path := filepath.Join(TempDir(t), "notify")
	m := NewManager(t, path)
	conn, err := net.Dial("unixgram", path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	begin := time.Now()
	for _, message := range []string{"STATUS=starts\n", "READY=1\nSTATUS=runs\n\n"} {
		if _, err := io.WriteString(conn, message); err != nil {
			t.Fatal(err)
		}
	}
	if a := m.Wait(t, "READY="); a.Text != "READY=1" || a.At.Before(begin) || a.At.After(time.Now()) {
		t.Errorf("%+v", a)
	}
	if all := m.Got("STATUS="); len(all) != 2 || m.Wait(t, "STATUS=").Text != "STATUS=runs" {
		t.Errorf("%+v", all)
	}
	if all := m.Got("STOPPING"); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}

// What strace 6 has written of a daemon, with a line that is not finished.
const straceOutput = `7 1700000000.500000 ioctl(5</dev/random>, RNDADDENTROPY, {entropy_count=0, buf_size=0, buf=""}) = 0
7 1700000001.000000 ioctl(5</dev/random>, RNDADDENTROPY, {entropy_count=12, buf_size=2, buf="\x00\xff"} <unfinished ...>
8 1700000001.100000 read(3</dev/hwrng>, 0xc000, 16) = -1 EIO (Input/output error) (INJECTED)
7 1700000001.200000 <... ioctl resumed>) = 0
8 1700000002.250000 ioctl(5</dev/random>, RNDADDENTROPY, {entropy_count=8, buf_size=1, buf="\x01"}) = -1 EPERM (Operation not permitted)
8 1700000003.000000 read(3</dev/hwrng>, `

func TestTrace(t *testing.T) {
	tr := Trace{T: t, Path: filepath.Join(t.TempDir(), "strace")}
	if calls := tr.Calls(); len(calls) != 0 {
		t.Errorf("before there is a file: %v", calls)
	}
	WriteFile(t, tr.Path, straceOutput, 0o644)
	if calls := tr.Calls(); len(calls) != 4 {
		t.Errorf("%d calls: %q", len(calls), calls)
	}
	if calls := tr.Calls("read(", "INJECTED"); len(calls) != 1 || !calls[0].At.Equal(time.UnixMicro(1700000001_100000)) {
		t.Errorf("calls with a fault: %v", calls)
	}
	seeds := tr.Seeds()
	if len(seeds) != 2 {
		t.Fatalf("%d seeds: %+v", len(seeds), seeds)
	}
	if s := seeds[0]; s.Bits != 12 || s.Bytes != 2 || string(s.Data) != "\x00\xff" || !s.OK || !s.At.Equal(time.Unix(1700000001, 0)) {
		t.Errorf("the seed that is put together: %+v", s)
	}
	if s := seeds[1]; s.Bits != 8 || s.OK {
		t.Errorf("the seed that is refused: %+v", s)
	}
	for text, want := range map[string]string{
		`entropy_count=5, buf_size=0, buf=""}) = 0`: "credit without data",
		`something else) = 0`:                       "cannot read",
	} {
		WriteFile(t, tr.Path, "7 1.5 ioctl(5</dev/random>, RNDADDENTROPY, {"+text+"\n", 0o644)
		got := outcome(func(t testing.TB) { (&Trace{T: t, Path: tr.Path}).Seeds() })
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
