package egd

import (
	"bytes"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"
)

// ask is what QEMU does.
func ask(t *testing.T, conn net.Conn, n int) {
	t.Helper()
	if _, err := conn.Write([]byte{blockingRead, byte(n)}); err != nil {
		t.Fatal(err)
	}
}

func receive(t *testing.T, conn net.Conn, n int) []byte {
	t.Helper()
	p := make([]byte, n)
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, p); err != nil {
		t.Fatal(err)
	}
	return p
}

func connect(t *testing.T, script ...Phase) (*Server, net.Conn) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	s, err := Listen(path, script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return s, conn
}

func TestPhases(t *testing.T) {
	s, conn := connect(t, Good("x").Until(128), Stuck(0x55).Until(64), Silent().Lasting(10*time.Millisecond), Biased(0.25))
	for range 4 {
		ask(t, conn, 64)
	}
	got := receive(t, conn, 256)
	want := make([]byte, 128)
	Good("x").Fill(want)
	if !bytes.Equal(got[:128], want) {
		t.Error("the first phase gives other data")
	}
	if !bytes.Equal(got[128:192], bytes.Repeat([]byte{0x55}, 64)) {
		t.Errorf("the second phase gives %x", got[128:192])
	}
	Biased(0.25).Fill(want[:64])
	if !bytes.Equal(got[192:], want[:64]) {
		t.Error("the last phase gives other data")
	}
	if s.Given() != 256 || s.Waiting() {
		t.Errorf("given %d, waiting %v", s.Given(), s.Waiting())
	}
}

func TestSilenceEnds(t *testing.T) {
	s, conn := connect(t, Silent())
	ask(t, conn, 3)
	for !s.Waiting() {
		time.Sleep(time.Millisecond)
	}
	if s.Given() != 0 {
		t.Error("a silent generator gave something")
	}
	s.Become(Stuck(7))
	if got := receive(t, conn, 3); !bytes.Equal(got, []byte{7, 7, 7}) {
		t.Errorf("got %x", got)
	}
}

func TestRate(t *testing.T) {
	_, conn := connect(t, Stuck(0).At(1000))
	begin := time.Now()
	for range 3 {
		ask(t, conn, 100)
	}
	receive(t, conn, 300)
	// The first answer comes at once, each other one 100 ms after the one before.
	if took := time.Since(begin); took < 190*time.Millisecond {
		t.Errorf("300 bytes at 1000 a second took %s", took)
	}
}

func TestBias(t *testing.T) {
	p := make([]byte, 10000)
	Biased(0.40).Fill(p)
	ones := 0
	for _, b := range p {
		for ; b != 0; b &= b - 1 {
			ones++
		}
	}
	// 80,000 bits, mean 32,000, standard deviation 139.
	if ones < 31300 || ones > 32700 {
		t.Errorf("%d ones of 80000", ones)
	}
}
