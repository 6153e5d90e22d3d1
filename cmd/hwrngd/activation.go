package main

import (
	"os"
	"sync"

	"github.com/coreos/go-systemd/v22/activation"
)

// passedSockets are the sockets that systemd has opened for this process. It takes their description
// out of the environment, so there is only one look.
var passedSockets = sync.OnceValue(func() []*os.File { return activation.Files(true) })
