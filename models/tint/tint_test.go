package tint_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"debitdesk/models/tint"
)

// The ratios are those that the WCAG's own techniques and the usual checkers publish, to two digits.
func TestContrastIsThatOfTheStandard(t *testing.T) {
	for _, one := range []struct {
		a, b string
		want float64
	}{
		{"#000000", "#ffffff", 21},
		{"#ffffff", "#ffffff", 1},
		{"#777777", "#ffffff", 4.48}, // the well-known grey that just fails
		{"#767676", "#ffffff", 4.54}, // and the one that just passes
		{"#949494", "#ffffff", 3.03},
		{"#ff0000", "#ffffff", 4.00},
		{"#0000ff", "#ffffff", 8.59},
		{"#00ff00", "#ffffff", 1.37},
		{"#ffff00", "#ffffff", 1.07},
	} {
		a, b := parsed(t, one.a), parsed(t, one.b)
		if got := tint.Contrast(a, b); math.Abs(got-one.want) > 0.005 || got != tint.Contrast(b, a) {
			t.Errorf("%s on %s: %.4f, want %.2f", one.a, one.b, got, one.want)
		}
	}
}

func parsed(t *testing.T, text string) tint.Colour {
	t.Helper()
	c, err := tint.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAColourIsReadAsPeopleWriteIt(t *testing.T) {
	for text, want := range map[string]string{"#2350c8": "#2350c8", " 2350C8 ": "#2350c8", "#25c": "#2255cc",
		"FFF": "#ffffff"} {
		if got := parsed(t, text).String(); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "#", "red", "#12345", "#1234567", "#12345g", "##123456", "#fff;}", "rgb(1,2,3)"} {
		if c, err := tint.Parse(text); err == nil {
			t.Errorf("%q is %s", text, c)
		}
	}
}

func anyColour() *rapid.Generator[tint.Colour] {
	return rapid.Custom(func(t *rapid.T) tint.Colour {
		return tint.Colour{R: rapid.Uint8().Draw(t, "red"), G: rapid.Uint8().Draw(t, "green"),
			B: rapid.Uint8().Draw(t, "blue")}
	})
}

func TestWhateverTheColourEveryToneCanBeRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyColour().Draw(t, "colour")
		l := tint.LookOf(c)
		for name, pair := range map[string][2]tint.Colour{"text on a button": {l.On, l.Fill},
			"a link on a light page": {l.Light, tint.LightGround}, "a link on white": {l.Light, tint.White},
			"a link on a dark page": {l.Dark, tint.DarkGround}} {
			if got := tint.Contrast(pair[0], pair[1]); got < tint.Least {
				t.Fatalf("%s of %s has %.3f : 1 (%v)", name, c, got, pair)
			}
		}
		if l.Fill != c || tint.Contrast(c, l.On) < max(tint.Contrast(c, tint.White), tint.Contrast(c, tint.Black)) {
			t.Fatalf("%s: %+v", c, l)
		}
		if back, err := tint.Parse(c.String()); err != nil || back != c {
			t.Fatalf("%s is read as %s, %v", c, back, err)
		}
		// A colour that can be read stays what it is; another is changed no more than it must be.
		if tint.Contrast(c, tint.LightGround) >= tint.Least && l.Light != c ||
			tint.Contrast(c, tint.DarkGround) >= tint.Least && l.Dark != c {
			t.Fatalf("%s was changed without need: %+v", c, l)
		}
		if l.Light != c && tint.Contrast(l.Light, tint.LightGround) > 5.2 ||
			l.Dark != c && tint.Contrast(l.Dark, tint.DarkGround) > 5.2 {
			t.Fatalf("%s was changed more than needed: %+v", c, l)
		}
	})
}

// Text on buttons is the tightest: here is every colour.
func TestTextOnAButtonCanBeReadOnEveryColour(t *testing.T) {
	var least tint.Colour
	worst := 21.0
	for n := range 1 << 24 {
		c := tint.Colour{R: uint8(n >> 16), G: uint8(n >> 8), B: uint8(n)} //nolint:gosec // a part each
		high := c.Luminance() + 0.05
		if got := max(1.05/high, high/(tint.Black.Luminance()+0.05)); got < worst {
			least, worst = c, got
		}
	}
	if l := tint.LookOf(least); worst < tint.Least || tint.Contrast(l.On, l.Fill) < tint.Least {
		t.Errorf("on %s: %.4f", least, worst)
	}
}
