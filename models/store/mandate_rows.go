package store

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/mandate"
	"debitdesk/models/store/seal"
	"debitdesk/models/store/table"
)

// Who gave a mandate, to whom and for whom never changes.
var (
	mandateTable = table.New[mandate.Mandate]("mandates")
	moveMandate  = mandateTable.Write(`UPDATE mandates SET @set WHERE merchant_id = @merchant_id AND id = @id AND state = @from`, "from")
)

// InsertMandate implements purchase.Tx.
func (t *Tx) InsertMandate(m mandate.Mandate) { insert(t, mandateTable, m) }

// RenewMandate implements purchase.Tx.
func (t *Tx) RenewMandate(m mandate.Mandate, from mandate.State) { move(t, moveMandate, m, from) }

// SaveMandate is RenewMandate for a row that this transaction holds.
func (t *Tx) SaveMandate(m mandate.Mandate, from mandate.State) { write(t, moveMandate, m, from) }

// EndMandate implements purchase.Tx. The bank hears of it through the newest
// authentication, if there is one; no answer to it counts any more.
func (t *Tx) EndMandate(merchantID, id uuid.UUID, state mandate.State) {
	t.later(`UPDATE mandates SET state = $3, ended_at = $4, updated_at = $4 WHERE merchant_id = $1 AND id = $2 AND state NOT IN ('cancelled', 'superseded')`,
		merchantID, id, string(state), t.now)
	t.later(`UPDATE mandate_authentications SET cancel_due = true,
		state = CASE WHEN state IN ('requested', 'sent', 'delivered') THEN 'withdrawn' ELSE state END
		WHERE merchant_id = $1 AND mandate_id = $2 AND number = (SELECT max(number) FROM mandate_authentications WHERE mandate_id = $2)`, merchantID, id)
}

// Mandate implements purchase.Reader.
func (s *Store) Mandate(ctx context.Context, merchantID, id uuid.UUID) (mandate.Mandate, error) {
	return one(ctx, s, mandateTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// MandatesByID implements purchase.Reader.
func (s *Store) MandatesByID(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) ([]mandate.Mandate, error) {
	return all(ctx, s, mandateTable, "merchant_id = $1 AND id = ANY($2)", merchantID, ids)
}

var evidenceTable = table.New("mandate_evidence", table.Column[mandate.Evidence]{
	Name: "content",
	Write: func(box *seal.Box, e *mandate.Evidence) (any, error) {
		return box.SealBytes(placeOf("mandate_evidence", "content", e.MerchantID, e.ID), e.Content), nil
	},
	Read: func(box *seal.Box, e *mandate.Evidence, stored []byte) (err error) {
		e.Content, err = box.OpenBytes(placeOf("mandate_evidence", "content", e.MerchantID, e.ID), stored)
		return err
	},
})

// InsertEvidence implements purchase.Tx. Scans show account numbers and are sealed.
func (t *Tx) InsertEvidence(e mandate.Evidence) { insert(t, evidenceTable, e) }

// EvidenceOf lists the files that prove a mandate, without their content.
func (s *Store) EvidenceOf(ctx context.Context, merchantID, mandateID uuid.UUID) ([]mandate.Evidence, error) {
	of := list(ctx, s, evidenceTable, "content").Where("merchant_id = ? AND mandate_id = ?", merchantID, mandateID)
	return find(ctx, s, evidenceTable, of.Order("id"))
}

// Evidence opens one file.
func (s *Store) Evidence(ctx context.Context, merchantID, id uuid.UUID) (mandate.Evidence, error) {
	return one(ctx, s, evidenceTable, "merchant_id = $1 AND id = $2", merchantID, id)
}
