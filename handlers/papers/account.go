package papers

import (
	"strconv"
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/clientaccount"
	"debitdesk/models/locale"
	"debitdesk/models/money"
	"debitdesk/models/report"
	"debitdesk/views/documents"
)

// DrawAccount gives a statement of account as PDF, in the language that it names.
func DrawAccount(st clientaccount.Statement) ([]byte, error) {
	return documents.RenderAccount(locale.Whole(st.Reads, func(say locale.Words) documents.Account {
		return account(say, st)
	}))
}

func account(say locale.Words, st clientaccount.Statement) documents.Account {
	from := issuer(say, billing.IssuerOf(st.Brand))
	title, asOf := say.Say("paper.account.title"), AsOf(say, st)
	a := documents.Account{
		Bill: documents.Bill{Title: title, Number: asOf, IssuerName: from[0], Issuer: from[1:],
			Recipient: recipient(say, billing.RecipientOf(st.Client.Details)), Logo: st.Letterhead, Made: st.At,
			Subject: say.Say("paper.about", "title", title, "number", asOf, "business", st.Brand.Name),
			Frame:   FrameOf(say), Labels: documents.Labels{From: say.Say("pay.from"), To: say.Say("pay.to")},
			Facts: []documents.Fact{{Label: say.Say("paper.account.as_of"), Value: asOf},
				{Label: say.Say("paper.account.period"), Value: say.Say("paper.account.since", "date", say.Day(st.Since))}}},
		Heads: [7]string{say.Say("paper.account.date"), say.Say("paper.reference"), say.Say("paper.account.billed"),
			say.Say("paper.account.credited"), say.Say("paper.account.paid"), say.Say("paper.account.refunded"),
			say.Say("paper.account.owed")},
		Totals: documents.AccountRow{Reference: say.Say("paper.total"), Amounts: amounts(st.Account.Sums)},
	}
	if st.Brand.IsTest {
		a.Test = say.Say("paper.test")
	}
	if st.HasEarlier {
		a.Rows = append(a.Rows, documents.AccountRow{Reference: say.Say("paper.account.earlier"),
			Amounts: amounts(st.Earlier)})
	}
	for _, l := range st.Lines {
		text := l.What
		if l.Brand != "" {
			text = joined(text, l.Brand)
		}
		a.Rows = append(a.Rows, documents.AccountRow{Day: say.Day(calendar.DateOf(l.MadeAt)), Reference: l.Reference,
			Text: text, Amounts: amounts(report.AddUp([]report.AccountLine{l.AccountLine}))})
	}
	if len(a.Rows) == 0 {
		a.Empty = say.Say("paper.account.empty")
	}
	a.Remarks = remarks(say, st)
	addAges(&a, say, st)
	return a
}

// amounts are the columns of a line. Their heads say what they are, and all are in rand.
func amounts(s report.Sums) [5]string {
	return [5]string{s.BilledCents.Amount(), s.CreditedCents.Amount(), s.PaidCents.Amount(), s.RefundedCents.Amount(),
		s.Owing.Amount()}
}

// AsOf is the day or the moment for which a statement is made: a day that is over counts as a whole.
func AsOf(say locale.Words, st clientaccount.Statement) string {
	if st.At.Equal(report.EndOf(st.Account.AsOf)) {
		return say.Day(st.Account.AsOf)
	}
	return say.Moment(st.At) + " SAST"
}

// Owes says in a sentence what the account comes to.
func Owes(say locale.Words, st clientaccount.Statement) string {
	owing := st.Account.Owing
	switch owing.Sign() {
	case 0:
		return say.Say("paper.account.nothing")
	case -1:
		return say.Say("paper.account.theirs", "business", st.Brand.Name, "amount",
			money.Sum{}.Minus(owing).Format(money.ZAR))
	}
	return say.Say("paper.account.owes", "amount", owing.Format(money.ZAR))
}

func remarks(say locale.Words, st clientaccount.Statement) []string {
	out := []string{Owes(say, st)}
	if st.Account.More {
		out = append(out, say.Say("paper.account.newest", "number", strconv.Itoa(len(st.Account.Lines))))
	}
	return out
}

// ageKeys name the ages, in the order of the report.
var ageKeys = map[report.Age]string{report.NotDue: "not_due", report.To30: "to30", report.To60: "to60",
	report.To90: "to90", report.Over90: "over90"}

// addAges says how old what is owed is, and how to pay it.
func addAges(a *documents.Account, say locale.Words, st clientaccount.Statement) {
	if st.Account.Owing.Sign() != 0 {
		a.AgeTitle = say.Say("paper.account.ages")
		ageing := st.Account.Ageing()
		for _, age := range report.Ages {
			a.Ages = append(a.Ages, documents.BillSum{Label: say.Say("paper.account.age." + ageKeys[age]),
				Amount: ageing[age].Amount()})
		}
		a.Ages = append(a.Ages, documents.BillSum{Label: say.Say("paper.total"), Amount: st.Account.Owing.Amount(),
			Total: true})
	}
	a.PayTitle = say.Say("paper.account.pay")
	a.Pay, a.PayAfter = HowToPay(say, st.Payees)
	if len(a.Pay) > 0 {
		a.PayText = say.Say("my.pay.text")
	}
	if st.Debited {
		a.PayAfter = append(a.PayAfter, say.Say("paper.account.debited"))
	}
}

// HowToPay are the account of each brand that is owed something and, below it, the references of what is paid into it;
// unknown says of which brands no account is known.
func HowToPay(say locale.Words, payees []*clientaccount.Payee) (facts []documents.Fact, unknown []string) {
	for _, to := range payees {
		profile, has := to.Brand.DefaultProfile()
		if !has {
			unknown = append(unknown, say.Say("my.pay.no_account", "business", to.Brand.Name))
			continue
		}
		facts = append(facts, documents.Fact{Label: say.Say("my.pay.to"), Value: to.Brand.Name},
			documents.Fact{Label: say.Say("my.pay.bank"), Value: joined(bank.BankName(profile.BranchCode), profile.BranchCode)},
			documents.Fact{Label: say.Say("my.pay.account"), Value: profile.AccountNumber})
		for _, r := range to.Owed {
			facts = append(facts, documents.Fact{Label: say.Say("my.pay.reference"),
				Value: r.Text + ": " + money.Format(r.Cents, r.Currency)})
		}
	}
	return facts, unknown
}

func joined(parts ...string) string { return strings.Join(filled(parts), ", ") }
