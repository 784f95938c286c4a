package checkout

import (
	"fmt"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/views/checkout"
	"debitdesk/views/components"
)

// answered says what came of asking at the payer's bank; nil leaves the words to
// the purchase alone.
func (s story) answered() *checkout.Outcome {
	if s.asked == nil {
		return nil
	}
	s.w.Lack() // what a bank asks its client is said in English alone, as the bank's own terms are
	switch m := s.asked.Mandate; {
	case s.rec.Status == purchase.Failed && m.State.Unanswered():
		o := s.notAgreed(m.State)
		if s.refusal != "" {
			o.Next = []string{"This link cannot ask you again.", s.talk()}
		}
		return o
	case s.rec.Status != purchase.Preauthorized:
		return nil
	case m.State == mandate.Suspended || m.State == mandate.BlockedBy:
		return &checkout.Outcome{Kind: "wait", Icon: "info", Title: "This debit order is suspended",
			Text: "Your bank has suspended it. " + s.brand + " cannot debit your account.",
			Next: []string{s.talk()}}
	case m.State == mandate.Cancelled:
		return &checkout.Outcome{Kind: "wait", Icon: "x", Title: "This debit order has ended",
			Text: "It was cancelled. Nothing more will be debited under it."}
	case m.State == mandate.Superseded:
		return &checkout.Outcome{Kind: "wait", Icon: "info", Title: "This debit order was replaced",
			Text: "You agreed to a newer one with " + s.brand + ". Nothing more will be debited under this one."}
	case m.State == mandate.Registered:
		return &checkout.Outcome{Kind: "wait", Icon: "info", Title: "Registered without your answer",
			Text: "Your bank did not get an answer from you in time. The debit order is registered anyway, as " + s.brand +
				" asked for."}
	case m.State == mandate.ActiveState:
		return &checkout.Outcome{Kind: "ok", Icon: "done", Title: "You have confirmed",
			Text: "Thank you. Your debit order with " + s.brand + " is set up. Nothing was debited."}
	}
	return nil
}

// notAgreed: nothing came of it, and why.
func (s story) notAgreed(state mandate.State) *checkout.Outcome {
	const nothing = " Nothing will be debited."
	code := s.asked.Last.Code
	switch {
	case state == mandate.NoResponse:
		return &checkout.Outcome{Kind: "wait", Icon: "clock", Title: "There was no answer",
			Text: "Your bank did not get an answer from you in time." + nothing}
	case state == mandate.FailedAtBank:
		return &checkout.Outcome{Kind: "bad", Icon: "alert", Title: "We could not reach your bank",
			Text: "Your bank’s system did not accept the request." + nothing,
			Next: []string{"This often passes: please try again in a few minutes."}}
	case code == "" || code == bank.CodeRefused || code == "MD16":
		return &checkout.Outcome{Kind: "wait", Icon: "x", Title: "You declined",
			Text: "You declined the debit order at your bank." + nothing}
	}
	text := "Your bank declined the debit order."
	if reason := bank.MandateCodeOf(code); code != "MD07" && code != "MS03" && code != bank.CodeFraud &&
		reason.Code == code &&
		known(code) { // a death is nothing to read on a page, nor a suspicion
		text = "Your bank says: " + reason.Meaning + "."
	}
	return &checkout.Outcome{Kind: "bad", Icon: "alert", Title: "Your bank declined", Text: text + nothing}
}

func known(code string) bool {
	for _, c := range bank.MandateCodes() {
		if c.Code == code {
			return true
		}
	}
	return false
}

// agreed tells that a DebiCheck mandate stands, by the payer's answer or without.
func (s story) agreed() bool { return s.asked != nil && s.asked.Mandate.State.Usable() }

// agreedFacts are what was agreed, for whoever keeps the page.
func (s story) agreedFacts() (items []components.Fact) {
	if s.asked == nil || s.asked.Mandate.AcceptedAt.IsZero() {
		return nil
	}
	m, last := s.asked.Mandate, s.asked.Last
	items = append(items, components.Fact{Label: "Contract reference", Value: m.ContractReference})
	if m.Terms != nil {
		items = append(items, agreedTerms(s.rec, m)...)
	}
	if last.State == mandate.AuthAccepted {
		items = append(items, components.Fact{Label: "Confirmed",
			Value: last.AnsweredAt.In(calendar.SAST).Format("2 January 2006, 15:04") + channelWords(last.Channel)})
	}
	return items
}

// agreedTerms are the main terms as the mandate has them now.
func agreedTerms(rec purchase.Record, m mandate.Mandate) []components.Fact {
	items := mainTerms(rec, m.Terms)
	if m.OneDebit {
		items[len(items)-1].Value = "Once"
	}
	return items
}

// mainTerms are what a payer compares with the words of the bank.
func mainTerms(rec purchase.Record, t *mandate.Terms) []components.Fact {
	return []components.Fact{{Label: "Amounts", Value: amounts(rec, t)},
		{Label: "Never more than", Value: money.Format(t.MaxAmountCents, rec.Currency) + " a debit"},
		{Label: "How often", Value: howOften(rec, t)}}
}

// disputes says which debits the payer may take back, and how the debit order ends.
func (s story) disputes() []string {
	m := s.asked.Mandate
	var next []string
	switch t := m.Terms; {
	case m.Fallback || m.State == mandate.Registered:
		next = append(next, "You can dispute debits under this debit order at your bank.")
	default:
		next = append(next, "Debits that match what you agreed cannot be disputed at your bank.")
		if t != nil && t.ValueType != mandate.Fixed && t.PriceCents > 0 {
			next = append(next, fmt.Sprintf("You can dispute a debit of any amount other than %s.",
				money.Format(t.PriceCents, s.rec.Currency)))
		}
		if t != nil && t.AllowDateAdjustment {
			next = append(next, "You can also dispute a debit on a day that you did not agree.")
		}
	}
	return append(next, "To end the debit order, write to "+s.brand+
		" 20 working days before. You can also ask your bank to stop its debits.")
}

func channelWords(channel string) string {
	switch channel {
	case "banking_app":
		return ", in your banking app"
	case "internet_banking":
		return ", by internet banking"
	case "ussd", "cellphone_banking":
		return ", by cellphone banking"
	case "sms", "sms_link":
		return ", by SMS"
	case "atm":
		return ", at an ATM"
	case "branch":
		return ", in a branch"
	}
	return ""
}
