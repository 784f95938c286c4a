package exchange

import (
	"cmp"
	"slices"
	"strings"

	"debitdesk/models/bank"
)

// misbooked says in what a movement is not what we asked for, or what of it is the bank's fee; empty: it is.
func (h Habits) misbooked(e Event, i Item, g Group) (fee int64, wrong string) {
	fee, right := feeIn(e, i)
	switch {
	case !sameCurrency(e, i):
		return 0, "the currency is another one"
	case !right:
		return 0, "the amount is another one"
	case !sameAccount(e.Account, g.Creditor.Account):
		return 0, "it is on an account other than the one that its file names"
	case !fits(e.BankCode, i.Kind):
		return 0, "the bank calls it another kind of movement (" + e.BankCode + ")"
	case i.Kind == Debits && h.odd(e):
		return 0, "its code " + e.BankOwnCode + " is none of those that the profile names for debits"
	default:
		return fee, ""
	}
}

// mayBeFee tells that a difference is on the side of a fee: it makes less come in, and more go out.
func mayBeFee(cents int64, credit bool) bool { return cents == 0 || (cents > 0) != credit }

// feeIn is what of an amount is the bank's fee; right is false when it is not what we asked for, with or without a fee.
// Where the bank says what was instructed, that has to be it.
func feeIn(e Event, i Item) (fee int64, right bool) {
	fee = e.AmountCents - i.AmountCents
	if !mayBeFee(fee, e.Credit) {
		return 0, false
	}
	charged := max(fee, -fee) == e.ChargesCents
	switch {
	case fee == 0:
		return 0, e.InstructedCents == 0 || e.InstructedCents == i.AmountCents || charged
	case e.InstructedCents == i.AmountCents:
		return fee, e.ChargesCents == 0 || charged
	default:
		return fee, charged && e.InstructedCents == 0
	}
}

func sameCurrency(e Event, i Item) bool {
	return e.Currency == "" || e.Currency == cmp.Or(i.Currency, "ZAR")
}

func sameAccount(told bank.AccountNumber, ours string) bool {
	return told != "" && told.Key() == bank.AccountNumber(ours).Key()
}

// families are the kinds of movements, in ISO 20022, as which a bank books what we ask for.
var families = map[Kind][]string{Debits: {"IDDT", "RDDT"}, Refunds: {"ICDT", "RCDT", "IRCT", "RRCT"}}

// general are families that say nothing.
var general = []string{"", "NTAV", "OTHR", "MCOP", "MDOP"}

// fits tells whether a bank's code of a movement allows that it is of an item. A code of the bank's own says nothing.
func fits(code string, k Kind) bool {
	parts := strings.Split(code, "/")
	if len(parts) < 2 || slices.Contains(general, parts[1]) {
		return true
	}
	return slices.Contains(families[k], parts[1])
}

// feeFamilies are the kinds of movements, in ISO 20022, by which a bank books what it charges.
var feeFamilies = []string{"CHRG", "FEES", "COMM", "COME", "COMI", "COMT"}

// stateOf tells what a movement is that belongs to no item: a fee, none of ours as the profile says, or a question.
func (r Rules) stateOf(e Event) EntryState {
	of := func(codes []string) bool {
		return e.BankCode != "" && slices.Contains(codes, e.BankCode) ||
			e.BankOwnCode != "" && slices.Contains(codes, e.BankOwnCode)
	}
	switch {
	case of(r.FeeCodes), isCharge(e):
		return EntryFee
	case of(r.OtherCodes):
		return EntryOther
	default:
		return EntryUnmatched
	}
}
