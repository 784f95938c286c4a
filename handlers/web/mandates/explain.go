package mandates

import (
	"debitdesk/models/mandate"
	"debitdesk/views/pages"
)

// explained says in plain words what the client's bank will allow; nil for EFT,
// where the bank knows no terms. Advice for setting a mandate up is left out.
func explained(m mandate.Mandate, currency string) *pages.ExplainedView {
	if m.Terms == nil {
		return nil
	}
	e := m.Explained(currency)
	return &pages.ExplainedView{Allowed: e.Allowed, Disputable: e.Disputable, Adjusts: e.Adjusts}
}
