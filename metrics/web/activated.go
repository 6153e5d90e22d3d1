package web

import (
	"errors"
	"net"
	"os"
	"strconv"
)

// Systemd is the listen address that stands for all sockets which the service manager has opened
// and passed to the daemon, see systemd.socket(5).
const Systemd = "systemd"

// activated returns an address for each of the sockets that were passed. Without any there is still
// one, so that its failure is told and counted like that of others.
func (s *Server) activated() []address {
	var all []address
	for i := range max(1, len(s.sockets)) {
		all = append(all, address{text: Systemd + ":" + strconv.Itoa(i), network: Systemd, socket: i})
	}
	return all
}

// errNoSocket is what an operator hears who configured the daemon and not the socket.
var errNoSocket = errors.New("the service manager passed no socket: start the socket unit before the service")

// adopt returns a listener on a socket that was passed. It works on a copy, so that the socket can be
// taken again after a reload.
func adopt(sockets []*os.File, i int) (net.Listener, error) {
	if i >= len(sockets) {
		return nil, errNoSocket
	}
	return net.FileListener(sockets[i])
}
