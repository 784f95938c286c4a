package letters

import (
	"debitdesk/handlers/papers"
	"debitdesk/models/locale"
	"debitdesk/models/mail"
	"debitdesk/models/notice"
	"debitdesk/models/purchase"
	"debitdesk/models/sms"
	"debitdesk/models/token"
	"debitdesk/models/wording"
	"debitdesk/views/emails"
)

// Notice tells of a debit some days before it: how much, when, from which account, and how it can be changed.
func (w Writer) Notice(rec purchase.Record, from token.Token) mail.Letter {
	return toPayer(rec.Purchase, rec.Brand, func(say locale.Words) emails.View {
		p, b, c := rec.Purchase, rec.Brand, rec.Collection
		amount, on := say.Money(c.AmountCents, c.Currency), say.Day(c.ActionDate)
		v := w.begin(say, p, b, say.Say("mail.notice.subject", "amount", amount, "date", on, "business", b.Name))
		v.Message = ""
		v.Preview = say.Say("mail.resumed.debit", "amount", amount, "date", on)
		v.Paragraphs = []string{say.Say("mail.agreement.first", "amount", amount, "date", say.LongDay(c.ActionDate))}
		v.Lines = lines(say, p)
		v.Facts = []emails.Line{{Label: say.Say("pay.reference"), Value: reference(p)},
			{Label: say.Say("mail.agreement.account"), Value: papers.BankName(say, from.BankCode) + " " + from.AccountMask},
			{Label: say.Say("mail.agreement.statement"), Value: c.StatementLine},
			{Label: say.Say("pay.debit_date"), Value: on},
			{Label: say.Say("pay.amount"), Value: amount, Strong: true}}
		v.Button = emails.Button{Label: say.Say("mail.agreement.button"), URL: w.link(p)}
		v.After = []string{say.Say("mail.notice.change", "business", b.Name+contactWords(b)), unexpectedIn(say, b)}
		own(&v, say, b, p.Payer, notice.Kind, values{wording.Amount: amount, wording.Date: on,
			wording.Reference: reference(p)})
		return v
	})
}

// NoticeSMS tells of a debit in a short message. It names no account: others may read it.
func (w Writer) NoticeSMS(rec purchase.Record) string {
	p, b, c := rec.Purchase, rec.Brand, rec.Collection
	return locale.Whole(b.Reads(p.Payer.Language, p.Details.Language), func(say locale.Words) string {
		return say.Say("sms.notice", "business", sms.Shorten(b.Name), "amount", say.Money(c.AmountCents, c.Currency), "date",
			say.Day(c.ActionDate), "link", w.link(p))
	})
}
