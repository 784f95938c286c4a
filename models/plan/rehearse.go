package plan

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/models/sms"
)

// Rehearsal is what a plan would have done after the failures since a day. It promises no money: past clients were not
// treated by this plan.
type Rehearsal struct {
	Since    calendar.Date
	Failures int  // that the plan would have answered to
	Left     bool // there were more failures than are rehearsed at once
	Steps    []Rehearsed
	Ends     map[string]int // how the runs ended; "": they were still under way
	Bounces  Bounces
	Months   []Month // to which the plan adds debits, the first one first
	After    []After // what the business's own debits say about debiting these purchases again
}

// Rehearsed is one step that the plan would have taken, or not.
type Rehearsed struct {
	Run    Run
	Client string
	N      int
	Kind   Kind
	What   Outcome
	Why    string
	Rules  string
	On     calendar.Date // of the day on which it was decided
	Debit  calendar.Date // of the debit
	Cents  int64
}

// AtOnce is how many purchases are rehearsed at once.
const AtOnce = 1000

// longestAgo is how many days back a rehearsal goes.
const longestAgo = 400

// Rehearse tells what a plan would have done, had it run since a day: by the planner that runs plans and the judge of
// the button. Nothing is written.
func (s *Service) Rehearse(ctx context.Context, who actor.Actor, id uuid.UUID, since calendar.Date) (out Rehearsal,
	err error) {
	if err := who.May(actor.Read); err != nil {
		return out, err
	}
	today := calendar.DateOf(s.Now())
	if since.IsZero() || since.After(today) || today.DaysSince(since) > longestAgo {
		return out, fault.At("since", "invalid", "Choose a day from %s to %s.", today.AddDays(-longestAgo), today)
	}
	p, err := s.Store.Plan(ctx, who.MerchantID, id)
	if err != nil {
		return out, err
	}
	v, err := s.Store.Version(ctx, who.MerchantID, id, p.Version)
	if err != nil {
		return out, err
	}
	ids, err := s.Store.failedSince(ctx, p, since, AtOnce+1)
	if err != nil {
		return out, err
	}
	if out.Since = since; len(ids) > AtOnce {
		out.Left, ids = true, ids[:AtOnce]
	}
	pasts, err := s.pasts(ctx, who.MerchantID, ids)
	if err != nil {
		return out, err
	}
	r := rehearsing{s: s, ctx: ctx, plan: p, version: v, now: s.Now(), out: &out, pasts: pasts,
		more: map[calendar.Date]int64{}}
	if v.learns() {
		clients := make([]uuid.UUID, len(pasts))
		for i, p := range pasts {
			clients[i] = p.rec.ClientID
		}
		if r.known, err = collection.Store(s.Store).KnownTries(ctx, who.MerchantID, clients); err != nil {
			return out, err
		}
	}
	for _, p := range pasts {
		r.begin(p, 0)
	}
	out.Ends = map[string]int{}
	if err := r.all(); err != nil {
		return out, err
	}
	return out, r.effect()
}

// rehearsing is a rehearsal under way: all runs go on together, so that their debits are judged together.
type rehearsing struct {
	s       *Service
	ctx     context.Context
	plan    Plan
	version Version
	now     time.Time
	out     *Rehearsal
	runs    []*acting
	pasts   []*past
	more    map[calendar.Date]int64          // debits that never ran, by the first day of their month
	known   map[uuid.UUID][]collection.Known // of clients, where a step waits for their pay day
}

// acting is a run that is rehearsed.
type acting struct {
	Run
	past   *past
	now    time.Time
	next   int           // of the events
	told   calendar.Date // the day of a mail that the plan would have sent
	mailed time.Time     // when it would have sent one last
	texted time.Time     // and an SMS
	over   bool
	// followed tells that a later failure of the same purchase was looked for.
	followed bool
}

// begin starts a run with the next failure of a purchase since the day, and tells whether there is one.
func (r *rehearsing) begin(p *past, from int) bool {
	for i, e := range p.events {
		if i < from || e.failed == nil || calendar.DateOf(e.at).Before(r.out.Since) {
			continue
		}
		c := *e.failed
		cause := CauseOf(c.Result.Code)
		a := &acting{past: p, now: e.at, next: i + 1, Run: Run{PlanID: r.plan.ID, Version: r.version.N, PurchaseID: p.rec.ID,
			ClientID: p.rec.ClientID, TokenID: c.TokenID, MandateID: c.MandateID, SubscriberID: p.rec.SubscriberID,
			CollectionID: c.ID, Method: string(c.Method), Branch: cause.Branch(), Cause: cause, Code: c.Result.Code,
			FailedOn: c.ActionDate, Day: c.ActionDate, State: Waiting, Failures: 1, StartedAt: e.at}}
		for a.next < len(p.events) && !p.events[a.next].at.After(a.now) {
			a.next++ // of the same booking
		}
		if s := p.status(a.now); !s.Owing() && (s != purchase.Chargeback || a.Branch != Objection) {
			continue // as a debit that is not repeated
		}
		if r.out.Failures++; cause == Deceased {
			a.State, a.EndReason = Over, "died"
		}
		r.runs = append(r.runs, a)
		return true
	}
	return false
}

// all goes on with all runs until each is over.
func (r *rehearsing) all() error {
	for {
		var open []*acting
		for i := 0; i < len(r.runs); i++ { // what begins on the way is at the end
			a := r.runs[i]
			if a.ready(r.now) {
				open = append(open, a)
			} else if a.State == Over && !a.followed {
				a.followed = true
				r.begin(a.past, a.next)
			}
		}
		if len(open) == 0 {
			break
		}
		if err := r.round(open); err != nil {
			return err
		}
	}
	for _, a := range r.runs {
		r.out.Ends[a.EndReason]++
	}
	slices.SortStableFunc(r.out.Steps, func(a, b Rehearsed) int { return a.On.Compare(b.On) })
	return nil
}

// ready moves a run to the moment at which its next step is looked at; false when nothing more follows.
func (a *acting) ready(now time.Time) bool {
	for !a.over && a.State != Waiting {
		if a.State == Over || a.State == WithPerson {
			a.over = true
			break
		}
		until := now
		if !a.HeldUntil.IsZero() {
			until = a.HeldUntil.At(0, 0)
		}
		if a.next < len(a.past.events) && !a.past.events[a.next].at.After(until) {
			a.event()
			continue
		}
		if a.HeldUntil.IsZero() || until.After(now) {
			a.over = true
			break
		}
		a.now = until
		a.free()
	}
	if a.now.After(now) {
		a.over = true
	}
	return !a.over
}

// event lets the next thing happen that happened.
func (a *acting) event() {
	e := a.past.events[a.next]
	a.next++
	if a.now.Before(e.at) {
		a.now = e.at
	}
	a.happened(e, a.past)
}

// round decides the next step of each run at its own moment.
func (r *rehearsing) round(open []*acting) error {
	facts := make([]Facts, len(open))
	var asked []int
	var past []purchase.Past
	for i, a := range open {
		facts[i] = a.past.facts(a.now)
		facts[i].Told = facts[i].Told || a.told == calendar.DateOf(a.now)
		if facts[i].TextedAt = a.texted; a.mailed.After(facts[i].MailedAt) {
			facts[i].MailedAt = a.mailed
		}
		if _, ok := sms.Mobile(a.past.rec.Payer.Phone); !ok {
			facts[i].Textable = noMobile
		}
		facts[i].Sub = a.SubscriberID != uuid.Nil
		facts[i].PayDay = likely(r.known[a.ClientID], a.now, r.s.Calendar)
		if a.past.rec.Payer.Email == "" {
			facts[i].Mailable = noAddress
		}
		steps := r.version.steps(a.Branch)
		if a.Step >= len(steps) || steps[a.Step].Kind != DebitAgain || !facts[i].Owed {
			continue
		}
		c := a.past.last(a.now)
		rec := a.past.rec
		rec.Status, rec.Payment, rec.Collection = purchase.Failed, nil, &c
		asked = append(asked, i)
		past = append(past, purchase.Past{Record: rec, Now: a.now, Blocked: a.past.blockedBy(a.now)})
	}
	if len(past) > 0 {
		again, err := r.s.Purchases.PlanAgainPast(r.ctx, r.plan.MerchantID, past)
		if err != nil {
			return err
		}
		for n, i := range asked {
			facts[i].Debit = r.s.judged(again[n], past[n].Record)
			facts[i].Debit.Cents = past[n].Collection.AmountCents
		}
	}
	for i, a := range open {
		r.take(a, Next(r.version.steps(a.Branch), a.Run, facts[i], r.s.Calendar))
	}
	return nil
}

const noMobile = "The client has no South African mobile number."

const noAddress = "The client has no e-mail address. Copy the link instead, or add an address to the client."

// blockedBy is the code for which the account was blocked by a moment.
func (p *past) blockedBy(now time.Time) (code string) {
	for c, at := range p.blocked {
		if !at.After(now) {
			code = c
		}
	}
	return code
}

// take carries a decision out as the run does, without its effects.
func (r *rehearsing) take(a *acting, m Move) {
	if m.What == Rest {
		if a.next < len(a.past.events) && !a.past.events[a.next].at.After(m.At) {
			a.event()
		} else {
			a.now = m.At
		}
		return
	}
	steps := r.version.steps(a.Branch)
	step := Step{}
	if a.Step < len(steps) {
		step = steps[a.Step]
	}
	t := turn{Run: a.Run, plan: r.plan, steps: steps, move: m}
	v := t.after(a.now)
	if v.Outcome != "" {
		r.out.Steps = append(r.out.Steps, Rehearsed{Run: a.Run, Client: a.past.rec.Payer.FullName, N: a.Step + 1,
			Kind: step.Kind, What: v.Outcome, Why: m.Why, Rules: m.Rules, On: calendar.DateOf(a.now), Debit: m.On,
			Cents: m.Cents})
	}
	a.Step, a.Day, a.State, a.HeldFor, a.HeldUntil, a.EndReason = v.Step, m.Day, v.State, v.HeldFor, m.Until, v.EndReason
	if m.What != Act {
		return
	}
	switch step.Kind {
	case Message, AskAccount:
		if step.Texts(a.past.rec.Payer.Email != "") {
			a.texted = a.now
			return
		}
		a.told, a.mailed = calendar.DateOf(a.now), a.now
	case DebitAgain:
		r.debited(a, m)
	case WaitDays, WaitBusiness, WaitPayDay, WaitLikely, Pause, Task, Stop:
	}
}

// debited goes on with what happened to the debit, where there was one on that day. What the bank would have answered
// to any other is not known, and nothing is made up.
func (r *rehearsing) debited(a *acting, m Move) {
	r.out.Bounces.Debits++
	for _, c := range a.past.debits {
		if c.ActionDate == m.On && c.ID != a.CollectionID {
			a.State, a.HeldFor = Held, ForDebit
			r.out.Bounces.answered(c.State)
			return
		}
	}
	a.over = true
	r.out.Bounces.Open++
	r.more[m.On.FirstDayOfMonth()]++
}
