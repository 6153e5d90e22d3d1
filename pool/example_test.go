package pool_test

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/hwrngd/hwrngd/pool"
	"github.com/hwrngd/hwrngd/pool/pooltest"
	"github.com/hwrngd/hwrngd/source"
	"github.com/hwrngd/hwrngd/source/sourcetest"
)

// A worker tests what its source delivers, and the feeder asks it for blocks and credits the
// kernel. With fakes for the source and the kernel, this is the whole of a daemon that runs once.
func Example() {
	kernel := pooltest.Modern()
	feeder := pool.NewFeeder(kernel, pool.Options{
		Policy:   pool.Policy{RefillInterval: time.Minute},
		Once:     true,
		Started:  time.Now(),
		Recorder: &pooltest.Recorder{},
		Log:      slog.New(slog.DiscardHandler),
	})
	src := sourcetest.New(sourcetest.Info(), nil)
	worker := source.NewWorker(src, feeder.Blocks(), &sourcetest.Recorder{}, slog.New(slog.DiscardHandler))

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go worker.Run(ctx)
	feeder.SetSupplies(worker)
	if err := feeder.Run(ctx); err != nil {
		fmt.Println(err)
	}

	credits := feeder.Credits()
	status := pool.Status{Credits: credits, Sources: []source.Snapshot{worker.Snapshot()}}
	fmt.Println(status.Line())
	fmt.Println("kernel ready:", credits.CRNGReady)
	// Output:
	// feeding from hwrng (virtio_rng.0), 512 bits credited
	// kernel ready: true
}

func ExampleCondition() {
	var seed [pool.SeedBytes]byte
	raw := make([]byte, 100) // bytes that passed every test
	fmt.Println(pool.Condition(&seed, pool.Part{Raw: raw, MinEntropy: 4}), "bits")
	// Output: 336 bits
}
