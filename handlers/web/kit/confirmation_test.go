package kit

import (
	"net/url"
	"testing"
)

func TestWhatIsTypedMustBeTheWord(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		word, typed string
		fits        bool
	}{
		{"ERASE", "ERASE", true}, {"ERASE", " erase ", true}, {"ERASE", "erase it", false}, {"ERASE", "", false},
		{"ERASE", "1", false},
		{"1234", "1234", true}, {"1234", "12 34", true}, {"1234", "•••• 1234", true}, {"1234", "1235", false},
		{"1234", "", false},
		{"0012", "12", false}, {"", "", true},
	} {
		if got := (TypedWord{Word: row.word}).Wrong(url.Values{"confirm": {row.typed}}) == ""; got != row.fits {
			t.Errorf("%q for %q: %v", row.typed, row.word, got)
		}
	}
}
