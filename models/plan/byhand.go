package plan

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// ByHand is what a person does about a run.
type ByHand string

// What a person can do.
const (
	SkipStep ByHand = "skip"   // the next step is left out
	HoldRun  ByHand = "hold"   // nothing happens until a day, or until somebody lets it go on
	Resume   ByHand = "resume" // it goes on
	EndRun   ByHand = "end"
)

// May tells what a person can do about a run as it stands.
func (r Run) May(do ByHand) bool {
	switch do {
	case SkipStep:
		return r.State == Waiting
	case HoldRun:
		return r.State == Waiting || r.State == Held && r.HeldFor == ForPerson
	case Resume:
		return r.State == WithPerson || r.State == Held && r.HeldFor == ForPerson
	case EndRun:
		return r.Live()
	}
	return false
}

const furthest = 366 // days for which a run is held

// Do changes a run by hand: what the plan would do next for this purchase is skipped, held, let go on, or ended.
func (s *Service) Do(ctx context.Context, who actor.Actor, purchaseID, runID uuid.UUID, do ByHand,
	until calendar.Date) (r Run, err error) {
	if err := who.May(actor.Write); err != nil {
		return r, err
	}
	if today := calendar.DateOf(s.Now()); do == HoldRun && !until.IsZero() &&
		(!until.After(today) || until.DaysSince(today) > furthest) {
		return r, fault.At("until", "invalid", "Choose a day from %s to %s, or leave it empty.", today.AddDays(1),
			today.AddDays(furthest))
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		if r, err = lockRun(tx, who.MerchantID, runID); err != nil {
			return err
		}
		switch {
		case r.PurchaseID != purchaseID:
			return fault.Missing()
		case !r.May(do):
			return fault.New(fault.Conflict, "run_moved", "The plan has moved on for this purchase: %s.", r.Standing())
		}
		v, err := s.byHand(tx, who, r, do, until)
		if err != nil {
			return err
		}
		done, err := move(tx, who.MerchantID, fromLive, []moved{v})
		if err != nil {
			return err
		}
		if !done[r.ID] {
			return fault.ErrLost
		}
		e := audit.Entry{Action: "plan.run_" + string(do), ObjectType: "purchase", ObjectID: r.PurchaseID,
			ClientID: r.ClientID, PurchaseID: r.PurchaseID, Text: said(do, v),
			Before: map[string]any{"state": r.State, "step": r.Step}, After: map[string]any{"state": v.State, "step": v.Step,
				"plan": r.PlanID}}
		tx.Audit(who, e)
		return tx.Answered(r)
	})
	return r, err
}

func (s *Service) byHand(tx *database.Tx, who actor.Actor, r Run, do ByHand, to calendar.Date) (moved, error) {
	v := moved{ID: r.ID, Was: r.Step, Version: r.Version, Step: r.Step, Day: r.Day.String(), State: Waiting,
		DueAt: moment(tx.Now()), PlannedOn: calendar.DateOf(tx.Now()).String(), By: who.Name}
	switch do {
	case SkipStep:
		version, err := Store{tx.DB()}.Version(tx.Context(), r.MerchantID, r.PlanID, r.Version)
		if err != nil {
			return v, err
		}
		steps := version.steps(r.Branch)
		if r.Step >= len(steps) {
			return v, fault.New(fault.Conflict, "run_moved", "No step is left to skip.")
		}
		step := steps[r.Step]
		if step.Kind.Waits() { // what follows counts from where the wait would have ended
			known, err := collection.Store{DB: tx.DB()}.KnownTries(tx.Context(), r.MerchantID, []uuid.UUID{r.ClientID})
			if err != nil {
				return v, err
			}
			v.Day = until(step, r.Day, likely(known[r.ClientID], tx.Now(), s.Calendar), s.Calendar).String()
		}
		v.Step, v.Kind, v.Outcome, v.Why = r.Step+1, step.Kind, Skipped, "Skipped by "+who.Name+"."
	case HoldRun:
		v.State, v.HeldFor, v.HeldUntil = Held, ForPerson, date(to)
	case EndRun:
		v.State, v.EndReason = Over, "person"
	case Resume:
	}
	return v, nil
}

func said(do ByHand, v moved) string {
	switch do {
	case SkipStep:
		return "The next step of the plan was skipped: " + v.Kind.Label() + "."
	case HoldRun:
		if v.HeldUntil != nil {
			return "The plan is held until " + *v.HeldUntil + "."
		}
		return "The plan is held."
	case Resume:
		return "The plan goes on."
	case EndRun:
		return "The plan was ended for this purchase."
	}
	return ""
}

// Outlook is a run with what is next, as pages show it.
type Outlook struct {
	Run
	Plan  Plan
	Steps []Step
	Move  Move // what the planner decides now; zero of a run that does not wait
}

// GoesOn tells that the plan does something about the purchase without anybody: it is active, and the run waits for a
// moment or is held until a day. Not when a person holds it with no day, or it was handed over. The queue goes by
// plan_run_goes_on, which says the same in SQL.
func (o Outlook) GoesOn() bool {
	if o.Plan.State != Active {
		return false
	}
	return o.State == Waiting || o.State == Held && !o.HeldUntil.IsZero()
}

// Done is what was taken of the steps, in a few words.
func (o Outlook) Done(t Taken) string {
	if i := t.N - 1; o.Shift == 0 && i >= 0 && i < len(o.Steps) && o.Steps[i].Kind == t.Kind {
		return o.Steps[i].Short()
	}
	return t.Kind.Label()
}

// Next is the step that comes next; false when none is left.
func (o Outlook) Next() (Step, bool) {
	if o.Run.Step < len(o.Steps) {
		return o.Steps[o.Run.Step], true
	}
	return Step{}, false
}

// Outlooks look ahead for some runs of one business, by the planner that runs them.
func (s *Service) Outlooks(ctx context.Context, merchantID uuid.UUID, runs []Run) ([]Outlook, error) {
	if len(runs) == 0 {
		return nil, nil
	}
	turns, err := s.decide(ctx, merchantID, runs)
	if err != nil {
		return nil, err
	}
	out := make([]Outlook, len(turns))
	for i, t := range turns {
		out[i] = Outlook{Run: runs[i], Plan: t.plan, Steps: t.steps}
		if t.State == Waiting {
			out[i].Move = t.move
		}
	}
	return out, nil
}
