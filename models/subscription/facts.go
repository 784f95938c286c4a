package subscription

import (
	"maps"

	"debitdesk/models/purchase"
)

// facts of a template are what the audit keeps of it: all that a person can change. What a program keeps in it for
// itself (metadata, addresses that it is sent to) is not among them.
func (t Template) facts() map[string]any {
	f := map[string]any{"title": t.Title, "is_subscription": t.IsSubscription, "total_cents": t.TotalCents,
		"brand": t.BrandID, "currency": t.Currency, "due_strict": t.DueStrict, "language": t.Details.Language,
		"lines": lineFacts(t.Details.Products), "send_receipt": t.Options.SendReceipt,
		"send_invoice_on_charge_failure": t.Options.InvoiceOnFailure}
	put(f, "note", t.Details.Notes)
	put(f, "message", t.Details.EmailMessage)
	put(f, "debt_cents", t.Details.DebtCents)
	if !t.Due.IsZero() {
		f["due"] = t.Due.Unix()
	}
	if !t.Issued.IsZero() {
		f["issued"] = t.Issued.String()
	}
	if t.Options.Whitelist != nil {
		f["payment_methods"] = t.Options.Whitelist
	}
	for name, cents := range map[string]*int64{"subtotal_cents": t.Details.SubtotalOverrideCents,
		"tax_cents": t.Details.TaxOverrideCents, "discount_cents": t.Details.DiscountOverrideCents} {
		if cents != nil {
			f[name] = *cents
		}
	}
	if t.IsSubscription {
		maps.Copy(f, map[string]any{"period": t.Plan.Period, "units": t.Plan.Units, "due_period": t.Plan.DuePeriod,
			"due_units":     t.Plan.DueUnits,
			"charge_at_end": t.Plan.ChargeAtEnd, "trial_periods": t.Plan.TrialPeriods, "cycles": t.Plan.Cycles,
			"paused": t.Paused})
	}
	return f
}

// facts of a subscriber are where it stands.
func (s Subscriber) facts() map[string]any {
	return map[string]any{"status": s.Status, "why": s.Why, "next_on": s.NextOn.String(), "passed": s.Passed,
		"token": s.TokenID}
}

// terms are facts with what was agreed for this subscriber: what a period of it comes to, and what differs from the
// template. Numbers of the debtor are masked.
func (s Subscriber) terms(t Template) map[string]any {
	f := s.facts()
	every := s.Override.Every()
	f["total_cents"] = t.priceOf(Subscriber{Override: every})
	if every != nil && every.Products != nil {
		f["lines"] = lineFacts(every.Products)
	}
	if first := s.Override.first(); first != nil {
		f["first_amount_cents"] = *first
	}
	put(f, "reference", s.Reference)
	put(f, "debtor_account_number", s.Debit.DebtorAccount.String())
	put(f, "debtor_id_number", s.Debit.DebtorID.String())
	if s.Whitelist != nil {
		f["payment_methods"] = s.Whitelist
	}
	maps.Copy(f, s.Debit.Fields)
	f["send_receipt"], f["confirm_each_order"] = s.Switches.Receipt, s.Switches.ConfirmEachOrder
	f["send_invoice_on_charge_failure"] = s.Switches.InvoiceOnChargeFailure
	return f
}

// put leaves out what is not there.
func put[T comparable](f map[string]any, name string, value T) {
	var nothing T
	if value != nothing {
		f[name] = value
	}
}

func lineFacts(lines []purchase.Product) (out []map[string]any) {
	for _, l := range lines {
		line := map[string]any{"name": l.Name, "price_cents": l.PriceCents, "quantity": l.Quantity.String(),
			"tax_percent": l.TaxPercent.String()}
		put(line, "discount_cents", l.DiscountCents)
		put(line, "category", l.Category)
		out = append(out, line)
	}
	return out
}
