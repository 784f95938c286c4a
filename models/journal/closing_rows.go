package journal

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

// TableName implements GORM's Tabler.
func (Closing) TableName() string { return "book_closings" }

// holdBooks waits for those who post, and has others wait who want to.
func holdBooks(tx *database.Tx, merchantID uuid.UUID) error {
	if err := tx.Gorm().Exec(`SELECT pg_advisory_xact_lock(books_turn(?))`, merchantID).Error; err != nil {
		return fmt.Errorf("hold the books: %w", err)
	}
	return nil
}

// reopenClosing is fault.ErrLost when somebody did so before.
func reopenClosing(tx *database.Tx, c Closing) error {
	return database.OneRow(tx.Gorm().Model(&c).Scopes(database.OfMerchant(c.MerchantID)).Where("reopened_at IS NULL").
		Select("reopened_at", "reopened_by", "reopen_reason").UpdateColumns(c))
}

func (s Store) closing(ctx context.Context, merchantID, id uuid.UUID) (c Closing, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&c, "id = ?", id).Error
	return c, err
}

func (s Store) closings(ctx context.Context, merchantID uuid.UUID) (closings []Closing, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Order("month DESC, closed_at DESC").Limit(120).
		Find(&closings).Error
	return closings, err
}

// lockedUntil is the last day of the newest closed month; zero where none is.
func (s Store) lockedUntil(ctx context.Context, merchantID uuid.UUID) (calendar.Date, error) {
	return s.date(ctx, `SELECT books_locked_until(?) AS day`, merchantID)
}

// firstOpen is the month after the last that was closed, or else the first with an entry; zero where there is none.
func (s Store) firstOpen(ctx context.Context, merchantID uuid.UUID) (Month, error) {
	day, err := s.date(ctx, `SELECT coalesce(books_locked_until(?) + 1, (SELECT e.day FROM journal_entries e
		WHERE e.merchant_id = ? ORDER BY e.day LIMIT 1)) AS day`, merchantID, merchantID)
	if err != nil || day.IsZero() {
		return Month{}, err
	}
	return MonthOf(day), nil
}

func (s Store) date(ctx context.Context, query string, args ...any) (day calendar.Date, err error) {
	var found struct{ Day calendar.Date }
	if err := s.Gorm(ctx).Raw(query, args...).Find(&found).Error; err != nil {
		return day, fmt.Errorf("a day of the books: %w", err)
	}
	return found.Day, nil
}

// opens are the queries of what may be open at the end of a month, for a merchant and its last day.
var opens = []struct {
	what  OpenKind
	query string
}{
	{OpenFindings, `SELECT count(*) AS n, '0' AS cents FROM bank_findings WHERE merchant_id = @m AND closed_at IS NULL
		AND opened_at < ((@last)::date + 1)::timestamp AT TIME ZONE 'Africa/Johannesburg'`},
	{OpenMovements, `SELECT count(*) AS n, coalesce(sum(amount_cents - paid_cents), 0)::text AS cents FROM bank_entries
		WHERE merchant_id = @m AND state = 'unmatched' AND booked_on <= (@last)::date`},
	{OpenDays, `SELECT count(*) AS n, coalesce(sum(d.booked - d.paid + d.back), 0)::text AS cents
		FROM bank_days_now(@m, date_trunc('month', (@last)::date)::date, (@last)::date) d
		WHERE (d.told OR d.moved > 0) AND d.booked <> d.paid - d.back AND NOT EXISTS (SELECT FROM bank_day_notes n
			WHERE n.merchant_id = d.merchant_id AND n.day = d.day AND n.note <> '' AND n.cents = d.booked - d.paid + d.back)`},
	{OpenRefunds, `SELECT count(*) AS n, coalesce(sum(amount_cents), 0)::text AS cents FROM refunds
		WHERE merchant_id = @m AND state = 'pending'
			AND created_at < ((@last)::date + 1)::timestamp AT TIME ZONE 'Africa/Johannesburg'`},
}

// open is what is open at the end of a month.
func (s Store) open(ctx context.Context, merchantID uuid.UUID, m Month) (out []Open, err error) {
	for _, q := range opens {
		o := Open{What: q.what}
		if err := s.Gorm(ctx).Raw(q.query, map[string]any{"m": merchantID, "last": m.Last()}).Take(&o).Error; err != nil {
			return nil, fmt.Errorf("what is open (%s): %w", q.what, err)
		}
		if o.N > 0 {
			out = append(out, o)
		}
	}
	return out, nil
}
