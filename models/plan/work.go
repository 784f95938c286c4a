package plan

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
)

const chunk = 500

// again is when a step that failed for a reason of ours is tried again.
const again = 15 * time.Minute

// Run takes every step that is due, until none is, and tells how many decisions it took. It may be repeated, may run in
// several processes at once, and may be ended at any moment: a step is kept with what it did, in one transaction. One
// that fails does not keep the others from theirs; it is tried again by the next call.
func (s *Service) Run(ctx context.Context) (n int, wrong error) {
	now := s.Now()
	released, err := s.Store.release(ctx, now, calendar.DateOf(now).String())
	if err != nil {
		return 0, err
	}
	n = int(released)
	limit := s.Chunk
	if limit == 0 {
		limit = chunk
	}
	var failed []uuid.UUID
	for {
		runs, err := s.Store.due(ctx, s.Now(), failed, limit)
		if err != nil || len(runs) == 0 {
			return n, errors.Join(wrong, err)
		}
		for merchantID, mine := range byMerchant(runs) {
			took, bad, err := s.round(ctx, merchantID, mine)
			n, failed, wrong = n+took, append(failed, bad...), errors.Join(wrong, err)
		}
		if err := ctx.Err(); err != nil {
			return n, errors.Join(wrong, err)
		}
	}
}

// NextDue is the earliest moment after now at which a step is looked at; found is false when nothing is under way.
func (s *Service) NextDue(ctx context.Context) (at time.Time, found bool, err error) {
	now := s.Now()
	return s.Store.nextDue(ctx, now, calendar.DateOf(now).String())
}

// Overdue tells whether a step that is due is not taken yet.
func (s *Service) Overdue(ctx context.Context) (bool, error) {
	now := s.Now()
	return s.Store.overdue(ctx, now, calendar.DateOf(now).String())
}

func byMerchant(runs []Run) map[uuid.UUID][]Run {
	out := map[uuid.UUID][]Run{}
	for _, r := range runs {
		out[r.MerchantID] = append(out[r.MerchantID], r)
	}
	return out
}

// turn is a run with what was decided about it.
type turn struct {
	Run
	plan  Plan
	steps []Step
	rec   purchase.Record
	day   calendar.Date // of purchase.ChargeOn
	move  Move
}

// step is the step that the decision is about.
func (t turn) step() Step {
	if t.Run.Step < len(t.steps) {
		return t.steps[t.Run.Step]
	}
	return Step{}
}

// round decides about runs of one business, and does it: what writes nothing but the runs in one statement, the others
// each by their use case. It gives those that failed, which are left for the next call.
func (s *Service) round(ctx context.Context, merchantID uuid.UUID, runs []Run) (n int, failed []uuid.UUID,
	wrong error) {
	turns, err := s.decide(ctx, merchantID, runs)
	if err != nil {
		for _, r := range runs {
			failed = append(failed, r.ID)
		}
		return 0, failed, fmt.Errorf("decide what is next: %w", err)
	}
	var quiet, acts []turn
	for _, t := range turns {
		if t.move.What == Act && !t.step().Kind.Waits() {
			acts = append(acts, t)
		} else {
			quiet = append(quiet, t)
		}
	}
	if len(quiet) > 0 {
		if err := s.write(ctx, merchantID, quiet); err != nil {
			for _, t := range quiet {
				failed = append(failed, t.ID)
			}
			wrong = fmt.Errorf("write what is next: %w", err)
		} else {
			n += len(quiet)
		}
	}
	for _, t := range acts {
		switch err := s.act(ctx, t); {
		case err == nil:
			n++
		case errors.Is(err, errTaken) || fault.Is(err, fault.Conflict):
			failed = append(failed, t.ID) // it was stopped or changed meanwhile; the next call looks at it anew
		default:
			failed, wrong = append(failed, t.ID), errors.Join(wrong, fmt.Errorf("step of run %s: %w", t.ID, err))
			wrong = errors.Join(wrong, s.Store.postpone(ctx, t.Run, s.Now().Add(again)))
			if s.Failed != nil {
				s.Failed(ctx, t.Run, err)
			}
		}
	}
	return n, failed, wrong
}

// write keeps decisions that need no use case, in one transaction.
func (s *Service) write(ctx context.Context, merchantID uuid.UUID, turns []turn) error {
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		moves := make([]moved, len(turns))
		for i, t := range turns {
			moves[i] = t.after(tx.Now())
		}
		done, err := move(tx, merchantID, fromWaiting, moves)
		if err != nil {
			return err
		}
		var notes []Note
		var by Plan
		for _, t := range turns {
			if t.move.What != Hand || !done[t.ID] {
				continue
			}
			by = t.plan
			notes = append(notes, t.note())
			tx.Audit(t.plan.actor(), audit.Entry{Action: "plan.handed_over", ObjectType: "purchase", ObjectID: t.PurchaseID,
				ClientID: t.ClientID, PurchaseID: t.PurchaseID, Text: "The plan handed this over to a person.",
				After: map[string]any{"plan": t.PlanID, "step": t.Run.Step + 1}})
		}
		if len(notes) == 0 {
			return nil
		}
		return s.Raise(tx, by.actor(), notes)
	})
}

// note is what a person is asked to do.
func (t turn) note() Note {
	text := "The plan “" + t.plan.Name + "” hands this over to you."
	if t.move.Why != "" {
		text = "The plan “" + t.plan.Name + "” asks: " + t.move.Why
	}
	return Note{t.PurchaseID, t.ClientID, text}
}

// actor is the plan, as the audit names it.
func (p Plan) actor() actor.Actor {
	who := actor.SystemOf(p.MerchantID)
	who.Name = "Plan “" + p.Name + "”"
	return who
}

// after is what a decision makes of the run.
func (t turn) after(now time.Time) moved {
	r, m := t.Run, t.move
	v := moved{ID: r.ID, Was: r.Step, Version: r.Version, Step: r.Step, Day: m.Day.String(), State: Waiting,
		DueAt: moment(now), PlannedOn: calendar.DateOf(now).String(), By: t.plan.actor().Name}
	switch m.What {
	case Rest:
		v.Day, v.DueAt, v.DebitOn = r.Day.String(), moment(m.At), date(m.On)
		return v
	case Hold:
		v.State, v.HeldFor, v.HeldUntil = Held, m.For, date(m.Until)
		return v
	case End:
		v.State, v.EndReason = Over, m.End
		if t.step().Kind != Stop {
			return v
		}
		v.Outcome = Done
	case Hand:
		v.State, v.Outcome = WithPerson, Done
	case Act:
		v.Outcome = Done
	case Refuse:
		v.Outcome = Refused
	case Skip:
		v.Outcome = Skipped
	}
	v.Step, v.Kind, v.Why, v.Rules, v.Cents = r.Step+1, t.step().Kind, m.Why, m.Rules, m.Cents
	v.MadeFor = date(m.On)
	return v
}

func moment(t time.Time) *string {
	text := t.UTC().Format(time.RFC3339Nano)
	return &text
}

func date(d calendar.Date) *string {
	if d.IsZero() {
		return nil
	}
	text := d.String()
	return &text
}
