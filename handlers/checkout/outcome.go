package checkout

import (
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/papers"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/models/weblink"
	"debitdesk/views/checkout"
	"debitdesk/views/components"
)

// known is what an outcome is told from: how the purchase stands when nothing can be given (any more).
func (p *Pages) known(c echo.Context, rec purchase.Record, offer purchase.Offer) (story, error) {
	source, err := p.Purchases.Source(c.Request().Context(), rec)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return story{}, err
	}
	s := story{rec: rec, brand: rec.Brand.Name, today: calendar.DateOf(p.Purchases.Now()), refusal: offer.Refusal}
	if err == nil {
		s.source = &source
	}
	s.asked, err = p.Purchases.Asked(c.Request().Context(), rec)
	return s, err
}

// in puts the story into words.
func (s story) in(w locale.Words) story {
	s.w, s.amount = w, w.Money(due(s.rec), s.rec.Currency)
	if s.source != nil {
		s.account = bankWords(w, *s.source)
	}
	return s
}

// outcome says what happened, what happens next, and whom to ask.
func (s story) outcome() checkout.Outcome {
	w, rec := s.w, s.rec
	o := s.tell()
	o.NextTitle, o.ContinueText = w.Say("pay.next"), w.Say("pay.continue")
	o.Facts = facts(w, rec, s.account)
	o.Facts.Items = append(o.Facts.Items, s.agreedFacts()...)
	if s.agreed() {
		o.Next = append(o.Next, s.disputes(w)...)
	}
	if s.asked != nil && s.asked.Mandate.Terms != nil && s.agreedOnce() {
		o.English = inEnglish(w, func(w locale.Words) []components.Fact { return agreedTerms(w, s.rec, s.asked.Mandate) },
			s.rights)
	}
	o.Continue = next(rec)
	if slices.Contains(o.Next, s.talk()) {
		o.Contacts = contacts(w, rec)
	}
	o.Subscription = subscriptionLink(w, rec)
	switch rec.Status {
	case purchase.Paid, purchase.Refunded, purchase.PendingRefund, purchase.Cleared, purchase.Settled:
		o.Receipt = components.Link{Text: w.Say("pay.receipt"), Href: weblink.Payer(rec.ID) + "invoice/"}
	default:
	}
	return o
}

// subscriptionLink leads from a payment to the subscription that it belongs to.
func subscriptionLink(w locale.Words, rec purchase.Record) components.Link {
	if rec.SubscriberID == uuid.Nil {
		return components.Link{}
	}
	return components.Link{Text: w.Say("pay.subscription"), Href: weblink.Payer(rec.ID) + "subscription/"}
}

// story is what the words of an outcome are made from.
type story struct {
	rec             purchase.Record
	asked           *purchase.Asked // nil for eft
	source          *token.Token    // nil: none is known
	brand           string
	today           calendar.Date
	refusal         string
	w               locale.Words
	amount, account string
}

func (s story) tell() checkout.Outcome {
	w := s.w
	if o := s.answered(); o != nil {
		return *o
	}
	if s.rec.NothingFailed() { // its money was taken back after its due date, and it takes no payment
		return s.expired()
	}
	switch s.rec.Status {
	case purchase.Preauthorized:
		return s.stored()
	case purchase.PendingCharge, purchase.PendingExecute:
		return s.underWay()
	case purchase.Paid, purchase.Cleared, purchase.Settled:
		return s.paid()
	case purchase.Failed:
		return checkout.Outcome{Kind: "bad", Icon: "alert", Title: w.Say("pay.out.failed"),
			Text: w.Say("pay.out.failed_text", "reason", papers.Reason(w, s.rec.Collection)), Next: []string{s.talk()}}
	case purchase.Cancelled:
		return checkout.Outcome{Kind: "wait", Icon: "x", Title: w.Say("pay.out.cancelled"),
			Text: w.Say("pay.out.cancelled_text", "business", s.brand)}
	case purchase.Expired:
		return s.expired()
	case purchase.Chargeback:
		return checkout.Outcome{Kind: "bad", Icon: "undo", Title: w.Say("pay.out.disputed"), Text: s.disputed(),
			Next: []string{s.talk()}}
	case purchase.PendingRefund:
		return s.refunding()
	case purchase.Refunded:
		return checkout.Outcome{Kind: "ok", Icon: "undo", Title: w.Say("pay.out.refunded"),
			Text: w.Say("pay.out.refunded_text", "amount", w.Money(s.rec.RefundedCents, s.rec.Currency))}
	default:
		if s.refusal != "" {
			return checkout.Outcome{Kind: "wait", Icon: "info", Title: w.Say("pay.out.not_here"),
				Text: orElse(w, s.refusal, "pay.out.not_here_text"), Next: []string{s.talk()}}
		}
		return checkout.Outcome{Kind: "ok", Icon: "done", Title: w.Say("pay.out.nothing"),
			Text: w.Say("pay.out.nothing_text")}
	}
}

func (s story) stored() checkout.Outcome {
	w := s.w
	if !s.rec.IsRecurringToken {
		return checkout.Outcome{Kind: "wait", Icon: "x", Title: w.Say("pay.out.ended"),
			Text: w.Say("pay.out.ended_text", "business", s.brand)}
	}
	return checkout.Outcome{Kind: "ok", Icon: "done", Title: w.Say("pay.out.stored"),
		Text: w.Say("pay.out.stored_text", "business", s.brand),
		Next: []string{w.Say("pay.out.stored_later", "business", s.brand),
			w.Say("pay.out.stored_end", "business", s.brand)}}
}

func (s story) underWay() checkout.Outcome {
	w, c := s.w, s.rec.Collection
	if c == nil {
		return checkout.Outcome{Kind: "wait", Icon: "clock", Title: w.Say("pay.out.under_way"),
			Text: w.Say("pay.out.under_way_text", "amount", s.amount)}
	}
	if c.OnHold() {
		return checkout.Outcome{Kind: "wait", Icon: "clock", Title: w.Say("pay.out.hold"),
			Text: w.Say("pay.out.hold_text", "business", s.brand)}
	}
	if c.ActionDate.After(s.today) {
		return checkout.Outcome{Kind: "ok", Icon: "calendar", Title: w.Say("pay.out.set"),
			Text: w.Say("pay.out.set_text", "amount", s.amount, "date", w.LongDay(c.ActionDate)),
			Next: []string{w.Say("pay.out.money"), w.Say("pay.out.nothing_else")}}
	}
	if c.State == collection.InTracking {
		return checkout.Outcome{Kind: "wait", Icon: "clock", Title: w.Say("pay.out.tracking"),
			Text: w.Say("pay.out.tracking_text", "amount", s.amount),
			Next: []string{w.Count("pay.out.tracking_days", c.TrackingDays, "date", w.Day(c.ActionDate))}}
	}
	return checkout.Outcome{Kind: "wait", Icon: "clock", Title: w.Say("pay.out.with_bank"),
		Text: w.Say("pay.out.with_bank_text", "amount", s.amount, "date", w.LongDay(c.ActionDate)),
		Next: []string{w.Say("pay.out.answers")}}
}

func (s story) paid() checkout.Outcome {
	w := s.w
	o := checkout.Outcome{Kind: "ok", Icon: "done", Title: w.Say("pay.out.paid"),
		Text: w.Say("pay.out.paid_text", "amount", s.amount)}
	if s.rec.Payment != nil {
		o.Text = w.Say("pay.out.paid_on", "amount", s.amount, "date", w.Day(calendar.DateOf(s.rec.Payment.PaidOn)))
	}
	if c := s.rec.Collection; c != nil && c.State == collection.Provisional && !s.rec.MarkedAsPaid {
		o.Next = append(o.Next, w.Say("pay.out.returnable", "date", w.Day(calendar.DateOf(c.FinalAt))))
	}
	if s.rec.IsRecurringToken {
		o.Next = append(o.Next, w.Say("pay.out.kept"))
	} else if s.rec.MayChooseToStore() && s.rec.Collection != nil && s.rec.TokenID == uuid.Nil {
		o.Next = append(o.Next, w.Say("pay.out.not_kept"))
	}
	return o
}

func (s story) refunding() checkout.Outcome {
	w := s.w
	amount := w.Money(s.rec.RefundingCents, s.rec.Currency)
	o := checkout.Outcome{Kind: "wait", Icon: "undo", Title: w.Say("pay.out.refunding"),
		Text: w.Say("pay.out.refunding_text", "business", s.brand, "amount", amount)}
	if c := s.rec.Collection; c != nil && c.State == collection.Provisional {
		o.Text = w.Say("pay.out.refunding_later", "business", s.brand, "amount", amount, "date",
			w.Day(calendar.DateOf(c.FinalAt)))
	}
	return o
}

func (s story) disputed() string {
	if s.rec.Payment == nil {
		return s.w.Say("pay.out.disputed_back", "amount", s.amount)
	}
	return s.w.Say("pay.out.disputed_bank")
}

func (s story) talk() string { return s.w.Say("pay.talk", "business", s.brand) }

func (s story) due() string { return s.w.Day(calendar.DateOf(s.rec.Due)) }

func facts(w locale.Words, rec purchase.Record, account string) components.Facts {
	items := []components.Fact{}
	add := func(label, value string) {
		if value != "" {
			items = append(items, components.Fact{Label: label, Value: value})
		}
	}
	if rec.TotalCents > 0 && !rec.Options.SkipCapture {
		add(w.Say("pay.amount"), money.Format(rec.TotalCents, rec.Currency))
	}
	add(w.Say("pay.account"), account)
	if c := rec.Collection; c != nil {
		add(w.Say("pay.debit_date"), w.Day(c.ActionDate))
	}
	switch dd := rec.Details.DirectDebit; {
	case rec.Collection != nil:
		line := []rune(rec.Collection.StatementLine)
		add(w.Say("pay.statement"), strings.TrimSpace(string(line[:min(10, len(line))]))) // the short name
	case dd != nil:
		add(w.Say("pay.statement"), dd.AbbreviatedName)
	}
	add(w.Say("pay.reference"), reference(rec))
	return components.Facts{Items: items}
}

// due is what a page asks for, or tells of: where a part was paid another way, the rest.
func due(rec purchase.Record) int64 {
	if rec.PartPaidCents() > 0 {
		return rec.OpenCents()
	}
	return rec.TotalCents
}

// expired says that the purchase could be paid until its due date alone.
func (s story) expired() checkout.Outcome {
	w := s.w
	return checkout.Outcome{Kind: "wait", Icon: "clock", Title: w.Say("pay.out.expired"),
		Text: w.Say("pay.out.expired_text", "date", s.due()),
		Next: []string{w.Say("pay.out.expired_next", "business", s.brand)}}
}
