package jitter

import "github.com/hwrngd/hwrngd/sp80090b"

// literal is the least estimate of the methods of SP 800-90B section 6.3 on whole symbols. Those on
// bit strings are left out: they take most of the time and never changed a refusal into its
// opposite.
func literal(samples []byte) (bits float64, method string) {
	var scratch sp80090b.Scratch // memory that the source does not need most of the time
	least := sp80090b.AssessLiteral(samples, 8, &scratch).Weakest()
	return least.MinEntropy, least.Name
}
