//go:build !amd64 && !386 && !arm64 && !ppc64 && !ppc64le && !s390x

package cpu

import "github.com/hwrngd/hwrngd/internal/linux"

// units lists nothing: hwrngd knows no random-number instruction of this architecture.
func units(linux.Procfs) []unit { return nil }
