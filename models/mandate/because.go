package mandate

// Reasons why a client may dispute a debit under a DebiCheck mandate, named as the
// API names them (source: rules 3 and 4, do_delayed_on_auth_failure).
const (
	BecauseFallback      = "fallback"
	BecauseAmountDiffers = "amount_differs"
	BecauseDateDiffers   = "date_differs"
	// BecauseSecondInPeriod: a mandate with a rhythm has one debit in each period (API contract 12.32).
	BecauseSecondInPeriod = "second_in_period"
)

// Reasons are all of them.
var Reasons = []string{BecauseFallback, BecauseAmountDiffers, BecauseDateDiffers, BecauseSecondInPeriod}
