package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/subscription"
	"debitdesk/models/webhook"
)

type subscriberRow struct {
	ID              uuid.UUID `gorm:"primaryKey"`
	MerchantID      uuid.UUID
	TemplateID      uuid.UUID
	ClientID        uuid.UUID
	Status          string
	Why             string
	FirstOn         calendar.Date
	Anchor          calendar.Date
	Cycle           int
	Passed          int
	NextOn          calendar.Date
	NextAt          *time.Time
	StoredToken     *uuid.UUID
	StoredAt        *time.Time
	TokenID         *uuid.UUID
	FirstPurchaseID *uuid.UUID
	Whitelist       *string
	Switches        string
	Reference       string
	Override        *string
	Debit           string
	DebitSealed     []byte
	RemindedAt      *time.Time
	ActivatedAt     *time.Time
	Version         int
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

func (subscriberRow) TableName() string { return "template_clients" }

// debtorNumbers are the two numbers of a subscriber's DebiCheck fields; they are sealed.
type debtorNumbers struct {
	Account string `json:"a,omitempty"`
	ID      string `json:"i,omitempty"`
}

func (s *Store) subscriberRowOf(x subscription.Subscriber) (*subscriberRow, error) {
	row := &subscriberRow{ID: x.ID, MerchantID: x.MerchantID, TemplateID: x.TemplateID, ClientID: x.ClientID, Status: string(x.Status), Why: x.Why,
		FirstOn: x.FirstOn, Anchor: x.Anchor, Cycle: x.Cycle, Passed: x.Passed, NextOn: x.NextOn, NextAt: instantOrNull(x.NextAt),
		StoredToken: orNull(x.StoredToken), StoredAt: instantOrNull(x.StoredAt), TokenID: orNull(x.TokenID), FirstPurchaseID: orNull(x.FirstPurchaseID),
		Reference: x.Reference, DebitSealed: s.sealDebtor(x), RemindedAt: instantOrNull(x.RemindedAt), ActivatedAt: instantOrNull(x.ActivatedAt),
		Version: x.Version, CreatedAt: Instant(x.CreatedAt), UpdatedAt: Instant(x.UpdatedAt)}
	var wrong error
	encode := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil && wrong == nil {
			wrong = fmt.Errorf("write subscriber: %w", err)
		}
		return string(b)
	}
	row.Switches, row.Debit = encode(x.Switches), encode(maskedDebit(x.Debit))
	if x.Whitelist != nil {
		row.Whitelist = orNull(encode(x.Whitelist))
	}
	if x.Override != nil {
		row.Override = orNull(encode(x.Override))
	}
	return row, wrong
}

// The masks stand where the numbers would, for whoever reads the row alone.
const debtorAccount, debtorID = "debtor_account_number", "debtor_id_number"

func maskedDebit(d subscription.Debit) map[string]any {
	out := make(map[string]any, len(d.Fields)+2)
	for k, v := range d.Fields {
		out[k] = v
	}
	delete(out, debtorAccount)
	delete(out, debtorID)
	if d.DebtorAccount != "" {
		out[debtorAccount] = d.DebtorAccount.String()
	}
	if d.DebtorID != "" {
		out[debtorID] = d.DebtorID.String()
	}
	return out
}

func (s *Store) sealDebtor(x subscription.Subscriber) []byte {
	n := debtorNumbers{x.Debit.DebtorAccount.Reveal(), x.Debit.DebtorID.Reveal()}
	if n == (debtorNumbers{}) {
		return nil
	}
	b, _ := json.Marshal(n) // two texts
	return s.seal.SealBytes(placeOf("template_clients", "debit_sealed", x.MerchantID, x.ID), b)
}

func (s *Store) subscriberOf(r subscriberRow) (subscription.Subscriber, error) {
	x := subscription.Subscriber{ID: r.ID, MerchantID: r.MerchantID, TemplateID: r.TemplateID, ClientID: r.ClientID, Status: subscription.Status(r.Status), Why: r.Why,
		FirstOn: r.FirstOn, Anchor: r.Anchor, Cycle: r.Cycle, Passed: r.Passed, NextOn: r.NextOn, NextAt: utc(r.NextAt),
		StoredToken: orZero(r.StoredToken), StoredAt: utc(r.StoredAt), TokenID: orZero(r.TokenID), FirstPurchaseID: orZero(r.FirstPurchaseID),
		Reference: r.Reference, RemindedAt: utc(r.RemindedAt), ActivatedAt: utc(r.ActivatedAt), Version: r.Version, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC()}
	for _, part := range []struct {
		text *string
		into any
	}{{&r.Switches, &x.Switches}, {&r.Debit, &x.Debit.Fields}, {r.Whitelist, &x.Whitelist}, {r.Override, &x.Override}} {
		if part.text == nil {
			continue
		}
		if err := json.Unmarshal([]byte(*part.text), part.into); err != nil {
			return x, fmt.Errorf("read subscriber %s: %w", r.ID, err)
		}
	}
	delete(x.Debit.Fields, debtorAccount)
	delete(x.Debit.Fields, debtorID)
	if r.DebitSealed == nil {
		return x, nil
	}
	b, err := s.seal.OpenBytes(placeOf("template_clients", "debit_sealed", r.MerchantID, r.ID), r.DebitSealed)
	if err != nil {
		return x, fmt.Errorf("open subscriber %s: %w", r.ID, err)
	}
	var n debtorNumbers
	if err := json.Unmarshal(b, &n); err != nil {
		return x, fmt.Errorf("open subscriber %s: %w", r.ID, err)
	}
	x.Debit.DebtorAccount, x.Debit.DebtorID = bank.AccountNumber(n.Account), bank.IDNumber(n.ID)
	return x, nil
}

// InsertSubscriber implements subscription.Tx.
func (t *Tx) InsertSubscriber(x subscription.Subscriber) {
	row, err := t.s.subscriberRowOf(x)
	if err != nil {
		t.fail(err)
		return
	}
	t.create(row)
}

// MoveSubscriber implements subscription.Tx: compare-and-set on the version.
func (t *Tx) MoveSubscriber(x subscription.Subscriber) {
	r, err := t.s.subscriberRowOf(x)
	if err != nil {
		t.fail(err)
		return
	}
	t.mustMove(`UPDATE template_clients SET status = $4, why = $5, anchor = $6, cycle = $7, passed = $8, next_on = $9, next_at = $10, stored_token = $11,
		stored_at = $12, token_id = $13, first_purchase_id = $14, whitelist = $15, switches = $16, reference = $17, override = $18, debit = $19, debit_sealed = $20,
		reminded_at = $21, activated_at = $22, updated_at = $23, version = version + 1 WHERE merchant_id = $1 AND id = $2 AND version = $3`,
		r.MerchantID, r.ID, r.Version, r.Status, r.Why, r.Anchor, r.Cycle, r.Passed, r.NextOn, r.NextAt, r.StoredToken, r.StoredAt, r.TokenID,
		r.FirstPurchaseID, r.Whitelist, r.Switches, r.Reference, r.Override, r.Debit, r.DebitSealed, r.RemindedAt, r.ActivatedAt, r.UpdatedAt)
}

// InsertPeriod implements subscription.Tx.
func (t *Tx) InsertPeriod(merchantID uuid.UUID, p subscription.Period) {
	t.later(`INSERT INTO billing_periods (template_client_id, starts_on, billed_on, merchant_id, purchase_id, skipped, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		p.SubscriberID, p.StartsOn, p.BilledOn, merchantID, orNull(p.PurchaseID), p.Skipped, t.now)
}

// FollowToken implements purchase.Tx.
func (t *Tx) FollowToken(merchantID, old, next uuid.UUID) {
	t.later(`UPDATE template_clients SET token_id = $3, version = version + 1, updated_at = $4 WHERE merchant_id = $1 AND token_id = $2`, merchantID, old, next, t.now)
}

// EndSubscribers implements purchase.Tx.
func (t *Tx) EndSubscribers(merchantID, clientID uuid.UUID) (ended []uuid.UUID, err error) {
	err = query(t, func(id *uuid.UUID) []any { return []any{id} }, func(id uuid.UUID) { ended = append(ended, id) },
		`UPDATE template_clients SET status = 'inactive', why = 'client_deleted', next_on = NULL, next_at = NULL, stored_token = NULL, stored_at = NULL,
		version = version + 1, updated_at = $3 WHERE merchant_id = $1 AND client_id = $2 AND status <> 'inactive' RETURNING id`, merchantID, clientID, t.now)
	if err != nil {
		return nil, fmt.Errorf("end subscribers: %w", err)
	}
	return ended, nil
}

// TellSubscriber implements subscription.Tx.
func (t *Tx) TellSubscriber(name string, x subscription.Subscriber) {
	t.tell(x.MerchantID, name, webhook.ObjectSubscriber, x.ID, x.ID)
}
