package approval

import (
	"context"
	"fmt"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/user"
)

// mostCents is the highest limit for batches: R 1 000 000 000,00.
const mostCents = 1_000_000_000_00

// Demands gives what needs a second person, and who could be that.
func (s *Service) Demands(ctx context.Context, who actor.Actor) (merchant.Demands, []user.User, error) {
	if err := who.May(actor.Read); err != nil {
		return merchant.Demands{}, nil, err
	}
	d, err := s.Read.Demands(ctx, who.MerchantID)
	if err != nil {
		return d, nil, err
	}
	all, err := s.Read.Colleagues(ctx, who.MerchantID)
	var can []user.User
	for _, u := range all {
		if u.Actor().Can(actor.Approve) {
			can = append(can, u)
		}
	}
	return d, can, err
}

// Demand sets what needs a second person. When less does than before, the other
// admins are told by mail.
func (s *Service) Demand(ctx context.Context, who actor.Actor, d merchant.Demands) error {
	if err := who.May(actor.Manage); err != nil {
		return err
	}
	if d.BatchesAbove != nil && (*d.BatchesAbove < 0 || *d.BatchesAbove > mostCents) {
		return fault.At("batches_above", "max_value", "Enter an amount from 0,00 to %s.", money.Format(mostCents, money.ZAR))
	}
	all, err := s.Read.Colleagues(ctx, who.MerchantID)
	if err != nil {
		return err
	}
	m, err := s.Read.Merchant(ctx, who.MerchantID)
	if err != nil {
		return err
	}
	return s.InTx(ctx, func(tx Tx) error {
		before, err := tx.SetDemands(who.MerchantID, d)
		if err != nil || same(before, d) {
			return err
		}
		id := tx.NewID() // of this change, for its mails
		tx.Audit(who, audit.Entry{Action: "approval.demands_changed", ObjectType: "merchant", ObjectID: who.MerchantID,
			Text: "What needs a second person was changed: " + inWords(d) + ".", Before: told(before), After: told(d)})
		if !Looser(before, d) {
			return nil
		}
		n := 0
		for _, u := range all {
			if u.ID != who.ID && u.Actor().Can(actor.Manage) {
				n++
				tx.InsertMail(mail.Mail{MerchantID: who.MerchantID, ObjectID: id, Kind: MailLoosened, Attempt: n, To: u.Email, State: mail.Queued,
					Letter: s.Letters.Loosened(who.Name, before, d, u, m)})
			}
		}
		return nil
	})
}

// Looser tells whether less needs a second person than before.
func Looser(before, after merchant.Demands) bool {
	switch {
	case before.Deletions && !after.Deletions:
		return true
	case before.BatchesAbove == nil:
		return false
	}
	return after.BatchesAbove == nil || *after.BatchesAbove > *before.BatchesAbove
}

func same(a, b merchant.Demands) bool {
	return a.Deletions == b.Deletions && !Looser(a, b) && !Looser(b, a)
}

func told(d merchant.Demands) map[string]any {
	out := map[string]any{"deletions": d.Deletions, "batches_above_cents": nil}
	if d.BatchesAbove != nil {
		out["batches_above_cents"] = *d.BatchesAbove
	}
	return out
}

func inWords(d merchant.Demands) string {
	deletions, batches := "deletions do not", "no batch does"
	if d.Deletions {
		deletions = "deletions of stored accounts do"
	}
	if d.BatchesAbove != nil {
		batches = fmt.Sprintf("batches above %s do", money.Format(*d.BatchesAbove, money.ZAR))
	}
	return deletions + ", " + batches
}
