package book

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
)

// Answer is how far a client is who has to confirm a DebiCheck mandate again.
type Answer string

// The answers, in the order in which a page shows them.
const (
	ToAsk     Answer = "to_ask"
	Asked     Answer = "asked"     // the client's answer is awaited
	NoAnswer  Answer = "no_answer" // declined, or not answered: a person calls
	CannotAsk Answer = "cannot"
	Confirmed Answer = "confirmed"
)

// Answers lists all.
var Answers = []Answer{ToAsk, Asked, NoAnswer, CannotAsk, Confirmed}

// Confirmation is a client of an import whose DebiCheck mandate has to be confirmed again.
type Confirmation struct {
	Row       Row
	Answer    Answer
	Why       string // it cannot be asked for, or what came of it
	MandateID uuid.UUID
	// Of one that is confirmed: since when, whether a subscription is debited under it, and whether all debits of the
	// client are stopped.
	ConfirmedOn         Day
	Subscribed, Stopped bool
}

// Confirmations are all of an import.
type Confirmations struct {
	All        []Confirmation
	Counts     map[Answer]int
	AskedToday int
}

// MostConfirmations is how many of an import are looked at; more come once these are done.
const MostConfirmations = 5000

// mostAsked is how many clients one press asks.
const mostAsked = 100

// claimedAtOnce is how many of them it claims at a time: few, so that few have to wait when it is cut off.
const claimedAtOnce = 10

// Confirmations lists the clients of an import whose DebiCheck mandates have to be confirmed again.
func (s *Service) Confirmations(ctx context.Context, who actor.Actor, i Import) (out Confirmations, err error) {
	if err := who.May(actor.Read); err != nil {
		return out, err
	}
	rows, err := s.Store.rows(ctx, i.MerchantID, i.ID, RowQuery{States: []RowState{Applied}, Warned: CauseConfirm,
		Limit: MostConfirmations})
	if err != nil {
		return out, err
	}
	known, err := s.Store.confirming(ctx, i, rows)
	if err != nil {
		return out, err
	}
	now := s.Now()
	out.Counts = map[Answer]int{}
	for _, r := range rows {
		if r.ClientID == uuid.Nil {
			continue
		}
		one := known[r.ClientID].confirmation(r, now)
		out.All = append(out.All, one)
		out.Counts[one.Answer]++
		if one.Answer != ToAsk && !r.AskedAt.IsZero() && dayOfMoment(r.AskedAt) == dayOfMoment(now) {
			out.AskedToday++
		}
	}
	return out, nil
}

// confirming is what is known of a client who has to confirm again.
type confirming struct {
	there, parked bool
	lacks         []string  // what the bank needs and the record does not have
	mandateID     uuid.UUID // the newest by DebiCheck; none: zero
	state         mandate.State
	confirmedOn   Day
	subscribed    bool // a subscription uses it
	stopped       bool
}

// begun is how long a client counts as asked of whom no mandate is stored: the asking may have been cut off.
const begun = 10 * time.Minute

func (k confirming) confirmation(r Row, now time.Time) Confirmation {
	c := Confirmation{Row: r, Answer: ToAsk, MandateID: k.mandateID}
	cannot := func(why string) { c.Answer, c.Why = CannotAsk, why }
	switch {
	case !k.there:
		cannot("The client was deleted.")
	case k.state.Usable():
		c.Answer, c.ConfirmedOn, c.Subscribed, c.Stopped = Confirmed, k.confirmedOn, k.subscribed, k.stopped
	case k.state.Waiting():
		c.Answer, c.Why = Asked, k.state.Label()
	case k.mandateID != uuid.Nil:
		c.Answer, c.Why = NoAnswer, k.state.Label()+". Call the client, then ask again on the page of the mandate."
	case r.AskRefused != "":
		cannot(r.AskRefused)
	case !r.AskedAt.IsZero() && now.Sub(r.AskedAt) < begun:
		c.Answer, c.Why = Asked, "Being sent"
	case k.parked:
		cannot("The client is parked. Switch the group on first.")
	case len(k.lacks) > 0:
		cannot("The record of the client lacks " + strings.Join(k.lacks, " and ") + ", which the bank needs. Add it first.")
	}
	return c
}

// Pace is how DebiCheck mandates are asked for again.
type Pace struct {
	Method mandate.Method
	Group  int // clients asked at once
	PerDay int
}

// Check reports what is wrong with a pace.
func (p Pace) Check() error {
	var wrong fault.Problems
	if p.Method != mandate.Delayed && p.Method != mandate.RealTime {
		wrong.Add("method", "invalid_choice", "Choose how the clients are asked.")
	}
	if p.Group < 1 || p.Group > mostAsked {
		wrong.Add("group", "invalid", "Choose a number from 1 to %d.", mostAsked)
	}
	if p.PerDay < 1 || p.PerDay > MostConfirmations {
		wrong.Add("per_day", "invalid", "Choose a number from 1 to %d.", MostConfirmations)
	}
	return wrong.Err()
}

// Next is how many clients the next group has.
func (p Pace) Next(c Confirmations) int {
	return max(0, min(p.Group, p.PerDay-c.AskedToday, c.Counts[ToAsk]))
}

// DayPlan is how many clients are asked on a day.
type DayPlan struct {
	On Day
	N  int
}

// AskingDays says on which business days everybody is asked who still has to be, when each day's groups are asked for.
func (s *Service) AskingDays(p Pace, c Confirmations) (out []DayPlan) {
	left, room, day := c.Counts[ToAsk], p.PerDay-c.AskedToday, dayOfMoment(s.Now())
	for left > 0 && len(out) < MostConfirmations {
		if n := min(left, room); n > 0 && s.Purchases.Calendar.IsBusinessDay(day) {
			out, left = append(out, DayPlan{day, n}), left-n
		}
		day, room = day.AddDays(1), p.PerDay
	}
	return out
}

// AskConfirm asks the next group of clients to confirm a DebiCheck mandate again, one after the other, as a mandate is
// set up for one client. A client who was asked is not asked twice, whatever is pressed by how many people.
func (s *Service) AskConfirm(ctx context.Context, who actor.Actor, id uuid.UUID, p Pace) (asked, refused int,
	err error) {
	i, err := s.toDebit(ctx, who, id)
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		return 0, 0, err
	}
	if i.State != Done {
		return 0, 0, wrongState(i)
	}
	if why := s.mayAskBy(p.Method); why != "" {
		return 0, 0, fault.At("method", "debicheck_unavailable", "%s", why)
	}
	for asked < p.Group {
		rows, err := s.claim(ctx, who, id, p, min(p.Group-asked, claimedAtOnce))
		if err != nil {
			return asked, refused, err
		}
		if len(rows) == 0 {
			break
		}
		for _, r := range rows {
			switch sent, err := s.askOne(ctx, who, i, r, p.Method); {
			case err != nil:
				return asked, refused, err
			case sent:
				asked++
			default:
				refused++
			}
		}
	}
	return asked, refused, s.InTx(ctx, func(tx *database.Tx) error {
		if asked+refused > 0 {
			note(tx, who, i, "import.confirmations_asked", fmt.Sprintf("%s asked to confirm a DebiCheck mandate again.",
				plural.Of(asked, "client")), nil, map[string]any{"asked": asked, "refused": refused, "method": p.Method})
		}
		return nil
	})
}

// toDebit finds an import for a person who may have its clients debited.
func (s *Service) toDebit(ctx context.Context, who actor.Actor, id uuid.UUID) (Import, error) {
	i, err := s.Get(ctx, who, id)
	if err == nil {
		err = who.May(actor.Bill)
	}
	if err == nil {
		err = who.May(actor.Write)
	}
	return i, err
}

// mayAskBy says why clients cannot be asked by a method now; empty: they can.
func (s *Service) mayAskBy(m mandate.Method) string {
	b := s.Purchases.Bank
	switch {
	case b.NoDebiCheck() != "":
		return b.NoDebiCheck()
	case m == mandate.RealTime && b.NoRealTime() != "":
		return b.NoRealTime()
	case m == mandate.RealTime && !s.Purchases.Window.Open(s.Now()):
		return s.Purchases.Window.Refusal(s.Now())
	}
	return ""
}

// claim takes up to most of the clients who are asked next. Others who press meanwhile wait for it and see these as
// asked: the pace of a day holds for all together.
func (s *Service) claim(ctx context.Context, who actor.Actor, id uuid.UUID, p Pace, most int) (rows []Row, err error) {
	err = s.InTx(ctx, func(tx *database.Tx) error {
		i, err := lockImport(tx, who.MerchantID, id)
		if err != nil {
			return err
		}
		if i.State != Done {
			return wrongState(i)
		}
		c, err := s.Confirmations(tx.Context(), who, i)
		if err != nil {
			return err
		}
		rows = nil
		next := min(most, p.Next(c))
		for _, one := range c.All {
			if one.Answer == ToAsk && len(rows) < next {
				rows = append(rows, one.Row)
			}
		}
		noteAsking(tx, i, rows, s.Now())
		return nil
	})
	return rows, err
}

// askOne asks one client; false: it was refused, which the row then says.
func (s *Service) askOne(ctx context.Context, who actor.Actor, i Import, r Row, how mandate.Method) (bool, error) {
	in, why := s.confirmingInput(i, r, how)
	if why == "" {
		_, err := s.Purchases.Create(ctx, who, in)
		f, known := fault.From(err)
		switch {
		case err == nil:
			return true, nil
		case !known || f.Kind == fault.Internal:
			return false, err
		}
		why = f.Words()
	}
	return false, s.Store.refuseAsking(ctx, i, r, why)
}

// confirmingInput is the mandate that a client is asked for: of the amount, day and rhythm that the file says.
func (s *Service) confirmingInput(i Import, r Row, how mandate.Method) (in purchase.Input, why string) {
	v := s.checker(i, nil).Check(r).Values
	cents := max(v.Cents, v.MandateCents)
	if cents == 0 {
		return in, "The file does not say the amount. Set up a mandate on the page of the client."
	}
	units, day := "months", v.Day
	if v.Cycle.inMonths() == 0 {
		units = "weeks"
	}
	if day == 0 && !v.Next.IsZero() {
		if day = min(v.Next.Day, 30); units == "weeks" {
			day = v.Next.ISOWeekday()
		}
	}
	if day == 0 {
		day = 1
	}
	name := v.Template
	if name == "" {
		name = v.Cycle.Label() + " debit order"
	}
	return purchase.Input{ClientID: r.ClientID, BrandID: i.BrandID, Reference: v.oldReference(),
		Options: purchase.Options{ForceRecurring: true, Whitelist: []string{purchase.DebiCheck}, Platform: "web",
			Source: "web_office"},
		Details: purchase.Details{Timezone: "Africa/Johannesburg", TotalOverrideCents: new(int64),
			Products: []purchase.Product{{Name: name, PriceCents: cents, Quantity: decimal.NewFromInt(1)}}},
		DirectDebit: &purchase.DirectDebitInput{PeriodUnits: units, DeductionDay: &day, Ask: &mandate.Ask{
			ValueType: string(mandate.Fixed), AuthenticationType: string(how), DebitSequence: string(mandate.Recurring),
			AdjustmentCategory: string(mandate.Never), MaxAmountCents: &cents}}}, ""
}

// AmountOf is what a client is asked to confirm, for a person; empty where the file does not say it.
func (s *Service) AmountOf(i Import, r Row) string {
	v := s.checker(i, nil).Check(r).Values
	if cents := max(v.Cents, v.MandateCents); cents > 0 {
		return money.Format(cents, money.ZAR) + " " + string(v.Cycle)
	}
	return ""
}

// HasConfirmations tells that an import brought DebiCheck mandates that have to be confirmed again.
func (s *Service) HasConfirmations(ctx context.Context, i Import) (bool, error) {
	rows, err := s.Store.rows(ctx, i.MerchantID, i.ID, RowQuery{States: []RowState{Applied},
		Warned: CauseConfirm, Limit: 1})
	return slices.ContainsFunc(rows, func(r Row) bool { return r.ClientID != uuid.Nil }), err
}
