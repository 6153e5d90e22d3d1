//go:build !minimal

package web

import (
	"context"
	"net"
)

func listenTCP(ctx context.Context, hostport string) (net.Listener, error) {
	var config net.ListenConfig
	return config.Listen(ctx, "tcp", hostport)
}
