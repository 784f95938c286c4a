package followup

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Snooze puts items off until a day, on which they wait again, and tells how many. What does not wait any more is left.
func (s *Service) Snooze(ctx context.Context, who actor.Actor, items []Item, until calendar.Date) (int, error) {
	today := calendar.DateOf(s.Now())
	if until.IsZero() || !until.After(today) || until.DaysSince(today) > furthest {
		return 0, fault.At("until", "invalid", "Choose a day from %s to %s.", today.AddDays(1), today.AddDays(furthest))
	}
	return s.act(ctx, who, items, Act{State: Snoozed, HiddenUntil: until.String()}, hide,
		audit.Entry{Action: "followup.snoozed", Text: "Snoozed until " + until.Format("Mon 2 Jan 2006") + ".",
			After: map[string]any{"until": until.String()}})
}

// Close takes items off the list though they are not solved, for a reason, and tells how many.
func (s *Service) Close(ctx context.Context, who actor.Actor, items []Item, why Reason) (int, error) {
	if !slices.Contains(Reasons, why) {
		return 0, fault.At("reason", "invalid_choice", "Choose why this is closed.")
	}
	return s.act(ctx, who, items, Act{State: Closed, HiddenUntil: "infinity", Reason: why}, hide,
		audit.Entry{Action: "followup.closed", Text: "Closed: " + strings.ToLower(why.Label()[:1]) + why.Label()[1:] + ".",
			After: map[string]any{"reason": string(why)}})
}

// Reopen takes back that items were put off or closed, and tells how many.
func (s *Service) Reopen(ctx context.Context, who actor.Actor, items []Item) (int, error) {
	return s.act(
		ctx,
		who,
		items,
		Act{State: Waits},
		show,
		audit.Entry{Action: "followup.reopened", Text: "Needs attention again."},
	)
}

func (s *Service) act(ctx context.Context, who actor.Actor, items []Item, a Act,
	do func(*database.Tx, Act, []Item) (map[Item]bool, error), said audit.Entry) (count int, err error) {
	if err := s.may(who, len(items)); err != nil {
		return 0, err
	}
	items, objects, err := once(items)
	if err != nil {
		return 0, err
	}
	a.MerchantID, a.ActorID, a.Actor = who.MerchantID, who.ID, who.Name
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		a.ActedAt = tx.Now()
		done, err := do(tx, a, items)
		if err != nil {
			return err
		}
		if len(done) == 0 {
			return fault.New(
				fault.Conflict,
				"nothing_waits",
				"This no longer needs attention, or another person has dealt with it.",
			)
		}
		subjects, err := find(tx, who.MerchantID, objects)
		if err != nil {
			return err
		}
		of := map[uuid.UUID]subject{}
		for _, s := range subjects {
			of[s.ID] = s
		}
		for _, item := range items {
			if done[item] {
				tx.Audit(who, of[item.ObjectID].entry(said.Action, said.Text, said.After))
			}
		}
		count = len(done)
		return tx.Answered(count)
	})
	return count, err
}

// once leaves out items that are named twice, and refuses kinds that there are not.
func once(items []Item) (out []Item, objects []Object, err error) {
	seen := map[Item]bool{}
	for _, item := range items {
		o, known := item.Object()
		if !known {
			return nil, nil, fault.Missing()
		}
		if !seen[item] {
			seen[item], out, objects = true, append(out, item), append(objects, o)
		}
	}
	// Always in the same order, so that two people who put off the same things do not wait for each other.
	slices.SortFunc(out, func(a, b Item) int {
		return strings.Compare(a.ObjectID.String()+string(a.Kind), b.ObjectID.String()+string(b.Kind))
	})
	return out, objects, nil
}
