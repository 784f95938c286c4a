package web

import (
	"debitdesk/models/mandate"
	"debitdesk/views/pages"
)

// explained says in plain words what the payer's bank will allow; nil for EFT,
// where the bank knows no terms.
func explained(m mandate.Mandate, currency string) *pages.ExplainedView {
	if m.Terms == nil {
		return nil
	}
	e := m.Terms.Explain(m, currency)
	return &pages.ExplainedView{Allowed: e.Allowed, Disputable: e.Disputable, Adjusts: e.Adjusts, Warnings: e.Warnings}
}
