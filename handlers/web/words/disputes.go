package words

import (
	"fmt"

	"debitdesk/models/plural"
	"debitdesk/models/rulebook"
)

// DisputeWords say on which terms clients can dispute a debit of a day.
func DisputeWords(d rulebook.Disputes) string {
	text := fmt.Sprintf("Clients can dispute a debit for %s; the money then goes back to them at once.",
		plural.Of(d.AutoDays, "day"))
	if !d.Defence || d.ProofDays == 0 {
		return text + " After that it can no longer be disputed."
	}
	return fmt.Sprintf("%s After that the bank asks for proof of the mandate within %s.", text,
		plural.Of(d.ProofDays, "day"))
}
