package clientpage

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
)

// Policy is whether clients may do something on the page of a brand.
type Policy string

// The policies.
const (
	On       Policy = "on"
	AskStaff Policy = "ask" // the client asks, and staff decide
	Off      Policy = "off"
)

// Choices are the policies that a business may choose of an act. What is in the place of a right is never off: a client
// can always make a privacy request (source: follow-up, section 9), say that it did not agree to a mandate, and stop a
// subscription or ask for it.
func (k Kind) Choices() []Policy {
	switch k {
	case Promise, Invoice:
		return []Policy{On, Off}
	case Stop:
		return []Policy{On, AskStaff}
	case Objected:
		return []Policy{On}
	case Details:
		return []Policy{AskStaff, Off}
	case Privacy:
		return []Policy{AskStaff}
	default:
		return []Policy{On, AskStaff, Off}
	}
}

// usual are the policies until a business says otherwise (source: follow-up, section 9).
var usual = map[Kind]Policy{Promise: On, Invoice: On, Day: AskStaff, Stop: On, Pause: Off, Account: On,
	Objected: On,
	Details:  AskStaff,
	Privacy:  AskStaff}

// Settings are what clients may do on the page of a brand.
type Settings struct {
	MerchantID, BrandID uuid.UUID
	Acts                map[Kind]Policy `gorm:"serializer:json;not null"`
	Version             int             // 0: they were never changed
	UpdatedAt           time.Time
}

// Of is the policy of an act. One that is no choice of it any more counts as the usual one.
func (s Settings) Of(k Kind) Policy {
	if p, chosen := s.Acts[k]; chosen && slices.Contains(k.Choices(), p) {
		return p
	}
	return usual[k]
}

// SettingsOf are those of a brand.
func (s *Service) SettingsOf(ctx context.Context, merchantID, brandID uuid.UUID) (Settings, error) {
	return s.Store.settings(ctx, merchantID, brandID)
}

// Set changes what clients may do on the page of a brand. Version is that of the settings that the person saw.
func (s *Service) Set(ctx context.Context, who actor.Actor, brandID uuid.UUID, version int,
	acts map[Kind]Policy) (out Settings, err error) {
	if err := who.May(actor.Manage); err != nil {
		return out, err
	}
	var wrong fault.Problems
	for _, k := range Kinds {
		if p, given := acts[k]; given && !slices.Contains(k.Choices(), p) {
			wrong.Add(string(k), "invalid_choice", "Choose one of the answers.")
		}
	}
	if err := wrong.Err(); err != nil {
		return out, err
	}
	err = s.InTx(ctx, func(tx *database.Tx) error {
		b, err := merchant.LockBrand(tx, who.MerchantID, brandID)
		if err != nil {
			return err
		}
		before, err := s.Store.settings(tx.Context(), who.MerchantID, brandID)
		if err != nil {
			return err
		}
		if before.Version != version {
			return fault.New(fault.Conflict, "settings_changed",
				"Another person changed these settings since you opened them. Look at them again.")
		}
		out = Settings{MerchantID: who.MerchantID, BrandID: brandID, Acts: map[Kind]Policy{}, Version: version + 1,
			UpdatedAt: tx.Now()}
		was, is := map[string]any{}, map[string]any{}
		for _, k := range Kinds {
			out.Acts[k] = before.Of(k)
			if p, given := acts[k]; given {
				out.Acts[k] = p
			}
			if out.Acts[k] != before.Of(k) {
				was[string(k)], is[string(k)] = before.Of(k), out.Acts[k]
			}
		}
		if len(is) == 0 {
			out = before
			return tx.Answered(out)
		}
		if err := saveSettings(tx, out); err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "client_page.settings_changed", ObjectType: "brand", ObjectID: brandID,
			Text:   "What clients of " + b.Name + " may do on their own page was changed.",
			Before: was, After: maps.Clone(is)})
		return tx.Answered(out)
	})
	return out, err
}

// policy is that of an act, within a transaction.
func (s *Service) policy(tx *database.Tx, a *Act) (Policy, error) {
	set, err := s.Store.settings(tx.Context(), a.MerchantID, a.BrandID)
	if err != nil {
		return "", err
	}
	return set.Of(a.Kind), nil
}
