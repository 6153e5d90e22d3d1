package repeat_test

import (
	"fmt"

	"github.com/hwrngd/hwrngd/fips/fipstest"
	"github.com/hwrngd/hwrngd/source/repeat"
)

// A driver stops filling its buffer, and delivers the same 4096 bytes from then on.
func ExampleDetector() {
	stream := fipstest.G1(40)[:60_000]
	buffer := stream[len(stream)-4096:]

	d := repeat.New(repeat.MinMatch(60, 8))
	fmt.Println(d.Scan(stream), "bytes known to repeat")
	fmt.Println(d.Scan(buffer), "bytes known to repeat")
	for range 9 {
		d.Scan(buffer)
	}
	if first, found := d.First(); found {
		fmt.Printf("repeats every %d bytes from offset %d on, %d bytes so far\n", first.Period, first.Offset, first.Length)
	}
	// Output:
	// 0 bytes known to repeat
	// 4096 bytes known to repeat
	// repeats every 4096 bytes from offset 60000 on, 40960 bytes so far
}
