//go:build minimal

package web

import (
	"context"
	"net"
	"net/netip"
	"strconv"
)

// listenTCP knows IP addresses, localhost and nothing, which is all addresses. The resolver for other
// names would take a quarter of a megabyte.
func listenTCP(_ context.Context, hostport string) (net.Listener, error) {
	host, text, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, &net.AddrError{Err: "invalid port", Addr: hostport}
	}
	address := &net.TCPAddr{Port: int(port)}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if host != "" {
		ip, err := netip.ParseAddr(host)
		if err != nil {
			return nil, &net.AddrError{Err: "not an IP address", Addr: hostport}
		}
		address = net.TCPAddrFromAddrPort(netip.AddrPortFrom(ip, uint16(port)))
	}
	return net.ListenTCP("tcp", address)
}
