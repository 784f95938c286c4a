package main

import (
	"context"
	"fmt"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
)

// rehearse says for each business what a change of the calendar would move, by the rules that plan debits. It changes
// nothing.
func rehearse(ctx context.Context, a *App, io streams, day calendar.Date, after *calendar.Calendar) error {
	all, err := merchant.Store{DB: a.Store}.Merchants(ctx)
	if err != nil {
		return err
	}
	before := a.Services.Purchases.Calendar
	for _, m := range all {
		e, err := a.Services.Planner.Effect(ctx, actor.OperatorOf(m.ID), day, before, after)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(io.out, "%s: %s planned for %s; planned debits keep their dates\n", m.Name,
			tallied(e.Planned, "debit"), day)
		for _, moved := range e.Moves {
			_, _ = fmt.Fprintf(
				io.out,
				"  due %s by %s: debit date %s, was %s; cut-off %s, was %s; no return after %s, was %s; %s to bill\n",
				moved.Due,
				moved.Method,
				moved.Is.ActionDate,
				moved.Was.ActionDate,
				moved.Is.SubmitAt.In(calendar.SAST).Format(checkForm),
				moved.Was.SubmitAt.In(calendar.SAST).Format(checkForm),
				moved.Is.FinalAt.In(calendar.SAST).Format(checkForm),
				moved.Was.FinalAt.In(calendar.SAST).Format(checkForm),
				tallied(moved.Bills, "subscription"),
			)
		}
	}
	_, _ = fmt.Fprintln(io.out, "nothing was changed")
	return nil
}

const checkForm = "2006-01-02 15:04"

func tallied(t purchase.Tally, noun string) string {
	return plural.Of(t.N, noun) + " of " + money.Format(t.Cents, money.ZAR)
}
