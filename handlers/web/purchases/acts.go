package purchases

import (
	"context"
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
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
	// credits says which credit note follows, where an invoice of which so much is left stands; nil: none does.
	credits func(rec purchase.Record, left int64) string
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

// AskWithdraw serves GET /purchases/:id/withdrawal.
func (p *Purchases) AskWithdraw(c echo.Context) error {
	return p.askAct(c, withdrawAct, http.StatusOK, url.Values{}, nil)
}

// Withdraw serves POST /purchases/:id/withdrawal.
func (p *Purchases) Withdraw(c echo.Context) error { return p.doAct(c, withdrawAct) }

// AskTakeBack serves GET /purchases/:id/payment/return.
func (p *Purchases) AskTakeBack(c echo.Context) error {
	return p.askAct(c, takeBackAct, http.StatusOK, url.Values{}, nil)
}

// TakeBack serves POST /purchases/:id/payment/return.
func (p *Purchases) TakeBack(c echo.Context) error { return p.doAct(c, takeBackAct) }

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
	if act.credits != nil && view.Blocked == "" {
		docs, err := p.Billing.Of(c.Request().Context(), rec.MerchantID, rec.ID)
		if err != nil {
			return err
		}
		if docs.Stands() {
			view.Question.Breaks = append(view.Question.Breaks, act.credits(rec, docs.LeftCents()))
		}
	}
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
	if view.Options != nil {
		view.Options.Error = byInput[view.Options.Name]
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
	return kit.AskAgain(c, err, words.PurchasePath(rec.ID), func() error {
		return p.showAct(c, act, rec, http.StatusUnprocessableEntity, form, err)
	})
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
	answer:  func(purchase.Record) string { return "The purchase is cancelled." },
	credits: func(rec purchase.Record, left int64) string { return creditWords(rec, left, left) },
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
