package purchase

import (
	"context"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
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
)

// What references of attachments begin with. The files are drawn when somebody needs them.
const (
	RefMandate   = "mandate:"    // the id of the mandate follows
	RefInvoiceOf = "invoice-of:" // the id of the purchase follows
	RefReceipt   = "receipt:"    // purchase, moment and cents follow, divided by colons
)

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
	// Reminder lists what is open.
	Reminder(to client.Details, b merchant.Brand, open []Record) mail.Letter
	// Receipt confirms a payment.
	Receipt(p Purchase, b merchant.Brand) mail.Letter
	// Stopped confirms to a client that a subscription was stopped, and StopNotice tells the business.
	Stopped(p Purchase, b merchant.Brand, s Stop) mail.Letter
	StopNotice(p Purchase, b merchant.Brand, s Stop) mail.Letter
}

// Recurrence is what a subscription debits, how much, from when on and how often. The zero value is none.
type Recurrence struct {
	Title       string
	AmountCents int64
	Currency    string
	Every       string        // "every month"
	First       calendar.Date // the first debit date as things stand; zero: as soon as the banks allow
	Cycles      int           // how many payments; 0: until it is stopped
}

// None tells that nothing recurs.
func (r Recurrence) None() bool { return r.Every == "" }

// Recurs tells what the subscription of a purchase debits.
func (s *Service) Recurs(ctx context.Context, p Purchase) (Recurrence, error) {
	if p.SubscriberID == uuid.Nil || s.Subscriptions == nil {
		return Recurrence{}, nil
	}
	return s.Subscriptions.Recurs(ctx, p)
}

// askingFor is the mail that asks for an account.
func (s *Service) askingFor(p Purchase, b merchant.Brand, r Recurrence) mail.Letter {
	if r.None() {
		return s.Letters.AccountLink(p, b)
	}
	return s.Letters.AskSubscriber(p, b, r)
}

// MailAgreement confirms a mandate that the client gave, with the mandate as PDF. What a program brought from
// elsewhere was confirmed there. Number counts how often the mandate was given.
func (s *Service) MailAgreement(tx Tx, p Purchase, m mandate.Mandate, b merchant.Brand, first *collection.Collection,
	number int) error {
	if p.Payer.Email == "" || m.Consent.Channel == mandate.ByAPI {
		return nil
	}
	r, err := s.Recurs(tx.Context(), p)
	if err != nil {
		return err
	}
	l := s.Letters.Agreement(p, b, m, r, first)
	l.Attachments = append(l.Attachments, drawn("mandate-"+m.ContractReference, RefMandate+m.ID.String()))
	tx.InsertMail(p.mail(tx, MailAgreement, number, l))
	return nil
}

// drawn is a PDF that is not kept.
func drawn(name, ref string) mail.Attachment {
	return mail.Attachment{Name: name + ".pdf", Type: "application/pdf", Ref: ref}
}

// receiptOf names the receipt of a payment, so that it can be drawn even when the payment went back since.
func receiptOf(p Purchase) mail.Attachment {
	return drawn("receipt-"+strings.Map(alphanumericOrDash, p.ReferenceGenerated), strings.Join([]string{
		RefReceipt + p.ID.String(), strconv.FormatInt(p.Payment.PaidOn.UnixMicro(), 10),
		strconv.FormatInt(p.Payment.AmountCents, 10)}, ":"))
}

func alphanumericOrDash(r rune) rune {
	if alphanumeric(r) < 0 {
		return '-'
	}
	return r
}

// MailSubscribed tells a new subscriber whose account is stored what will be debited; rec is the purchase of the first
// period, nil where that is not billed yet.
func (s *Service) MailSubscribed(tx Tx, b merchant.Brand, to client.Details, subscriber, clientID uuid.UUID,
	r Recurrence, rec *Record) {
	if to.Email == "" {
		return
	}
	m := mail.Mail{ID: tx.NewID(), MerchantID: b.MerchantID, ObjectID: subscriber, Kind: MailSubscribed, Attempt: 1,
		ClientID: clientID, To: to.Email, CC: to.CC, BCC: to.BCC, State: mail.Queued, CreatedAt: tx.Now(),
		Letter: s.Letters.Subscribed(to, b, r, rec)}
	tx.InsertMail(m)
}

// mailFailure tells of a debit that was not paid, with a payable invoice (API contract 5.2).
func (s *Service) mailFailure(tx Tx, who actor.Actor, rec Record) error {
	number, err := s.issue(tx, who, rec)
	if err != nil {
		return err
	}
	l := s.Letters.Failed(rec, number)
	if s.Papers != nil {
		l.Attachments = append(l.Attachments, drawn(number, RefInvoiceOf+rec.ID.String()))
	}
	tx.InsertMail(rec.mail(tx, MailFailed, rec.MailCount, l))
	return nil
}

// WithLink are the kinds of mail with the link to pay: with the first of them a purchase is sent.
var WithLink = []string{MailInvoice, MailLink, MailFailed, MailReminder}

func (p Purchase) mail(tx Tx, kind string, attempt int, l mail.Letter) mail.Mail {
	return mail.Mail{ID: tx.NewID(), MerchantID: p.MerchantID, ObjectID: p.ID, Kind: kind, Attempt: attempt,
		ClientID: p.ClientID, PurchaseID: p.ID,
		To: p.Payer.Email, CC: p.Payer.CC, BCC: p.Payer.BCC, Letter: l, State: mail.Queued, CreatedAt: tx.Now()}
}

// Stop is what became of the debits of a subscription that its client stopped.
type Stop struct {
	Title     string
	Withdrawn []Record // debits that were taken back; their purchases stay open for staff to decide
	Running   []Record // debits that the bank has and that cannot be recalled
}

// StopWould tells what a stop would do to the debits of a subscription that are under way.
func (s *Service) StopWould(ctx context.Context, merchantID, subscriberID uuid.UUID) (out Stop, err error) {
	pending, err := s.Read.PendingOfSubscriber(ctx, merchantID, subscriberID)
	if err != nil || len(pending) == 0 {
		return out, err
	}
	ids := make([]uuid.UUID, len(pending))
	for i, p := range pending {
		ids[i] = p.ID
	}
	latest, err := s.latest(ctx, merchantID, ids...)
	if err != nil {
		return out, err
	}
	for _, p := range pending {
		c, known := latest[p.ID]
		if !known {
			continue
		}
		rec := Record{Purchase: p, Collection: &c}
		if s.withdrawable(rec) {
			out.Withdrawn = append(out.Withdrawn, rec)
		} else {
			out.Running = append(out.Running, rec)
		}
	}
	return out, nil
}

// withdrawable tells whether a debit under way can still be taken back.
func (s *Service) withdrawable(rec Record) bool {
	switch rec.Collection.State {
	case collection.Scheduled:
		return true
	case collection.Submitted, collection.InTracking:
		return s.CannotRecall(rec) == ""
	default:
		return false
	}
}

// StopIn takes the debits of a subscription back, in the transaction that stops it. What they were for stays owed: the
// purchases fail, which staff see, and nobody is mailed about them.
func (s *Service) StopIn(tx Tx, who actor.Actor, subscriberID uuid.UUID) (Stop, error) {
	out, err := s.StopWould(tx.Context(), who.MerchantID, subscriberID)
	if err != nil {
		return out, err
	}
	for i := range out.Withdrawn {
		rec := &out.Withdrawn[i]
		before := rec.Status
		if err := dropCollection(tx, rec); err != nil {
			return out, err
		}
		code := "recurring_token_expired" // stands in needs attention as a purchase without an account
		if rec.Collection.State == collection.Recalled {
			code = errorDeclined // as a failed debit
		}
		rec.attempt(Attempt{Type: rec.attemptType(), Method: string(rec.Collection.Method), At: tx.Now(),
			TxID:  rec.Collection.ID.String(),
			Error: &AttemptError{code, "The client stopped the subscription, and the debit was withdrawn."}})
		rec.move(Failed, tx.Now())
		rec.UpdatedAt = tx.Now()
		tx.MovePurchase(rec.Purchase, before)
		tx.Audit(who, audit.Entry{Action: "purchase.withdrawn", ObjectType: "purchase", ObjectID: rec.ID,
			ClientID: rec.ClientID, PurchaseID: rec.ID,
			Text: "The client stopped the subscription, and the debit was withdrawn. Decide whether this is still owed: " +
				"collect it another way, or cancel the purchase.",
			Before: map[string]any{"status": before}, After: map[string]any{"status": rec.Status}})
	}
	return out, nil
}

// MailStop confirms a stop to the client and tells the business. Count tells one stop from the next.
func (s *Service) MailStop(tx Tx, p Purchase, b merchant.Brand, subscriber uuid.UUID, count int, stop Stop) {
	m := p.mail(tx, MailStopped, count, mail.Letter{})
	m.ObjectID = subscriber
	if p.Payer.Email != "" {
		m.Letter = s.Letters.Stopped(p, b, stop)
		tx.InsertMail(m)
	}
	if b.Email != "" {
		m.ID, m.Kind, m.To, m.CC, m.BCC = tx.NewID(), MailStopNotice, b.Email, nil, nil
		m.Letter = s.Letters.StopNotice(p, b, stop)
		tx.InsertMail(m)
	}
}
