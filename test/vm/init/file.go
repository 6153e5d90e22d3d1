package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hwrngd/hwrngd/test/vm/wire"
)

func (g *guest) load(req wire.Request) (wire.Answer, error) {
	file, err := os.Open(req.Path)
	if err != nil {
		return wire.Answer{}, err
	}
	defer file.Close()
	if err := unix.FinitModule(int(file.Fd()), "", 0); err != nil {
		return wire.Answer{}, fmt.Errorf("insert module %s: %w", req.Path, err)
	}
	return wire.Answer{}, nil
}

// chunk is the most that one call reads. Some files of procfs want memory for all of it at once.
const chunk = 64 << 10

// readFile reads until a call brings less than it may: some files of sysfs and procfs would answer
// another one, too.
func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var all []byte
	buf := make([]byte, chunk)
	for {
		n, err := file.Read(buf)
		if err != nil && err != io.EOF {
			return nil, err
		}
		if all = append(all, buf[:n]...); n < len(buf) {
			return all, nil
		}
	}
}

// read returns what the files that match hold, in order.
func (g *guest) read(req wire.Request) (wire.Answer, error) {
	paths, err := filepath.Glob(req.Path)
	if err == nil && len(paths) == 0 {
		err = &os.PathError{Op: "open", Path: req.Path, Err: os.ErrNotExist}
	}
	if err != nil {
		return wire.Answer{}, err
	}
	var all []byte
	for _, path := range paths {
		text, err := readFile(path)
		if err != nil && len(paths) == 1 {
			return wire.Answer{}, err // of several, one may just have gone, such as a thread
		}
		all = append(all, text...)
	}
	return wire.Answer{Text: string(all)}, nil
}

func (g *guest) write(req wire.Request) (wire.Answer, error) {
	return wire.Answer{}, os.WriteFile(req.Path, []byte(req.Data), 0o644)
}

// fetchLimit is how long a server may take to answer.
const fetchLimit = 20 * time.Second

// fetch sends a request, if any, to a server and returns all that it answers.
func fetch(network, address, request string) (string, error) {
	conn, err := net.DialTimeout(network, address, fetchLimit)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(fetchLimit)); err != nil {
		return "", err
	}
	if request != "" { // the server of a socket that only tells may have closed it already
		if _, err := io.WriteString(conn, request); err != nil {
			return "", err
		}
	}
	text, err := io.ReadAll(conn)
	return string(text), err
}

func (g *guest) scrape(req wire.Request) (wire.Answer, error) {
	page, err := fetch("tcp", req.Path, "GET /metrics HTTP/1.0\r\n\r\n")
	head, body, _ := strings.Cut(page, "\r\n\r\n")
	if err == nil && !strings.HasPrefix(head, "HTTP/1.0 200 ") {
		err = fmt.Errorf("http://%s/metrics: %q", req.Path, head)
	}
	return wire.Answer{Text: body}, err
}

func (g *guest) socket(req wire.Request) (wire.Answer, error) {
	text, err := fetch("unix", req.Path, "")
	return wire.Answer{Text: text}, err
}
