package checkout

import (
	"strconv"
	"strings"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/views/checkout"
	"debitdesk/views/components"
)

// askAtBank is what a payer is asked for who will confirm at their own bank: what
// is debited, when and up to what, and what comes next.
func askAtBank(w locale.Words, a *checkout.Ask, rec purchase.Record, o purchase.Offer) {
	t := o.Asking.Terms
	a.Title, a.Text = w.Say("pay.dc.title"), w.Say("pay.dc.text", "business", rec.Brand.Name)
	a.Facts.Items = append(a.Facts.Items, termsFacts(w, rec, t)...)
	a.English = inEnglish(w, func(w locale.Words) []components.Fact { return termsFacts(w, rec, t) }, nil)
	how := w.Say("pay.dc.by_sms")
	if t.Authentication == mandate.RealTime {
		how = w.Say("pay.dc.by_phone")
	}
	a.StepsTitle = w.Say("pay.next")
	a.Steps = []string{w.Say("pay.dc.fill"), how + " " + timeToAnswer(w, o.Asking.Within, o.Asking.Until),
		w.Say("pay.dc.elsewhere"), silence(w, rec.Brand.Name, o.Asking)}
}

// inEnglish are the terms, and the rights that go with them, as the bank words them too: the English is what is agreed,
// and a page in another language shows it beside the translation. Nil on an English page.
func inEnglish(w locale.Words, terms func(locale.Words) []components.Fact, rights func(locale.Words) []string,
) *checkout.English {
	if w.Language == locale.English {
		return nil
	}
	en := locale.In(locale.English)
	e := &checkout.English{Title: w.Say("pay.english"), Lang: en.Tag(), Facts: components.Facts{Items: terms(en)}}
	if rights != nil {
		e.Lines = rights(en)
	}
	return e
}

// timeToAnswer says how long the client has, or until when on the day on which the bank asks.
func timeToAnswer(w locale.Words, d time.Duration, until string) string {
	switch {
	case until != "":
		return w.Say("pay.dc.until", "time", until)
	case d >= time.Hour && d%time.Hour == 0:
		return w.Count("pay.dc.hours", int(d/time.Hour))
	}
	return w.Count("pay.dc.seconds", int(d/time.Second))
}

// before says from when on debits may run.
func before(w locale.Words, t *mandate.Terms) string {
	if t.DelayedOnFailure {
		return w.Say("pay.dc.before_asked")
	}
	return w.Say("pay.dc.before_confirmed")
}

// silence says what happens without an answer.
func silence(w locale.Words, brand string, asking purchase.Asking) string {
	if asking.Terms.DelayedOnFailure {
		return strings.Join([]string{w.Say("pay.dc.asks_again"), timeToAnswer(w, asking.Again, ""),
			w.Say("pay.dc.still_silent")}, " ")
	}
	return w.Say("pay.dc.nothing_seen", "business", brand)
}

// termsFacts are the terms in plain words.
func termsFacts(w locale.Words, rec purchase.Record, t *mandate.Terms) []components.Fact {
	var items []components.Fact
	add := func(label, value string) {
		if value != "" {
			items = append(items, components.Fact{Label: label, Value: value})
		}
	}
	add(w.Say("pay.dc.amounts"), amounts(w, rec, t))
	add(w.Say("pay.dc.most"), w.Say("pay.dc.a_debit", "amount", w.Money(t.MaxAmountCents, rec.Currency)))
	add(w.Say("pay.dc.changes"), changes(w, rec, t))
	add(w.Say("sub.how_often"), howOften(w, rec, t))
	add(w.Say("pay.dc.days"), otherDays(w, t))
	if dd := rec.Details.DirectDebit; dd != nil {
		add(w.Say("pay.statement"), dd.AbbreviatedName)
	}
	return items
}

func amounts(w locale.Words, rec purchase.Record, t *mandate.Terms) string {
	price := w.Money(t.PriceCents, rec.Currency)
	switch t.ValueType {
	case mandate.Fixed:
		return w.Say("pay.dc.fixed", "amount", price)
	case mandate.Variable:
		return w.Say("pay.dc.variable", "amount", price)
	case mandate.UsageBased:
		return w.Say("pay.dc.usage")
	}
	return price
}

// changes says how price and maximum are adjusted.
func changes(w locale.Words, rec purchase.Record, t *mandate.Terms) string {
	when := map[mandate.Category]string{mandate.Quarterly: "pay.dc.quarterly", mandate.Biannually: "pay.dc.biannually",
		mandate.Annually: "pay.dc.annually", mandate.Repo: "pay.dc.repo"}[t.AdjustmentCategory]
	if when == "" {
		return w.Say("pay.dc.never")
	}
	by := func(down bool, by string) string {
		if down {
			return w.Say("pay.dc.down", "when", w.Say(when), "by", by)
		}
		return w.Say("pay.dc.up", "when", w.Say(when), "by", by)
	}
	switch rate, amount := t.AdjustmentRate, t.AdjustmentAmountCents; {
	case rate != nil:
		return by(rate.IsNegative(), strings.Replace(rate.Abs().String(), ".", ",", 1)+money.NBSP+"%")
	case amount != nil:
		return by(*amount < 0, w.Money(max(*amount, -*amount), rec.Currency))
	}
	return w.Say(when)
}

// howOften is the rhythm as the payer's handset says it too: "Each month on the 1st".
func howOften(w locale.Words, rec purchase.Record, t *mandate.Terms) string {
	m := mandate.Mandate{Terms: t}
	if dd := rec.Details.DirectDebit; dd != nil {
		m.PeriodUnits, m.DeductionDay = dd.PeriodUnits, dd.DeductionDay
	}
	words := rhythm(w, m)
	if rec.MayChooseToStore() && !m.AllowsOneDebit() && words != "" {
		return w.Say("pay.dc.choice", "often", strings.ToLower(words[:1])+words[1:])
	}
	return words
}

func rhythm(w locale.Words, m mandate.Mandate) string {
	switch day := m.DeductionDay; {
	case m.AllowsOneDebit():
		return w.Say("pay.dc.once")
	case m.PeriodUnits == "days":
		return w.Say("pay.dc.daily")
	case m.PeriodUnits == "weeks" && day >= 1 && day <= 7:
		return w.Say("pay.dc.weekly", "day", w.Weekday(time.Weekday(day%7)))
	case m.PeriodUnits == "months" && day == mandate.LastDay:
		return w.Say("pay.dc.last_day")
	case m.PeriodUnits == "months" && day >= 1 && w.Language == locale.English:
		return w.Say("pay.dc.monthly", "day", mandate.Ordinal(day))
	case m.PeriodUnits == "months" && day >= 1:
		return w.Say("pay.dc.monthly", "day", strconv.Itoa(day))
	}
	return ""
}

func otherDays(w locale.Words, t *mandate.Terms) string {
	if t.AllowDateAdjustment {
		return w.Say("pay.dc.days_allowed")
	}
	return w.Say("pay.dc.days_not")
}

// closed says, before anything is filled in, that banks cannot be asked now.
func closed(w locale.Words, o purchase.Offer) *components.Note {
	if o.Asking.OpensAt.IsZero() {
		return nil
	}
	return note("warn", w.Say("pay.dc.closed"), closedText(w, o))
}

func closedText(w locale.Words, o purchase.Offer) string {
	opens := o.Asking.OpensAt
	return w.Say("pay.dc.closed_text", "opens", o.Asking.Window.Opens.String(), "closes", o.Asking.Window.Closes.String(),
		"time", w.Clock(opens), "date", w.LongDay(calendar.DateOf(opens)))
}

// notNow turns the refusal of the hour into an item for the top of the page.
func notNow(w locale.Words, refusal *fault.Fault, o purchase.Offer) (items []components.ErrorItem) {
	for _, f := range refusal.Fields {
		if f.Code == "debicheck_unavailable" {
			items = append(items, components.ErrorItem{Text: w.Say("pay.dc.nothing_sent") + " " + closedText(w, o)})
		}
	}
	return items
}
