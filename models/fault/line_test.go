package fault

import "testing"

func TestOneLine(t *testing.T) {
	for text, want := range map[string]bool{"": true, "Thandi Nkosi": true, "Müller & Söhne – 'n": true, "a\nb": false,
		"a\r": false, "a\tb": false,
		"a\x00": false, "a\x1bb": false, "a\u0085b": false, "a\u2028b": false, "a\u2029": false, "a\u00a0b": true,
		"\u202eR 100": false, "R 5\u202d": false, "\u0645\u062d\u0645\u062f": true, "\u200f\u05d3\u05d5\u05d3": true,
		"\u202a082 123 4567\u202c": true} {
		if got := IsOneLine(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
