// Package tint knows colours: how well one can be read on another by WCAG 2.2, and which tones of a brand's colour can
// be read on the pages and in the mails of the house. It must not know brands or how a page is drawn.
package tint

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"debitdesk/models/fault"
)

// Colour is a colour of the screen (sRGB).
type Colour struct{ R, G, B uint8 }

var form = regexp.MustCompile(`^#?([0-9a-f]{3}|[0-9a-f]{6})$`)

// Parse reads what people write: "#2350c8", "2350C8" or "#25c". The error says what is right, in a sentence.
func Parse(text string) (Colour, error) {
	m := form.FindStringSubmatch(strings.ToLower(strings.TrimSpace(text)))
	if m == nil {
		return Colour{}, fault.New(fault.Invalid, "invalid",
			"A colour is # and six digits or letters from a to f, such as #2350c8.")
	}
	digits := m[1]
	if len(digits) == 3 {
		digits = strings.Repeat(digits[:1], 2) + strings.Repeat(digits[1:2], 2) + strings.Repeat(digits[2:], 2)
	}
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil {
		return Colour{}, fmt.Errorf("read a colour: %w", err)
	}
	return Colour{uint8(n >> 16), uint8(n >> 8), uint8(n)}, nil //nolint:gosec // two digits each
}

// String writes a colour as style sheets do: "#2350c8".
func (c Colour) String() string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// Luminance is the relative luminance, from 0 for black to 1 for white.
func (c Colour) Luminance() float64 {
	return 0.2126*linear[c.R] + 0.7152*linear[c.G] + 0.0722*linear[c.B]
}

// linear is how much light each value of a channel gives.
var linear = func() (light [256]float64) {
	for channel := range light {
		v := float64(channel) / 255
		light[channel] = v / 12.92
		if v > 0.04045 {
			light[channel] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return light
}()

// Contrast is the contrast ratio of two colours: 1 for the same, 21 for black and white.
func Contrast(a, b Colour) float64 {
	high, low := a.Luminance(), b.Luminance()
	if high < low {
		high, low = low, high
	}
	return (high + 0.05) / (low + 0.05)
}

// Least is the contrast that text needs at least (WCAG 2.2, success criterion 1.4.3).
const Least = 4.5

// The house's text on buttons. The black is dark enough that one of the two can be read on any colour.
var (
	White = Colour{255, 255, 255}
	Black = Colour{5, 5, 5}
)

// The grounds on which links and headings stand, those that leave a tone the least contrast: the style sheets of pages
// and mails have none that is darker in the light theme, or lighter in the dark one. A test holds the sheets to that.
var (
	LightGround = Colour{0xf3, 0xf4, 0xf6}
	DarkGround  = Colour{0x1c, 0x23, 0x2d}
)

// Look is what the house makes of a brand's colour.
type Look struct {
	Fill  Colour // of buttons and marks: the colour as the brand gave it
	On    Colour // of text on it
	Light Colour // of links and headings on a light page
	Dark  Colour // the same on a dark page
}

// LookOf gives each tone at least the contrast that text needs.
func LookOf(c Colour) Look {
	l := Look{Fill: c, On: White, Light: towards(c, Colour{}, LightGround), Dark: towards(c, White, DarkGround)}
	if Contrast(c, Black) > Contrast(c, White) {
		l.On = Black
	}
	return l
}

// towards mixes a colour with another, no more than is needed to be read on a ground.
func towards(c, end, ground Colour) Colour {
	for part := range 256 {
		mixed := Colour{mix(c.R, end.R, part), mix(c.G, end.G, part), mix(c.B, end.B, part)}
		if Contrast(mixed, ground) >= Least {
			return mixed
		}
	}
	return end
}

// mix is a channel with some parts of 255 of another.
func mix(from, to uint8, part int) uint8 {
	return uint8((int(from)*(255-part) + int(to)*part) / 255) //nolint:gosec // between the two
}
