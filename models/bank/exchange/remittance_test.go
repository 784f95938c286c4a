package exchange_test

import (
	"testing"

	"debitdesk/models/bank/exchange"
)

func TestTheTextOfAPaymentKeepsInvoiceNumbersAndMasksAccounts(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "",
		"Membership January":                  "Membership January",
		"inv 2026/000123 thanks":              "INV-2026-000123 thanks",
		"INV2026000123":                       "INV-2026-000123",
		"from 4047527520 for INV-2026-000123": "from •••• 7520 for INV-2026-000123",
	} {
		if got := exchange.Remittance(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
