package web

import (
	"debitdesk/models/mandate"
	"debitdesk/views/pages"
)

// explained says in plain words what the payer's bank will allow.
func explained(m mandate.Mandate, currency string) *pages.ExplainedView {
	return nil
}
