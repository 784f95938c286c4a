package endpoint_test

import (
	"testing"

	"debitdesk/models/endpoint"
)

func TestWhatAnElectronicAddressIs(t *testing.T) {
	for text, want := range map[string]string{
		"":                     "",
		" 0088:6001234567899 ": "0088:6001234567899",
		"0060:123456789":       "0060:123456789",
		"0088 : 6001234567899": "0088:6001234567899",
		"9959:ABC":             "9959:ABC",
	} {
		if a, err := endpoint.Parse(text); err != nil || a.String() != want {
			t.Errorf("%q is %q, %v", text, a, err)
		}
	}
	for _, text := range []string{"0088", "0088:", ":6001234567899", "0088:6001234567890", "0088:600123456789",
		"0088:60012345678 9", "EM:office@example.co.za", "1234:5", "0060:" + string(make([]byte, 80)), "0088:600123456789x"} {
		if a, err := endpoint.Parse(text); err == nil {
			t.Errorf("%q was taken as %q", text, a)
		}
	}
	if got := endpoint.OfMail("a@b.co").String(); got != "EM:a@b.co" || endpoint.OfMail("").String() != "" {
		t.Error(got)
	}
}
