package plan

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

// decide looks at runs of one business together: it asks a handful of questions, however many there are.
func (s *Service) decide(ctx context.Context, merchantID uuid.UUID, runs []Run) ([]turn, error) {
	turns, err := s.turns(ctx, merchantID, runs)
	if err != nil {
		return nil, err
	}
	now := s.Now()
	facts, err := s.facts(ctx, merchantID, turns, now)
	if err != nil {
		return nil, err
	}
	for i := range turns {
		turns[i].move = Next(turns[i].steps, turns[i].Run, facts[i], s.Calendar)
	}
	return turns, nil
}

// turns puts runs together with their plans, steps and purchases.
func (s *Service) turns(ctx context.Context, merchantID uuid.UUID, runs []Run) ([]turn, error) {
	plans, versions := map[uuid.UUID]Plan{}, map[versionKey]Version{}
	turns := make([]turn, len(runs))
	ids := make([]uuid.UUID, len(runs))
	for i, r := range runs {
		p, known := plans[r.PlanID]
		if !known {
			var err error
			if p, err = s.Store.Plan(ctx, merchantID, r.PlanID); err != nil {
				return nil, err
			}
			plans[r.PlanID] = p
		}
		key := versionKey{r.PlanID, r.Version}
		v, known := versions[key]
		if !known {
			var err error
			if v, err = s.Store.Version(ctx, merchantID, r.PlanID, r.Version); err != nil {
				return nil, err
			}
			versions[key] = v
		}
		turns[i] = turn{Run: r, plan: p, steps: v.steps(r.Branch)}
		ids[i] = r.PurchaseID
	}
	recs, err := s.Purchases.Several(ctx, actor.SystemOf(merchantID), ids)
	if err != nil {
		return nil, err
	}
	found := make(map[uuid.UUID]purchase.Record, len(recs))
	for _, rec := range recs {
		found[rec.ID] = rec
	}
	for i := range turns {
		turns[i].rec = found[turns[i].PurchaseID]
	}
	return turns, nil
}

type versionKey struct {
	plan uuid.UUID
	n    int
}

// facts are what is known of the purchases of runs. The debit of each is judged by the judge of the button.
func (s *Service) facts(ctx context.Context, merchantID uuid.UUID, turns []turn, now time.Time) ([]Facts, error) {
	runs, ids := make([]Run, len(turns)), make([]uuid.UUID, len(turns))
	for i, t := range turns {
		runs[i], ids[i] = t.Run, t.PurchaseID
	}
	promises, err := s.Promises(ctx, merchantID, ids)
	if err != nil {
		return nil, err
	}
	k, err := s.Store.know(ctx, merchantID, runs, calendar.DateOf(now))
	if err != nil {
		return nil, err
	}
	facts := make([]Facts, len(turns))
	var asked []int
	var recs []purchase.Record
	for i, t := range turns {
		facts[i] = Facts{Now: now, Owed: t.rec.Payable(now), UnderWay: t.rec.Status == purchase.PendingCharge ||
			t.rec.Status == purchase.PendingExecute, Promised: promises[t.PurchaseID], Told: k.told[t.PurchaseID],
			Sub: k.active[t.SubscriberID]}
		if err := s.Purchases.MayResendInvoice(t.rec); err != nil {
			facts[i].Mailable = err.Error()
		}
		facts[i].MailedAt, facts[i].TextedAt = k.mailed[t.PurchaseID], k.texted[t.PurchaseID]
		if t.step().Texts(facts[i].Mailable == "") {
			if err := s.Purchases.MayText(ctx, t.rec); err != nil {
				if _, refused := fault.From(err); !refused {
					return nil, err
				}
				facts[i].Textable = err.Error()
			}
		}
		if k.dead[t.ClientID] {
			turns[i].Cause = Deceased
		}
		if t.step().Kind == DebitAgain {
			asked, recs = append(asked, i), append(recs, t.rec)
		}
	}
	if err := s.payDays(ctx, merchantID, turns, facts); err != nil || len(recs) == 0 {
		return facts, err
	}
	again, err := s.Purchases.PlanAgain(ctx, merchantID, recs, purchase.Again.OnAgreed, nil)
	if err != nil {
		return nil, err
	}
	for n, i := range asked {
		facts[i].Debit, turns[i].day = s.judged(again[n], recs[n]), again[n].Day
	}
	return facts, nil
}

// judged puts the answer of the judge into what the planner asks.
func (s *Service) judged(a purchase.AgainPlan, rec purchase.Record) Debit {
	d := Debit{Cents: rec.OpenCents()}
	switch {
	case !a.Asked:
		d.Why = "Its last debit did not fail, so there is nothing to debit again."
	case a.Problem != "":
		d.Why = "It cannot be debited again: " + a.Problem + ". " + a.Remedy
		if c := rec.Collection; c != nil && c.State == collection.Unpaid && CauseOf(c.Result.Code) == NoFunds {
			d.Rule = "eft.unpaid_in_row_ends"
		}
	case len(a.Against) > 0:
		d.Why = a.Against[0].Message
	default:
		d.May, d.On = true, a.Debit.Plan.ActionDate
		d.By = s.bookBy(a)
		if a.Named || a.Agreed != a.From {
			d.Rule = "eft.presentments_per_cycle"
		}
	}
	return d
}

// bookBy is when a debit is planned: a day before the last moment at which the cut-off and the lead allow it.
func (s *Service) bookBy(a purchase.AgainPlan) time.Time {
	last := a.Debit.Plan.SubmitAt
	lead := s.Timetable.For(bank.Method(a.Debit.Token.Method))
	if due := lead.DueOn(a.Day).Add(lead.LeadGrace - lead.MinimumLead); due.Before(last) {
		last = due
	}
	return last.Add(-dayBefore)
}

// made is the debit that the step has just planned, inside its transaction.
func (t turn) made(tx *database.Tx) (uuid.UUID, error) {
	if t.step().Kind != DebitAgain {
		return uuid.Nil, nil
	}
	return newest(tx, t.MerchantID, t.PurchaseID)
}

// Says is the amount and the date of a debit in words.
func (t Taken) Says() string {
	if t.Kind != DebitAgain || t.Outcome != Done {
		return ""
	}
	return money.Format(t.Cents, money.ZAR) + " on " + t.MadeFor.Format("Mon 2 Jan 2006")
}
