package respond

import (
	"bytes"
	"strings"
)

// maxRequest bounds what a client may send, in bytes. Prometheus sends some 400.
const maxRequest = 4096

// request is what of a request decides on its answer.
type request struct {
	path string // without a query
	head bool   // only the header of the answer is wanted
}

// headEnd returns the length of the head of a request within data, with the empty line that ends it, or
// 0 if that has not come yet. Lines end with CR LF; LF alone is accepted (RFC 9112, section 2.2).
func headEnd(data []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			return 0
		}
		if line := bytes.TrimSuffix(data[at:at+i], []byte("\r")); len(line) == 0 && at > 0 {
			return at + i + 1
		}
		at += i + 1
	}
}

// parse reads the head of a request of HTTP/1.0 or HTTP/1.1 (RFC 9112, sections 3 and 5). What it
// cannot answer gives a status other than ok.
func parse(head []byte) (r request, s status) {
	lines := strings.Split(strings.TrimRight(string(head), "\r\n"), "\n")
	words := strings.Split(strings.TrimSuffix(lines[0], "\r"), " ")
	if len(words) != 3 || !isToken(words[0]) {
		return r, badRequest
	}
	method, target, version := words[0], words[1], words[2]
	if version != "HTTP/1.1" && version != "HTTP/1.0" {
		if strings.HasPrefix(version, "HTTP/") {
			return r, badVersion
		}
		return r, badRequest
	}
	hosts := 0
	for _, line := range lines[1:] {
		name, _, found := strings.Cut(line, ":")
		if !found || !isToken(name) {
			return r, badRequest
		}
		if strings.EqualFold(name, "Host") {
			hosts++
		}
	}
	if hosts > 1 || hosts == 0 && version == "HTTP/1.1" {
		return r, badRequest // section 3.2
	}
	if method != "GET" && method != "HEAD" {
		return r, badMethod
	}
	r.head = method == "HEAD"
	if r.path = pathOf(target); r.path == "" {
		return r, badRequest
	}
	return r, ok
}

// pathOf returns the path of a target in origin form or in absolute form, as a proxy sends it (RFC 9112,
// section 3.2), "" if it is neither.
func pathOf(target string) string {
	if rest, absolute := strings.CutPrefix(target, "http://"); absolute {
		i := strings.IndexAny(rest, "/?")
		if i < 0 {
			return "/"
		}
		if target = rest[i:]; target[0] == '?' {
			return "/"
		}
	}
	if !strings.HasPrefix(target, "/") {
		return ""
	}
	path, _, _ := strings.Cut(target, "?")
	return path
}

// isToken tells whether text is a token (RFC 9110, section 5.6.2).
func isToken(text string) bool {
	for _, c := range []byte(text) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		digit := c >= '0' && c <= '9'
		if !letter && !digit && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return text != ""
}
