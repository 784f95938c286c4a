package bank_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"debitdesk/models/bank"
)

func TestNumbersMaskThemselvesWhereverTheyArePrinted(t *testing.T) {
	type holder struct {
		Account bank.AccountNumber
		ID      bank.IDNumber
	}
	account, id := "62001234567", "8501015000085"
	h := holder{bank.AccountNumber(account), bank.IDNumber(id)}

	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "account", h.Account, "id", h.ID, "both", h)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "account", h.Account, "id", h.ID, "both", h)
	asJSON, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	asXML, err := xml.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	printed := []string{log.String(), string(asJSON), string(asXML), fmt.Errorf("on %v", h.Account).Error()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		printed = append(printed, fmt.Sprintf(verb, h), fmt.Sprintf(verb, &h), fmt.Sprintf(verb, h.Account),
			fmt.Sprintf(verb, h.ID))
	}
	for _, text := range printed {
		if strings.Contains(text, account) || strings.Contains(text, id) ||
			strings.Contains(text, fmt.Sprintf("%x", account)) {
			t.Errorf("a number was printed: %s", text)
		}
	}
	if h.Account.Reveal() != account || h.ID.Reveal() != id {
		t.Error("Reveal gives the number")
	}
}

func TestMasksShowJustEnough(t *testing.T) {
	for number, want := range map[bank.AccountNumber]string{"62001232392": "•••• 2392", "1234": "••••", "": "",
		"6200 12 323 92": "•••• 2392", "6200-123-2-3-9-2": "•••• 2392", "12 34": "••••"} {
		if got := number.String(); got != want {
			t.Errorf("account: %q, want %q", got, want)
		}
	}
	if got := bank.AccountNumber("62001232392").Tail(); got != "2392" {
		t.Errorf("tail: %q", got)
	}
	for number, want := range map[bank.IDNumber]string{"8501015000085": "850101•••••85", "A01234567": "A•••••••7",
		"AB1": "•••", "": "", "850101 5000 085": "850101•••••85", "A 0123 4567": "A•••••••7"} {
		if got := number.String(); got != want {
			t.Errorf("identity: %q, want %q", got, want)
		}
	}
	for _, masked := range []string{"850101•••••85", "A•••••••7", "•••"} {
		if got := bank.IDNumber(masked).String(); got != masked {
			t.Errorf("masked again: %q became %q", masked, got)
		}
	}
	if got := bank.AccountNumber("•••• 2392").String(); got != "•••• 2392" {
		t.Errorf("masked again: %q", got)
	}
	if !bank.IsMasked("•••• 2392") || bank.IsMasked("62001232392") {
		t.Error("masked text is recognised")
	}
}

func TestNumbersInForeignWordsAreMasked(t *testing.T) {
	for text, want := range map[string]string{
		"CDV failed for branch 632005":           "CDV failed for branch 632005",
		"account 62001872440 on 2026-11-25":      "account •••• 2440 on 2026-11-25",
		"62 0018 72440, then 8501015800085.":     "•••• 2440, then •••• 0085.",
		"CR000000000123000001":                   "CR•••• 0001",
		"2026-11-2512345 is no day":              "2026-11-2512345 is no day",
		"R 150.00, code 02, 123456 and 1234-567": "R 150.00, code 02, 123456 and •••• 4567",
	} {
		if got := bank.MaskNumbers(text); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}
