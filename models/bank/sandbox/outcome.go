package sandbox

import "debitdesk/models/bank"

type behaviour int

const (
	pays            behaviour = iota
	returns                   // unpaid with the code, each time
	returnsFirst              // unpaid the first time, paid after that
	tracksAndPays             // DebiCheck: money arrives while the bank waits; EFT as returnsFirst
	tracksInVain              // DebiCheck: no money arrives while the bank waits; EFT as returns
	returnsLate               // EFT: paid, then returned on the last day of the return window
	disputes                  // paid, then disputed inside the window
	disputesLate              // paid, then disputed on day 41: long after it is final
	disputesTooLate           // paid, then disputed on the day after the last, which the payer's bank refuses
	answersTwice
	keepsSilent
	stopsMandate // DebiCheck: refused, since the payer cancelled the mandate; EFT: paid
)

type outcome struct {
	does behaviour
	code string
}

// mocks win over the last four digits.
var mocks = map[bank.AccountNumber]outcome{
	bank.MockAccepted: {pays, ""},
	bank.MockUnpaid:   {returns, bank.CodeNoFunds},
	bank.MockDispute:  {disputes, "30"},
}

// endings maps the last four digits of an account to what happens to a collection. All others pay, most 8xxx among
// them: they are about mandates.
var endings = map[string]outcome{
	"7001": {returns, "26"},
	"7002": {returns, "12"},
	"7004": {returns, "03"},
	"8600": {stopsMandate, "04"},
	"8700": {returns, bank.CodeNoFunds},
	"9002": {returns, bank.CodeNoFunds},
	"9302": {tracksInVain, bank.CodeNoFunds},
	"9102": {returnsFirst, bank.CodeNoFunds},
	"9202": {tracksAndPays, bank.CodeNoFunds},
	"9003": {returns, "03"},
	"9004": {returns, "04"},
	"9005": {returns, "05"},
	"9006": {returns, "06"},
	"9008": {returns, "08"},
	"9010": {returns, "10"},
	"9012": {returns, "12"},
	"9016": {returns, "16"},
	"9018": {returns, "18"},
	"9022": {returns, "22"},
	"9026": {returns, "26"},
	"9056": {returns, "56"},
	"9030": {disputes, "30"},
	"9032": {disputes, "32"},
	"9034": {disputes, "34"},
	"9036": {disputes, "36"},
	"9430": {disputesLate, "30"},
	"9630": {disputesTooLate, "30"},
	"9500": {returnsLate, bank.CodeNoFunds},
	"9900": {answersTwice, ""},
	"9901": {keepsSilent, ""},
}

func outcomeOf(account bank.AccountNumber) outcome {
	if o, mock := mocks[account]; mock {
		return o
	}
	return endings[account.Tail()]
}

// verify answers an account verification by the same accounts.
func verify(account bank.AccountNumber) bank.Verified {
	v := bank.AllYes()
	if _, mock := mocks[account]; mock {
		return v
	}
	switch account.Tail() {
	case "7001":
		return bank.Verified{Exists: bank.No}
	case "7002":
		v.Open, v.AcceptsDebits, v.AcceptsCredits = bank.No, bank.NotChecked, bank.NotChecked
	case "7003":
		v.IDMatches = bank.No
	case "7004":
		v.AcceptsDebits = bank.No
	case "7005":
		v.NameMatches, v.OlderThanThreeMonths = bank.No, bank.No
	case "7006":
		return bank.Verified{}
	}
	return v
}
