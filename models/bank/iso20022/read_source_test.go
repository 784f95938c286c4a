package iso20022

import (
	"strings"
	"testing"
)

func TestADocumentThatIsTooLargeIsRefused(t *testing.T) {
	s, err := openSource(strings.NewReader("<a>" + strings.Repeat("b", 1000) + "</a>"))
	if err != nil {
		t.Fatal(err)
	}
	s.read = maxDocument - 500
	if _, err = newScanner(s).next(); err == nil || err.Error() != "It is larger than 256 MB." {
		t.Errorf("got %v", err)
	}
}
