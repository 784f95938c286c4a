// Package simbank is a simulated bank outside the product. It takes ISO 20022 messages
// from the outbox of an exchange folder, keeps its own memory and its own ledger, and lays
// its answers into the inbox. It shares no code with the product's writers and readers of
// such messages, so that a mistake of theirs is not made twice: it imports the calendar
// and nothing else of ours.
//
//	outbox/  the product writes here; the bank takes every file whose name is final
//	sent/    where the bank moves what it has taken
//	inbox/   where the bank lays its answers
//
// It reads pain.008 (debits), pain.001 (refunds), camt.055 and pain.007 (recalls), pain.009
// and pain.011 (DebiCheck mandates), and answers with
//
//	pain.002          at once: accepted, partly accepted, or refused as a whole
//	pain.002          later: DebiCheck debits and refunds; EFT debits when Settings.Reports is set
//	camt.054          at 06:00 of the business day: what was returned or disputed
//	camt.053          at 06:00 of the business day after: entries and balances of a day and account
//	pain.012          the payer's answer to a mandate request
//	camt.029          the answer to a recall by camt.055; by pain.007 it is a pain.002
//
// What happens to a debit is decided by the last four digits of the payer's account, as in
// the sandbox (accounts.go has the table). Misbehaviour is asked for (misbehave.go).
//
// A message is written to the memory before it is answered, and an answer before it is laid
// out, so a bank that is killed at any moment goes on where it was: the same message is
// never run twice, and an answer that may have been laid out already is laid out again
// under the same name with the same bytes.
package simbank
