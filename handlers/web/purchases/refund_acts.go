package purchases

import (
	"context"
	"net/url"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

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
	credits: func(rec purchase.Record, _ int64) string {
		text := "A credit note for the amount is issued when the refund is paid"
		if rec.Payer.Email == "" {
			return text + "; no mail is sent, since the client has no e-mail address."
		}
		return text + ", and mailed to " + rec.Payer.Email + "."
	},
}

var settleAct = purchaseAct{
	path: "settlement",
	ask: func(p *Purchases, rec purchase.Record, who actor.Actor, _ url.Values) pages.ActView {
		return pages.ActView{Title: "Refund of purchase " + words.Reference(rec.Purchase),
			Blocked: whyNotSettle(rec, p.Service, who), Question: settleQuestion(rec, p.Desk.Now())}
	},
	do: func(p *Purchases, ctx context.Context, who actor.Actor, rec purchase.Record, _ url.Values) (purchase.Record,
		error) {
		return p.Service.SettleRefund(ctx, who, rec.ID)
	},
	answer: func(purchase.Record) string { return "The refund is recorded as paid back." },
	credits: func(rec purchase.Record, left int64) string {
		r, _ := settledNext(rec)
		return creditWords(rec, left, r.AmountCents)
	},
}

var withdrawAct = purchaseAct{
	path: "withdrawal",
	ask: func(p *Purchases, rec purchase.Record, who actor.Actor, _ url.Values) pages.ActView {
		r, _ := withdrawnNext(rec)
		sum := words.Sum(r.AmountCents, rec.Currency)
		return pages.ActView{Title: "Withdraw a refund of purchase " + words.Reference(rec.Purchase),
			Blocked: whyNotSettle(rec, p.Service, who),
			Question: components.Confirm{Title: "Withdraw the refund of " + sum + "?",
				Text:   "The client does not get " + sum + " back. You can refund it again later.",
				Button: "Withdraw refund", Keep: "Keep refund"}}
	},
	do: func(p *Purchases, ctx context.Context, who actor.Actor, rec purchase.Record, _ url.Values) (purchase.Record,
		error) {
		return p.Service.WithdrawRefund(ctx, who, rec.ID)
	},
	answer: func(purchase.Record) string { return "The refund is withdrawn." },
}

var takeBackAct = purchaseAct{
	path: "payment/return",
	ask: func(p *Purchases, rec purchase.Record, who actor.Actor, _ url.Values) pages.ActView {
		return pages.ActView{Title: "Take back the payment of purchase " + words.Reference(rec.Purchase),
			Blocked: whyNot(p.Service.MayTakeBack(rec), who.Can(refundAct)),
			Question: components.Confirm{Title: "Was " + words.Sum(rec.PartPaidCents(), rec.Currency) + " not paid?",
				Text: "Take the recorded payment back if it was recorded by mistake, or if you gave the money back. " +
					"Then " + words.Sum(rec.TotalCents, rec.Currency) + " is to be paid again.",
				Button: "Take payment back", Keep: "Keep payment"}}
	},
	do: func(p *Purchases, ctx context.Context, who actor.Actor, rec purchase.Record, _ url.Values) (purchase.Record,
		error) {
		return p.Service.TakePaymentBack(ctx, who, rec.ID)
	},
	answer: func(purchase.Record) string { return "The payment was taken back." },
}
