package texting

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// usualParts is how many parts a merchant sends a day until it says otherwise: what a mistake can cost at most.
const usualParts = 1000

// mostParts is what a merchant can choose.
const mostParts = 1_000_000

// Settings are what a merchant says about its SMS.
type Settings struct {
	MerchantID uuid.UUID
	DailyParts int  // that may go out on a day; each part is paid for
	WideHours  bool // 07:00 to 21:00 on working days
	Version    int  // 0: they were never changed
	UpdatedAt  time.Time
}

// SetInput are settings as they were typed.
type SetInput struct {
	DailyParts int
	WideHours  bool
	Version    int // of the settings that the person saw
	Wrong      fault.Problems
}

// Set changes what a merchant says about its SMS.
func (s *Service) Set(ctx context.Context, who actor.Actor, in SetInput) (out Settings, err error) {
	if err := who.May(actor.Manage); err != nil {
		return out, err
	}
	if wrong := in.Wrong; !wrong.Has("daily_parts") && (in.DailyParts < 0 || in.DailyParts > mostParts) {
		in.Wrong.Add("daily_parts", "invalid", "Enter a number from 0 to %d.", mostParts)
	}
	if err := in.Wrong.Err(); err != nil {
		return out, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		before, err := s.Store.Settings(tx.Context(), who.MerchantID)
		if err != nil {
			return err
		}
		if before.Version != in.Version {
			return errChanged
		}
		out = before
		out.DailyParts, out.WideHours = in.DailyParts, in.WideHours
		if out == before {
			return tx.Answered(out)
		}
		out.Version, out.UpdatedAt = before.Version+1, tx.Now()
		won, err := saveSettings(tx, out)
		if err != nil {
			return err
		}
		if !won {
			return errChanged
		}
		tx.Audit(who, audit.Entry{Action: "sms.settings_changed", ObjectType: "merchant", ObjectID: who.MerchantID,
			Text: "The settings of SMS were changed.", Before: before.told(), After: out.told()})
		return tx.Answered(out)
	})
	return out, err
}

var errChanged = fault.New(fault.Conflict, "settings_changed",
	"Another person changed these settings since you opened them. Look at them again.")

func (s Settings) told() map[string]any {
	return map[string]any{"daily_parts": s.DailyParts, "wide_hours": s.WideHours}
}
