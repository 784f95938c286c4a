package audit_test

import (
	"testing"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
)

func TestWhatAnExportWasSearchedForIsKeptWithoutNamesAndNumbers(t *testing.T) {
	t.Parallel()
	for searched, want := range map[string]string{
		"Thandi Nkosi":         "T••• N•••",
		"thandi@example.com":   "t•••",
		"Éloïse 62 0000 12345": "É••• •••• 2345",
		"R 449":                "R 449",
		"DD-10042":             "D•••",
		"":                     "",
	} {
		e := audit.Export{List: "clients", Filters: map[string]string{"q": searched, "status": "paid", "client_q": searched}}.
			Entry(actor.Actor{})
		kept := e.After["filters"].(map[string]string)
		if kept["q"] != want || kept["client_q"] != want || kept["status"] != "paid" {
			t.Errorf("%q is kept as %v", searched, kept)
		}
	}
}
