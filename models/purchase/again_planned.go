package purchase

import (
	"context"
	"fmt"
	"slices"
	"time"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/mandate"
	"debitdesk/models/token"
)

// PlanAgainOn gives a debit the next day that the cut-off and its mandate allow. On a
// day that is not the mandate's, where others are allowed, it may be disputed.
func (s *Service) PlanAgainOn(c *collection.Collection, days collection.Schedule, m mandate.Mandate,
	due, now time.Time) {
	plan := days.Plan(due, now)
	if m.Terms != nil && !m.Agreed(plan.ActionDate, s.Calendar) {
		if !m.Terms.AllowDateAdjustment {
			plan = days.PlanOn(s.agreedDue(days, m, plan.ActionDate, now), now)
		} else if !slices.Contains(c.DisputableBecause, mandate.BecauseDateDiffers) {
			c.Disputable, c.DisputableBecause = true, append(slices.Clone(c.DisputableBecause), mandate.BecauseDateDiffers)
		}
	}
	c.Schedule(plan)
}

// PlanMissed gives debits whose submission deadline fell into the deletion the next
// day that the cut-off allows. One that a process had begun to hand over may be at
// the bank: it keeps its day.
func (s *Service) PlanMissed(ctx context.Context, tx *database.Tx, who actor.Actor, t token.Token) error {
	scheduled, err := s.Store.ScheduledFrom(ctx, t.MerchantID, t.ID)
	if err != nil {
		return err
	}
	for _, p := range scheduled {
		rec, err := s.Beside(ctx, p)
		if err != nil {
			return err
		}
		c := rec.Collection
		if c == nil || c.SubmitAt.After(tx.Now()) {
			continue
		}
		m, err := s.Mandates().Mandate(ctx, t.MerchantID, t.MandateID)
		if err != nil {
			return err
		}
		before := c.ActionDate
		s.PlanAgainOn(c, s.Schedule(rec.Brand, c.Method), m, p.Due, tx.Now())
		c.StatementLine, c.UpdatedAt = StatementLine(m, c.ActionDate), tx.Now()
		if planned, err := collection.Replan(tx, *c); err != nil || !planned {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "collection.planned_again", ObjectType: "collection", ObjectID: c.ID,
			ClientID: c.ClientID, PurchaseID: p.ID,
			Text: fmt.Sprintf("The submission deadline passed while the account was being deleted; the debit runs on %s.",
				c.ActionDate.Format(calendar.DayForm)),
			Before: map[string]any{"action_date": before}, After: map[string]any{"action_date": c.ActionDate}})
	}
	return nil
}
