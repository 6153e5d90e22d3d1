package page

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/png"
)

// rasterWidth is the length of a row of the raster in bits: a power of two, so that what repeats
// with the words of a register makes columns.
const rasterWidth = 512

// raster is a picture of the first bits, one cell a bit, one row after the other.
type raster struct {
	Source        template.URL
	Width, Height int
}

// Bits is how many bits it shows.
func (r *raster) Bits() int { return r.Width * r.Height }

// newRaster draws the whole rows of data, nil if there is none. Ones are dark.
func newRaster(data []byte) (*raster, error) {
	height := len(data) * 8 / rasterWidth
	if height == 0 {
		return nil, nil
	}
	// Neither is pure black or white, so that the picture is at ease on both backgrounds.
	picture := image.NewPaletted(image.Rect(0, 0, rasterWidth, height), color.Palette{
		color.Gray{0xF2}, color.Gray{0x26},
	})
	for i := range picture.Pix {
		picture.Pix[i] = data[i/8] >> (7 - i%8) & 1
	}
	// Random bits do not compress, and without compression the page is the same with any version
	// of the compressor.
	encoder := png.Encoder{CompressionLevel: png.NoCompression}
	var file bytes.Buffer
	if err := encoder.Encode(&file, picture); err != nil {
		return nil, fmt.Errorf("draw the raster of the first bits: %w", err)
	}
	source := "data:image/png;base64," + base64.StdEncoding.EncodeToString(file.Bytes())
	// Safe as the address of an image: nothing in it comes from outside but pixels.
	return &raster{template.URL(source), rasterWidth, height}, nil
}
