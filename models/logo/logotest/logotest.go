// Package logotest draws pictures that tests upload as logos.
package logotest

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
)

// Draw is a disc and a bar on a transparent ground, that many pixels wide and high.
func Draw(width, height int) image.Image {
	to := image.NewNRGBA(image.Rect(0, 0, width, height))
	r := height * 2 / 5
	for y := range height {
		for x := range width {
			dx, dy := x-height/2, y-height/2
			switch {
			case dx*dx+dy*dy <= r*r:
				to.Set(x, y, color.NRGBA{R: 0x1b, G: 0x5e, B: 0x4a, A: 255})
			case x > height && x < width-height/10 && y > height*2/5 && y < height*3/5:
				to.Set(x, y, color.NRGBA{R: 0x17, G: 0x21, B: 0x2e, A: 255})
			}
		}
	}
	return to
}

// PNG is such a picture as a file.
func PNG(width, height int) []byte {
	var out bytes.Buffer
	_ = png.Encode(&out, Draw(width, height)) // a buffer takes everything
	return out.Bytes()
}

// JPEG is such a picture as a file.
func JPEG(width, height int) []byte {
	var out bytes.Buffer
	_ = jpeg.Encode(&out, Draw(width, height), nil) // a buffer takes everything
	return out.Bytes()
}
