package purchase

import (
	"slices"
	"time"

	"debitdesk/models/collection"
	"debitdesk/models/mandate"
)

// planAgain gives a debit the next day that the cut-off and its mandate allow. On a
// day that is not the mandate's, where others are allowed, it may be disputed.
func (s *Service) planAgain(c *collection.Collection, days collection.Schedule, m mandate.Mandate, due, now time.Time) {
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
