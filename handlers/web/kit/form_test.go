package kit

import (
	"net/url"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/models/fault"
)

func TestAnIDOfAnAddressHasOneForm(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("0192f0aa-1111-7000-8000-00000000000a")
	for text, found := range map[string]bool{id.String(): true, "0192F0AA-1111-7000-8000-00000000000A": true, "": false,
		"x": false, "urn:uuid:" + id.String(): false, "{" + id.String() + "}": false,
		"0192f0aa11117000800000000000000a": false, id.String() + " ": false} {
		c := echo.New().NewContext(nil, nil)
		c.SetParamNames("id")
		c.SetParamValues(text)
		got, err := ID(c, "id")
		if found && (err != nil || got != id) || !found && !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
}

func TestWhatIsNoTextIsReplacedInEveryForm(t *testing.T) {
	t.Parallel()
	got := Written(url.Values{"note": {"a\xffb", "\x00", "Zoë"}})["note"]
	if want := []string{"a\uFFFDb", "\uFFFD", "Zoë"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
