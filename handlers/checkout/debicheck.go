package checkout

import (
	"strings"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/views/checkout"
	"debitdesk/views/components"
)

// askAtBank is what a payer is asked for who will confirm at their own bank: what
// is debited, when and up to what, and what comes next.
func askAtBank(a *checkout.Ask, rec purchase.Record, o purchase.Offer) {
	t := o.Asking.Terms
	a.Title = "Set up your DebiCheck debit order"
	a.Text = rec.Brand.Name +
		" asks for your permission to debit your bank account. Your bank asks you to confirm it first."
	a.Facts.Items = append(a.Facts.Items, termsFacts(rec, t)...)
	a.Steps = []string{"Enter your details below and agree."}
	within := o.Asking.Within
	if t.Authentication == mandate.RealTime {
		a.Steps = append(a.Steps, "Your bank will ask you to confirm, on your phone: keep your phone at hand; you have "+
			within+".")
	} else {
		a.Steps = append(a.Steps, "Your bank will ask you to confirm, by SMS: you have "+within+".")
	}
	a.Steps = append(a.Steps, elsewhere, silence(rec.Brand.Name, o.Asking))
}

const elsewhere = "You can also confirm in your banking app, by cellphone banking, " +
	"at an ATM or in a branch of your bank."

// before says from when on debits may run.
func before(t *mandate.Terms) string {
	if t.DelayedOnFailure {
		return "Nothing is debited before your bank has asked you."
	}
	return "Nothing is debited before you have confirmed at your bank."
}

// silence says what happens without an answer.
func silence(brand string, asking purchase.Asking) string {
	if asking.Terms.DelayedOnFailure {
		return "If you do not answer, your bank asks once more and gives you " + mandate.Span(asking.Again) + ". " +
			"If you still do not answer, the debit order is registered anyway, and you can dispute its debits."
	}
	return "If you decline or do not answer, nothing is debited, and " + brand + " sees that you did not agree."
}

// termsFacts are the terms in plain words.
func termsFacts(rec purchase.Record, t *mandate.Terms) []components.Fact {
	var items []components.Fact
	add := func(label, value string) {
		if value != "" {
			items = append(items, components.Fact{Label: label, Value: value})
		}
	}
	add("Amounts", amounts(rec, t))
	add("Never more than", money.Format(t.MaxAmountCents, rec.Currency)+" a debit")
	add("Changes", changes(rec, t))
	add("How often", howOften(rec, t))
	add("Other days", otherDays(t))
	if dd := rec.Details.DirectDebit; dd != nil {
		add("On your statement", dd.AbbreviatedName)
	}
	return items
}

func amounts(rec purchase.Record, t *mandate.Terms) string {
	return t.ValueType.Said(money.Format(t.PriceCents, rec.Currency))
}

// changes says how price and maximum are adjusted.
func changes(rec purchase.Record, t *mandate.Terms) string {
	by := ""
	switch rate, amount := t.AdjustmentRate, t.AdjustmentAmountCents; {
	case rate != nil:
		by = direction(rate.IsNegative()) + strings.Replace(rate.Abs().String(), ".", ",", 1) + money.NBSP + "%"
	case amount != nil:
		by = direction(*amount < 0) + strings.TrimPrefix(money.Format(*amount, rec.Currency), "-")
	}
	switch t.AdjustmentCategory {
	case mandate.Quarterly:
		return "Every three months" + by
	case mandate.Biannually:
		return "Every six months" + by
	case mandate.Annually:
		return "Once a year" + by
	case mandate.Repo:
		return "When the repo rate changes" + by
	case mandate.Never:
	}
	return "None agreed"
}

func direction(down bool) string {
	if down {
		return ", down by "
	}
	return ", up by "
}

// howOften is the rhythm as the payer's handset says it too: "Each month on the 1st".
func howOften(rec purchase.Record, t *mandate.Terms) string {
	m := mandate.Mandate{Terms: t}
	if dd := rec.Details.DirectDebit; dd != nil {
		m.PeriodUnits, m.DeductionDay = dd.PeriodUnits, dd.DeductionDay
	}
	words := m.Rhythm()
	if rec.MayChooseToStore() && !m.AllowsOneDebit() {
		words = "once, or " + words + " if you choose to store your account"
	}
	return strings.ToUpper(words[:min(1, len(words))]) + words[min(1, len(words)):]
}

func otherDays(t *mandate.Terms) string {
	if t.AllowDateAdjustment {
		return "Allowed; you can dispute such a debit"
	}
	return "Not allowed"
}

// closed says, before anything is filled in, that banks cannot be asked now.
func closed(o purchase.Offer) *components.Note {
	if o.Asking.OpensAt.IsZero() {
		return nil
	}
	return note("warn", "Your bank cannot be asked right now", closedText(o))
}

func closedText(o purchase.Offer) string {
	w := o.Asking.Window
	return "Banks only send this kind of request from " + w.Opens.String() + " to " + w.Closes.String() +
		". This opens again at " + o.Asking.OpensAt.In(calendar.SAST).Format("15:04 on Monday 2 January") +
		" (South African time). Please come back to this link then."
}

// notNow turns the refusal of the hour into an item for the top of the page.
func notNow(refusal *fault.Fault, o purchase.Offer) (items []components.ErrorItem) {
	for _, f := range refusal.Fields {
		if f.Code == "debicheck_unavailable" {
			items = append(items, components.ErrorItem{Text: "Nothing was sent. " + closedText(o)})
		}
	}
	return items
}
