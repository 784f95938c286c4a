package plan

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
)

// resume is the place in the steps of a later version from which a run goes on, so that nothing is done twice: behind
// the last step that is over already, each counted as often as it was. Waits pull no run ahead; those that are over
// since the last other step stay over.
func resume(over []Kind, steps []Step) (at int) {
	left, waited := map[Kind]int{}, 0
	for _, k := range over {
		if waited++; !k.Waits() {
			left[k]++
			waited = 0
		}
	}
	for i, s := range steps {
		if k := s.Kind; !k.Waits() && left[k] > 0 {
			left[k]--
			at = i + 1
		}
	}
	for ; at < len(steps) && steps[at].Kind.Waits() && waited > 0; at++ {
		waited--
	}
	return at
}

// moveOver is a run as it stands once it has moved to a version of its plan. What holds it goes on holding it.
func moveOver(r Run, over []Kind, v Version) Run {
	at := resume(over, v.steps(r.Branch))
	r.Version, r.Step, r.Shift = v.N, at, len(over)-at
	return r
}

// Ahead is how many runs that stand alike would do the same next under the new version.
type Ahead struct {
	Next  Kind // empty: no step is left, and they end
	State RunState
	N     int64
}

// Moving is what moving to the present version of a plan means for what is under way by earlier ones.
type Moving struct {
	Plan  Plan
	All   int64     // runs that would move
	Ahead []Ahead   // all of them, by what they would do next
	Rows  []Outlook // the first of them, as they would stand
	Were  []Outlook // the same as they stand
}

// Ends is how many runs would end, since no step is left for them.
func (m Moving) Ends() (n int64) {
	for _, a := range m.Ahead {
		if a.Next == "" {
			n += a.N
		}
	}
	return n
}

// mostRows is how many runs a preview shows one by one.
const mostRows = 50

// MovePreview tells what Move does to what is under way by earlier versions of a plan, by the code that does it and the
// planner that goes on. Nothing is written.
func (s *Service) MovePreview(ctx context.Context, who actor.Actor, id uuid.UUID) (m Moving, err error) {
	if err := who.May(actor.Read); err != nil {
		return m, err
	}
	if m.Plan, err = s.Store.Plan(ctx, who.MerchantID, id); err != nil {
		return m, err
	}
	v, err := s.Store.Version(ctx, who.MerchantID, id, m.Plan.Version)
	if err != nil {
		return m, err
	}
	groups, err := s.Store.behind(ctx, who.MerchantID, id, v.N)
	if err != nil {
		return m, err
	}
	counts := map[Ahead]int64{}
	for _, g := range groups {
		a := Ahead{State: g.State}
		if steps := v.steps(g.Branch); resume(g.over(), steps) < len(steps) {
			a.Next = steps[resume(g.over(), steps)].Kind
		}
		counts[a] += g.N
		m.All += g.N
	}
	for _, next := range append([]Kind{""}, Kinds...) {
		for _, state := range []RunState{Waiting, Held, WithPerson} {
			a := Ahead{Next: next, State: state}
			if a.N = counts[a]; a.N > 0 {
				m.Ahead = append(m.Ahead, a)
			}
		}
	}
	runs, err := s.Store.movable(ctx, who.MerchantID, id, v.N, uuid.Nil, mostRows)
	if err != nil || len(runs) == 0 {
		return m, err
	}
	would, err := s.Store.over(ctx, runs, v)
	if err != nil {
		return m, err
	}
	if m.Were, err = s.Outlooks(ctx, who.MerchantID, runs); err == nil {
		m.Rows, err = s.Outlooks(ctx, who.MerchantID, would)
	}
	return m, err
}

// over gives runs as they stand once they have moved to a version.
func (s Store) over(ctx context.Context, runs []Run, v Version) ([]Run, error) {
	ids := make([]uuid.UUID, len(runs))
	for i, r := range runs {
		ids[i] = r.ID
	}
	taken, err := s.Taken(ctx, v.MerchantID, ids...)
	if err != nil {
		return nil, err
	}
	kinds := map[uuid.UUID][]Kind{}
	for _, t := range taken {
		kinds[t.RunID] = append(kinds[t.RunID], t.Kind)
	}
	out := make([]Run, len(runs))
	for i, r := range runs {
		out[i] = moveOver(r, kinds[r.ID], v)
	}
	return out, nil
}

// Moves in one transaction, and in one call.
const (
	moveGroup = 250
	moveMost  = 20 * moveGroup
)

// Move moves what is under way by earlier versions of a plan to the version that whoever asks has seen, in groups, each
// in one transaction. It tells how many moved, and how many were left: a call moves 5 000 at most, and none whose step
// is just being taken. It may be repeated; what has moved moves no more.
func (s *Service) Move(ctx context.Context, who actor.Actor, id uuid.UUID, seen int) (done, left int64, err error) {
	if err := who.May(actor.Manage); err != nil {
		return 0, 0, err
	}
	last := uuid.Nil
	for done < moveMost {
		var n int
		err = s.Store.InTx(ctx, func(tx *database.Tx) error {
			n, last, err = s.moveGroup(tx, who, id, seen, last)
			return err
		})
		if err != nil {
			return done, left, err
		}
		if done += int64(n); last == uuid.Nil {
			break
		}
	}
	groups, err := s.Store.behind(ctx, who.MerchantID, id, seen)
	for _, g := range groups {
		left += g.N
	}
	return done, left, err
}

// moveGroup moves the runs that follow a run in order; the last of them, or the zero id when there was none.
func (s *Service) moveGroup(tx *database.Tx, who actor.Actor, id uuid.UUID, seen int, after uuid.UUID) (n int,
	last uuid.UUID, err error) {
	p, err := lockPlan(tx, who.MerchantID, id)
	switch {
	case err != nil:
		return 0, last, err
	case p.State == Ended:
		return 0, last, errEnded
	case p.Version != seen:
		return 0, last, fault.New(fault.Conflict, "plan_changed",
			"The plan was changed since you looked: it is at version %d now. Look at the numbers again.", p.Version)
	}
	mine := Store{tx.DB()}
	v, err := mine.Version(tx.Context(), who.MerchantID, id, seen)
	if err != nil {
		return 0, last, err
	}
	runs, err := mine.movable(tx.Context(), who.MerchantID, id, seen, after, moveGroup, lockFree)
	if err != nil || len(runs) == 0 {
		return 0, last, err
	}
	last = runs[len(runs)-1].ID
	is, err := mine.over(tx.Context(), runs, v)
	if err != nil {
		return 0, last, err
	}
	done, err := changeVersions(tx, who.MerchantID, runs, is)
	if err != nil {
		return 0, last, err
	}
	for i, r := range runs {
		if !done[r.ID] {
			continue
		}
		n++
		tx.Audit(who, audit.Entry{Action: "plan.run_moved", ObjectType: "purchase", ObjectID: r.PurchaseID,
			ClientID: r.ClientID, PurchaseID: r.PurchaseID,
			Text:   fmt.Sprintf("The plan “%s” goes on by its version %d for this purchase.", p.Name, v.N),
			Before: map[string]any{"version": r.Version, "step": r.Step},
			After:  map[string]any{"version": v.N, "step": is[i].Step, "plan": p.ID}})
	}
	if n > 0 {
		e := p.entry("plan.moved", fmt.Sprintf("%s that the plan “%s” follows moved to its version %d.",
			plural.Of(n, "purchase"), p.Name, v.N))
		e.After = map[string]any{"version": v.N, "runs": n}
		tx.Audit(who, e)
	}
	return n, last, nil
}
