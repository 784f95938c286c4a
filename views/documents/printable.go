package documents

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/norm"
)

// missing stands in a paper for what its fonts cannot draw.
const missing = '□'

// printable writes a text with what the fonts can draw, and tells whether something had to be replaced. Names hold
// whatever a keyboard has: emoji, other scripts, marks that combine, broken bytes.
func printable(text string) (out string, replaced bool) {
	if plain(text) {
		return text, false
	}
	var b strings.Builder
	last := rune(0) // what was drawn last; a mark belongs to it
	for _, r := range norm.NFC.String(strings.ToValidUTF8(text, string(utf8.RuneError))) {
		drawn := closest(r)
		switch {
		case drawn == string(r):
			b.WriteString(drawn)
		case invisible(r):
			continue
		case unicode.Is(unicode.M, r) && last != 0: // a mark without a letter of the font to stand on
			replaced = true
			continue
		case drawn == "":
			replaced = true
			b.WriteRune(missing)
		default:
			replaced = replaced || norm.NFKC.String(string(r)) != drawn && !unicode.IsSpace(r) && !unicode.Is(unicode.Pd, r)
			b.WriteString(drawn)
		}
		last = r
	}
	return b.String(), replaced
}

// plain tells that a text needs no second look: printable ASCII and line ends.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c != '\n' && (c < ' ' || c > '~') {
			return false
		}
	}
	return true
}

// closest is what the fonts draw for a character: itself, the same character in its plain form, or its letter with as
// many of its accents as the fonts have; empty: nothing.
func closest(r rune) string {
	switch {
	case r == '\n' || drawable(r):
		return string(r)
	case r == '\t' || unicode.Is(unicode.Zs, r):
		return " "
	case unicode.Is(unicode.Pd, r):
		return "-"
	}
	same := norm.NFKC.String(string(r))
	if every(same, drawable) {
		return same
	}
	parts := []rune(norm.NFKD.String(string(r)))
	if !drawable(parts[0]) || !every(string(parts[1:]), func(r rune) bool { return unicode.Is(unicode.M, r) }) {
		return ""
	}
	letter := parts[0]
	for _, mark := range parts[1:] {
		if with := []rune(norm.NFC.String(string([]rune{letter, mark}))); len(with) == 1 && drawable(with[0]) {
			letter = with[0]
		}
	}
	return string(letter)
}

func every(text string, holds func(rune) bool) bool {
	for _, r := range text {
		if !holds(r) {
			return false
		}
	}
	return true
}

// invisible are characters that only tell how others are to be drawn, such as the joiners and selectors of emoji.
func invisible(r rune) bool {
	return r == '\r' || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r)
}

// drawable tells whether the fonts have a character. The library reads no character above the basic plane.
func drawable(r rune) bool {
	return r >= ' ' && r <= 0xFFFF && r != utf8.RuneError && !unicode.IsControl(r) && hasGlyph(r)
}

var (
	readFonts = sync.OnceValue(func() (fonts []*sfnt.Font) {
		for _, raw := range [][]byte{goregular.TTF, gobold.TTF} {
			f, err := sfnt.Parse(raw)
			if err != nil { // the fonts are part of the program
				panic("documents: a font cannot be read: " + err.Error())
			}
			fonts = append(fonts, f)
		}
		return fonts
	})
	glyphs sync.Map // rune → bool
)

func hasGlyph(r rune) bool {
	if known, ok := glyphs.Load(r); ok {
		return known.(bool) //nolint:forcetypeassert // nothing else is put in
	}
	has := true
	for _, f := range readFonts() {
		i, err := f.GlyphIndex(nil, r)
		has = has && err == nil && i != 0
	}
	glyphs.Store(r, has)
	return has
}

// The sheet writes nothing that the fonts cannot draw: every text passes here.

// CellFormat writes a text in a box of one line.
func (s sheet) CellFormat(w, h float64, text, border string, ln int, align string, fill bool, link int, url string) {
	s.Fpdf.CellFormat(w, h, s.clean(text), border, ln, align, fill, link, url)
}

// MultiCell writes a text in as many lines as it needs.
func (s sheet) MultiCell(w, h float64, text, border, align string, fill bool) {
	s.Fpdf.MultiCell(w, h, s.clean(text), border, align, fill)
}

// SplitText breaks a text into lines of a width.
func (s sheet) SplitText(text string, w float64) []string {
	return s.Fpdf.SplitText(s.clean(text), w)
}

func (s sheet) clean(text string) string {
	out, replaced := printable(text)
	*s.replaced = *s.replaced || replaced
	return out
}

// property is a text of the file's properties.
func property(text string) string {
	out, _ := printable(strings.Join(strings.Fields(text), " "))
	return out
}
