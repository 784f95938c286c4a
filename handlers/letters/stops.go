package letters

import (
	"debitdesk/handlers/papers"
	"debitdesk/models/client"
	"debitdesk/models/locale"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/sms"
	"debitdesk/models/texting"
	"debitdesk/views/emails"
)

var _ texting.Letters = Writer{}

// Noted implements texting.Letters.
func (w Writer) Noted(kind, business string, reads locale.Language) string {
	return locale.Whole(reads, func(say locale.Words) string {
		key := "sms.resume_noted"
		if kind == sms.StopNoted {
			key = "sms.stop_noted"
		}
		return say.Say(key, "business", sms.Shorten(business))
	})
}

// AllStopped confirms to a client that everything was stopped, and says what is still debited.
func (w Writer) AllStopped(to client.Details, b merchant.Brand, s purchase.Stop) mail.Letter {
	return toReader(to, b, func(say locale.Words) emails.View {
		v := w.toClient(say, to, b, say.Say("mail.all_stopped.subject", "business", b.Name))
		v.Preview = say.Say("mail.all_stopped.preview")
		v.Paragraphs = append([]string{say.Say("mail.all_stopped.text", "business", b.Name)},
			papers.StopLines(say, s, b.Name, true)...)
		v.After = []string{say.Say("mail.all_stopped.ask", "business", b.Name+contactWords(b))}
		own(&v, say, b, to, purchase.MailAllStopped, nil)
		return v
	})
}

// Resumed tells a client that what was stopped goes on.
func (w Writer) Resumed(to client.Details, b merchant.Brand, back []purchase.Record) mail.Letter {
	return toReader(to, b, func(say locale.Words) emails.View {
		v := w.toClient(say, to, b, say.Say("mail.resumed.subject", "business", b.Name))
		v.Preview = say.Say("mail.resumed.preview")
		v.Paragraphs = []string{say.Say("mail.resumed.text", "business", b.Name)}
		for _, rec := range back {
			v.Paragraphs = append(v.Paragraphs, say.Say("mail.resumed.debit", "amount",
				say.Money(rec.Collection.AmountCents, rec.Currency), "date", say.Day(rec.Collection.ActionDate)))
		}
		v.After = []string{say.Say("mail.resumed.ask", "business", b.Name+contactWords(b))}
		own(&v, say, b, to, purchase.MailResumed, nil)
		return v
	})
}
