package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hwrngd/hwrngd/metrics/web"
)

// knownSources are the names that --sources and --entropy accept.
var knownSources = append([]string{"auto"}, sourceNames()...)

// checkText accepts what can be a file name and be shown on one line.
func checkText(text string) error {
	if text == "" {
		return errors.New("must not be empty")
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return fmt.Errorf("%q holds control characters or is not UTF-8", text)
	}
	return nil
}

// checkAbsolute accepts what names a file whatever the working directory is: a service's is /.
func checkAbsolute(path string) error {
	if err := checkText(path); err != nil {
		return err
	}
	if !filepath.IsAbs(path) {
		return fmt.Errorf(`%q is not an absolute path, want one that starts with /, or "off"`, path)
	}
	return nil
}

// checkTextfile accepts what the textfile collector of node_exporter reads.
func checkTextfile(path string) error {
	if err := checkAbsolute(path); err != nil {
		return err
	}
	if name := filepath.Base(path); !strings.HasSuffix(name, ".prom") || name == ".prom" {
		return fmt.Errorf("%q is not NAME.prom, and node_exporter reads no other files", path)
	}
	return nil
}

// oneOf accepts a fixed set of words.
func oneOf(words ...string) func(string) error {
	return func(text string) error {
		if slices.Contains(words, text) {
			return nil
		}
		if near := didYouMean(text, words); near != "" {
			return fmt.Errorf("unknown value %q%s", text, near)
		}
		last := len(words) - 1
		return fmt.Errorf("unknown value %q, want %s or %s", text, strings.Join(words[:last], ", "), words[last])
	}
}

func checkSource(name string) error {
	if slices.Contains(knownSources, name) {
		return nil
	}
	if absent := absentSource(name); absent != nil {
		return absent
	}
	if near := didYouMean(name, knownSources); near != "" {
		return fmt.Errorf("unknown source %q%s", name, near)
	}
	return fmt.Errorf("unknown source %q, known are %s", name, strings.Join(knownSources, ", "))
}

func checkSources(names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("names no source, known are %s", strings.Join(knownSources, ", "))
	}
	for i, name := range names {
		if err := checkSource(name); err != nil {
			return err
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("source %q is given twice", name)
		}
	}
	if len(names) > 1 && slices.Contains(names, "auto") {
		return errors.New(`"auto" stands for a choice of sources, give it alone or name each source`)
	}
	return nil
}

// checkRNGName accepts what the kernel can have in rng_available: names that
// blanks separate, on one line.
func checkRNGName(name string) error {
	if err := checkText(name); err != nil {
		return err
	}
	if strings.ContainsFunc(name, unicode.IsSpace) {
		return fmt.Errorf("%q cannot be the name of a generator, it holds blanks", name)
	}
	return nil
}

func checkSelect(name string) error {
	// Written to rng_current, "none" stops the kernel's own reader thread, and
	// no generator that appears later takes over.
	if name == "none" {
		return errors.New(`"none" would switch every hardware generator off; to use none of them, change sources`)
	}
	return checkRNGName(name)
}

func checkDeny(names []string) error {
	for i, name := range names {
		if err := checkRNGName(name); err != nil {
			return err
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("generator %q is given twice", name)
		}
	}
	return nil
}

// ListenAddress is an address in the terms of net.Listen.
type ListenAddress struct {
	Network string // "tcp", "unix" or web.Systemd
	Address string
}

// String is the form that --metrics-listen takes.
func (a ListenAddress) String() string {
	switch a.Network {
	case web.Systemd:
		return web.Systemd
	case "unix":
		return "unix:" + a.Address
	}
	return a.Address
}

// parseListen reads the values of --metrics-listen.
func parseListen(words []string) ([]ListenAddress, error) {
	if len(words) == 0 {
		return nil, errors.New(`names no address, want HOST:PORT, unix:PATH, "systemd" or "off"`)
	}
	if slices.Equal(words, []string{"off"}) {
		return nil, nil
	}
	var addresses []ListenAddress
	for _, word := range words {
		if word == "off" {
			return nil, errors.New(`"off" contradicts the other addresses`)
		}
		address, err := parseListenAddress(word)
		if err != nil {
			return nil, err
		}
		if slices.Contains(addresses, address) {
			return nil, fmt.Errorf("address %q is given twice", word)
		}
		addresses = append(addresses, address)
	}
	return addresses, nil
}

func parseListenAddress(word string) (ListenAddress, error) {
	if err := checkText(word); err != nil {
		return ListenAddress{}, err
	}
	if word == web.Systemd {
		return ListenAddress{Network: web.Systemd}, nil
	}
	if path, ok := strings.CutPrefix(word, "unix:"); ok {
		// sun_path of struct sockaddr_un holds 108 bytes with the final zero.
		if !strings.HasPrefix(path, "/") || len(path) > 107 {
			return ListenAddress{}, fmt.Errorf("%q needs a path that starts with / and has at most 107 bytes", word)
		}
		return ListenAddress{Network: "unix", Address: path}, nil
	}
	host, port, err := net.SplitHostPort(word)
	if err != nil {
		return ListenAddress{}, fmt.Errorf(
			`%q is not an address, want HOST:PORT such as 127.0.0.1:9779 or [::1]:9779, unix:PATH, "systemd", or "off"`, word)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return ListenAddress{}, fmt.Errorf("%q has no valid port, want a number from 0 to 65535", word)
	}
	if !validHost(host) {
		return ListenAddress{}, fmt.Errorf("%q has no valid host, want an IP address, %s, or nothing for all", word, hostNames)
	}
	return ListenAddress{Network: "tcp", Address: word}, nil
}

// validHost tells whether a host may be resolved at all; whether it exists
// shows when the daemon listens.
func validHost(host string) bool {
	if host == "" {
		return true
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	if minimal {
		return host == "localhost" // without a resolver
	}
	return !strings.ContainsFunc(host, func(r rune) bool {
		return r > unicode.MaxASCII || r != '-' && r != '.' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
