package letters

import (
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/clientaccount"
	"debitdesk/models/clientpage"
	"debitdesk/models/collection"
	"debitdesk/models/locale"
	"debitdesk/models/mail"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/notice"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/models/sms"
	"debitdesk/models/token"
	"debitdesk/views/emails"
)

// Example words a message of a kind to a client that there is not, so that people see what clients get before one is
// sent. Its links lead to nothing.
type Example struct {
	Writer
	Brand    merchant.Brand
	Language locale.Language
	Now      time.Time
}

// What the example is about. The id is no purchase's and the token no client's.
const (
	exampleName  = "Thandi Nkosi"
	exampleCents = 125000
	exampleToken = "0000000000000000000000"
	exampleWhat  = "Membership"
	exampleID    = "00000000-0000-4000-8000-000000000000"
)

func (e Example) today() calendar.Date { return calendar.DateOf(e.Now) }

func (e Example) payer() client.Details {
	return client.Details{FullName: exampleName, Language: string(e.Language)}
}

func (e Example) purchase() purchase.Purchase {
	due := e.today().AddDays(14)
	return purchase.Purchase{ID: uuid.MustParse(exampleID), MerchantID: e.Brand.MerchantID, BrandID: e.Brand.ID,
		IsTest: e.Brand.IsTest, Currency: e.Brand.Currency, TotalCents: exampleCents, Due: due.At(0, 0), DueGiven: true,
		Issued: e.today(), ReferenceGenerated: e.Brand.ReferencePrefix + "000042", Payer: e.payer(),
		Payment: &purchase.Payment{AmountCents: exampleCents, PaidOn: e.Now},
		Details: purchase.Details{Products: []purchase.Product{
			{Name: exampleWhat, PriceCents: exampleCents, Quantity: decimal.NewFromInt(1)}}}}
}

// statement is that of a client who owes one purchase.
func (e Example) statement() clientaccount.Statement {
	lines := []report.AccountLine{{Standing: report.Standing{Status: purchase.Failed, TotalCents: exampleCents}}}
	return clientaccount.Statement{Client: client.Client{Details: e.payer()}, Brand: e.Brand, Reads: e.Language,
		At: report.EndOf(e.today()), Account: report.Account{AsOf: e.today(), Lines: lines, Sums: report.AddUp(lines)}}
}

func (e Example) recurrence() purchase.Recurrence {
	return purchase.Recurrence{Title: exampleWhat, AmountCents: exampleCents, Currency: e.Brand.Currency,
		Every: "every month", Period: 1, Units: "months", First: e.today().AddDays(14)}
}

func (e Example) record() purchase.Record {
	return purchase.Record{Purchase: e.purchase(), Brand: e.Brand, Collection: &collection.Collection{
		State: collection.Unpaid, AmountCents: exampleCents, Currency: e.Brand.Currency, ActionDate: e.today().AddDays(-1),
		Result: collection.ResultOf("02")}}
}

// planned is a debit that has not run yet.
func (e Example) planned() purchase.Record {
	rec := e.record()
	rec.Collection = &collection.Collection{State: collection.Scheduled, AmountCents: exampleCents,
		Currency: e.Brand.Currency, ActionDate: e.today().AddDays(2), StatementLine: "EXAMPLE"}
	if p, has := e.Brand.DefaultProfile(); has {
		rec.Collection.StatementLine = p.AbbreviatedName
	}
	return rec
}

func (e Example) paper() billing.Paper {
	p := billing.Unnumbered(e.purchase(), e.Brand)
	p.Words, p.Colour, p.Logo = e.Brand.OwnWords, e.Brand.Colour, e.Brand.Logo
	p.Number, p.Reads = billing.Invoiced.Number(e.Brand.InvoicePrefix, e.today().Year, 42), e.Language
	return p
}

func (e Example) creditNote() billing.Paper {
	p := e.paper()
	p.Kind, p.Cancels = billing.Credited, p.Number
	p.Number = billing.Credited.Number(e.Brand.InvoicePrefix, e.today().Year, 7)
	return p
}

// mails are how each kind of mail is worded.
var mails = map[string]func(e Example) mail.Letter{
	purchase.MailLink: func(e Example) mail.Letter { return e.AccountLink(e.purchase(), e.Brand) },
	purchase.MailAgreement: func(e Example) mail.Letter {
		m := mandate.Mandate{ContractReference: e.Brand.ReferencePrefix + "000042", AccountMask: "•••• 1234",
			BankCode: "470010", AbbreviatedName: "EXAMPLE"}
		if p, has := e.Brand.DefaultProfile(); has {
			m.AbbreviatedName = p.AbbreviatedName
		}
		return e.Agreement(e.purchase(), e.Brand, m, e.recurrence(), nil)
	},
	purchase.MailSubscribed: func(e Example) mail.Letter {
		rec := e.record()
		return e.Subscribed(e.payer(), e.Brand, e.recurrence(), &rec)
	},
	purchase.MailInvoice: func(e Example) mail.Letter { return e.Invoice(e.paper()) },
	purchase.MailReceipt: func(e Example) mail.Letter { return e.Receipt(e.purchase(), e.Brand) },
	purchase.MailFailed:  func(e Example) mail.Letter { return e.Failed(e.record(), e.paper().Number) },
	purchase.MailReminder: func(e Example) mail.Letter {
		return e.Reminder(e.payer(), e.Brand, []purchase.Record{e.record()})
	},
	purchase.MailCredit: func(e Example) mail.Letter { return e.CreditNote(e.creditNote()) },
	notice.Kind: func(e Example) mail.Letter {
		return e.Notice(e.planned(), token.Token{AccountMask: "•••• 1234", BankCode: "470010"})
	},
	purchase.MailPrice: func(e Example) mail.Letter {
		from := e.today().AddDays(40)
		return e.PriceChanged(e.payer(), e.Brand, []purchase.NewPrice{{Title: exampleWhat, Currency: e.Brand.Currency,
			Every: "every month", Period: 1, Units: "months", Was: exampleCents, Is: exampleCents + 10000, From: from,
			FirstOn: from.AddDays(3)}})
	},
	purchase.MailStopped: func(e Example) mail.Letter {
		return e.Stopped(e.purchase(), e.Brand, purchase.Stop{Title: exampleWhat})
	},
	purchase.MailAllStopped: func(e Example) mail.Letter { return e.AllStopped(e.payer(), e.Brand, purchase.Stop{}) },
	purchase.MailResumed: func(e Example) mail.Letter {
		rec := e.record()
		rec.Collection.ActionDate = e.today().AddDays(14)
		return e.Resumed(e.payer(), e.Brand, []purchase.Record{rec})
	},
	clientaccount.MailStatement: func(e Example) mail.Letter { return e.AccountStatement(e.statement()) },
	clientpage.MailLink: func(e Example) mail.Letter {
		return e.ClientPage(e.payer(), e.Brand, exampleToken, e.Now.Add(clientpage.LinkLasts), true)
	},
	clientpage.MailCode: func(e Example) mail.Letter {
		return e.ClientCode(e.payer(), e.Brand, "000000", clientpage.Act{Kind: clientpage.Stop,
			Wish: clientpage.Wish{Named: exampleWhat}, ExpiresAt: e.Now.Add(clientpage.CodeLasts)})
	},
	clientpage.MailDid: func(e Example) mail.Letter {
		return e.ClientDid(e.payer(), e.Brand, clientpage.Act{Kind: clientpage.Promise,
			Wish: clientpage.Wish{Named: e.purchase().ReferenceGenerated, Cents: exampleCents, Day: e.today().AddDays(7)}})
	},
	clientpage.MailAnswer: func(e Example) mail.Letter {
		return e.ClientAnswer(e.payer(), e.Brand, clientpage.Request{Kind: clientpage.Correction, ReceivedOn: e.today(),
			Answer: "We have corrected your address. (Your own answer takes this place.)"})
	},
}

// texts are how each kind of SMS is worded.
var texts = map[string]func(e Example) string{
	sms.Reminder: func(e Example) string { return e.ReminderSMS(e.purchase(), e.Brand, exampleCents) },
	notice.Kind:  func(e Example) string { return e.NoticeSMS(e.planned()) },
	sms.Page:     func(e Example) string { return e.ClientPageSMS(e.payer(), e.Brand, exampleToken) },
	sms.Code:     func(e Example) string { return e.ClientCodeSMS(e.payer(), e.Brand, "000000") },
	sms.StopNoted: func(e Example) string {
		return e.Noted(sms.StopNoted, e.Brand.Name, e.Language)
	},
	sms.ResumeNoted: func(e Example) string {
		return e.Noted(sms.ResumeNoted, e.Brand.Name, e.Language)
	},
}

// Mail words a mail of a kind; false where that kind is not sent by mail.
func (e Example) Mail(kind string) (mail.Letter, bool) {
	word, known := mails[kind]
	if !known {
		return mail.Letter{}, false
	}
	return word(e), true
}

// Test marks a mail as a test for a person of the team.
func (e Example) Test(l mail.Letter, title string) mail.Letter {
	note := "This is a test of the message “" + title + "”. The client and the amounts are made up, and the links lead " +
		"to nothing."
	return mail.Letter{Subject: "[Test] " + l.Subject, Text: note + "\n\n" + l.Text, HTML: emails.Marked(l.HTML, note)}
}

// SMS words an SMS of a kind as it leaves; false where that kind is not sent by SMS.
func (e Example) SMS(kind string) (string, bool) {
	word, known := texts[kind]
	if !known {
		return "", false
	}
	return sms.Plain(word(e)), true
}

// InEnglish tells that a mail was written in English.
func InEnglish(l mail.Letter) bool {
	return strings.Contains(l.HTML, `<html lang="`+locale.English.Tag()+`"`)
}
