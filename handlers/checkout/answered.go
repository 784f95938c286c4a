package checkout

import (
	"strings"

	"debitdesk/models/bank"
	"debitdesk/models/locale"
	"debitdesk/models/mandate"
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
	w := s.w
	said := func(kind, icon, key string) *checkout.Outcome {
		return &checkout.Outcome{Kind: kind, Icon: icon, Title: w.Say("pay.dc." + key),
			Text: w.Say("pay.dc."+key+"_text", "business", s.brand)}
	}
	switch m := s.asked.Mandate; {
	case s.rec.Status == purchase.Failed && m.State.Unanswered():
		o := s.notAgreed(m.State)
		if s.refusal != "" {
			o.Next = []string{w.Say("pay.dc.cannot_again"), s.talk()}
		}
		return o
	case s.rec.Status != purchase.Preauthorized:
		return nil
	case m.State == mandate.Suspended || m.State == mandate.BlockedBy:
		o := said("wait", "info", "suspended")
		o.Next = []string{s.talk()}
		return o
	case m.State == mandate.Cancelled:
		return &checkout.Outcome{Kind: "wait", Icon: "x", Title: w.Say("pay.out.ended"), Text: w.Say("pay.dc.cancelled_text")}
	case m.State == mandate.Superseded:
		return said("wait", "info", "replaced")
	case m.State == mandate.Registered:
		return said("wait", "info", "registered")
	case m.State == mandate.ActiveState:
		return said("ok", "done", "confirmed")
	}
	return nil
}

// notAgreed: nothing came of it, and why.
func (s story) notAgreed(state mandate.State) *checkout.Outcome {
	w, code := s.w, s.asked.Last.Code
	said := func(kind, icon, key string) *checkout.Outcome {
		return &checkout.Outcome{Kind: kind, Icon: icon, Title: w.Say("pay.dc." + key),
			Text: w.Say("pay.dc."+key+"_text") + " " + w.Say("pay.dc.none")}
	}
	switch {
	case state == mandate.NoResponse:
		return said("wait", "clock", "no_answer")
	case state == mandate.FailedAtBank:
		o := said("bad", "alert", "unreached")
		o.Next = []string{w.Say("pay.dc.unreached_next")}
		return o
	case code == "" || code == bank.CodeRefused || code == "MD16":
		return said("wait", "x", "declined")
	}
	o := said("bad", "alert", "refused")
	if reason := bank.MandateCodeOf(code); code != "MD07" && code != "MS03" && code != bank.CodeFraud &&
		reason.Code == code && known(code) { // a death is nothing to read on a page, nor a suspicion
		switch key := "pay.dc.why." + strings.ToLower(code); {
		case w.Language == locale.English:
			o.Text = w.Say("pay.why.says", "reason", reason.Meaning) + " " + w.Say("pay.dc.none")
		case locale.Has(key): // what a client can mend; the rest is said in fewer words
			o.Text = w.Say("pay.why.says", "reason", w.Say(key)) + " " + w.Say("pay.dc.none")
		}
	}
	return o
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

// agreedOnce tells that the client, or a bank in its place, accepted the mandate at some time.
func (s story) agreedOnce() bool { return !s.asked.Mandate.AcceptedAt.IsZero() }

// agreedFacts are what was agreed, for whoever keeps the page.
func (s story) agreedFacts() (items []components.Fact) {
	if s.asked == nil || !s.agreedOnce() {
		return nil
	}
	w, m, last := s.w, s.asked.Mandate, s.asked.Last
	items = append(items, components.Fact{Label: w.Say("pay.dc.contract"), Value: m.ContractReference})
	if m.Terms != nil {
		items = append(items, agreedTerms(w, s.rec, m)...)
	}
	if last.State == mandate.AuthAccepted {
		items = append(items, components.Fact{Label: w.Say("pay.dc.confirmed_on"), Value: confirmed(w, last)})
	}
	return items
}

// agreedTerms are the main terms as the mandate has them now: what a payer compares with the words of the bank.
func agreedTerms(w locale.Words, rec purchase.Record, m mandate.Mandate) []components.Fact {
	often := howOften(w, rec, m.Terms)
	if m.OneDebit {
		often = w.Say("pay.dc.once")
	}
	return []components.Fact{{Label: w.Say("pay.dc.amounts"), Value: amounts(w, rec, m.Terms)},
		{Label: w.Say("pay.dc.most"), Value: w.Say("pay.dc.a_debit", "amount",
			w.Money(m.Terms.MaxAmountCents, rec.Currency))},
		{Label: w.Say("sub.how_often"), Value: often}}
}

// rights are those of disputes, in the language of the English beside a translation; none while nothing is agreed.
func (s story) rights(w locale.Words) []string {
	if !s.agreed() {
		return nil
	}
	return s.disputes(w)
}

// disputes says which debits the payer may take back, and how the debit order ends.
func (s story) disputes(w locale.Words) []string {
	m := s.asked.Mandate
	var next []string
	switch t := m.Terms; {
	case m.Fallback || m.State == mandate.Registered:
		next = append(next, w.Say("pay.dc.dispute_any"))
	default:
		next = append(next, w.Say("pay.dc.dispute_not"))
		if t != nil && t.ValueType != mandate.Fixed && t.PriceCents > 0 {
			next = append(next, w.Say("pay.dc.dispute_amount", "amount", w.Money(t.PriceCents, s.rec.Currency)))
		}
		if t != nil && t.AllowDateAdjustment {
			next = append(next, w.Say("pay.dc.dispute_day"))
		}
	}
	return append(next, w.Say("pay.dc.end", "business", s.brand))
}

// confirmed is when the client confirmed a mandate, and where.
func confirmed(w locale.Words, a mandate.Authentication) string {
	at := w.Moment(a.AnsweredAt)
	where := map[string]string{"banking_app": "pay.dc.by.app", "internet_banking": "pay.dc.by.internet",
		"ussd": "pay.dc.by.cellphone", "cellphone_banking": "pay.dc.by.cellphone", "sms": "pay.dc.by.sms",
		"sms_link": "pay.dc.by.sms", "atm": "pay.dc.by.atm", "branch": "pay.dc.by.branch"}[a.Channel]
	if where == "" {
		return at
	}
	return w.Say(where, "time", at)
}
