package papers

import (
	"strconv"
	"strings"
	"time"

	"debitdesk/models/locale"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/views/documents"
)

// terms are those of a DebiCheck mandate that debits does not name.
func (d Mandate) terms(say locale.Words) documents.Section {
	p, t := documents.Section{Title: say.Say("paper.terms")}, *d.Sheet.Terms
	either := func(label string, is bool, yes, no string) {
		if !is {
			yes = no
		}
		p.Add(say.Say(label), say.Say(yes))
	}
	p.Add(say.Say("paper.terms.amounts"), say.Say("paper.terms."+strings.ToLower(string(t.ValueType))))
	either("paper.terms.debits", t.DebitSequence == mandate.OnceOff, "paper.terms.once", "paper.terms.recurring")
	either("paper.terms.other_days", t.AllowDateAdjustment, "paper.terms.allowed", "paper.terms.refused")
	either("paper.terms.asked", t.Authentication == mandate.RealTime, "paper.terms.realtime", "paper.terms.delayed")
	either("paper.terms.no_answer", t.DelayedOnFailure, "paper.terms.fallback", "paper.terms.ends")
	either("paper.terms.verification", t.VerifyAccount, "paper.terms.yes", "paper.terms.no")
	e := d.Sheet.Mandate.Explained(d.Purchase.Currency)
	if say.Language == locale.English { // the labels above say the same
		p.Text = append(p.Text, e.Allowed, e.Adjusts)
	}
	for _, which := range e.Disputes {
		p.Text = append(p.Text, say.Say("paper.dispute", "which", d.dispute(say, which)))
	}
	return p
}

func (d Mandate) dispute(say locale.Words, which mandate.Dispute) string {
	m := d.Sheet.Mandate
	switch which {
	case mandate.EveryDebit:
		return say.Say("paper.dispute.rests")
	case mandate.EveryUnanswered:
		return say.Say("paper.dispute.unanswered")
	case mandate.OtherAmount:
		return say.Say("paper.dispute.amount", "amount", say.Money(m.Terms.PriceCents, d.Purchase.Currency))
	case mandate.OtherDay:
		return say.Say("paper.dispute.day")
	case mandate.SecondInPeriod:
	}
	return say.Say("paper.dispute.second." + m.PeriodUnits)
}

// days says on which days the client expects debits.
func days(say locale.Words, m mandate.Mandate) string {
	switch {
	case m.OneDebit:
		return say.Say("paper.days.one")
	case m.PeriodUnits == "weeks" && m.DeductionDay >= 1 && m.DeductionDay <= 7:
		return say.Say("paper.days.weekly", "day", say.Weekday(time.Weekday(m.DeductionDay%7)))
	case m.PeriodUnits == "days":
		return say.Say("paper.days.agreed")
	case m.DeductionDay == mandate.LastDay:
		return say.Say("paper.days.last")
	}
	return say.Say("paper.days.monthly", "day", strconv.Itoa(m.DeductionDay))
}

// adjustment says how price and maximum change: "6,5 % every 12 months".
func adjustment(say locale.Words, t mandate.Terms, currency string) string {
	often := ""
	switch t.AdjustmentCategory {
	case mandate.Quarterly:
		often = say.Count("every.months", 3)
	case mandate.Biannually:
		often = say.Count("every.months", 6)
	case mandate.Annually:
		often = say.Count("every.months", 12)
	case mandate.Repo:
		return say.Say("paper.adjust.repo")
	case mandate.Never:
	}
	var by string
	switch {
	case often == "":
		return say.Say("paper.adjust.never")
	case t.AdjustmentRate != nil:
		by = strings.Replace(t.AdjustmentRate.String(), ".", ",", 1) + money.NBSP + "%"
	case t.AdjustmentAmountCents != nil:
		by = say.Money(*t.AdjustmentAmountCents, currency)
	default:
		return often
	}
	return say.Say("sub.amount_every", "amount", by, "every", often)
}
