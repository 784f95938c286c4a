package bank

import "debitdesk/models/calendar"

// Class groups return codes by what must follow.
type Class string

// The classes of a bank's answer.
const (
	Success Class = "success" // collected
	Soft    Class = "soft"    // may run again on the next mandated date
	Hard    Class = "hard"    // will not work again without the payer doing something
	Dispute Class = "dispute" // the payer took the money back or denies the mandate
	Info    Class = "info"    // tells something, forbids nothing
	Unknown Class = "unknown" // in no table: treated as hard, and never dropped
	Blocked Class = "blocked" // stopped before it reached the payer's bank
	NotRun  Class = "not_run" // the bank did not run it: the account was never asked, and has not failed
)

// Codes that rules name.
const (
	CodeSuccess  = "00"
	CodeNoFunds  = "02"
	CodeRecalled = "28"
	CodeBlocked  = "60"
	CodeNotRun   = "NR" // ours: no bank writes it

	codeNoReason = "NARR" // ISO's for words instead of a code
)

// Attempt error codes, as the API names them in transaction_data.attempts.
const (
	ErrorInsufficientFunds = "insufficient_funds"
	ErrorRejected          = "payment_rejected_other_reason"
	ErrorFrequency         = "exceeds_frequency_limit"
	ErrorAcquirer          = "acquirer_internal_error"
)

// ReturnCode is one row of the banks' reason codes, with what it means for the merchant.
type ReturnCode struct {
	Code         string
	Meaning      string // plain words: "Not enough money"
	Class        Class
	Remedy       string // what helps now, one sentence
	ChargeAgain  string // the answer to "may I charge again?", one sentence
	ISO          string // the ISO 20022 twin, or nothing where there is none
	AttemptError string // the API's attempt error code, or nothing when it is no failure
}

// Label is the meaning with the code behind it: "Not enough money (02)".
func (c ReturnCode) Label() string {
	if c.Code == "" {
		return c.Meaning
	}
	return c.Meaning + " (" + c.Code + ")"
}

// Failed tells whether the code means that the merchant does not have the money.
func (c ReturnCode) Failed() bool { return c.AttemptError != "" }

const (
	againNextDate   = "Yes, on the next date the mandate names; not before. Two such failures in a row block the token."
	againNewDetails = "No. Store the client’s new bank details as a new token first."
	againNewMandate = "No. The client must give a new mandate first."
	againStop       = "No. Stop collecting from this account."
)

// ReturnCodes lists every known code in numeric order, our own last. (industry: reason codes of the clearing
// house; 08 is the sequestration of a person and 10 the liquidation of a company.)
func ReturnCodes() []ReturnCode { return append([]ReturnCode(nil), returnCodes...) }

// returnCodes are today's table of the clearing house with what helps after each code.
var returnCodes = withAdvice()

// advice is what follows from a code, whatever a table calls it.
type advice struct{ code, remedy, again, iso, attempt string }

func withAdvice() (codes []ReturnCode) {
	for _, a := range advised {
		r := ReadCode(Clearing, a.code, calendar.Date{})
		codes = append(codes, ReturnCode{a.code, r.Meaning, r.Class, a.remedy, a.again, a.iso, a.attempt})
	}
	return codes
}

var advised = []advice{
	{CodeSuccess, "Nothing to do.", "Yes, when the next amount is due.", "", ""},
	{CodeNoFunds, "Wait for the next date of the mandate, or agree on a day after payday.",
		againNextDate, "AM04", ErrorInsufficientFunds},
	{"03", "Ask the client for an account that allows debit orders.",
		againNewDetails, "AG01", ErrorRejected},
	{"04", "Speak to the client; collecting again needs a new mandate.",
		againNewMandate, "SP01", ErrorRejected},
	{"05", "Ask the client for an account in use.", againNewDetails, "AC06", ErrorRejected},
	{"06", "Speak to the client; the bank lets nothing leave this account.", againStop, "AC06",
		ErrorRejected},
	{"08", "Claim from the trustee of the estate.", againStop, "AC16",
		ErrorRejected},
	{"10", "Claim from the liquidator of the company.", againStop, "AC17",
		ErrorRejected},
	{"12", "Ask the client for the new account.", againNewDetails, "AC04", ErrorRejected},
	{"14", "Store the account’s new details.",
		"Yes, when the next amount is due; store the new details before.", "", ""},
	{"16", "Ask the client for the account at the new bank.", againNewDetails,
		"AC15", ErrorRejected},
	{"18", "Send no automatic messages; contact the family or the executor with care.",
		againStop, "MD07", ErrorRejected},
	{"22", "Wait for the next date of the mandate.", againNextDate, "",
		ErrorInsufficientFunds},
	{"26", "Check the account number and branch with the client.", againNewDetails, "AC01",
		ErrorRejected},
	{CodeRecalled, "Nothing to do: it was withdrawn before the money moved.",
		"Yes, when the amount is due.", "FOCR", ""},
	{"30", "Send the mandate as proof where the bank asks for it; collecting again needs a new mandate.", againNewMandate,
		"MD01", ErrorRejected},
	{"32", "Compare amount and date with the mandate; collecting again needs a new mandate.", againNewMandate, "",
		ErrorRejected},
	{"34", "Speak to the client; collecting again needs a new mandate.",
		againNewMandate, "CN01", ErrorRejected},
	{"36", "Speak to the client; collecting again needs a new mandate.",
		againNewMandate, "SP02", ErrorRejected},
	{"56", "The client must visit their bank with identity documents.",
		"No. Only once the client’s bank has the documents.", "NOCM", ErrorRejected},
	{CodeBlocked, "Collecting again needs a new mandate.",
		againNewMandate, "", ErrorFrequency},
	{CodeNotRun, "Nothing is wrong with the account: debit it again.",
		"Yes, at once. It does not count as a failed debit of this account.", "", ErrorAcquirer},
}

// FindCode gives the row of a return code.
func FindCode(code string) (ReturnCode, bool) {
	for _, c := range returnCodes {
		if c.Code == code {
			return c, true
		}
	}
	return ReturnCode{}, false
}

// CodeOf is FindCode for codes that came from a bank: an unknown one blocks as a hard one does, since collecting
// again after an answer nobody understands is worse than asking the payer.
func CodeOf(code string) ReturnCode {
	if c, found := FindCode(code); found {
		return c
	}
	meaning, remedy := notInList, "Ask the bank what the code means."
	switch code {
	case CodeUnable:
		return unableToDebit
	case "", codeNoReason, "MS02", "MS03":
		meaning, remedy = "The bank gave no reason", "Ask the bank why it was not paid."
	}
	return ReturnCode{code, meaning, Unknown, remedy, againStop, "", ErrorRejected}
}
