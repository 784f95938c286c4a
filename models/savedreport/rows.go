package savedreport

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/table"
)

var (
	reportTable = table.New[Report]("saved_reports")
	saveReport  = reportTable.Write(`UPDATE saved_reports SET @set(monthly, settled_on, note, updated_at)
		WHERE merchant_id = @merchant_id AND id = @id`)
	settleReport = reportTable.Write(`UPDATE saved_reports SET @set(settled_on, note)
		WHERE merchant_id = @merchant_id AND id = @id AND monthly AND settled_on < @settled_on`)
)

// Store is where saved reports are kept.
type Store struct{ *database.DB }

func (s Store) ofOwner(ctx context.Context, merchantID, ownerID uuid.UUID) ([]Report, error) {
	return database.All(ctx, s.DB, reportTable, "merchant_id = $1 AND owner_id = $2 ORDER BY lower(name), id LIMIT $3",
		merchantID, ownerID, most)
}

// due lists reports that wait to be mailed in a month. It crosses merchants: the sweep serves them all.
func (s Store) due(ctx context.Context, month calendar.Date, after uuid.UUID, limit int) ([]Report, error) {
	return database.All(ctx, s.DB, reportTable, "monthly AND settled_on < $1 AND id > $2 ORDER BY id LIMIT $3",
		month, after, limit)
}

// hold gives a report of its owner, and keeps it from others for this transaction.
func hold(tx *database.Tx, who actor.Actor, id uuid.UUID) (Report, error) {
	return database.First(database.Collect(tx.Context(), tx.DB(), reportTable,
		"SELECT * FROM saved_reports WHERE merchant_id = $1 AND owner_id = $2 AND id = $3 FOR UPDATE",
		[]any{who.MerchantID, who.ID, id}))
}

// count counts those of a person, one save after the other.
func count(tx *database.Tx, who actor.Actor) (n int, err error) {
	if _, err = tx.Exec(`SELECT 1 FROM memberships WHERE merchant_id = $1 AND user_id = $2 FOR NO KEY UPDATE`,
		who.MerchantID, who.ID); err != nil {
		return 0, fmt.Errorf("count saved reports: %w", err)
	}
	err = tx.DB().Pool.QueryRow(tx.Context(), `SELECT count(*) FROM saved_reports
		WHERE merchant_id = $1 AND owner_id = $2`, database.Native([]any{who.MerchantID, who.ID})...).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count saved reports: %w", err)
	}
	return n, nil
}

// drop deletes a report that this transaction holds.
func drop(tx *database.Tx, r Report) {
	tx.Later(`DELETE FROM saved_reports WHERE merchant_id = $1 AND id = $2`, r.MerchantID, r.ID)
}
