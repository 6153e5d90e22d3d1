// Package respond answers GET requests over HTTP/1.x with nothing but package net. It is for builds that
// have no room for net/http, whose TLS, HTTP/2 and proxies are most of a small program.
//
// It serves one connection at a time and one request each, within fixed times and sizes. A client that is
// slow or hostile costs the next one in the queue some seconds, and nobody else anything.
package respond

import (
	"context"
	"io"
	"net"
	"strconv"
	"time"
)

const (
	// readLimit is how long a client may take to send its request, all of it.
	readLimit = 2 * time.Second
	// writeLimit is how long the page and its way to the client may take beyond that.
	writeLimit = 5 * time.Second
	// maxExcess is how much of a request that is too long is read and dropped: the answer is lost if
	// data are left when a connection is closed.
	maxExcess = 64 << 10
)

// Page is what a path shows.
type Page struct {
	Unavailable bool   // answers 503 rather than 200
	Type        string // media type
	Body        []byte
}

// Pages returns the page at a path, and whether there is one. It may take a while, not for ever.
type Pages func(path string) (Page, bool)

// Serve answers those who connect to ln, until that is closed or breaks, which is the caller's to do.
// When ctx is done a request in progress has the time drain left, and no other is answered.
func Serve(ctx context.Context, ln net.Listener, drain time.Duration, pages Pages) error {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return err
		}
		serve(ctx, conn, drain, pages)
	}
}

// serve answers one request and closes the connection.
func serve(ctx context.Context, conn net.Conn, drain time.Duration, pages Pages) {
	defer conn.Close()
	now := time.Now()
	_ = conn.SetReadDeadline(now.Add(readLimit))
	_ = conn.SetWriteDeadline(now.Add(readLimit + writeLimit))
	defer context.AfterFunc(ctx, func() { time.AfterFunc(drain, func() { conn.Close() }) })()
	head, s := readHead(conn)
	if head == nil && s == ok {
		return // gone, or too slow
	}
	var r request
	if s == ok {
		r, s = parse(head)
	}
	page, found := Page{}, false
	if s == ok {
		if page, found = pages(r.path); !found {
			s = notFound
		} else if page.Unavailable {
			s = unavailable
		}
	}
	if !found {
		page = Page{Type: "text/plain; charset=utf-8", Body: []byte(s.text() + "\n")}
	}
	if _, err := conn.Write(answer(s, page, r.head)); err == nil && s == tooLarge {
		_, _ = io.CopyN(io.Discard, conn, maxExcess)
	}
}

// readHead reads the head of a request. It returns nothing if that did not come.
func readHead(conn io.Reader) ([]byte, status) {
	data := make([]byte, 0, maxRequest)
	for {
		n, err := conn.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if end := headEnd(data); end > 0 {
			return data[:end], ok
		}
		if len(data) == cap(data) {
			return nil, tooLarge
		}
		if err != nil {
			return nil, ok
		}
	}
}

// answer returns the whole answer (RFC 9112, section 4).
func answer(s status, page Page, head bool) []byte {
	text := "HTTP/1.1 " + s.text() + "\r\n" +
		"Date: " + time.Now().UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT") + "\r\n" + // RFC 9110, section 5.6.7
		"Content-Type: " + page.Type + "\r\n" +
		"Content-Length: " + strconv.Itoa(len(page.Body)) + "\r\n" +
		"Cache-Control: no-store\r\n" +
		"X-Content-Type-Options: nosniff\r\n" +
		"Connection: close\r\n"
	if s == badMethod {
		text += "Allow: GET, HEAD\r\n"
	}
	text += "\r\n"
	if head {
		return []byte(text)
	}
	return append([]byte(text), page.Body...)
}

// status is a status code (RFC 9110, section 15; tooLarge: RFC 6585, section 5).
type status int

const (
	ok          status = 200
	badRequest  status = 400
	notFound    status = 404
	badMethod   status = 405
	tooLarge    status = 431
	unavailable status = 503
	badVersion  status = 505
)

var reasons = map[status]string{
	ok:          "OK",
	badRequest:  "Bad Request",
	notFound:    "Not Found",
	badMethod:   "Method Not Allowed",
	tooLarge:    "Request Header Fields Too Large",
	unavailable: "Service Unavailable",
	badVersion:  "HTTP Version Not Supported",
}

// text is the status with its reason, as the first line of an answer has it.
func (s status) text() string { return strconv.Itoa(int(s)) + " " + reasons[s] }
