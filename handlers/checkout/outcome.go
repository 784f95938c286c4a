package checkout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/papers"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/views/checkout"
	"debitdesk/views/components"
)

// outcome says how the purchase stands when nothing can be given (any more):
// what happened, what happens next, whom to ask.
func (p *Pages) outcome(c echo.Context, rec purchase.Record, offer purchase.Offer) (checkout.Outcome, error) {
	source, err := p.Purchases.Source(c.Request().Context(), rec)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return checkout.Outcome{}, err
	}
	account := ""
	if err == nil {
		account = bankWords(source)
	}
	asked, err := p.Purchases.Asked(c.Request().Context(), rec)
	if err != nil {
		return checkout.Outcome{}, err
	}
	s := story{asked: asked, rec: rec, brand: rec.Brand.Name, amount: money.Format(due(rec), rec.Currency),
		account: account,
		today:   calendar.DateOf(p.Purchases.Now()), refusal: offer.Refusal}
	o := s.tell()
	o.Facts = facts(rec, account)
	o.Facts.Items = append(o.Facts.Items, s.agreedFacts()...)
	if s.agreed() {
		o.Next = append(o.Next, s.disputes()...)
	}
	o.Continue = next(rec)
	if slices.Contains(o.Next, s.talk()) {
		o.Contacts = contacts(rec)
	}
	o.Subscription = subscriptionLink(rec)
	switch rec.Status {
	case purchase.Paid, purchase.Refunded, purchase.PendingRefund, purchase.Cleared, purchase.Settled:
		o.Receipt = components.Link{Text: "See the receipt", Href: path(rec.ID) + "invoice/"}
	default:
	}
	return o, nil
}

// subscriptionLink leads from a payment to the subscription that it belongs to.
func subscriptionLink(rec purchase.Record) components.Link {
	if rec.SubscriberID == uuid.Nil {
		return components.Link{}
	}
	return components.Link{Text: "See or stop the subscription", Href: path(rec.ID) + "subscription/"}
}

// story is what the words of an outcome are made from.
type story struct {
	rec                    purchase.Record
	asked                  *purchase.Asked // nil for eft
	brand, amount, account string
	today                  calendar.Date
	refusal                string
}

func (s story) tell() checkout.Outcome {
	if o := s.answered(); o != nil {
		return *o
	}
	switch s.rec.Status {
	case purchase.Preauthorized:
		return s.stored()
	case purchase.PendingCharge, purchase.PendingExecute:
		return s.underWay()
	case purchase.Paid, purchase.Cleared, purchase.Settled:
		return s.paid()
	case purchase.Failed:
		return checkout.Outcome{Kind: "bad", Icon: "alert", Title: "Your bank did not pay",
			Text: reason(s.rec) + " Nothing was collected.", Next: []string{s.talk()}}
	case purchase.Cancelled:
		return checkout.Outcome{Kind: "wait", Icon: "x", Title: "This request was cancelled",
			Text: s.brand + " cancelled it. Nothing will be debited."}
	case purchase.Expired:
		return checkout.Outcome{Kind: "wait", Icon: "clock", Title: "This link has expired",
			Text: fmt.Sprintf("It was due on %s and can no longer be paid here.", s.due()),
			Next: []string{"If you still want to pay, ask " + s.brand + " for a new link."}}
	case purchase.Chargeback:
		return checkout.Outcome{Kind: "bad", Icon: "undo", Title: "You disputed this debit", Text: s.disputed(),
			Next: []string{s.talk()}}
	case purchase.PendingRefund:
		return s.refunding()
	case purchase.Refunded:
		return checkout.Outcome{Kind: "ok", Icon: "undo", Title: "Refunded",
			Text: money.Format(s.rec.RefundedCents, s.rec.Currency) + " was paid back to you."}
	default:
		if s.refusal != "" {
			return checkout.Outcome{Kind: "wait", Icon: "info", Title: "This cannot be paid here", Text: s.refusal,
				Next: []string{s.talk()}}
		}
		return checkout.Outcome{Kind: "ok", Icon: "done", Title: "Nothing more is needed",
			Text: "There is nothing for you to do here."}
	}
}

func (s story) stored() checkout.Outcome {
	if !s.rec.IsRecurringToken {
		return checkout.Outcome{Kind: "wait", Icon: "x", Title: "This debit order has ended",
			Text: s.brand + " no longer uses this account for new debits."}
	}
	return checkout.Outcome{Kind: "ok", Icon: "done", Title: "Your account is stored", Text: "Thank you. " + s.brand +
		" can now collect by debit order. Nothing was debited.",
		Next: []string{"Later debits follow as you agreed with " + s.brand + ".", "To end the debit order, write to " +
			s.brand + " 20 working days before."}}
}

func (s story) underWay() checkout.Outcome {
	c := s.rec.Collection
	if c == nil {
		return checkout.Outcome{Kind: "wait", Icon: "clock", Title: "Your payment is under way",
			Text: s.amount + " is with the bank."}
	}
	if c.OnHold() {
		return checkout.Outcome{Kind: "wait", Icon: "clock", Title: "Your debit order is on hold",
			Text: s.brand + " is removing your stored bank account. Nothing is debited in the meantime."}
	}
	if c.ActionDate.After(s.today) {
		return checkout.Outcome{Kind: "ok", Icon: "calendar", Title: "Your debit order is set",
			Text: fmt.Sprintf("%s will be debited on %s.", s.amount, c.ActionDate.Format(longDay)),
			Next: []string{"Please make sure that the money is in the account on that day.",
				"You do not need to do anything else."}}
	}
	if c.State == collection.InTracking {
		return checkout.Outcome{Kind: "wait", Icon: "clock", Title: "There is not enough money yet",
			Text: fmt.Sprintf("Your bank watches your account and debits %s when money arrives.", s.amount),
			Next: []string{fmt.Sprintf("It does so for up to %d days from %s.", c.TrackingDays, c.ActionDate.Format(day))}}
	}
	return checkout.Outcome{Kind: "wait", Icon: "clock", Title: "Your payment is with the bank",
		Text: fmt.Sprintf("%s is being debited. The debit date is %s.", s.amount, c.ActionDate.Format(longDay)),
		Next: []string{"The bank answers by the evening of that day. This page then shows the result."}}
}

func (s story) paid() checkout.Outcome {
	o := checkout.Outcome{Kind: "ok", Icon: "done", Title: "Paid, thank you", Text: s.amount + " was paid."}
	if s.rec.Payment != nil {
		o.Text = fmt.Sprintf("%s was paid on %s.", s.amount, calendar.DateOf(s.rec.Payment.PaidOn).Format(day))
	}
	if c := s.rec.Collection; c != nil && c.State == collection.Provisional && !s.rec.MarkedAsPaid {
		o.Next = append(o.Next,
			fmt.Sprintf("Your bank can still return the debit until %s, for example if there was not enough money.",
				calendar.DateOf(c.FinalAt).Format(day)))
	}
	if s.rec.IsRecurringToken {
		o.Next = append(o.Next, "Your account is stored for the later debits that you agreed to.")
	} else if s.rec.MayChooseToStore() && s.rec.Collection != nil && s.rec.TokenID == uuid.Nil {
		o.Next = append(o.Next, "Your account is not stored. Nothing more will be debited from it.")
	}
	return o
}

func (s story) refunding() checkout.Outcome {
	o := checkout.Outcome{Kind: "wait", Icon: "undo", Title: "A refund is on its way", Text: s.brand + " is paying " +
		money.Format(s.rec.RefundingCents, s.rec.Currency) + " back to you."}
	if c := s.rec.Collection; c != nil && c.State == collection.Provisional {
		o.Text = fmt.Sprintf("%s is refunding %s. Your bank can still return the debit, so the refund is paid after %s.",
			s.brand, money.Format(s.rec.RefundingCents, s.rec.Currency),
			calendar.DateOf(c.FinalAt).Format(day))
	}
	return o
}

func (s story) disputed() string {
	if s.rec.Payment == nil {
		return s.amount + " went back to your account."
	}
	return "Your bank is looking into it."
}

func (s story) talk() string {
	return "Please ask " + s.brand + " how you can pay."
}

func (s story) due() string { return calendar.DateOf(s.rec.Due).Format(day) }

// reason is why the last debit was not paid, in a sentence.
func reason(rec purchase.Record) string { return papers.Reason(rec.Collection) }

func facts(rec purchase.Record, account string) components.Facts {
	items := []components.Fact{}
	add := func(label, value string) {
		if value != "" {
			items = append(items, components.Fact{Label: label, Value: value})
		}
	}
	if rec.TotalCents > 0 && !rec.Options.SkipCapture {
		add("Amount", money.Format(rec.TotalCents, rec.Currency))
	}
	add("Account", account)
	if c := rec.Collection; c != nil {
		add("Debit date", c.ActionDate.Format(day))
	}
	switch dd := rec.Details.DirectDebit; {
	case rec.Collection != nil:
		line := []rune(rec.Collection.StatementLine)
		add("On your statement", strings.TrimSpace(string(line[:min(10, len(line))]))) // the short name
	case dd != nil:
		add("On your statement", dd.AbbreviatedName)
	}
	add("Reference", reference(rec))
	return components.Facts{Items: items}
}

// due is what a page asks for, or tells of: where a part was paid another way, the rest.
func due(rec purchase.Record) int64 {
	if rec.PartPaidCents() > 0 {
		return rec.OpenCents()
	}
	return rec.TotalCents
}
