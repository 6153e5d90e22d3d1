package landlock

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// childEnv makes the test binary enter the sandbox and say what it can do there. It holds the
// directory to write in and the address to connect to.
const childEnv = "HWRNGD_LANDLOCK_TEST_CHILD"

func TestMain(m *testing.M) {
	if args := os.Getenv(childEnv); args != "" {
		inside, address, _ := strings.Cut(args, " ")
		abi, err := Enter(inside, "/nonexistent")
		fmt.Println("version", abi, err)
		tryAll(inside, address)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// tryAll prints a line for each thing that could be tried.
func tryAll(inside, address string) {
	say := func(what string, err error) {
		switch {
		case err == nil:
			fmt.Println(what, "works")
		case errors.Is(err, syscall.EACCES):
			fmt.Println(what, "is forbidden")
		default:
			fmt.Println(what, err)
		}
	}
	outside := inside + "-outside"
	say("writing inside", os.WriteFile(filepath.Join(inside, "a"), nil, 0o600))
	say("renaming inside", os.Rename(filepath.Join(inside, "a"), filepath.Join(inside, "b")))
	say("removing inside", os.Remove(filepath.Join(inside, "b")))
	_, err := os.ReadFile(filepath.Join(outside, "file"))
	say("reading outside", err)
	say("writing outside", os.WriteFile(filepath.Join(outside, "file"), nil, 0o600))
	say("removing outside", os.Remove(filepath.Join(outside, "file")))
	again := exec.Command("/proc/self/exe", "-test.run=^$")
	again.Env = []string{} // not this once more
	say("executing", again.Run())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	say("listening", err)
	if err == nil {
		listener.Close()
	}
	conn, err := net.Dial("tcp", address)
	say("connecting", err)
	if err == nil {
		conn.Close()
	}
}

// TestEnter: a confined process reads everything, writes where it may, executes nothing and connects
// to nobody.
func TestEnter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	for _, d := range []string{dir, dir + "-outside"} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir+"-outside", "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir+" "+listener.Addr().String())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text := string(out)
	for _, want := range []string{
		"writing inside works", "renaming inside works", "removing inside works", "reading outside works", "listening works",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("not said: %s; said:\n%s", want, text)
		}
	}
	if strings.Contains(text, "version 0 <nil>") {
		t.Skipf("SKIPPED, NOT TESTED: no Landlock in this kernel or this build:\n%s", text)
	}
	for _, want := range []string{"writing outside is forbidden", "removing outside is forbidden", "executing is forbidden"} {
		if !strings.Contains(text, want) {
			t.Errorf("not said: %s; said:\n%s", want, text)
		}
	}
	// Since Linux 6.7.
	if !strings.Contains(text, "connecting is forbidden") {
		t.Logf("this kernel knows nothing of the network:\n%s", text)
	}
}
