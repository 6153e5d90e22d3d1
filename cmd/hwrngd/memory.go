package main

import (
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/hwrngd/hwrngd/internal/linux"
)

// garbagePercent is how much garbage may come on top of what is in use before it is collected. Go's own
// 100 % mean 4 MB at least, in a program that uses half of one.
const garbagePercent = 25

// restDelay is how long after the garbage the code is given back.
const restDelay = 100 * time.Millisecond

// limitGarbage sets that, unless the operator knows better.
func limitGarbage() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
}

// tidier returns a function that hands memory back to the kernel which is not in use, that of code included:
// of what a start and a refill touch, little is needed between two refills. It takes about a millisecond.
func tidier(cfg *Config, log *slog.Logger) func() {
	code, err := linux.Procfs(cfg.Procfs).Code()
	if err != nil {
		log.Debug("the memory of code that is not used stays", "reason", err.Error())
	}
	return func() {
		debug.FreeOSMemory()
		// A moment later, so that nothing is brought back by what the caller still has to do.
		time.AfterFunc(restDelay, func() {
			if err := code.Forget(); err != nil {
				log.Debug("the memory of code that is not used stays", "reason", err.Error())
			}
		})
	}
}
