package purchases

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// purchaseAct is one thing that a person may do with a purchase: a question on a
// page of its own, and the use case behind its button.
type purchaseAct struct {
	path string
	ask  func(p *Purchases, rec purchase.Record, who actor.Actor, form url.Values) pages.ActView
	do   func(p *Purchases, ctx context.Context, who actor.Actor, rec purchase.Record, form url.Values) (purchase.Record,
		error)
	answer func(rec purchase.Record) string
}

// AskCancel and its siblings serve GET and POST of the acts of a purchase.
func (p *Purchases) AskCancel(c echo.Context) error {
	return p.askAct(c, cancelAct, http.StatusOK, url.Values{}, nil)
}

// Cancel serves POST /purchases/:id/cancellation.
func (p *Purchases) Cancel(c echo.Context) error { return p.doAct(c, cancelAct) }

// AskRefund serves GET /purchases/:id/refund.
func (p *Purchases) AskRefund(c echo.Context) error {
	return p.askAct(c, giveBackAct, http.StatusOK, nil, nil)
}

// Refund serves POST /purchases/:id/refund.
func (p *Purchases) Refund(c echo.Context) error { return p.doAct(c, giveBackAct) }

// AskSettle serves GET /purchases/:id/settlement.
func (p *Purchases) AskSettle(c echo.Context) error {
	return p.askAct(c, settleAct, http.StatusOK, url.Values{}, nil)
}

// Settle serves POST /purchases/:id/settlement.
func (p *Purchases) Settle(c echo.Context) error { return p.doAct(c, settleAct) }

// AskPaid serves GET /purchases/:id/payment.
func (p *Purchases) AskPaid(c echo.Context) error {
	return p.askAct(c, paidAct, http.StatusOK, nil, nil)
}

// Paid serves POST /purchases/:id/payment.
func (p *Purchases) Paid(c echo.Context) error { return p.doAct(c, paidAct) }

// AskMail serves GET /purchases/:id/mail.
func (p *Purchases) AskMail(c echo.Context) error {
	return p.askAct(c, mailAct, http.StatusOK, url.Values{}, nil)
}

// Mail serves POST /purchases/:id/mail.
func (p *Purchases) Mail(c echo.Context) error { return p.doAct(c, mailAct) }

// AskAddress serves GET /purchases/:id/address.
func (p *Purchases) AskAddress(c echo.Context) error {
	return p.askAct(c, addressAct, http.StatusOK, nil, nil)
}

// Address serves POST /purchases/:id/address.
func (p *Purchases) Address(c echo.Context) error { return p.doAct(c, addressAct) }

func (p *Purchases) askAct(c echo.Context, act purchaseAct, status int, typed url.Values, wrong error) error {
	rec, err := p.find(c)
	if err != nil {
		return err
	}
	return p.showAct(c, act, rec, status, typed, wrong)
}

func (p *Purchases) showAct(c echo.Context, act purchaseAct, rec purchase.Record, status int, typed url.Values,
	wrong error) error {
	view := act.ask(p, rec, access.Actor(c), typed)
	view.Back = components.Link{Text: "Purchase " + words.Reference(rec.Purchase), Href: words.PurchasePath(rec.ID)}
	view.Question.ID, view.Question.Action, view.Question.CancelHref = "act", words.PurchasePath(rec.ID, act.path),
		words.PurchasePath(rec.ID)
	key := typed.Get(kit.FormKeyName)
	if key == "" {
		key = kit.NewFormKey()
	}
	view.Question.Fields = append(view.Question.Fields, components.Pair{Name: kit.FormKeyName, Value: key})
	byInput, summary, _ := kit.Problems(wrong)
	view.Problems = components.ErrorSummary{Items: summary}
	if view.Money != nil {
		view.Money.Error = byInput[view.Money.Name]
	}
	if view.Date != nil {
		view.Date.Error = byInput[view.Date.Name]
	}
	if view.Text != nil {
		view.Text.Error = byInput[view.Text.Name]
	}
	return p.Desk.ShowIn(c, status, view.Title, words.Purchases,
		func(f layout.Frame) templ.Component { return pages.AskAct(f, view) })
}

func (p *Purchases) doAct(c echo.Context, act purchaseAct) error {
	rec, err := p.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	who := access.Actor(c)
	// Whatever an act answers (a refund answers more than the purchase), it leads to the purchase.
	err = kit.Once(c, p.Desk, form.Get(kit.FormKeyName), func(ctx context.Context) (any, error) {
		done, err := act.do(p, ctx, who, rec, form)
		if err != nil {
			return done, err
		}
		return done, access.AddFlash(c, "ok", act.answer(done))
	}, func(any) string { return words.PurchasePath(rec.ID) })
	return p.refused(c, act, rec, form, err)
}

// refused shows the form again with what was typed, or the purchase with the
// reason when it moved on meanwhile.
func (p *Purchases) refused(c echo.Context, act purchaseAct, rec purchase.Record, form url.Values, err error) error {
	if _, _, ok := kit.Problems(err); ok {
		return p.showAct(c, act, rec, http.StatusUnprocessableEntity, form, err)
	}
	if f, ok := fault.From(err); ok && f.Kind == fault.Conflict {
		return access.RedirectWithFlash(c, "bad", f.Message, words.PurchasePath(rec.ID))
	}
	return err
}

var cancelAct = purchaseAct{
	path: "cancellation",
	ask: func(p *Purchases, rec purchase.Record, _ actor.Actor, _ url.Values) pages.ActView {
		v := pages.ActView{Title: "Cancel purchase " + words.Reference(rec.Purchase), Blocked: whyNotCancel(rec, p.Service),
			Question: components.Confirm{
				Title: "Cancel " + words.Sum(rec.TotalCents, rec.Currency) + " from " + words.PayerName(rec.Purchase) + "?",
				Text:  "This cannot be undone. You can create a new purchase instead.", Button: "Cancel purchase",
				Keep: "Keep purchase",
			}}
		if c := rec.Collection; c != nil {
			switch c.State {
			case collection.Scheduled:
				v.Question.Breaks = []string{"The debit of " + words.SayDay(c.ActionDate, p.Desk.Now()) +
					" is dropped; the bank has not seen it."}
			case collection.Submitted, collection.InTracking:
				v.Question.Breaks = []string{"The bank has the debit of " + words.SayDay(c.ActionDate, p.Desk.Now()) +
					" already and is asked to recall it."}
			default:
			}
		}
		return v
	},
	do: func(p *Purchases, ctx context.Context, who actor.Actor, rec purchase.Record, _ url.Values) (purchase.Record,
		error) {
		return p.Service.Cancel(ctx, who, rec.ID)
	},
	answer: func(purchase.Record) string { return "The purchase is cancelled." },
}

var giveBackAct = purchaseAct{
	path: "refund",
	ask: func(p *Purchases, rec purchase.Record, who actor.Actor, typed url.Values) pages.ActView {
		left := rec.RefundableCents()
		amount := money.Amount(left)
		if typed != nil {
			amount = typed.Get("amount")
		}
		text := refundRules(rec, p.Service, p.Desk.Now())
		return pages.ActView{Title: "Refund purchase " + words.Reference(rec.Purchase), Blocked: whyNotRefund(rec, who),
			Question: components.Confirm{Title: "Refund " + words.PayerName(rec.Purchase) + "?", Text: text, Button: "Refund",
				Safe: true},
			Money: &components.MoneyField{Label: "Amount to refund", Name: "amount", Value: amount,
				Currency: currencySign(rec.Currency), Required: true,
				Hint: "At most " + words.Sum(left, rec.Currency) + "."}}
	},
	do: func(p *Purchases, ctx context.Context, who actor.Actor, rec purchase.Record, form url.Values) (purchase.Record,
		error) {
		cents, err := money.Parse(form.Get("amount"))
		if err != nil {
			return rec, fault.At("amount", "invalid", "%s.", words.Capital(err.Error()))
		}
		if left := rec.RefundableCents(); cents > left && left > 0 || cents < 1 {
			return rec, fault.At("amount", "max_value", "Refund between R%s0,01 and %s.", money.NBSP,
				words.Sum(left, rec.Currency))
		}
		out, err := p.Service.Refund(ctx, who, rec.ID, &cents)
		return out.Record, err
	},
	answer: func(rec purchase.Record) string {
		switch {
		case rec.Status != purchase.PendingRefund:
			return "The refund is recorded as paid back."
		case rec.Collection != nil && rec.Collection.State == collection.Provisional:
			text := "The refund is paid out when the bank can no longer return the debit, after " +
				rec.Collection.FinalAt.In(calendar.SAST).Format("2 Jan 2006") + "."
			if last, may := rec.Collection.DisputableUntil(); may {
				text += " The client can dispute the debit until " + last.Format("2 Jan 2006") + "."
			}
			return text
		}
		return "The refund is on its way to the bank."
	},
}

var settleAct = purchaseAct{
	path: "settlement",
	ask: func(p *Purchases, rec purchase.Record, who actor.Actor, _ url.Values) pages.ActView {
		return pages.ActView{Title: "Refund of purchase " + words.Reference(rec.Purchase), Blocked: whyNotSettle(rec, who),
			Question: settleQuestion(rec, p.Desk.Now())}
	},
	do: func(p *Purchases, ctx context.Context, who actor.Actor, rec purchase.Record, _ url.Values) (purchase.Record,
		error) {
		return p.Service.SettleRefund(ctx, who, rec.ID)
	},
	answer: func(purchase.Record) string { return "The refund is recorded as paid back." },
}

var paidAct = purchaseAct{
	path: "payment",
	ask: func(p *Purchases, rec purchase.Record, _ actor.Actor, typed url.Values) pages.ActView {
		today := calendar.DateOf(p.Desk.Now()).String()
		day := today
		if typed != nil {
			day = typed.Get("paid_on")
		}
		return pages.ActView{Title: "Mark purchase " + words.Reference(rec.Purchase) + " as paid",
			Blocked: whyNotPaid(rec, p.Desk.Now()),
			Question: components.Confirm{Title: "Did " + words.PayerName(rec.Purchase) + " pay " +
				words.Sum(rec.TotalCents, rec.Currency) + "?",
				Text:   "Record money that came in outside Debitdesk, such as cash or a transfer. Nothing is debited.",
				Button: "Mark as paid", Safe: true},
			Date: &components.DateField{Label: "Day of the payment", Name: "paid_on", Value: day, Max: today, Required: true}}
	},
	do: func(p *Purchases, ctx context.Context, who actor.Actor, rec purchase.Record, form url.Values) (purchase.Record,
		error) {
		at, err := paidOn(form.Get("paid_on"), p.Desk.Now())
		if err != nil {
			return rec, err
		}
		return p.Service.MarkAsPaid(ctx, who, rec.ID, at)
	},
	answer: func(purchase.Record) string { return "The purchase is marked as paid." },
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

var mailAct = purchaseAct{
	path: "mail",
	ask: func(p *Purchases, rec purchase.Record, _ actor.Actor, _ url.Values) pages.ActView {
		what := "an invoice with the link to pay"
		if rec.Method != "" {
			what = "the link to give the bank details"
		}
		if wantsReminder(rec) {
			what = "a reminder that says what is open and why, with the total and the link to pay. A client is reminded " +
				"once a day"
		}
		v := pages.ActView{Title: "Send the link of purchase " + words.Reference(rec.Purchase),
			Blocked: whyNotMail(rec, p.Desk.Now()), Question: components.Confirm{
				Title: "Send a mail to " + rec.Payer.Email + "?", Text: "The client gets " + what + ".", Button: "Send mail",
				Safe: true}}
		if rec.MailCount > 0 {
			v.Question.Breaks = []string{"The client was mailed " + plural.Of(rec.MailCount, "time") + " already."}
		}
		return v
	},
	do: func(p *Purchases, ctx context.Context, who actor.Actor, rec purchase.Record, _ url.Values) (purchase.Record,
		error) {
		if !wantsReminder(rec) {
			return p.Service.ResendInvoice(ctx, who, rec.ID)
		}
		reminded, err := p.Service.Reminded(ctx, who.MerchantID, []purchase.Record{rec})
		if err == nil && reminded[rec.ID] {
			err = fault.New(fault.Conflict, "already_reminded", remindedToday)
		}
		if err != nil {
			return rec, err
		}
		return p.Service.Remind(ctx, who, rec.ID)
	},
	answer: func(rec purchase.Record) string { return "The mail to " + rec.Payer.Email + " is on its way." },
}
