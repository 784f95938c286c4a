package store

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
)

type collectionRow struct {
	ID                uuid.UUID `gorm:"primaryKey"`
	MerchantID        uuid.UUID
	BrandID           uuid.UUID
	ClientID          *uuid.UUID
	PurchaseID        uuid.UUID
	Attempt           int
	TokenID           uuid.UUID
	MandateID         uuid.UUID
	Method            string
	State             string
	AmountCents       int64
	Currency          string
	ActionDate        calendar.Date `gorm:"type:date"`
	OriginalDate      calendar.Date `gorm:"type:date"`
	SubmitAt          time.Time
	ExecuteAt         time.Time
	Started           bool
	RecallDue         bool
	ProofDue          bool
	SoftBefore        int
	Service           string
	TrackingDays      int
	OnceOff           bool
	StatementLine     string
	ResultCode        string
	ResultAt          *time.Time
	ProvisionalAt     *time.Time
	FinalAt           *time.Time
	AlertAt           *time.Time
	Disputable        bool
	DisputableBecause textArray
	DisputeDeadline   calendar.Date `gorm:"type:date"`
	CreatedAt         time.Time
	UpdatedAt         time.Time
}

func (collectionRow) TableName() string { return "collections" }

func collectionRowOf(c collection.Collection) *collectionRow {
	return &collectionRow{
		ID: c.ID, MerchantID: c.MerchantID, BrandID: c.BrandID, ClientID: orNull(c.ClientID), PurchaseID: c.PurchaseID, Attempt: c.Attempt,
		TokenID: c.TokenID, MandateID: c.MandateID, Method: string(c.Method), State: string(c.State), AmountCents: c.AmountCents, Currency: c.Currency,
		ActionDate: c.ActionDate, OriginalDate: c.OriginalDate, SubmitAt: Instant(c.SubmitAt), ExecuteAt: Instant(c.ExecuteAt),
		Started: c.Started, RecallDue: c.RecallDue, ProofDue: c.ProofDue, SoftBefore: c.SoftBefore,
		Service: string(c.Service), TrackingDays: c.TrackingDays, OnceOff: c.OnceOff, StatementLine: c.StatementLine, ResultCode: c.Result.Code,
		ResultAt: instantOrNull(c.ResultAt), ProvisionalAt: instantOrNull(c.ProvisionalAt), FinalAt: instantOrNull(c.FinalAt), AlertAt: instantOrNull(c.AlertAt),
		Disputable: c.Disputable, DisputableBecause: textArray(c.DisputableBecause), DisputeDeadline: c.DisputeDeadline,
		CreatedAt: Instant(c.CreatedAt), UpdatedAt: Instant(c.UpdatedAt),
	}
}

func (r collectionRow) domain() collection.Collection {
	c := collection.Collection{
		ID: r.ID, MerchantID: r.MerchantID, BrandID: r.BrandID, ClientID: orZero(r.ClientID), PurchaseID: r.PurchaseID, Attempt: r.Attempt,
		TokenID: r.TokenID, MandateID: r.MandateID, Method: bank.Method(r.Method), State: collection.State(r.State), AmountCents: r.AmountCents, Currency: r.Currency,
		ActionDate: r.ActionDate, OriginalDate: r.OriginalDate, SubmitAt: r.SubmitAt.UTC(), ExecuteAt: r.ExecuteAt.UTC(),
		Started: r.Started, RecallDue: r.RecallDue, ProofDue: r.ProofDue, SoftBefore: r.SoftBefore,
		Service: collection.ServiceType(r.Service), TrackingDays: r.TrackingDays, OnceOff: r.OnceOff, StatementLine: r.StatementLine,
		ResultAt: utcOrZero(r.ResultAt), ProvisionalAt: utcOrZero(r.ProvisionalAt), FinalAt: utcOrZero(r.FinalAt), AlertAt: utcOrZero(r.AlertAt),
		Disputable: r.Disputable, DisputableBecause: []string(r.DisputableBecause), DisputeDeadline: r.DisputeDeadline,
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}
	if r.ResultCode != "" {
		c.Result = collection.ResultOf(r.ResultCode)
	}
	return c
}

func instantOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return orNull(Instant(t))
}

func utcOrZero(t *time.Time) time.Time { return orZero(t).UTC() }

// InsertCollection plans a debit, in this transaction.
func (t *Tx) InsertCollection(c collection.Collection) { t.create(collectionRowOf(c)) }

// moveCollection never takes back what another step noted meanwhile: that the
// purchase has started, or that a cancelled collection may be at the bank, since
// a process had claimed it for the hand-over.
const moveCollection = `UPDATE collections SET state = $4, started = started OR $5,
	recall_due = $6 OR ($4 = 'cancelled' AND claimed_until IS NOT NULL), proof_due = $7, soft_before = $8,
	result_code = $9, result_at = $10, provisional_at = $11, final_at = $12, alert_at = $13,
	disputable = $14, disputable_because = $15, dispute_deadline = $16, updated_at = $17
	WHERE merchant_id = $1 AND id = $2 AND state = $3`

func moveCollectionArgs(c collection.Collection, from collection.State) []any {
	r := collectionRowOf(c)
	return []any{r.MerchantID, r.ID, string(from), r.State, r.Started, r.RecallDue, r.ProofDue, r.SoftBefore,
		r.ResultCode, r.ResultAt, r.ProvisionalAt, r.FinalAt, r.AlertAt,
		r.Disputable, []string(r.DisputableBecause), r.DisputeDeadline, r.UpdatedAt}
}

// MoveCollection writes what may change of a collection, if it still stands in
// the state from; false when another was quicker.
func (t *Tx) MoveCollection(c collection.Collection, from collection.State) (bool, error) {
	n, err := t.exec(moveCollection, moveCollectionArgs(c, from)...)
	if err != nil {
		return false, fmt.Errorf("move collection: %w", err)
	}
	return n == 1, nil
}

// SaveCollection is MoveCollection for a row that this transaction has locked:
// nobody can be quicker, so the write may wait and travel with others.
func (t *Tx) SaveCollection(c collection.Collection, from collection.State) {
	t.later(moveCollection, moveCollectionArgs(c, from)...)
}
