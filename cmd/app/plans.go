package app

import (
	"context"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/followup"
	"debitdesk/models/plan"
)

// plans take their steps by the use cases of the buttons.
func plans(s *database.DB, out Services, o Options) *plan.Service {
	return &plan.Service{Store: plan.Store{DB: s}, Purchases: out.Purchases, Subscriptions: out.Subscriptions,
		Now: s.Now, Calendar: out.Purchases.Calendar, Timetable: out.Purchases.Timetable,
		Promises: followup.Store{DB: s}.Promised,
		Raise: func(tx *database.Tx, who actor.Actor, notes []plan.Note) error {
			raised := make([]followup.Raised, len(notes))
			for i, n := range notes {
				raised[i] = followup.Raised(n)
			}
			return followup.Raise(tx, who, raised)
		},
		Failed: func(ctx context.Context, r plan.Run, err error) {
			o.Log.ErrorContext(ctx, "step of a plan failed", "run_id", r.ID, "error", err)
		}}
}
