package listing

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

// Shown is the condition that what waits is neither snoozed nor closed today.
const Shown = " AND hidden_until <= (SELECT product_today())"

// Waiting is the way to the records of a table that wait for a reason, in the order of their ids, which stand in
// object_id too: an index of attention leads there, whatever else the table holds. It finds what attention_now does.
func Waiting(table, kind, and string, merchantID uuid.UUID) (from string, args []any) {
	order := "kind = '" + kind + "'" + Shown + and + "@behind ORDER BY object_id @direction LIMIT @most"
	return "(SELECT of.*, w.object_id FROM ((SELECT object_id FROM attention WHERE merchant_id = ? AND object_id NOT IN" +
			" (SELECT c.object_id FROM attention_changes c WHERE c.merchant_id = ?) AND " + order +
			") UNION ALL (SELECT object_id FROM attention_changed(?) WHERE " + order +
			")) AS w CROSS JOIN LATERAL (SELECT * FROM " + table +
			" WHERE id = w.object_id AND merchant_id = ? OFFSET 0) AS of)",
		[]any{merchantID, merchantID, fromHere{}, merchantID, fromHere{}, merchantID}
}

// Counted is what waits of a merchant, counted: all of each kind under the day -infinity, mails and failed debits that
// the bank answered day by day, from a day on. Its places are the merchant and that day.
const Counted = "attention_tallied(?, ?::date)"

// CountWaiting counts what waits of a kind.
func CountWaiting(ctx context.Context, db *database.DB, merchantID uuid.UUID, kind string) (n int64, err error) {
	err = db.Row(ctx, "SELECT coalesce(sum(n), 0)::bigint FROM "+Counted+" WHERE kind = ? AND day = '-infinity'"+Shown,
		merchantID, "infinity", kind).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count what waits: %w", err)
	}
	return n, nil
}

// WaitingParts begins a statement about several kinds of what waits. The merchant is both its places.
const WaitingParts = `WITH noted AS MATERIALIZED (SELECT DISTINCT object_id
	FROM attention_changes WHERE merchant_id = ?),
	changed AS MATERIALIZED (SELECT * FROM attention_changed(?)) `

// WaitingRows are the rows of a kind, up to limit of those that have not changed; the order is a whole clause or empty.
// Its place is the merchant.
func WaitingRows(kind, and, order string, limit int64) string {
	if order == "" { // that of an index, so that it is read whatever is in the table
		order = " ORDER BY hidden_until, at"
		if strings.Contains(and, " at ") {
			order = " ORDER BY at"
		}
	}
	where := " WHERE kind = '" + kind + "'" + and
	return fmt.Sprintf(
		`((SELECT object_id, at, cents, currency, hidden_until, owner_id FROM attention%[1]s AND merchant_id = ?
			AND object_id NOT IN (SELECT object_id FROM noted)%[2]s LIMIT %[3]d)
		UNION ALL SELECT object_id, at, cents, currency, hidden_until, owner_id FROM changed%[1]s)`,
		where,
		order,
		limit,
	)
}

// WaitingSince narrows to what waits since a moment; the zero time takes all.
func WaitingSince(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return " AND at >= '" + database.Instant(at).Format(time.RFC3339Nano) + "'"
}

// Tallied adds up what is counted; sums of many are computed exactly, and what no integer holds is shown as the
// largest.
const Tallied = `coalesce(sum(n), 0)::bigint AS n, least(coalesce(sum(cents), 0), 9223372036854775807)::bigint AS cents`
