package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/api/input"
	"debitdesk/models/actor"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/purchase"
)

// Billing serves /billing/.
type Billing struct {
	Service *billing.Service
}

// Send serves POST /billing/: one invoice for each of many clients.
func (h *Billing) Send(c echo.Context) error {
	body, err := input.Read(c.Request())
	if err != nil {
		return err
	}
	in := readBilling(body)
	who := access.Actor(c)
	if who.Kind == actor.User {
		in.Pattern.UserID = who.ID
	}
	return Run(c, http.StatusOK, func(ids []uuid.UUID) any { return ids }, func(ctx context.Context) ([]uuid.UUID, error) {
		return h.Service.Send(ctx, who, in)
	})
}

// readBilling reads a one-time invoice. What is read-only for it (title,
// is_subscription, the subscription fields) is not looked at (API contract 5.1).
func readBilling(o *input.Object) billing.Input {
	var in billing.Input
	p := &in.Pattern
	p.BrandID = brandOf(o)
	readPattern(o, p)
	readInvoiceFields(o, p)
	for _, r := range o.Objects("clients", 1, billing.MostRecipients) {
		in.Recipients = append(in.Recipients, readRecipient(r))
	}
	p.Problems = o.Problems()
	return in
}

// readPattern reads what one-time invoices and subscriptions have in common.
func readPattern(o *input.Object, p *purchase.Input) {
	p.Options = purchase.Options{
		ForceRecurring: o.Bool("force_recurring", false), SendReceipt: true, Source: "api",
		SuccessRedirect: o.Text("success_redirect", 500), FailureRedirect: o.Text("failure_redirect", 500),
		CancelRedirect: o.Text("cancel_redirect", 500),
	}
	if body, ok := o.NeedObject("purchase"); ok {
		readDetails(body, p)
	}
	p.Options.Whitelist = patternWhitelist(o, p.DirectDebit)
}

// readInvoiceFields reads what belongs to one-time invoices alone.
func readInvoiceFields(o *input.Object, p *purchase.Input) {
	p.Options.SkipCapture = either(o, "skip_capture", "invoice_skip_capture",
		func(n string) bool { return o.Bool(n, false) }, false)
	p.Options.SendReceipt = either(o, "send_receipt", "invoice_send_receipt",
		func(n string) bool { return o.Bool(n, true) }, true)
	p.Issued = either(o, "issued", "invoice_issued", func(n string) calendar.Date { d, _ := o.Date(n); return d },
		calendar.Date{})
	due := either(o, "due", "invoice_due", func(n string) time.Time {
		at, _ := o.MomentUntil(n, purchase.LastDue)
		return at
	}, time.Time{})
	if !due.IsZero() {
		p.Due = &due
	} else if !o.Problems().Has(o.Path("due")) && !o.Problems().Has(o.Path("invoice_due")) {
		o.Add("due", "required", "This field is required.")
	}
}

func readRecipient(o *input.Object) billing.Recipient {
	return billing.Recipient{ClientID: o.NeedUUID("client_id"), Whitelist: readWhitelist(o)}
}

// brandIfGiven is brandOf where the brand may be left out (API contract 12.19).
func brandIfGiven(o *input.Object) uuid.UUID {
	if o.IsBlank("brand_id") && o.IsBlank("brand") {
		return uuid.Nil
	}
	return brandOf(o)
}

// brandOf reads brand_id, or its alias brand.
func brandOf(o *input.Object) uuid.UUID {
	if o.IsNull("brand_id") && !o.IsNull("brand") {
		return o.NeedUUID("brand")
	}
	id := o.NeedUUID("brand_id")
	if other := o.UUID("brand"); other != uuid.Nil && id != uuid.Nil && other != id {
		o.Add("brand", "invalid", "brand and brand_id differ; send only one of them.")
	}
	return id
}

// either reads a field that has two names: one value is kept, and a disagreement
// stands at the source document's name (API contract 5.1).
func either[T comparable](o *input.Object, name, alias string, read func(name string) T, def T) T {
	switch first, second := !o.IsNull(name), !o.IsNull(alias); {
	case first && second:
		value, other := read(name), read(alias)
		if value != other && !o.Problems().Has(o.Path(name)) && !o.Problems().Has(o.Path(alias)) {
			o.Add(name, "invalid", "%s and %s differ; send only one of them.", name, alias)
		}
		return value
	case second:
		return read(alias)
	case first:
		return read(name)
	}
	return def
}
