package approval

import (
	"context"
	"fmt"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/user"
)

// mostCents is the highest limit for batches and files: R 1 000 000 000,00.
const mostCents = 1_000_000_000_00

// Demands gives what needs a second person, and who could be that.
func (s *Service) Demands(ctx context.Context, who actor.Actor) (merchant.Demands, []user.User, error) {
	if err := who.May(actor.Read); err != nil {
		return merchant.Demands{}, nil, err
	}
	d, err := s.merchants().Demands(ctx, who.MerchantID)
	if err != nil {
		return d, nil, err
	}
	all, err := s.people().Colleagues(ctx, who.MerchantID)
	var can []user.User
	for _, u := range all {
		if u.Actor().Can(actor.Approve) {
			can = append(can, u)
		}
	}
	return d, can, err
}

// Demand sets what needs a second person. Less than before is approval_needed for a
// person: ask for it with Loosen.
func (s *Service) Demand(ctx context.Context, who actor.Actor, d merchant.Demands) error {
	if err := who.May(actor.Manage); err != nil {
		return err
	}
	if err := checkDemands(d); err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		before, err := s.setDemands(tx.Context(), tx, who, d, nil)
		if err == nil && who.Kind == actor.User && Looser(before, d) {
			err = fault.New(fault.Conflict, "approval_needed",
				"A second approver has to agree before you ask for fewer approvals.")
		}
		return err
	})
}

func checkDemands(d merchant.Demands) error {
	for path, above := range map[string]*int64{"batches_above": d.BatchesAbove, "files_above": d.FilesAbove} {
		if above != nil && (*above < 0 || *above > mostCents) {
			return fault.At(path, "max_value", "Enter an amount from 0,00 to %s.", money.Format(mostCents, money.ZAR))
		}
	}
	return nil
}

// Looser tells whether less needs a second person than before.
func Looser(before, after merchant.Demands) bool {
	return before.Deletions && !after.Deletions || before.Settings && !after.Settings ||
		higher(before.BatchesAbove, after.BatchesAbove) ||
		higher(before.FilesAbove, after.FilesAbove)
}

// higher tells whether less is above a limit than before; nil is no limit.
func higher(before, after *int64) bool {
	return before != nil && (after == nil || *after > *before)
}

func same(a, b merchant.Demands) bool { return !Looser(a, b) && !Looser(b, a) }

func told(d merchant.Demands) map[string]any {
	out := map[string]any{"deletions": d.Deletions, "settings": d.Settings,
		"batches_above_cents": nil, "files_above_cents": nil}
	if d.BatchesAbove != nil {
		out["batches_above_cents"] = *d.BatchesAbove
	}
	if d.FilesAbove != nil {
		out["files_above_cents"] = *d.FilesAbove
	}
	return out
}

func inWords(d merchant.Demands) string {
	deletions, batches := "not for deletions", "not for batches"
	if d.Deletions {
		deletions = "for deletions of tokens"
	}
	if d.BatchesAbove != nil {
		batches = fmt.Sprintf("for batches above %s", money.Format(*d.BatchesAbove, money.ZAR))
	}
	said := deletions + ", " + batches
	if d.FilesAbove != nil {
		said += fmt.Sprintf(", for files to the bank above %s", money.Format(*d.FilesAbove, money.ZAR))
	}
	if d.Settings {
		said += ", for settings that direct money"
	}
	return said
}
