package letters

import (
	"cmp"
	"time"

	"debitdesk/models/locale"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/views/emails"
)

// asksBank are the terms that the client confirms at their own bank; nil for EFT.
func asksBank(p purchase.Purchase) *mandate.Terms {
	if p.Details.DirectDebit == nil {
		return nil
	}
	return p.Details.DirectDebit.Terms
}

// before says from when on a bank may debit.
func before(say locale.Words, t *mandate.Terms) string {
	if t.DelayedOnFailure { // the fallback may be registered without an answer
		return say.Say("mail.asks.before_fallback")
	}
	return say.Say("mail.asks.before")
}

// confirming says how the bank will ask (source: authentication_type).
func (w Writer) confirming(say locale.Words, t *mandate.Terms) string {
	limits := cmp.Or(w.Limits, mandate.DefaultLimits())
	if t.Authentication == mandate.RealTime {
		window := cmp.Or(w.Window, mandate.DefaultWindow())
		return say.Say("mail.asks.realtime", "from", window.Opens.String(), "to", window.Closes.String(), "span",
			span(say, limits.For(mandate.RealTime)))
	}
	if ends, on := limits.DayEnd(mandate.Delayed); on {
		return say.Say("mail.asks.until", "time", ends.String())
	}
	return say.Say("mail.asks.delayed", "span", span(say, limits.For(mandate.Delayed)))
}

// span writes a time to answer as the trade says it: 120 seconds, 48 hours.
func span(say locale.Words, d time.Duration) string {
	if d >= time.Hour && d%time.Hour == 0 {
		return say.Count("mail.span.hours", int(d/time.Hour))
	}
	return say.Count("mail.span.seconds", int(d/time.Second))
}

// most is the largest amount that the bank lets through.
func most(say locale.Words, t *mandate.Terms, currency string) emails.Line {
	return emails.Line{Label: say.Say("mail.asks.most"),
		Value: say.Say("mail.asks.a_debit", "amount", say.Money(t.MaxAmountCents, currency))}
}

func stored(say locale.Words, terms *mandate.Terms) string {
	if terms != nil {
		return say.Say("mail.asks.stored")
	}
	return say.Say("mail.account.stored")
}
