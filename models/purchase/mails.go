package purchase

import (
	"context"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/locale"
	"debitdesk/models/mail"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
)

// The kinds of mail that a purchase sends.
const (
	MailInvoice    = "invoice"
	MailLink       = "account_link"
	MailAgreement  = "agreement"  // confirms a mandate, with the mandate as PDF
	MailSubscribed = "subscribed" // tells a subscriber whose account is stored what will be debited
	MailFailed     = "debit_failed"
	MailReminder   = "reminder"
	MailReceipt    = "receipt"
	MailCredit     = "credit_note"
	MailStopped    = "subscription_stopped" // confirms to a client that a subscription was stopped
	MailStopNotice = "stop_notice"          // tells the business so
	MailAllStopped = "client_stopped"       // confirms to a client that everything was stopped
	MailPrice      = "price_changed"        // tells a subscriber of another price from a date on
	MailResumed    = "client_resumed"       // tells the client that debits go on
)

// What references of attachments begin with. The files are drawn when somebody needs them.
const (
	RefMandate   = "mandate:"    // the id of the mandate follows
	RefInvoiceOf = "invoice-of:" // the id of the purchase follows
	// RefStructuredOf names the same invoice as a structured file.
	RefStructuredOf = "structured-of:"
	RefReceipt      = "receipt:" // purchase, moment and cents follow, divided by colons
	RefAccount      = "account:" // client and moment follow, divided by a colon
)

// RefIn is a reference to a file that is drawn in a language. English is not named, as it was before there were others.
func RefIn(l locale.Language, ref string) string {
	if l == "" || l == locale.English {
		return ref
	}
	return ref + ":" + string(l)
}

// RefReads takes the language off a reference.
func RefReads(ref string) (string, locale.Language) {
	if at := strings.LastIndexByte(ref, ':'); at >= 0 {
		if l, named := locale.Parse(ref[at+1:]); named {
			return ref[:at], l
		}
	}
	return ref, locale.English
}

// Letters writes the mails of purchases in finished words.
type Letters interface {
	// AccountLink asks the client to give the bank details on the hosted page.
	AccountLink(p Purchase, b merchant.Brand) mail.Letter
	// AskSubscriber does so for a subscription.
	AskSubscriber(p Purchase, b merchant.Brand, r Recurrence) mail.Letter
	// Subscribed tells a new subscriber what is debited from an account that is stored.
	Subscribed(to client.Details, b merchant.Brand, r Recurrence, rec *Record) mail.Letter
	// Agreement confirms what the client agreed to; first is the debit that follows, nil where there is none.
	Agreement(p Purchase, b merchant.Brand, m mandate.Mandate, r Recurrence, first *collection.Collection) mail.Letter
	// Failed tells that a debit was not paid, and why. Number is that of the invoice beside it.
	Failed(rec Record, number string) mail.Letter
	// ReminderSMS says in a short message what is open of a purchase, in cents, and where it is paid.
	ReminderSMS(p Purchase, b merchant.Brand, cents int64) string
	// Reminder lists what is open.
	Reminder(to client.Details, b merchant.Brand, open []Record) mail.Letter
	// Receipt confirms a payment.
	Receipt(p Purchase, b merchant.Brand) mail.Letter
	// Stopped confirms to a client that a subscription was stopped, and StopNotice tells the business.
	Stopped(p Purchase, b merchant.Brand, s Stop) mail.Letter
	StopNotice(p Purchase, b merchant.Brand, s Stop) mail.Letter
	// AllStopped confirms to a client that everything was stopped, and Resumed that it goes on.
	AllStopped(to client.Details, b merchant.Brand, s Stop) mail.Letter
	Resumed(to client.Details, b merchant.Brand, back []Record) mail.Letter
	// PriceChanged tells a client what subscriptions cost from a date on.
	PriceChanged(to client.Details, b merchant.Brand, of []NewPrice) mail.Letter
}

// NewPrice is what a subscription costs from a date on. Its JSON is how it is stored until the client is told.
type NewPrice struct {
	Title    string        `json:"title"`
	Currency string        `json:"currency"`
	Every    string        `json:"every"`
	Period   int           `json:"period,omitempty"` // with its units: what Every says in English
	Units    string        `json:"units,omitempty"`
	Was      int64         `json:"was"`
	Is       int64         `json:"is"`
	From     calendar.Date `json:"from"`
	FirstOn  calendar.Date `json:"first_on,omitzero"` // the first day billed at the new price; zero: not known yet
	Stays    bool          `json:"stays,omitempty"`   // the price stays Is, and does not change to Was
	Confirm  bool          `json:"confirm,omitempty"` // the client has to confirm it at the bank before it can be debited
}

// Recurs tells how often the price is billed.
func (n NewPrice) Recurs() Recurrence {
	return Recurrence{Every: n.Every, Period: n.Period, Units: n.Units}
}

// Recurrence is what a subscription debits, how much, from when on and how often. The zero value is none.
type Recurrence struct {
	Title       string
	AmountCents int64
	Currency    string
	Every       string        // "every month"
	Period      int           // how many units lie between two payments
	Units       string        // days, weeks or months
	First       calendar.Date // the first debit date as things stand; zero: as soon as the banks allow
	Cycles      int           // how many payments; 0: until it is stopped
}

// None tells that nothing recurs.
func (r Recurrence) None() bool { return r.Every == "" }

// Recurs tells what the subscription of a purchase debits.
func (s *Service) Recurs(ctx context.Context, p Purchase) (Recurrence, error) {
	if p.SubscriberID == uuid.Nil || s.Recurrence == nil {
		return Recurrence{}, nil
	}
	return s.Recurrence(ctx, p)
}

// askingFor is the mail that asks for an account.
func (s *Service) askingFor(ctx context.Context, p Purchase, b merchant.Brand, r Recurrence) mail.Letter {
	p = s.Addressed(ctx, p, b)
	if r.None() {
		return s.Letters.AccountLink(p, b)
	}
	return s.Letters.AskSubscriber(p, b, r)
}

// MailAgreement confirms a mandate that the client gave, with the mandate as PDF. What a program brought from
// elsewhere was confirmed there. Number counts how often the mandate was given.
func (s *Service) MailAgreement(tx *database.Tx, p Purchase, m mandate.Mandate, b merchant.Brand,
	first *collection.Collection,
	number int) error {
	if p.Payer.Email == "" || m.Consent.Channel == mandate.ByAPI {
		return nil
	}
	r, err := s.Recurs(tx.Context(), p)
	if err != nil {
		return err
	}
	p = s.Addressed(tx.Context(), p, b)
	l := s.Letters.Agreement(p, b, m, r, first)
	l.Attachments = append(l.Attachments, drawn("mandate-"+m.ContractReference,
		RefIn(p.reads(b), RefMandate+m.ID.String())))
	tx.InsertMail(p.Mail(tx, MailAgreement, number, l))
	return nil
}

// drawn is a PDF that is not kept.
func drawn(name, ref string) mail.Attachment {
	return mail.Attachment{Name: name + ".pdf", Type: "application/pdf", Ref: ref}
}

// StructuredType is the media type of structured files.
const StructuredType = "application/xml"

// StructuredName is what the structured file of a document is called.
func StructuredName(number string) string { return number + ".xml" }

// Structured is the structured file of a document, by its number. It is written when the mail leaves, and left out
// where the document lacks what such a file must name: the PDF says all there is to say.
func Structured(number, ref string) mail.Attachment {
	return mail.Attachment{Name: StructuredName(number), Type: StructuredType, Ref: ref, Optional: true}
}

// receiptOf names the receipt of a payment, so that it can be drawn even when the payment went back since.
func receiptOf(p Purchase, reads locale.Language) mail.Attachment {
	return drawn("receipt-"+strings.Map(alphanumericOrDash, p.ReferenceGenerated), RefIn(reads,
		strings.Join([]string{RefReceipt + p.ID.String(), strconv.FormatInt(p.Payment.PaidOn.UnixMicro(), 10),
			strconv.FormatInt(p.Payment.AmountCents, 10)}, ":")))
}

func alphanumericOrDash(r rune) rune {
	if alphanumeric(r) < 0 {
		return '-'
	}
	return r
}

// MailSubscribed tells a new subscriber whose account is stored what will be debited; rec is the purchase of the first
// period, nil where that is not billed yet.
func (s *Service) MailSubscribed(tx *database.Tx, b merchant.Brand, to client.Details, subscriber, clientID uuid.UUID,
	r Recurrence, rec *Record) {
	if to.Email == "" {
		return
	}
	m := mail.Mail{ID: tx.NewID(), MerchantID: b.MerchantID, ObjectID: subscriber, Kind: MailSubscribed, Attempt: 1,
		ClientID: clientID, To: to.Email, CC: to.CC, BCC: to.BCC, State: mail.Queued, CreatedAt: tx.Now(),
		Letter: s.Letters.Subscribed(to, b, r, rec)}
	tx.InsertMail(m)
}

// MailFailure tells of a debit that was not paid, with a payable invoice (API contract 5.2).
func (s *Service) MailFailure(tx *database.Tx, who actor.Actor, rec Record) error {
	number, err := s.issue(tx, who, rec)
	if err != nil {
		return err
	}
	rec.Purchase = s.Addressed(tx.Context(), rec.Purchase, rec.Brand)
	l := s.Letters.Failed(rec, number)
	if s.Papers != nil {
		l.Attachments = append(l.Attachments, drawn(number,
			RefIn(rec.reads(rec.Brand), RefInvoiceOf+rec.ID.String())))
		if rec.Brand.Structured() {
			l.Attachments = append(l.Attachments, Structured(number, RefStructuredOf+rec.ID.String()))
		}
	}
	tx.InsertMail(rec.Mail(tx, MailFailed, rec.MailCount, l))
	return nil
}

// WithLink are the kinds of mail with the link to pay: with the first of them a purchase is sent.
var WithLink = []string{MailInvoice, MailLink, MailFailed, MailReminder}

// Mail is a mail to the client about the purchase, one for each kind and attempt.
func (p Purchase) Mail(tx *database.Tx, kind string, attempt int, l mail.Letter) mail.Mail {
	return mail.Mail{ID: tx.NewID(), MerchantID: p.MerchantID, ObjectID: p.ID, Kind: kind, Attempt: attempt,
		ClientID: p.ClientID, PurchaseID: p.ID,
		To: p.Payer.Email, CC: p.Payer.CC, BCC: p.Payer.BCC, Letter: l, State: mail.Queued, CreatedAt: tx.Now()}
}
