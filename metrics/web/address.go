package web

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

// maxSocketPath is the room in struct sockaddr_un, less the final zero byte.
const maxSocketPath = 107

// address is a parsed listen address.
type address struct {
	text    string // as configured
	network string // "tcp", "unix" or Systemd
	target  string // host:port or path
	socket  int    // which of those that were passed
	config  string // path of the web configuration, "" for plain HTTP
}

func parseAddress(text string) (address, error) {
	if path, ok := strings.CutPrefix(text, "unix:"); ok {
		if path == "" || len(path) > maxSocketPath {
			return address{}, fmt.Errorf("listen address %q: path must have 1 to %d bytes", text, maxSocketPath)
		}
		return address{text: text, network: "unix", target: path}, nil
	}
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return address{}, fmt.Errorf("listen address %q: neither host:port nor unix:PATH", text)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return address{}, fmt.Errorf("listen address %q: port must be a number up to 65535", text)
	}
	return address{text: text, network: "tcp", target: text}, nil
}
