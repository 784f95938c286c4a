package book

import (
	"cmp"
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/subscription"
)

// Joining is what becomes of a client who confirmed a DebiCheck mandate again: the subscription that its row tells, or
// why a person has to add the client.
type Joining struct {
	Confirmation
	Title string // of the template
	Cents int64
	First Day // on which the first debit is due
	Why   string
	plan  *plan
}

// Joins tells that the client can be added to the subscription of its row.
func (j Joining) Joins() bool { return j.Why == "" }

// mostJoined is how many clients one press adds.
const mostJoined = 100

// Joinings are the clients of confirmations who confirmed and have no subscription yet, with what adding them does.
// Last is the last day on which the old system debited them, as far as a person knows; zero: it is not known.
//
// The old system goes on debiting a client until the mandate here is confirmed, whatever the file said before. So the
// guard counts from the day of the confirmation: the first debit is a whole cycle after it, or after the last debit
// where that is known. (books.md, A8)
func (s *Service) Joinings(ctx context.Context, i Import, of Confirmations, last Day) (out []Joining, err error) {
	if of.Counts[Confirmed] == 0 {
		return nil, nil
	}
	checker := s.checker(i, nil)
	k, err := s.know(ctx, i, nil, nil)
	if err != nil {
		return nil, err
	}
	k.guard.Schedule = s.Purchases.Schedule(k.brand, bank.Method("debicheck"))
	met := map[uuid.UUID]bool{}
	for _, c := range of.All {
		if c.Answer != Confirmed || c.Subscribed {
			continue
		}
		v, j := checker.Check(c.Row).Values, Joining{Confirmation: c}
		guard := k.guard
		if guard.CutOver.Before(c.ConfirmedOn) {
			guard.CutOver = c.ConfirmedOn
		}
		if v.Last.Never = false; v.Last.On.Before(last) {
			v.Last.On = last
		} else if last.IsZero() {
			v.Last.On = Day{}
		}
		if j.settle(k, guard, v); met[c.MandateID] {
			j.Why = "The client confirmed one mandate, and the file has several rows. Add the other subscriptions by hand."
		}
		met[c.MandateID] = true
		out = append(out, j)
	}
	return out, nil
}

// settle works out the subscription of a client, by the same code as for those whose mandates move.
func (j *Joining) settle(k *known, guard Guard, v Values) {
	if !v.wantsSubscription() {
		j.Why = "The file names no subscription. Plan a debit, or add the client to a template."
		return
	}
	sub := k.templateFor(v)
	asked := max(v.Cents, v.MandateCents)
	switch {
	case j.Stopped:
		j.Why = "All debits of the client are stopped."
		return
	case sub.cents == 0:
		j.Why = "The file does not say the amount. Add the client to the template."
		return
	case sub.cents != asked:
		j.Why = fmt.Sprintf("The client confirmed %s, and the subscription is %s. Add the client to the template at the "+
			"price that is right.", money.Format(asked, money.ZAR), money.Format(sub.cents, money.ZAR))
		return
	}
	sub.due, _ = guard.First(v, sub.plan())
	j.Title, j.Cents, j.First = sub.title, sub.cents, sub.due
	j.plan = &plan{known: k, values: v, verdict: Created, subscribe: &sub}
}

// AddConfirmed adds the next clients who confirmed to the subscriptions that the file tells, with the guard against a
// second debit. It is the act of a person: nobody switched on these debits when the group was. It says how many were
// added, and how many more can be.
func (s *Service) AddConfirmed(ctx context.Context, who actor.Actor, id uuid.UUID, last Day) (added, left int,
	err error) {
	i, err := s.toDebit(ctx, who, id)
	if err != nil {
		return 0, 0, err
	}
	if last.After(dayOfMoment(s.Now())) {
		return 0, 0, fault.At("last", "invalid", "Enter the day of the last debit that has run, or leave this empty.")
	}
	ready, err := s.ready(ctx, who, i, last)
	if err != nil {
		return 0, 0, err
	}
	left = max(0, len(ready)-mostJoined)
	plans := make([]*plan, 0, mostJoined)
	for _, j := range ready[:len(ready)-left] {
		plans = append(plans, j.plan)
	}
	d, err := s.doing(ctx, who, i, plans) // templates that are made
	if err != nil {
		return 0, 0, err
	}
	err = s.InTx(ctx, func(tx *database.Tx) error {
		i, err := lockImport(tx, who.MerchantID, id)
		if err != nil {
			return err
		}
		now, err := s.ready(tx.Context(), who, i, last) // who were not added meanwhile
		if err != nil {
			return err
		}
		still := map[uuid.UUID]bool{}
		for _, j := range now {
			still[j.MandateID] = true
		}
		i.Templates = append(i.Templates, d.makeTemplates(tx)...)
		added = 0
		for _, j := range ready[:len(plans)] {
			if still[j.MandateID] {
				d.join(tx, i, j)
				added++
			}
		}
		if added == 0 {
			return fault.ErrLost
		}
		i.UpdatedAt = tx.Now()
		note(tx, who, i, "import.confirmed_added", fmt.Sprintf("%s who confirmed a DebiCheck mandate %s added to %s.",
			plural.Of(added, "client"), plural.Was(added), plural.Pick(added, "its subscription", "their subscriptions")), nil,
			map[string]any{"added": added, "last_debit": last.String()})
		return saveImport(tx, i)
	})
	return added, left, err
}

// MayAddConfirmed asks the rule for what bills many, as adding subscribers from a file does: what a period of all who
// can be added comes to is held against the limits of batches, however few of them one press adds.
func (s *Service) MayAddConfirmed(ctx context.Context, who actor.Actor, all []Joining) error {
	d, err := s.Demands(ctx, who.MerchantID)
	if err != nil {
		return err
	}
	var cents int64
	for _, j := range all {
		if j.Joins() {
			cents += j.Cents
		}
	}
	err = d.MaySend(who, cents)
	if fault.HasCode(err, "approval_needed") {
		err = fault.New(fault.Conflict, "approval_needed", "These clients would be debited %s in each period, and your "+
			"business asks for a second approver above %s. Add them from a file on the page of the template: approval is "+
			"asked for there.", money.Format(cents, money.ZAR), limitWords(d))
	}
	return err
}

// ready are those who can be added now.
func (s *Service) ready(ctx context.Context, who actor.Actor, i Import, last Day) (out []Joining, err error) {
	if i.State != Done {
		return nil, wrongState(i)
	}
	c, err := s.Confirmations(ctx, who, i)
	if err != nil {
		return nil, err
	}
	all, err := s.Joinings(ctx, i, c, last)
	for _, j := range all {
		if j.Joins() {
			out = append(out, j)
		}
	}
	if err == nil && len(out) == 0 {
		err = fault.New(fault.Conflict, "nothing_to_do", "No client can be added now: the list says why.")
	}
	if err == nil {
		err = s.MayAddConfirmed(ctx, who, out)
	}
	return out, err
}

// join adds one client.
func (d *doing) join(tx *database.Tx, i Import, j Joining) {
	sub := *j.plan.subscribe
	if sub.template.ID == uuid.Nil {
		sub.template = *d.fresh[sub.key]
	}
	held := d.held[sub.template.ID]
	d.held[sub.template.ID] = true
	made := d.s.Subscriptions.InsertMovedIn(tx, d.who, subscription.MovedIn{Template: sub.template,
		ClientID: j.Row.ClientID, TokenID: j.MandateID, FirstOn: sub.template.Plan.BilledFor(sub.due), Cents: sub.cents,
		Held: held, Passed: sub.passed, Paused: j.plan.values.Paused,
		Reference: cmp.Or(j.plan.values.Invoices, j.plan.values.Reference)})
	noteJoined(tx, i, j.Row, made.ID)
}
