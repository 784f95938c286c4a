// Package rulebooktest has books of rules for tests.
package rulebooktest

import "debitdesk/models/rulebook"

// WithProof is the book of a bank by which all debits can be disputed as they could before 13 April 2026: for 40 days
// without a question, and then for a year against a proof of the mandate that has to come within 30 days.
func WithProof() *rulebook.Book {
	var rows []rulebook.Instead
	for key, value := range map[string]any{"dispute.auto_days": 40.0, "dispute.defence": true,
		"dispute.proof_days": 30.0, "dispute.late_max": 12.0} {
		rows = append(rows, rulebook.Instead{Key: key, Value: value, From: "2000-01-01", Proof: "a letter"})
	}
	b, err := rulebook.Default().ForBank("test", "", rows)
	if err != nil {
		panic(err)
	}
	return b
}
