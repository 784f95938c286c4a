package texting

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
	"debitdesk/models/sms"
)

var (
	settings     = table.New[Settings]("sms_settings")
	saveSettings = settings.Write(`INSERT INTO sms_settings (@columns) VALUES (@values)
		ON CONFLICT (merchant_id) DO UPDATE SET daily_parts = excluded.daily_parts, wide_hours = excluded.wide_hours,
		version = excluded.version, updated_at = excluded.updated_at WHERE sms_settings.version = excluded.version - 1`)
)

// Settings are those of a merchant, or the usual ones.
func (s Store) Settings(ctx context.Context, merchantID uuid.UUID) (Settings, error) {
	found, err := database.One(ctx, s.DB, settings, "merchant_id = $1", merchantID)
	if fault.Is(err, fault.NotFound) {
		return Settings{MerchantID: merchantID, DailyParts: usualParts}, nil
	}
	return found, err
}

// Used are the parts that went out on a day.
func (s Store) Used(ctx context.Context, merchantID uuid.UUID, day calendar.Date) (n int, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT coalesce((SELECT parts FROM sms_days WHERE merchant_id = $1 AND day = $2), 0)`,
		merchantID.String(), day.String()).Scan(&n)
	if err != nil {
		err = fmt.Errorf("count parts: %w", err)
	}
	return n, err
}

// Blocked is since when a number gets no SMS of a merchant; zero: it gets them. The number is in the form +27….
func (s Store) Blocked(ctx context.Context, merchantID uuid.UUID, number string) (time.Time, error) {
	var since *time.Time
	err := s.Pool.QueryRow(ctx, `SELECT (SELECT since FROM sms_blocks WHERE merchant_id = $1 AND phone = $2)`,
		merchantID.String(), number).Scan(&since)
	if err != nil {
		return time.Time{}, fmt.Errorf("look for a blocked number: %w", err)
	}
	return database.UTC(since), nil
}

// block blocks a number; false when it is blocked already.
func block(tx *database.Tx, merchantID uuid.UUID, number string) (bool, error) {
	return tx.ExecOne("block a number", `INSERT INTO sms_blocks (merchant_id, phone, since) VALUES ($1, $2, $3)
		ON CONFLICT DO NOTHING`, merchantID, number, tx.Now())
}

// unblock lets messages to a number go out again; false when it was not blocked.
func unblock(tx *database.Tx, merchantID uuid.UUID, number string) (bool, error) {
	return tx.ExecOne("unblock a number", `DELETE FROM sms_blocks WHERE merchant_id = $1 AND phone = $2`, merchantID,
		number)
}

// waitingTo lists what waits to be sent to a number.
func waitingTo(tx *database.Tx, merchantID uuid.UUID, number string) ([]sms.Message, error) {
	return database.All(tx.Context(), tx.DB(), messages, `merchant_id = $1 AND recipient = $2 AND state = 'queued'
		AND handed_at IS NULL ORDER BY id`, merchantID, number)
}
