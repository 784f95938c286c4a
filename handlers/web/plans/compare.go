package plans

import (
	"context"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/plan"
	"debitdesk/models/plural"
	"debitdesk/models/report"
	"debitdesk/views/pages"
)

// verdicts say what a comparison means.
var verdicts = map[plan.Verdict]string{
	plan.TooFew: "There are too few cases yet: it takes 30 on each side.",
	plan.Even:   "The difference means nothing yet: it may be chance.",
	plan.Better: "More is paid with the plan, by more than chance explains.",
	plan.Worse:  "Less is paid with the plan, by more than chance explains.",
}

// compared holds the plan against the clients who are left to the old way, where there are such clients.
func (h *Plans) compared(ctx context.Context, who actor.Actor, p plan.Plan, v *pages.FailurePlanView) error {
	c, err := h.Service.Compare(ctx, who, p.ID)
	if err != nil {
		return err
	}
	if c.Verdict() == plan.NoneYet {
		if p.HoldOut > 0 {
			v.Verdict = "Nothing to compare yet: " + words.Percent(int64(p.HoldOut)) +
				" of the clients are left out, and none of their failed debits is 30 days old."
		}
		return nil
	}
	v.Verdict = verdicts[c.Verdict()]
	for _, a := range []struct {
		name string
		plan.Arm
	}{{"Covered by the plan", c.With}, {"Left out", c.Without}} {
		row := pages.PlanArm{Name: a.name, Failed: plural.Number(a.Failed), Paid: plural.Number(a.Paid), Share: "–",
			Range: "Too few"}
		if a.Failed > 0 {
			row.Share = words.Share(report.Ratio(a.Paid, a.Failed))
		}
		if in, ok := a.Interval(); ok {
			row.Range = words.Range(in)
		}
		v.Compared = append(v.Compared, row)
	}
	return nil
}
