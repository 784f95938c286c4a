package iso20022_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"debitdesk/models/bank/exchange"
)

var update = flag.Bool("update", false, "write the example messages anew")

// The examples show people what a message looks like, and every change of one in a review.
func TestMessagesAreAsTheExamples(t *testing.T) {
	t.Parallel()
	for form, k := range map[string]exchange.Kind{"pain.008.001.08": exchange.Debits,
		"pain.009.001.05": exchange.Mandates} {
		path := filepath.Join("testdata", form+".xml")
		text := write(t, dialect(), sample(k, form))
		if *update {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if text != string(want) {
			t.Errorf("%s is not as %s (go test -update writes it anew):\n%s", form, path, text)
		}
	}
}
