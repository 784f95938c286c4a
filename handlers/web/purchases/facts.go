package purchases

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/words"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// planned is what will happen by itself, the last first as everything in a time line.
func (p *Purchases) planned(rec purchase.Record, now time.Time) []components.Entry {
	var out []components.Entry
	add := func(at time.Time, day bool, icon, text string) {
		if !at.After(now) {
			return
		}
		when := words.Ago(at, now)
		if day {
			when = words.DayOf(at)
		}
		out = append([]components.Entry{{Icon: icon, Text: text, At: when, Planned: true}}, out...)
	}
	c := rec.Collection
	if c != nil && c.OnHold() {
		return out // nothing happens unless the deletion of its account is undone
	}
	disputes := func() {
		if last, may := c.DisputableUntil(); may && c.State != collection.Disputed {
			add(last.At(23, 59), true, "calendar", "Last day on which the client can dispute the debit")
		}
	}
	if c == nil || !slices.Contains([]collection.State{collection.Scheduled, collection.Submitted, collection.InTracking,
		collection.Provisional}, c.State) {
		if !rec.PassAt.IsZero() && rec.DueGiven {
			word := "Turns overdue, and can still be paid"
			if rec.DueStrict {
				word = "Expires"
			}
			add(rec.PassAt, false, "clock", word)
		}
		if c != nil {
			disputes()
		}
		return out
	}
	if c.State == collection.Scheduled {
		add(c.SubmitAt, false, "bank", "Handed to the bank; last moment to cancel")
	}
	if c.State != collection.Provisional {
		add(c.ActionDate.At(0, 0), true, "in", "The account is debited")
		answer := "First answer of the bank: collected provisionally, or failed"
		if c.Method == bank.DebiCheck {
			answer = "Answer of the bank: collected, failed or in tracking"
		}
		add(p.Service.Timetable.For(c.Method).ProvisionalAtFor(c.ActionDate), false, "done", answer)
	}
	if c.State == collection.InTracking {
		add(c.ActionDate.AddDays(c.TrackingDays).At(0, 0), true, "clock", "The bank stops waiting for money")
	}
	if c.Method == bank.EFT { // by DebiCheck, collected money is not returned
		add(c.FinalAt, false, "check", "The bank can no longer return the debit")
	}
	disputes()
	return out
}

func (p *Purchases) facts(c echo.Context, rec purchase.Record, now time.Time) (components.Facts, error) {
	var f components.Facts
	add := func(fact components.Fact) { f.Items = append(f.Items, fact) }
	if rec.ClientID != uuid.Nil {
		add(components.Fact{Label: "Client", Value: words.PayerName(rec.Purchase), Href: words.ClientHref(rec.ClientID)})
	} else {
		add(components.Fact{Label: "Client", Value: words.PayerName(rec.Purchase)})
	}
	if rec.Payer.Email != "" {
		add(components.Fact{Label: "E-mail", Value: rec.Payer.Email})
	}
	if id := tokenOf(rec); id != uuid.Nil {
		t, err := p.Tokens.Get(c.Request().Context(), access.Actor(c), id)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return f, err
		}
		if err == nil {
			add(components.Fact{Label: "Token", Value: t.Token.Named(), Href: words.TokenPath(id)})
			add(components.Fact{Label: "Mandate", Value: "Wording and evidence", Href: words.MandatePath(t.MandateID)})
			if err := p.riskFact(c, rec, t.Token, add); err != nil {
				return f, err
			}
		}
	}
	if rec.AwaitsClient() || unconfirmed(rec) {
		add(components.Fact{Label: "Mandate", Value: "Requests and answers", Href: words.MandatePath(rec.ID)})
	}
	if err := p.subscriptionFacts(c, rec, add); err != nil {
		return f, err
	}
	if rec.DueGiven {
		add(components.Fact{Label: "Due", Part: components.When(words.DayOf(rec.Due))})
	}
	add(components.Fact{Label: "Issued", Part: components.When(words.DayTime(rec.Issued))})
	add(components.Fact{Label: "Created", Part: components.When(words.Ago(rec.CreatedAt, now))})
	if rec.Payment != nil {
		add(components.Fact{Label: "Paid", Part: components.When(words.Ago(rec.Payment.PaidOn, now))})
	}
	refundFacts(rec, now, add)
	if rec.Reference != "" {
		add(components.Fact{Label: "Reference", Value: rec.Reference})
	}
	add(components.Fact{Label: "Our reference", Value: rec.ReferenceGenerated, Copy: rec.ReferenceGenerated})
	add(components.Fact{Label: "Brand", Value: rec.Brand.Name})
	return f, nil
}

// riskFact says of a planned debit whose account failed last whether it is likely to fail.
func (p *Purchases) riskFact(c echo.Context, rec purchase.Record, t token.Token, add func(components.Fact)) error {
	d := rec.Collection
	if p.Risk == nil || t.Failures == 0 || d == nil || d.State.Outcome() != collection.OutcomeOpen {
		return nil
	}
	risk, likely, err := p.Risk(c.Request().Context(), access.Actor(c), *d)
	if err == nil && likely {
		add(components.Fact{Label: "Likely to fail", Value: words.RiskBefore(risk.Record) + " " + words.RiskCases(risk) +
			" failed (" + words.Range(risk.Like.Range()) + ")."})
	}
	return err
}

// tokenOf is the token that a purchase was charged with, or the one it is.
func tokenOf(rec purchase.Record) uuid.UUID {
	switch {
	case rec.TokenID != uuid.Nil:
		return rec.TokenID
	case rec.Method != "" && (rec.Collection != nil || rec.Status == purchase.Preauthorized):
		return rec.ID
	}
	return uuid.Nil
}

var settlementWords = map[string]string{"provisional": "The bank can still return it",
	"final": "The bank can no longer return it"}

func debitFacts(rec purchase.Record, now time.Time) components.Facts {
	var f components.Facts
	c := rec.Collection
	if c == nil {
		return f
	}
	add := func(label, value string) { f.Items = append(f.Items, components.Fact{Label: label, Value: value}) }
	add("State", c.State.Label())
	if c.OnHold() {
		add("Not debited", "The account is being deleted")
		add("Was planned for", words.SayDay(c.ActionDate, now))
		return f
	}
	add("Debit on", words.SayDay(c.ActionDate, now))
	if c.OriginalDate != c.ActionDate {
		add("Moved from", words.SayDay(c.OriginalDate, now))
	}
	add("To the bank by", words.SayMinute(c.SubmitAt, now))
	if word := settlementWords[c.State.Settlement()]; word != "" {
		add("Settlement", word)
	}
	if c.State == collection.Provisional {
		add("No return after", words.SayMinute(c.FinalAt, now))
	}
	if !c.Result.IsZero() {
		add("Bank’s answer", bank.CodeOf(c.Result.Code).Label())
	}
	if last, may := c.DisputableUntil(); c.State == collection.Disputed {
		add("Disputed on", words.SayDay(calendar.DateOf(c.ResultAt), now))
	} else if may && calendar.DateOf(now).After(last) {
		add("Could be disputed", "until "+words.SayDay(last, now)+"; no longer")
	} else if may {
		because, _ := c.MayBeDisputed()
		f.Items = append(f.Items, components.Fact{Label: "May be disputed", Href: "/rules?key=dispute.auto_days",
			Value: "until " + words.SayDay(last, now) + ": " + words.AllBecause(because, ", ")})
	}
	if c.Attempt > 1 {
		add("Attempt", words.Grouped(int64(c.Attempt)))
	}
	return f
}

func LineRows(rec purchase.Record) ([]pages.LineRow, string) {
	var rows []pages.LineRow
	for _, product := range rec.Details.Products {
		cents, err := product.LineCents()
		if err != nil {
			cents = 0 // a stored purchase has no such line
		}
		row := pages.LineRow{Name: product.Name, Amount: words.Minus(money.Amount(cents))}
		if product.Quantity.String() != "1" {
			row.Quantity, row.Price = strings.Replace(product.Quantity.String(), ".", ",", 1), money.Amount(product.PriceCents)
		}
		rows = append(rows, row)
	}
	if rec.Details.DebtCents != 0 {
		rows = append(rows, pages.LineRow{Name: "Carried over", Amount: words.Minus(money.Amount(rec.Details.DebtCents))})
	}
	return rows, words.Sum(rec.TotalCents, rec.Currency)
}
