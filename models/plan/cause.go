package plan

import (
	"slices"

	"debitdesk/models/bank"
)

// Cause is why a debit failed, as far as it matters for what may follow (follow-up.md, section 4).
type Cause string

// The causes. Their names are data in the database.
const (
	NoFunds   Cause = "no_funds"  // 02, 22
	Account   Cause = "account"   // 03, 05, 12, 26: unusable
	Moved     Cause = "moved"     // 16: to another bank
	StoppedBy Cause = "stopped"   // 04: by the client at the bank
	Frozen    Cause = "frozen"    // 06, 56
	Insolvent Cause = "insolvent" // 08, 10
	Deceased  Cause = "deceased"  // 18
	Disputed  Cause = "disputed"  // 30 to 36
	NotRun    Cause = "not_run"   // the bank did not run it
	Blocked   Cause = "blocked"   // before it reached the bank
	Unclear   Cause = "unclear"   // a code that is in no table counts as a hard one
)

// causes are the codes whose class does not say enough.
var causes = map[string]Cause{"04": StoppedBy, "16": Moved, "18": Deceased, "06": Frozen, "56": Frozen,
	"08": Insolvent, "10": Insolvent, "03": Account, "05": Account, "12": Account, "26": Account}

// CauseOf is the cause of a bank's code.
func CauseOf(code string) Cause {
	c := bank.CodeOf(code)
	switch c.Class {
	case bank.Soft:
		return NoFunds
	case bank.Dispute:
		return Disputed
	case bank.NotRun:
		return NotRun
	case bank.Blocked:
		return Blocked
	case bank.Hard, bank.Success, bank.Info, bank.Unknown:
	}
	if cause, known := causes[c.Code]; known {
		return cause
	}
	return Unclear
}

// Branch is a class of reasons, for which a plan has one list of steps.
type Branch string

// The branches. Their names are data in the database.
const (
	Money       Branch = "money"   // no money
	AccountGone Branch = "account" // the account cannot be debited
	Objection   Branch = "stopped" // stopped or disputed by the client
	BanksFault  Branch = "bank"
	Other       Branch = "other" // frozen, insolvent, blocked, unknown
)

// Branches are all of them, as a form shows them.
var Branches = []Branch{Money, AccountGone, Objection, BanksFault, Other}

var branchOf = map[Cause]Branch{NoFunds: Money, Account: AccountGone, Moved: AccountGone, StoppedBy: Objection,
	Disputed: Objection, NotRun: BanksFault, Frozen: Other, Insolvent: Other, Deceased: Other, Blocked: Other,
	Unclear: Other}

// Branch is whose steps follow the cause.
func (c Cause) Branch() Branch { return branchOf[c] }

// allowed are the causes after which a step may act; a kind that is not named may always. Automatic debits and messages
// never follow a stop or a dispute, whatever a plan says (follow-up.md, section 4; rulebook: eft.stop_payment,
// dispute.redebit).
var allowed = map[Kind][]Cause{
	Message:    {NoFunds, Account, Moved, Frozen},
	DebitAgain: {NoFunds, NotRun},
	AskAccount: {NoFunds, Account, Moved, Blocked},
	Pause:      {NoFunds, Account, Moved, StoppedBy, Disputed, Frozen, Insolvent, Blocked, Unclear},
}

// Allowed tells whether a step may act after a cause.
func Allowed(k Kind, c Cause) bool {
	if c == Deceased && k != Task && k != Stop {
		return false
	}
	causes, bound := allowed[k]
	return !bound || slices.Contains(causes, c)
}

// Offered tells whether a step may act after any cause of a class.
func Offered(k Kind, b Branch) bool {
	for cause, of := range branchOf {
		if of == b && cause != Deceased && Allowed(k, cause) {
			return true
		}
	}
	return false
}

// against is why a step may not act after a cause, with the key of the rule.
func against(k Kind, c Cause) (why, rule string) {
	switch {
	case c == Deceased:
		return "The client has died: nothing automatic follows.", ""
	case c == StoppedBy:
		return "The client stopped the debit at their bank: nothing is debited or sent automatically.", "eft.stop_payment"
	case c == Disputed:
		return "The client disputed the debit: nothing is debited or sent automatically.", "dispute.redebit"
	case c == Insolvent:
		return "The client is insolvent: only a person may decide what to do.", ""
	case c == NotRun && k == Message, c == NotRun && k == AskAccount, c == NotRun && k == Pause:
		return "The bank did not run the debit: there is nothing wrong on the client’s side.", ""
	case k == DebitAgain:
		return "This account cannot be debited again: " + string(bank.CodeOf(codeOf(c)).Remedy), ""
	}
	return "After this reason a person takes over.", ""
}

// codeOf is a code of a cause, for what the table of codes says about it.
func codeOf(c Cause) string {
	return map[Cause]string{Account: "03", Moved: "16", Frozen: "06", Blocked: bank.CodeBlocked}[c]
}
