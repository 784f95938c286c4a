package book

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

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
	found, err := s.Pool.Query(ctx, `SELECT c.id::text, c.parked_at IS NOT NULL, array_remove(ARRAY[
			CASE WHEN c.bank_account_sealed IS NULL OR c.bank_code = '' THEN 'a bank account' END,
			CASE WHEN c.personal_code_sealed IS NULL THEN 'an ID or passport number' END,
			CASE WHEN c.phone = '' THEN 'a phone number' END, CASE WHEN c.full_name = '' THEN 'a name' END], NULL),
			coalesce(m.id::text, ''), coalesce(m.state, '')
		FROM clients c LEFT JOIN LATERAL (SELECT m.id, m.state FROM mandates m WHERE m.merchant_id = $1
			AND m.client_id = c.id AND m.kind = 'debicheck' ORDER BY m.id DESC LIMIT 1) m ON true
		WHERE c.merchant_id = $1 AND c.id = ANY($2::uuid[]) AND c.deleted_at IS NULL AND c.erased_at IS NULL`,
		i.MerchantID.String(), database.IDs(ids))
	if err == nil {
		var of, id, state string
		var parked bool
		var lacks []string
		_, err = pgx.ForEachRow(found, []any{&of, &parked, &lacks, &id, &state}, func() error {
			out[idFrom(of)] = confirming{there: true, parked: parked, lacks: append([]string{}, lacks...), mandateID: idFrom(id),
				state: mandate.State(state)}
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("look at mandates to be confirmed again: %w", err)
	}
	return out, nil
}

// noteAsking keeps when the clients of rows began to be asked.
func noteAsking(tx *database.Tx, i Import, rows []Row, at time.Time) {
	for _, r := range rows {
		tx.Later(`UPDATE book_import_rows SET asked_at = $4 WHERE merchant_id = $1 AND import_id = $2 AND n = $3`,
			i.MerchantID, i.ID, r.N, at)
	}
}

// refuseAsking keeps why the client of a row could not be asked.
func (s Store) refuseAsking(ctx context.Context, i Import, r Row, why string) error {
	if _, err := s.Pool.Exec(ctx, `UPDATE book_import_rows SET ask_refused = $4, asked_at = NULL WHERE merchant_id = $1
		AND import_id = $2 AND n = $3`, i.MerchantID.String(), i.ID.String(), r.N, why); err != nil {
		return fmt.Errorf("keep why a row was not asked for: %w", err)
	}
	return nil
}
