package book

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/token"
)

func limitWords(d merchant.Demands) string {
	if d.BatchesAbove == nil {
		return ""
	}
	return money.Format(*d.BatchesAbove, money.ZAR)
}

// MaySwitch tells that groups can be switched on: what an undo left can be, too.
func (i Import) MaySwitch() bool { return i.in(Done, Undone) }

// SwitchOn lets a group of an import be debited: its clients and accounts are parked no more, and its subscriptions run
// from their first day on. All of the group or nothing.
func (s *Service) SwitchOn(ctx context.Context, who actor.Actor, id uuid.UUID, group string) (Import, error) {
	return s.change(ctx, who, id, func(tx *database.Tx, i *Import) error {
		groups, err := Store{tx.DB()}.groups(tx.Context(), i.MerchantID, i.ID)
		if err != nil {
			return err
		}
		at := -1
		for n, g := range groups {
			if g.Name == group {
				at = n
			}
		}
		switch {
		case !i.MaySwitch():
			return wrongState(*i)
		case at < 0:
			return fault.At("group", "does_not_exist", "This import has no group “%s”.", group)
		case i.IsLive(group):
			return fault.New(fault.Conflict, "group_live", "The group “%s” is switched on already.", group)
		}
		parked, err := parkedOf(tx, *i, group)
		if err != nil {
			return err
		}
		client.SetParked(tx, i.MerchantID, parked.clients, noTime)
		if _, err := token.Unpark(tx, i.MerchantID, parked.tokens); err != nil {
			return err
		}
		started := 0
		for _, sub := range parked.subscriptions {
			_, ok, err := s.Subscriptions.StartParked(tx.Context(), tx, who, i.MerchantID, sub)
			if err != nil {
				return err
			}
			if ok {
				started++
			}
		}
		g := groups[at]
		i.Live = append(i.Live, LiveGroup{Name: group, At: tx.Now(), By: who.Name, Rows: g.Rows, Cents: g.Cents})
		note(tx, who, *i, "import.switched_on", fmt.Sprintf("The group %s of the import %s was switched on: %s, %s.", group,
			i.Name, plural.Of(len(parked.tokens), "account"), plural.Of(started, "subscription")), nil,
			map[string]any{"group": group, "clients": len(parked.clients), "accounts": len(parked.tokens),
				"subscriptions": started, "cents": g.Cents})
		return nil
	})
}
