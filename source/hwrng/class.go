package hwrng

import (
	"slices"

	"github.com/hwrngd/hwrngd/internal/linux"
)

// Class is what the kernel's hw_random class shows at one moment. All of it is empty where the
// class cannot be read.
type Class struct {
	Current   string   `json:"current"` // "" if there is none
	Available []string `json:"available"`
	Selected  bool     `json:"selected"` // somebody chose Current by name

	// Quality is what the kernel's own thread credits for Current, in 1/1024 bit per bit, if
	// QualityShown. QualityStated is false for 0 and 1024, which a driver that states nothing has.
	Quality       int  `json:"quality"`
	QualityShown  bool `json:"quality_shown"`
	QualityStated bool `json:"quality_stated"`
}

// ReadClass reads the class below sys.
func ReadClass(sys linux.Sysfs) Class {
	var c Class
	c.Current, _ = sys.RNGCurrent()
	c.Available, _ = sys.RNGAvailable()
	c.Selected, _ = sys.RNGSelected()
	c.Quality, c.QualityShown, c.QualityStated = sys.RNGQuality()
	return c
}

func (c Class) equal(o Class) bool {
	return c.Current == o.Current && c.Selected == o.Selected && slices.Equal(c.Available, o.Available) &&
		c.Quality == o.Quality && c.QualityShown == o.QualityShown && c.QualityStated == o.QualityStated
}
