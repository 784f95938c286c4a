package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/purchase"
)

type purchaseRow struct {
	ID                 uuid.UUID `gorm:"primaryKey"`
	MerchantID         uuid.UUID
	BrandID            uuid.UUID
	ClientID           *uuid.UUID
	UserID             *uuid.UUID
	TemplateID         *uuid.UUID
	SubscriberID       *uuid.UUID
	IsTest             bool
	Status             string
	Product            string
	Currency           string
	TotalCents         int64
	Due                time.Time
	DueGiven           bool
	DueStrict          bool
	Issued             calendar.Date
	Reference          string
	ReferenceGenerated string
	Method             string
	TokenID            *uuid.UUID
	IsRecurringToken   bool
	TokenLeaving       bool `gorm:"->"` // LeaveToken alone writes it
	MarkedAsPaid       bool
	PaymentCount       int
	RefundedCents      int64
	RefundingCents     int64
	NetCents           int64
	PayerName          string
	PayerEmail         string
	Payer              string
	PayerSealed        []byte
	Details            string
	Options            string
	Payment            *string
	History            string
	Attempts           string
	ViewedAt           *time.Time
	PassAt             *time.Time
	CreatedIP          string
	Search             searchWords `gorm:"->:false;<-"`
	CollectionCount    int
	MailCount          int
	Version            int
	CreatedAt          time.Time
	UpdatedAt          time.Time
}

func (purchaseRow) TableName() string { return "purchases" }

// The payer's details mask their own numbers when they are encoded.

// purchaseColumns are all columns that are read; search is only written.
const purchaseColumns = `id, merchant_id, brand_id, client_id, user_id, template_id, subscriber_id, is_test, status, product, currency, total_cents, due, due_given, due_strict,
	issued, reference, reference_generated, method, token_id, is_recurring_token, token_leaving, marked_as_paid, payment_count, refunded_cents, refunding_cents, net_cents, payer_name, payer_email, payer,
	payer_sealed, details, options, payment, history, attempts, viewed_at, pass_at, created_ip, collection_count, mail_count, version, created_at, updated_at`

// payerNumbers are the numbers behind the masks; they are sealed.
type payerNumbers struct {
	PersonalCode string `json:"p,omitempty"`
	BankAccount  string `json:"a,omitempty"`
}

func (s *Store) purchaseRowOf(p purchase.Purchase) (*purchaseRow, error) {
	var wrong error
	encode := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil && wrong == nil {
			wrong = err
		}
		return string(b)
	}
	row := &purchaseRow{
		ID: p.ID, MerchantID: p.MerchantID, BrandID: p.BrandID, ClientID: orNull(p.ClientID), UserID: orNull(p.UserID), TemplateID: orNull(p.TemplateID), SubscriberID: orNull(p.SubscriberID), IsTest: p.IsTest,
		Status: string(p.Status), Product: p.Product, Currency: p.Currency, TotalCents: p.TotalCents, Due: Instant(p.Due), DueGiven: p.DueGiven,
		DueStrict: p.DueStrict, Issued: p.Issued, Reference: p.Reference, ReferenceGenerated: p.ReferenceGenerated, Method: p.Method,
		TokenID: orNull(p.TokenID), IsRecurringToken: p.IsRecurringToken, MarkedAsPaid: p.MarkedAsPaid,
		PaymentCount: p.PaymentCount, RefundedCents: p.RefundedCents, RefundingCents: p.RefundingCents, NetCents: p.NetCents,
		PayerName: p.Payer.FullName, PayerEmail: p.Payer.Email, Payer: encode(p.Payer), PayerSealed: s.sealNumbers(p.MerchantID, p.ID, p.Payer),
		Details: encode(p.Details), Options: encode(p.Options), History: encode(p.History), Attempts: encode(orEmpty(p.Attempts)),
		ViewedAt: orNull(p.ViewedAt), PassAt: orNull(p.PassAt), CreatedIP: p.CreatedIP,
		Search:          wordsOf(p.Payer.FullName, p.Payer.Email, p.Reference, p.ReferenceGenerated),
		CollectionCount: p.CollectionCount, MailCount: p.MailCount, Version: max(p.Version, 1), CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
	}
	if p.Payment != nil {
		text := encode(p.Payment)
		row.Payment = &text
	}
	if wrong != nil {
		return nil, fmt.Errorf("write purchase: %w", wrong)
	}
	return row, nil
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func (s *Store) sealNumbers(merchantID, id uuid.UUID, d client.Details) []byte {
	n := payerNumbers{d.PersonalCode.Reveal(), d.BankAccount.Reveal()}
	if n == (payerNumbers{}) {
		return nil
	}
	b, _ := json.Marshal(n) // two texts
	return s.seal.SealBytes(placeOf("purchases", "payer_sealed", merchantID, id), b)
}

// domain reads a row. The numbers of the payer stay sealed until the bank needs
// them; what is shown is their mask, which openNumbers replaces.
func (s *Store) purchaseOf(r purchaseRow) (purchase.Purchase, error) {
	p := purchase.Purchase{
		ID: r.ID, MerchantID: r.MerchantID, BrandID: r.BrandID, ClientID: orZero(r.ClientID), UserID: orZero(r.UserID), TemplateID: orZero(r.TemplateID), SubscriberID: orZero(r.SubscriberID), IsTest: r.IsTest,
		Status: purchase.Status(r.Status), Product: r.Product, Currency: r.Currency, TotalCents: r.TotalCents, Due: r.Due.UTC(), DueGiven: r.DueGiven,
		DueStrict: r.DueStrict, Issued: r.Issued, Reference: r.Reference, ReferenceGenerated: r.ReferenceGenerated, Method: r.Method,
		TokenID: orZero(r.TokenID), IsRecurringToken: r.IsRecurringToken, TokenLeaving: r.TokenLeaving, MarkedAsPaid: r.MarkedAsPaid,
		PaymentCount: r.PaymentCount, RefundedCents: r.RefundedCents, RefundingCents: r.RefundingCents, NetCents: r.NetCents,
		ViewedAt: utc(r.ViewedAt), PassAt: utc(r.PassAt), CreatedIP: r.CreatedIP, CollectionCount: r.CollectionCount, MailCount: r.MailCount,
		Version: r.Version, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}
	for _, part := range []struct {
		text string
		into any
	}{{r.Payer, &p.Payer}, {r.Details, &p.Details}, {r.Options, &p.Options}, {r.History, &p.History}, {r.Attempts, &p.Attempts}} {
		if err := json.Unmarshal([]byte(part.text), part.into); err != nil {
			return p, fmt.Errorf("read purchase %s: %w", r.ID, err)
		}
	}
	if r.Payment != nil {
		p.Payment = &purchase.Payment{}
		if err := json.Unmarshal([]byte(*r.Payment), p.Payment); err != nil {
			return p, fmt.Errorf("read purchase %s: %w", r.ID, err)
		}
	}
	p.Seen = p.AsSeen()
	return p, s.openNumbers(r, &p)
}

func (s *Store) openNumbers(r purchaseRow, p *purchase.Purchase) error {
	if r.PayerSealed == nil {
		return nil
	}
	b, err := s.seal.OpenBytes(placeOf("purchases", "payer_sealed", r.MerchantID, r.ID), r.PayerSealed)
	if err != nil {
		return fmt.Errorf("open payer of %s: %w", r.ID, err)
	}
	var n payerNumbers
	if err := json.Unmarshal(b, &n); err != nil {
		return fmt.Errorf("open payer of %s: %w", r.ID, err)
	}
	p.Payer.PersonalCode, p.Payer.BankAccount = bank.IDNumber(n.PersonalCode), bank.AccountNumber(n.BankAccount)
	return nil
}

func utc(p *time.Time) time.Time { return orZero(p).UTC() }

// InsertPurchase implements purchase.Tx.
func (t *Tx) InsertPurchase(p purchase.Purchase) {
	row, err := t.s.purchaseRowOf(p)
	if err != nil {
		t.fail(err)
		return
	}
	t.create(row)
	t.tellMade(p)
}

// movePurchase is a compare-and-set on status and version.
const movePurchase = `UPDATE purchases SET status = $4, due = $5, method = $6, token_id = $7, is_recurring_token = $8, marked_as_paid = $9,
	refunded_cents = $10, payer_name = $11, payer = $12, payer_sealed = $13, details = $14, payment = $15, history = $16, attempts = $17,
	viewed_at = $18, pass_at = $19, collection_count = $20, mail_count = $21, updated_at = $22, due_given = $24, payment_count = $25, refunding_cents = $26, net_cents = $27, version = version + 1
	WHERE id = $1 AND merchant_id = $2 AND status = $3 AND version = $23`

func movePurchaseArgs(r *purchaseRow, from purchase.Status) []any {
	return []any{r.ID, r.MerchantID, string(from), r.Status, r.Due, r.Method, r.TokenID, r.IsRecurringToken, r.MarkedAsPaid,
		r.RefundedCents, r.PayerName, r.Payer, r.PayerSealed, r.Details, r.Payment, r.History, r.Attempts,
		r.ViewedAt, r.PassAt, r.CollectionCount, r.MailCount, r.UpdatedAt, r.Version, r.DueGiven, r.PaymentCount, r.RefundingCents, r.NetCents}
}

// MovePurchase implements purchase.Tx: compare-and-set on status and version.
func (t *Tx) MovePurchase(p purchase.Purchase, from purchase.Status) {
	r, err := t.s.purchaseRowOf(p)
	if err != nil {
		t.fail(err)
		return
	}
	t.mustMove(movePurchase, movePurchaseArgs(r, from)...)
	t.tellMoved(p)
}

// SavePurchase is MovePurchase for a row that this transaction holds: nobody can
// be quicker, so the write may wait and travel with others.
func (t *Tx) SavePurchase(p purchase.Purchase, from purchase.Status) {
	r, err := t.s.purchaseRowOf(p)
	if err != nil {
		t.fail(err)
		return
	}
	t.later(movePurchase, movePurchaseArgs(r, from)...)
	t.tellMoved(p)
}

// SentPurchases implements purchase.Tx: one statement for all of a merchant.
func (t *Tx) SentPurchases(of map[uuid.UUID][]uuid.UUID) error {
	sent, err := json.Marshal([]purchase.Change{{Status: purchase.Sent, At: t.now}})
	if err != nil {
		return fmt.Errorf("mark purchases sent: %w", err)
	}
	for merchantID, ids := range of {
		t.later(`UPDATE purchases SET status = 'sent', history = history || $3::jsonb, version = version + 1, updated_at = $4
			WHERE merchant_id = $1 AND id = ANY($2::uuid[]) AND status = 'created'`, merchantID, idsText(ids), string(sent), t.now)
	}
	return nil
}

// ReaddressPurchase implements purchase.Tx.
func (t *Tx) ReaddressPurchase(p purchase.Purchase) {
	t.later(`UPDATE purchases SET payer_email = $3, search = array_to_tsvector($4::text[]) WHERE merchant_id = $1 AND id = $2`,
		p.MerchantID, p.ID, p.Payer.Email, textArray(wordsOf(p.Payer.FullName, p.Payer.Email, p.Reference, p.ReferenceGenerated)))
}
