package listing

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

// Shown is the condition that what waits is neither snoozed nor closed today.
const Shown = " AND hidden_until <= (SELECT product_today())"

// Waiting is the way to the records of a table that wait for a reason, in the order of their ids, which stand in
// object_id too: an index of attention leads there, whatever else the table holds. It finds what attention_now does.
func Waiting(table, kind, and string, merchantID uuid.UUID) (from string, args []any) {
	order := "kind = '" + kind + "'" + Shown + and + " ORDER BY object_id @direction"
	return "(SELECT of.*, w.object_id FROM ((SELECT object_id FROM attention WHERE merchant_id = ? AND object_id NOT IN" +
			" (SELECT c.object_id FROM attention_changes c WHERE c.merchant_id = ?) AND " + order +
			") UNION ALL (SELECT object_id FROM attention_changed(?) WHERE " + order +
			")) AS w CROSS JOIN LATERAL (SELECT * FROM " + table + " WHERE id = w.object_id AND merchant_id = ? OFFSET 0) AS of)",
		[]any{merchantID, merchantID, merchantID, merchantID}
}

// CountWaiting counts what waits of a kind, up to limit.
func CountWaiting(ctx context.Context, db *database.DB, merchantID uuid.UUID, kind string, limit int64) (n int64, err error) {
	err = db.Gorm(ctx).Raw(fmt.Sprintf(`SELECT count(*) FROM (SELECT FROM attention WHERE merchant_id = ? AND kind = '%[1]s'%[3]s
			AND object_id NOT IN (SELECT object_id FROM attention_changes WHERE merchant_id = ?)
		UNION ALL SELECT FROM attention_changed(?) WHERE kind = '%[1]s'%[3]s LIMIT %[2]d) AS part`, kind, limit, Shown),
		merchantID, merchantID, merchantID).Scan(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count what waits: %w", err)
	}
	return n, nil
}
