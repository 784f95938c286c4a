package book

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/mandate"
)

// confirming finds what is known of the clients of rows, with the newest mandate by DebiCheck of each.
func (s Store) confirming(ctx context.Context, i Import, rows []Row) (map[uuid.UUID]confirming, error) {
	ids := make([]uuid.UUID, len(rows))
	for n, r := range rows {
		ids[n] = r.ClientID
	}
	out := make(map[uuid.UUID]confirming, len(rows))
	var found []struct {
		ID, MandateID               uuid.UUID
		Parked, Stopped, Subscribed bool
		ConfirmedAt                 time.Time `gorm:"default:null"`
		Lacks                       []string  `gorm:"type:text[];serializer:texts"`
		State                       mandate.State
	}
	if err := s.Gorm(ctx).Raw(`SELECT c.id, c.parked_at IS NOT NULL AS parked, array_remove(ARRAY[
			CASE WHEN c.bank_account_sealed IS NULL OR c.bank_code = '' THEN 'a bank account' END,
			CASE WHEN c.personal_code_sealed IS NULL THEN 'an ID or passport number' END,
			CASE WHEN c.phone = '' THEN 'a phone number' END, CASE WHEN c.full_name = '' THEN 'a name' END], NULL) AS lacks,
			m.id AS mandate_id, coalesce(m.state, '') AS state, c.stopped_at IS NOT NULL AS stopped,
			coalesce(m.accepted_at, m.updated_at) AS confirmed_at, EXISTS (SELECT FROM template_clients t
				WHERE t.merchant_id = c.merchant_id AND t.token_id = m.id) AS subscribed
		FROM clients c LEFT JOIN LATERAL (SELECT m.id, m.state, m.accepted_at, m.updated_at FROM mandates m
			WHERE m.merchant_id = c.merchant_id AND m.client_id = c.id AND m.kind = 'debicheck'
			ORDER BY m.id DESC LIMIT 1) m ON true
		WHERE c.merchant_id = ? AND c.id = ANY(?::uuid[]) AND c.deleted_at IS NULL AND c.erased_at IS NULL`,
		i.MerchantID, database.IDs(ids)).Find(&found).Error; err != nil {
		return nil, fmt.Errorf("look at mandates to be confirmed again: %w", err)
	}
	for _, f := range found {
		out[f.ID] = confirming{there: true, parked: f.Parked, lacks: f.Lacks, mandateID: f.MandateID, state: f.State,
			confirmedOn: dayOfMoment(f.ConfirmedAt), subscribed: f.Subscribed, stopped: f.Stopped}
	}
	return out, nil
}

// noteAsking keeps when the clients of rows began to be asked.
func noteAsking(tx *database.Tx, i Import, rows []Row, at time.Time) {
	numbers := make([]int, len(rows))
	for n, r := range rows {
		numbers[n] = r.N
	}
	tx.Exec(`UPDATE book_import_rows SET asked_at = ? WHERE merchant_id = ? AND import_id = ?
		AND n = ANY(?::int[])`, at, i.MerchantID, i.ID, database.Numbers(numbers))
}

// noteJoined keeps which subscription was made for a row.
func noteJoined(tx *database.Tx, i Import, r Row, subscriber uuid.UUID) {
	tx.Later(`UPDATE book_import_rows SET subscriber_id = $4 WHERE merchant_id = $1 AND import_id = $2 AND n = $3`,
		i.MerchantID, i.ID, r.N, subscriber)
}

// refuseAsking keeps why the client of a row could not be asked.
func (s Store) refuseAsking(ctx context.Context, i Import, r Row, why string) error {
	if err := s.Gorm(ctx).Exec(`UPDATE book_import_rows SET ask_refused = ?, asked_at = NULL WHERE merchant_id = ?
		AND import_id = ? AND n = ?`, why, i.MerchantID, i.ID, r.N).Error; err != nil {
		return fmt.Errorf("keep why a row was not asked for: %w", err)
	}
	return nil
}
