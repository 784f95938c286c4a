package mandate

import (
	"fmt"

	"debitdesk/models/money"
	"debitdesk/models/rulebook"
)

// warnAboveCents is where a usage-based maximum is large enough to say so (ours: warned of, not refused).
var warnAboveCents = rulebook.Default().On("dc.usage_warn_c", rulebook.DebiCheck, rulebook.NoEnd).Int()

// Explanation is the terms of a mandate in finished sentences.
type Explanation struct {
	Allowed    string    // what the client's bank will allow; empty while the terms are incomplete
	Disputable []string  // which debits could be disputed; empty: none within these terms
	Disputes   []Dispute // the same, for those who word it themselves
	Adjusts    string    // how price and maximum change
	Warnings   []string  // what the person who sets the mandate up should know
}

// Dispute is a debit that the client could dispute under a mandate with terms.
type Dispute int

// Which debits can be disputed.
const (
	EveryDebit      Dispute = iota // for the mandate rests on the fallback
	EveryUnanswered                // if the client does not answer in time and the fallback takes over
	OtherAmount                    // of an amount other than the price
	OtherDay                       // that runs on another day
	SecondInPeriod                 // the second in one period of the mandate
)

// Explain says what these terms mean for a mandate, whose period, deduction day and fallback it reads.
func (t Terms) Explain(m Mandate, currency string) Explanation {
	e := explaining{t: t, m: m, say: func(cents int64) string { return money.Format(cents, currency) }}
	out := Explanation{Allowed: e.allowed(), Disputes: e.disputes(), Adjusts: e.adjusts(), Warnings: e.warnings()}
	for _, d := range out.Disputes {
		out.Disputable = append(out.Disputable, e.disputable(d))
	}
	return out
}

type explaining struct {
	t   Terms
	m   Mandate
	say func(cents int64) string
}

func (e explaining) allowed() string {
	if e.t.MaxAmountCents < 1 {
		return ""
	}
	amount := "up to " + e.say(e.t.MaxAmountCents)
	switch {
	case e.t.ValueType == Fixed:
		amount = "exactly " + e.say(e.t.PriceCents)
	case !e.t.ValueType.Varies():
		return ""
	}
	only := ""
	if e.t.DebitSequence == OnceOff {
		only = " in all,"
	}
	return fmt.Sprintf("The bank will allow one debit%s of %s%s%s.", only, amount, e.rhythm(), e.butDisputable())
}

// periodWord is what a mandate has one debit in; empty for a once-off one.
func (e explaining) periodWord() string {
	if e.t.DebitSequence == OnceOff {
		return ""
	}
	return map[string]string{"months": "month", "weeks": "week", "days": "day"}[e.m.PeriodUnits]
}

// rhythm is how often and on which day: " each month, on the 25th".
func (e explaining) rhythm() string {
	often := ""
	if period := e.periodWord(); period != "" {
		often = " each " + period
	}
	switch {
	case !e.m.hasDay():
		return often
	case e.t.AllowDateAdjustment:
		return often + ", normally " + e.m.Days()
	}
	return often + ", " + e.m.Days()
}

func (e explaining) butDisputable() string {
	amount, day := e.t.ValueType != Fixed, e.t.AllowDateAdjustment && e.m.hasDay()
	switch {
	case amount && e.t.PriceCents == 0:
		return "; every debit may be disputed, because the price is " + e.say(0)
	case amount && day:
		return "; an amount other than " + e.say(e.t.PriceCents) + " or another day may be disputed"
	case amount:
		return "; an amount other than " + e.say(e.t.PriceCents) + " may be disputed"
	case day:
		return "; another day may be disputed"
	}
	return "; no other amount"
}

func (e explaining) disputes() (list []Dispute) {
	switch {
	case e.m.Fallback:
		list = append(list, EveryDebit)
	case e.t.DelayedOnFailure:
		list = append(list, EveryUnanswered)
	}
	if e.t.ValueType.Varies() {
		list = append(list, OtherAmount)
	}
	if e.t.AllowDateAdjustment && e.m.hasDay() {
		list = append(list, OtherDay)
	}
	if e.periodWord() != "" && !e.m.Fallback { // there every debit can be disputed
		list = append(list, SecondInPeriod)
	}
	return list
}

func (e explaining) disputable(d Dispute) string {
	switch d {
	case EveryDebit:
		return "Every debit, because the mandate rests on the fallback."
	case EveryUnanswered:
		return "Every debit, if the client does not answer in time and the fallback takes over."
	case OtherAmount:
		return fmt.Sprintf("A debit of an amount other than %s.", e.say(e.t.PriceCents))
	case OtherDay:
		return fmt.Sprintf("A debit that does not run %s.", e.m.Days())
	case SecondInPeriod:
	}
	if e.m.PeriodUnits == "days" {
		return "A second debit on the same day."
	}
	return "A second debit in the same " + e.periodWord() + "."
}

func (e explaining) adjusts() string {
	length := e.t.AdjustmentCategory.months()
	change := e.change()
	switch {
	case e.t.AdjustmentCategory == "":
		return ""
	case e.t.AdjustmentCategory == Repo:
		return "Price and maximum are tied to the repo rate, which changes on no fixed date. " +
			"Debits are checked against the amounts that the client authenticated."
	case length == 0 || change == "":
		return "Price and maximum never change."
	}
	price, most := e.t.after(1)
	return fmt.Sprintf("Every %d months after acceptance, price and maximum %s: the first time to %s and %s.", length,
		change, e.say(price), e.say(most))
}

// change is what one adjustment does: "rise by 6 %", "fall by R 10,00"; nothing where none is given.
func (e explaining) change() string {
	verb := func(negative bool) string {
		if negative {
			return "fall by "
		}
		return "rise by "
	}
	switch rate, amount := e.t.AdjustmentRate, e.t.AdjustmentAmountCents; {
	case rate != nil && !tooWide(*rate) && !rate.IsZero():
		return verb(rate.IsNegative()) + rate.Abs().String() + money.NBSP + "%"
	case amount != nil && *amount > 0:
		return verb(false) + e.say(*amount)
	case amount != nil && *amount < 0:
		return verb(true) + e.say(*amount)[1:] // without the minus
	}
	return ""
}

func (e explaining) warnings() (sentences []string) {
	add := func(when bool, format string, args ...any) {
		if when {
			sentences = append(sentences, fmt.Sprintf(format, args...))
		}
	}
	t := e.t
	add(t.ValueType == Fixed,
		"FIXED means that every debit is exactly the same. For amounts that change use VARIABLE or USAGEBASED.")
	add(t.MaxAmountCents > 0 && t.MaxAmountCents < t.PriceCents,
		"The maximum is below the price of %s, so a debit of the full price will be refused.", e.say(t.PriceCents))
	add(t.ValueType == UsageBased && t.MaxAmountCents > warnAboveCents,
		"A maximum above %s may alarm the client, who sees it when answering. Ask for no more than you need.",
		e.say(warnAboveCents))
	add(t.DebitSequence == OnceOff && t.AdjustmentCategory != Never && t.AdjustmentCategory != "",
		"A once-off mandate is used once, so the adjustment changes nothing.")
	add(t.DelayedOnFailure,
		"Debits under a fallback mandate can be disputed; the scheme now calls this a registered mandate.")
	return sentences
}
