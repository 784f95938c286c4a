package sandbox

import (
	"cmp"
	"slices"
	"strings"

	"debitdesk/models/bank"
)

// Magic is an account whose number decides what the sandbox bank answers.
type Magic struct {
	Account    bank.AccountNumber // one that ends so
	Ending     string             // the last four digits; empty for a number that counts as a whole
	Collection string             // what becomes of a debit
	Mandate    string             // what becomes of a DebiCheck request; empty: accepted at once
	Check      string             // what the account verification says; empty: all yes
}

// carrier stands before the last four digits. Absa, Capitec, Nedbank and Standard
// Bank take such numbers.
const carrier = "400000"

// mandateWords are about DebiCheck requests; MandateScript plays them.
var mandateWords = map[string]string{
	"8001": "accepted at the last moment, after 119 s", "8002": "rejected by the client",
	"8003": "rejected by the bank: account closed",
	"8120": "no answer in real time; accepted at hour 47 of the delayed request", "8480": "no answer at all",
	"8500": "the bank's system fails, and the second try is accepted",
	"8600": "accepted, and cancelled at the bank the next day",
	"8700": "accepted, and suspended after seven failures",
}

var checkWords = map[string]string{
	"7001": "account not found", "7002": "closed", "7003": "identity number does not match",
	"7004": "debits are not allowed",
	"7005": "name does not match, account is new: warnings", "7006": "the bank is offline: nothing was checked",
}

// Catalogue lists every account that does not simply pay, and one that does, from
// the tables that the bank itself answers by.
func Catalogue() []Magic {
	out := []Magic{{Account: carrier + "0000", Ending: "0000", Collection: outcome{}.words()}}
	for account, o := range mocks {
		out = append(out, Magic{Account: account, Collection: o.words()})
	}
	tails := map[string]bool{}
	for _, table := range []map[string]string{mandateWords, checkWords} {
		for tail := range table {
			tails[tail] = true
		}
	}
	for tail := range endings {
		tails[tail] = true
	}
	for tail := range tails {
		out = append(out, Magic{Account: bank.AccountNumber(carrier + tail), Ending: tail, Collection: endings[tail].words(),
			Mandate: mandateWords[tail], Check: checkWords[tail]})
	}
	slices.SortFunc(out, func(a, b Magic) int {
		return cmp.Or(cmp.Compare(a.Ending, b.Ending), strings.Compare(a.Account.Reveal(), b.Account.Reveal()))
	})
	return out
}

func (o outcome) words() string {
	code := o.code
	if known, ok := bank.FindCode(o.code); ok {
		code += " (" + strings.ToLower(known.Meaning[:1]) + known.Meaning[1:] + ")"
	}
	switch o.does {
	case pays:
		return "paid"
	case returns:
		return "unpaid " + code + ", each time"
	case returnsFirst:
		return "unpaid " + code + " the first time, paid after that"
	case tracksAndPays:
		return "DebiCheck: in tracking, pays on day 3; EFT: unpaid " + code + " the first time, paid after that"
	case tracksInVain:
		return "DebiCheck: in tracking for 10 days, then unpaid " + code + "; EFT: unpaid " + code
	case returnsLate:
		return "paid, and returned unpaid " + code + " on the last day"
	case disputes:
		return "paid, and disputed " + code + " on day 10"
	case disputesLate:
		return "paid, and disputed " + code + " on day 41"
	case disputesTooLate:
		return "paid, and disputed " + code + " on the day after the last, which the client’s bank refuses"
	case answersTwice:
		return "paid; the bank says so twice"
	case keepsSilent:
		return "no answer: an alert after 5 business days"
	case stopsMandate:
		return "EFT: paid; DebiCheck: refused " + code + ", the mandate is cancelled"
	}
	return ""
}

// Ending is the last four digits of an account whose debits always end with a return
// code, or are disputed with it; empty when there is none. The last one in order is
// taken, since lower ones also speak of verifications and mandates.
func Ending(code string, dispute bool) string {
	found := ""
	for tail, o := range endings {
		fits := o.does == returns && !dispute || o.does == disputes && dispute
		if fits && o.code == code && tail > found {
			found = tail
		}
	}
	return found
}
