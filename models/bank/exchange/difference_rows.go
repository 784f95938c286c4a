package exchange

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/paging"
)

// apartRow is what is in one list only, as a query gives it.
type apartRow struct {
	ItemLine `gorm:"embedded"`
	Expected int64
	Booked   int64
	Of       int64
}

var pageOfApart = paging.Ask{Limit: 50}

// apart are the items, and the parts of files that the bank booked in one sum, whose expected and booked sums differ on
// a day. A part that was booked in one sum stands for the debits in it that count in on the day and were not booked
// alone as well.
func (s Store) apart(ctx context.Context, merchantID uuid.UUID, day calendar.Date) (out []Apart, all int64, err error) {
	var rows []apartRow
	err = s.Gorm(ctx).Raw(`WITH day (merchant_id, day) AS (VALUES (?::uuid, ?::date)),
		moved AS (SELECT e.item_id, e.message_id, coalesce(e.group_id, '') AS group_id, `+ourPart+` AS cents
			FROM bank_entries e JOIN day USING (merchant_id) WHERE e.booked_on = day.day AND e.state = 'matched'),
		alone AS (SELECT item_id, sum(cents) AS cents FROM moved WHERE item_id IS NOT NULL GROUP BY 1),
		summed AS (SELECT message_id, group_id, sum(cents) AS cents FROM moved WHERE item_id IS NULL GROUP BY 1, 2),
		told AS (
			SELECT i.id, i.message_id, i.group_id,
				CASE WHEN i.kind = 'debits' AND i.action_date = day.day AND (`+paidNow+` OR `+paidBefore+`)
					THEN i.amount_cents ELSE 0 END AS came,
				CASE WHEN `+wentOn+` = day.day AND `+wentBack+` THEN i.amount_cents ELSE 0 END
					- CASE WHEN i.outcome_on = day.day AND `+cameAgain+` THEN i.amount_cents ELSE 0 END AS went
			FROM bank_items i JOIN day USING (merchant_id)
			WHERE i.kind = 'debits' AND i.action_date = day.day OR i.outcome_on = day.day OR i.back_on = day.day
				OR i.id IN (SELECT item_id FROM alone)),
		placed AS (
			SELECT t.id, t.came, t.went, x.message_id, x.group_id, coalesce(a.cents, 0) AS cents
			FROM told t LEFT JOIN alone a ON a.item_id = t.id
			LEFT JOIN LATERAL (SELECT s.message_id, s.group_id FROM summed s WHERE s.message_id = t.message_id
				AND s.group_id IN ('', t.group_id) AND a.item_id IS NULL ORDER BY s.group_id DESC LIMIT 1) x ON t.came > 0),
		both_sides AS (
			SELECT id, NULL::text AS part_of, NULL::text AS part,
				(CASE WHEN message_id IS NULL THEN came ELSE 0 END) - went AS expected, cents AS booked FROM placed
			UNION ALL
			SELECT NULL, s.message_id, nullif(s.group_id, ''), coalesce((SELECT sum(p.came) FROM placed p
				WHERE p.message_id = s.message_id AND p.group_id = s.group_id), 0), s.cents FROM summed s),
		apart AS (
			SELECT *, count(*) OVER () AS many FROM both_sides WHERE expected <> booked
			ORDER BY abs(expected - booked) DESC, id LIMIT `+fmt.Sprint(MostApart)+`)
		SELECT `+itemTable.Columns("i", "order_sealed", "message_id", "group_id")+`,
			coalesce(i.message_id, x.part_of) AS message_id,
			coalesce(i.group_id, x.part) AS group_id, `+purchaseOf+", "+nameOfPurchase("reference")+`, '' AS code,
			0::bigint AS day_cents, x.expected::bigint AS expected, x.booked::bigint AS booked, x.many AS of
		FROM apart x LEFT JOIN bank_items i ON i.id = x.id `+joinPurchase+`
		ORDER BY abs(x.expected - x.booked) DESC, x.id`, merchantID, day).Find(&rows).Error
	for _, r := range rows {
		out, all = append(out, Apart{ItemLine: r.ItemLine, ExpectedCents: r.Expected, BookedCents: r.Booked}), r.Of
	}
	return out, all, err
}

// dayNotes are the differences that were accepted between two days.
func (s Store) dayNotes(ctx context.Context, merchantID uuid.UUID, from, to calendar.Date) (map[calendar.Date]DayNote,
	error) {
	var rows []struct {
		Day           calendar.Date
		Cents         int64
		Note, NotedBy string
		NotedAt       time.Time
	}
	err := s.Gorm(ctx).Raw(`SELECT day, cents, note, noted_by, noted_at FROM bank_day_notes
		WHERE merchant_id = ? AND day BETWEEN ? AND ?`, merchantID, from, to).Find(&rows).Error
	found := map[calendar.Date]DayNote{}
	for _, r := range rows {
		found[r.Day] = DayNote{Cents: r.Cents, Note: r.Note, By: r.NotedBy, At: r.NotedAt}
	}
	return found, err
}

func (t unit) noteDay(merchantID uuid.UUID, day calendar.Date, n DayNote) {
	t.Exec(`INSERT INTO bank_day_notes (merchant_id, day, cents, note, noted_by, noted_at)
		VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (merchant_id, day) DO UPDATE SET cents = excluded.cents, note = excluded.note,
			noted_by = excluded.noted_by, noted_at = excluded.noted_at`, merchantID, day, n.Cents, n.Note, n.By, n.At)
}

func (t unit) forgetDay(merchantID uuid.UUID, day calendar.Date) (bool, error) {
	return database.Found(t.Gorm().Exec(`DELETE FROM bank_day_notes WHERE merchant_id = ? AND day = ?`, merchantID, day))
}
