package purchases

import (
	"context"
	"net/url"
	"strings"
	"time"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

var paidAct = purchaseAct{
	path: "payment",
	ask: func(p *Purchases, rec purchase.Record, _ actor.Actor, typed url.Values) pages.ActView {
		today, open := calendar.DateOf(p.Desk.Now()).String(), rec.OpenCents()
		if typed == nil {
			typed = url.Values{"paid_on": {today}, "amount": {money.Amount(open)}}
		}
		options := &components.Select{Label: "How it was paid", Name: "method", Blank: "Not said"}
		for _, m := range purchase.HandMethods {
			options.Options = append(options.Options, components.Option{Value: string(m), Text: words.Capital(m.Words()),
				Selected: typed.Get("method") == string(m)})
		}
		return pages.ActView{Title: "Mark purchase " + words.Reference(rec.Purchase) + " as paid",
			Blocked: whyNotPaid(rec, p.Desk.Now()),
			Question: components.Confirm{Title: "Did " + words.PayerName(rec.Purchase) + " pay " +
				words.Sum(open, rec.Currency) + "?",
				Text: "Record money that came in outside Debitdesk, such as cash or a transfer. Nothing is debited. " +
					"If a part was paid, enter the part: the rest is still to be paid.",
				Button: "Mark as paid", Safe: true},
			Money: &components.MoneyField{Label: "Amount paid", Name: "amount", Value: typed.Get("amount"),
				Currency: currencySign(rec.Currency), Required: true,
				Hint: words.Sum(open, rec.Currency) + " is to be paid."},
			Date: &components.DateField{Label: "Day of the payment", Name: "paid_on", Value: typed.Get("paid_on"), Max: today,
				Required: true},
			Options: options,
			Text: &components.Field{Label: "Reference", Name: "reference", Value: typed.Get("reference"), MaxLength: 100,
				Autocomplete: "off", Hint: "As your bank statement or receipt has it."}}
	},
	do: func(p *Purchases, ctx context.Context, who actor.Actor, rec purchase.Record, form url.Values) (purchase.Record,
		error) {
		in, err := handPayment(form, p.Desk.Now())
		if err != nil {
			return rec, err
		}
		return p.Service.RecordPayment(ctx, who, rec.ID, in)
	},
	answer: func(rec purchase.Record) string {
		if rec.PartPaidCents() > 0 {
			return "The payment is recorded. " + words.Sum(rec.OpenCents(), rec.Currency) + " is still to be paid."
		}
		return "The purchase is marked as paid."
	},
}

// handPayment reads what was typed of a payment; everything that is wrong is said at once.
func handPayment(form url.Values, now time.Time) (in purchase.HandPayment, err error) {
	var w fault.Problems
	if in.PaidOn, err = paidOn(form.Get("paid_on"), now); err != nil {
		if f, ok := fault.From(err); ok {
			w = append(w, f.Fields...)
		}
	}
	if text := strings.TrimSpace(form.Get("amount")); text != "" {
		cents, err := money.Parse(text)
		if err != nil {
			w.Add("amount", "invalid", "%s.", words.Capital(err.Error()))
		}
		in.Cents = &cents
	}
	in.Method, in.Reference = purchase.HandMethod(form.Get("method")), strings.TrimSpace(form.Get("reference"))
	return in, w.Err()
}

// paidOn reads the day of a payment; nil for today, which means now.
func paidOn(text string, now time.Time) (*time.Time, error) {
	day, err := calendar.ParseDate(text)
	if err != nil {
		return nil, fault.At("paid_on", "invalid", "Enter the day as a date, such as %s.", calendar.DateOf(now))
	}
	if day.After(calendar.DateOf(now)) {
		return nil, fault.At("paid_on", "max_value", "The day of a payment cannot be in the future.")
	}
	if day == calendar.DateOf(now) {
		return nil, nil
	}
	noon := day.At(12, 0)
	return &noon, nil
}
