package letters

import (
	"time"

	"debitdesk/handlers/my/mytext"
	"debitdesk/models/client"
	"debitdesk/models/clientpage"
	"debitdesk/models/locale"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/sms"
	"debitdesk/views/emails"
)

var _ clientpage.Letters = Writer{}

func (w Writer) toClient(say locale.Words, to client.Details, b merchant.Brand, title string) emails.View {
	return w.begin(say, purchase.Purchase{Payer: to, IsTest: b.IsTest}, b, title)
}

// toReader words a mail in the language in which its reader reads.
func toReader(to client.Details, b merchant.Brand, build func(locale.Words) emails.View) mail.Letter {
	return letter(locale.Whole(b.Reads(to.Language), build))
}

// ClientPage implements clientpage.Letters.
func (w Writer) ClientPage(to client.Details, b merchant.Brand, token string, until time.Time, asked bool) mail.Letter {
	return toReader(to, b, func(say locale.Words) emails.View {
		v := w.toClient(say, to, b, say.Say("mail.page.subject", "business", b.Name))
		v.Preview = say.Say("mail.page.preview")
		why := say.Say("mail.page.sent", "business", b.Name)
		if asked {
			why = say.Say("mail.page.asked", "business", b.Name)
		}
		v.Paragraphs = []string{why, say.Say("mail.page.opens")}
		v.Facts = []emails.Line{{Label: say.Say("mail.until"), Value: say.Moment(until) + " SAST"}}
		v.Button = emails.Button{Label: say.Say("my.door.button"), URL: w.at("/my/link/", token)}
		v.After = []string{say.Say("mail.page.only_you"), unexpectedIn(say, b)}
		own(&v, say, b, to, clientpage.MailLink, nil)
		return v
	})
}

// ClientPageSMS implements clientpage.Letters: plain letters, and short, for each part is paid for.
func (w Writer) ClientPageSMS(to client.Details, b merchant.Brand, token string) string {
	return locale.Whole(b.Reads(to.Language), func(say locale.Words) string {
		return say.Say("sms.page", "business", sms.Shorten(b.Name), "link", w.at("/my/link/", token))
	})
}

// ClientCode implements clientpage.Letters. The code stands in the mail alone: subjects are shown on locked phones.
func (w Writer) ClientCode(to client.Details, b merchant.Brand, code string, a clientpage.Act) mail.Letter {
	return toReader(to, b, func(say locale.Words) emails.View {
		v := w.toClient(say, to, b, say.Say("mail.code.subject", "business", b.Name))
		v.Preview = say.Say("my.code.hint")
		v.Paragraphs = []string{mytext.Doing(say, a), say.Say("mail.code.ask")}
		v.Facts = []emails.Line{{Label: say.Say("mail.code.label"), Value: code, Strong: true},
			{Label: say.Say("mail.until"), Value: say.Moment(a.ExpiresAt) + " SAST"}}
		v.After = []string{say.Say("mail.code.keep", "business", b.Name), unexpectedIn(say, b)}
		return v
	})
}

// ClientCodeSMS implements clientpage.Letters.
func (w Writer) ClientCodeSMS(to client.Details, b merchant.Brand, code string) string {
	return locale.Whole(b.Reads(to.Language), func(say locale.Words) string {
		return say.Say("sms.code", "business", sms.Shorten(b.Name), "code", code)
	})
}

// ClientDid implements clientpage.Letters.
func (w Writer) ClientDid(to client.Details, b merchant.Brand, a clientpage.Act) mail.Letter {
	return toReader(to, b, func(say locale.Words) emails.View {
		v := w.toClient(say, to, b, mytext.DidSubject(say, a))
		v.Paragraphs = mytext.Did(say, a, b.Name)
		v.Preview = v.Paragraphs[0]
		v.After = []string{say.Say("mail.not_you", "business", b.Name+contactWords(b))}
		own(&v, say, b, to, clientpage.MailDid, nil)
		return v
	})
}

// ClientAnswer implements clientpage.Letters. The answer itself is in the words of the business.
func (w Writer) ClientAnswer(to client.Details, b merchant.Brand, r clientpage.Request) mail.Letter {
	return toReader(to, b, func(say locale.Words) emails.View {
		v := w.toClient(say, to, b, say.Say("mail.answer.subject", "business", b.Name))
		v.Preview = say.Say("mail.answer.preview")
		what := r.Kind.Label()
		if key := "request." + string(r.Kind); say.Language != locale.English {
			what = say.Say(key)
		}
		v.Paragraphs = []string{say.Say("mail.answer.to", "date", say.Day(r.ReceivedOn), "what", what), r.Answer}
		after := "mail.answer.question"
		if r.Kind.IsRight() {
			after = "mail.answer.disagree"
		}
		v.After = []string{say.Say(after, "business", b.Name+contactWords(b))}
		own(&v, say, b, to, clientpage.MailAnswer, nil)
		return v
	})
}
