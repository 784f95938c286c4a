// Package wording knows the kinds of message that a brand sends to its clients, and the words that a business adds to
// them. It must not know how a message is worded or how it is sent.
package wording

import (
	"slices"

	"debitdesk/models/clientaccount"
	"debitdesk/models/clientpage"
	"debitdesk/models/notice"
	"debitdesk/models/purchase"
	"debitdesk/models/sms"
)

// Kind is one kind of message to clients.
type Kind struct {
	Name   string // as the outbox keeps it
	Title  string
	When   string // one sentence: when it is sent
	ByMail bool
	BySMS  bool
	Places []Place // what own words in it can name; none: it has no own words
}

// The groups of places that kinds have in common.
var (
	named  = []Place{Name, Business}
	priced = []Place{Name, Amount, Business}
	full   = []Place{Name, Amount, Date, Reference, Business}
)

// Kinds are all of them, in the order in which a client meets them.
var Kinds = []Kind{
	{Name: purchase.MailLink, Title: "Account link", ByMail: true, Places: []Place{Name, Reference, Business},
		When: "Sent when you ask a client for bank details."},
	{Name: purchase.MailAgreement, Title: "Agreement", ByMail: true, Places: []Place{Name, Reference, Business},
		When: "Sent when a client has given a mandate, with the agreement as a PDF."},
	{Name: purchase.MailSubscribed, Title: "New subscription", ByMail: true, Places: priced,
		When: "Sent when you subscribe a client whose account you may debit already."},
	{Name: purchase.MailInvoice, Title: "Invoice", ByMail: true, Places: full,
		When: "Sent when you invoice a client; it asks for payment, or announces the debit."},
	{Name: notice.Kind, Title: "Notice of a debit", ByMail: true, BySMS: true, Places: full,
		When: "Sent some days before a debit, if you switch it on."},
	{Name: purchase.MailReceipt, Title: "Receipt", ByMail: true, Places: full,
		When: "Sent when a purchase is paid, if a receipt was asked for."},
	{Name: purchase.MailFailed, Title: "Failed debit", ByMail: true, Places: full,
		When: "Sent when a debit failed and the client is asked to pay another way."},
	{Name: purchase.MailReminder, Title: "Reminder", ByMail: true, BySMS: true, Places: priced,
		When: "Sent when you or a plan reminds a client of what is open."},
	{Name: purchase.MailCredit, Title: "Credit note", ByMail: true, Places: []Place{Name, Amount, Reference, Business},
		When: "Sent when an invoice is taken back, whole or in part."},
	{Name: clientaccount.MailStatement, Title: "Statement of account", ByMail: true,
		Places: []Place{Name, Amount, Date, Business},
		When:   "Sent when you mail a client’s statement of account, with the statement as a PDF."},
	{Name: purchase.MailPrice, Title: "New price", ByMail: true, Places: named,
		When: "Sent when the price of a subscription will change."},
	{Name: purchase.MailStopped, Title: "Subscription stopped", ByMail: true, Places: named,
		When: "Sent when a client stops a subscription."},
	{Name: purchase.MailAllStopped, Title: "All debits stopped", ByMail: true, Places: named,
		When: "Sent when everything of a client was stopped."},
	{Name: purchase.MailResumed, Title: "Debits resumed", ByMail: true, Places: named,
		When: "Sent when what was stopped for a client goes on."},
	{Name: clientpage.MailLink, Title: "Link to the client’s page", ByMail: true, BySMS: true, Places: named,
		When: "Sent when a client asks for the link to their page, or you send it."},
	{Name: clientpage.MailCode, Title: "Code", ByMail: true, BySMS: true,
		When: "Sent when a client has to confirm something on their page. It has no words of yours, so that it stays short."},
	{Name: clientpage.MailDid, Title: "Change confirmed", ByMail: true, Places: named,
		When: "Sent when a client has changed something on their page."},
	{Name: clientpage.MailAnswer, Title: "Answer to a request", ByMail: true, Places: named,
		When: "Sent when you answer what a client asked for."},
	{Name: sms.StopNoted, Title: "SMS stopped", BySMS: true, When: "Sent when a client answers STOP."},
	{Name: sms.ResumeNoted, Title: "SMS resumed", BySMS: true, When: "Sent when a client answers START."},
}

// Of finds a kind by its name.
func Of(name string) (Kind, bool) {
	at := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name })
	if at < 0 {
		return Kind{}, false
	}
	return Kinds[at], true
}

// Place is a name in braces that stands for a value.
type Place string

// The places.
const (
	Name      Place = "name"
	Amount    Place = "amount"
	Date      Place = "date"
	Reference Place = "reference"
	Business  Place = "brand"
)
