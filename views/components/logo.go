package components

import "strconv"

// Logo is the picture of a brand: its address, and how large it is shown in pixels. The zero value is none.
type Logo struct{ Src, Width, Height string }

// LogoOf is a logo of that size; none where the size is 0.
func LogoOf(src string, width, height int) Logo {
	if width == 0 {
		return Logo{}
	}
	return Logo{Src: src, Width: strconv.Itoa(width), Height: strconv.Itoa(height)}
}
