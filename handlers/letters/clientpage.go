package letters

import (
	"time"

	"debitdesk/handlers/my/mytext"
	"debitdesk/models/client"
	"debitdesk/models/clientpage"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/sms"
	"debitdesk/views/emails"
)

var _ clientpage.Letters = Writer{}

func toClient(to client.Details, b merchant.Brand, title string) emails.View {
	return start(purchase.Purchase{Payer: to, IsTest: b.IsTest}, b, title)
}

// ClientPage implements clientpage.Letters.
func (w Writer) ClientPage(to client.Details, b merchant.Brand, token string, until time.Time, asked bool) mail.Letter {
	v := toClient(to, b, "Your page at "+b.Name)
	v.Preview = mytext.MailPreview
	v.Paragraphs = []string{mytext.MailSent(b.Name, asked), mytext.MailOpens}
	v.Facts = []emails.Line{{Label: mytext.MailUntil, Value: minute(until)}}
	v.Button = emails.Button{Label: mytext.DoorButton, URL: w.at("/my/link/", token)}
	v.After = []string{mytext.MailOnlyYou, unexpected(b)}
	return letter(v)
}

// ClientPageSMS implements clientpage.Letters.
func (w Writer) ClientPageSMS(b merchant.Brand, token string) string {
	return mytext.SMSSent(sms.Shorten(b.Name), w.at("/my/link/", token))
}

// ClientCode implements clientpage.Letters.
func (w Writer) ClientCode(to client.Details, b merchant.Brand, code string, a clientpage.Act) mail.Letter {
	v := toClient(to, b, mytext.CodeSubject(b.Name))
	v.Preview = mytext.CodeHint
	v.Paragraphs = []string{mytext.Doing(a), mytext.CodeAsk}
	v.Facts = []emails.Line{{Label: mytext.CodeName, Value: code, Strong: true},
		{Label: mytext.MailUntil, Value: minute(a.ExpiresAt)}}
	v.After = []string{mytext.CodeKeep(b.Name), unexpected(b)}
	return letter(v)
}

// ClientDid implements clientpage.Letters.
func (w Writer) ClientDid(to client.Details, b merchant.Brand, a clientpage.Act) mail.Letter {
	v := toClient(to, b, mytext.DidSubject(a))
	v.Paragraphs = mytext.Did(a, b.Name)
	v.Preview = v.Paragraphs[0]
	v.After = []string{mytext.NotYou(b.Name + contactWords(b))}
	return letter(v)
}

// ClientAnswer implements clientpage.Letters.
func (w Writer) ClientAnswer(to client.Details, b merchant.Brand, r clientpage.Request) mail.Letter {
	v := toClient(to, b, mytext.AnswerSubject(b.Name))
	v.Preview = mytext.AnswerPreview
	v.Paragraphs = []string{mytext.AnswerTo(r), r.Answer}
	v.After = []string{mytext.AnswerAfter(b.Name+contactWords(b), r.Kind.IsRight())}
	return letter(v)
}
