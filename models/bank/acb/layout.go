// Package acb spells debits as the tape of the clearing house with records of 180 characters, and reads the returns
// that banks give in that form. What it writes is a draft for people: no bank has taken one. It must not know files,
// SQL or what follows from a return.
package acb

import "debitdesk/models/bank/tape"

// Is tells that a document begins as such a tape does.
func Is(head []byte) bool { return tape.Is(head) }
