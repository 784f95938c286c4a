package demo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
)

// story is what happens in the five weeks, in steps that are lived through in
// the order of their time.
type story struct {
	s        *Service
	merchant merchant.Merchant
	brand    merchant.Brand
	admin    actor.Actor // who does what a person does
	today    calendar.Date
	seed     int // other people than those of seed 0
	steps    []step
	told     func(done, all int) // nil tells nobody
	made     []uuid.UUID         // purchases
	members  []*member
}

type step struct {
	at time.Time
	do func(context.Context) error
}

// The moments of a day at which something happens. What lies after the end of
// the story is done at its very end.
var (
	morning   = calendar.TimeOfDay{Hour: 8, Minute: 40}
	beforeTen = calendar.TimeOfDay{Hour: 9, Minute: 55}
	afternoon = calendar.TimeOfDay{Hour: 15, Minute: 5}
	lastThing = calendar.TimeOfDay{Hour: 23, Minute: 59}
)

// on plans a step so many days before today.
func (st *story) on(daysAgo int, when calendar.TimeOfDay, do func(context.Context) error) {
	st.steps = append(st.steps, step{when.On(st.today.AddDays(-daysAgo)), do})
}

// live goes through all steps, with the bank's answers in between, up to the end.
func (st *story) live(ctx context.Context, end time.Time) error {
	slices.SortStableFunc(st.steps, func(a, b step) int { return a.at.Compare(b.at) })
	late := slices.IndexFunc(st.steps, func(s step) bool { return !s.at.Before(end) })
	if late < 0 {
		late = len(st.steps)
	}
	for i, one := range st.steps[:late] {
		if st.told != nil {
			st.told(i, len(st.steps))
		}
		if one.at.After(st.s.Clock.Now()) {
			if err := st.s.Advance(ctx, one.at); err != nil {
				return err
			}
		}
		if err := one.do(ctx); err != nil {
			return err
		}
	}
	if err := st.s.Advance(ctx, end); err != nil {
		return err
	}
	for _, one := range st.steps[late:] { // planned for later today
		if err := one.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// member is one client of the gym and what was done for them so far.
type member struct {
	*story
	n         int
	details   client.Details
	client    client.Client
	token     uuid.UUID
	purchases []uuid.UUID
}

func (m *member) who() actor.Actor { return m.admin }

func (m *member) program() actor.Actor {
	return actor.Actor{Kind: actor.Credential, Name: "Membership system", MerchantID: m.merchant.ID,
		Scopes: actor.AllScopes}
}

func (m *member) payer() actor.Actor {
	return actor.PayerOf(m.merchant.ID, m.details.FullName, fmt.Sprintf("102.65.%d.%d", 10+m.n%200, 3+m.n*7%250), "")
}

// joins adds the client. Whoever stores the account by a link has no bank
// details on record before.
func (m *member) joins(withAccount bool) func(context.Context) error {
	return func(ctx context.Context) (err error) {
		in := client.Input{Details: m.details, How: client.ForDebit}
		if !withAccount {
			in.BankAccount, in.BankCode, in.AccountType = "", "", ""
		}
		m.client, err = m.s.Clients.Create(ctx, m.who(), in)
		return err
	}
}

// order is one purchase to make.
type order struct {
	product  string
	cents    int64
	due      time.Time // zero: none given
	strict   bool
	storing  bool // ask for the account
	byMember bool // a program stores the account on record

	mandate *mandate.Ask // ask for a DebiCheck mandate over this amount, and collect nothing yet
	rhythm  string       // of the mandate; empty: months
}

// buys makes a purchase; the newest is the one that later steps speak of.
func (m *member) buys(o func() order) func(context.Context) error {
	return func(ctx context.Context) error {
		o := o()
		in := purchase.Input{ClientID: m.client.ID, BrandID: m.brand.ID, DueStrict: o.strict,
			Reference: fmt.Sprintf("KSF-%04d", 1001+m.n),
			Details: purchase.Details{Products: []purchase.Product{{Name: o.product, PriceCents: o.cents,
				Quantity: decimal.NewFromInt(1)}}}}
		if !o.due.IsZero() {
			in.Due = &o.due
		}
		who := m.who()
		if o.storing {
			in.Options = purchase.Options{ForceRecurring: true, Whitelist: []string{purchase.EFT}}
			in.DirectDebit = &purchase.DirectDebitInput{}
		}
		if o.mandate != nil {
			nothing := int64(0)
			in.Details.TotalOverrideCents = &nothing
			in.Options = purchase.Options{ForceRecurring: true, Whitelist: []string{purchase.DebiCheck}}
			in.DirectDebit = &purchase.DirectDebitInput{Ask: o.mandate, PeriodUnits: o.rhythm}
		}
		if o.byMember {
			who = m.program()
		}
		rec, err := m.s.Purchases.Create(ctx, who, in)
		if err != nil {
			return err
		}
		m.purchases, m.made = append(m.purchases, rec.ID), append(m.made, rec.ID)
		if rec.IsRecurringToken || o.mandate != nil {
			m.token = rec.ID
		}
		return nil
	}
}

func (m *member) last() uuid.UUID { return m.purchases[len(m.purchases)-1] }

// mailed sends the link or the invoice to the client.
func (m *member) mailed(ctx context.Context) error {
	_, err := m.s.Purchases.ResendInvoice(ctx, m.who(), m.last())
	return err
}

// opens is the client looking at the hosted page.
func (m *member) opens(ctx context.Context) error {
	rec, err := m.s.Purchases.Open(ctx, m.last())
	if err != nil {
		return err
	}
	_, err = m.s.Purchases.View(ctx, m.payer(), rec)
	return err
}

// gives is the client filling in the hosted page.
func (m *member) gives(ctx context.Context) error {
	if err := m.opens(ctx); err != nil {
		return err
	}
	return m.give(ctx, m.payer(), mandate.PayPage)
}

func (m *member) give(ctx context.Context, who actor.Actor, channel mandate.Channel,
	evidence ...mandate.Evidence) error {
	rec, err := m.s.Purchases.Open(ctx, m.last())
	if err != nil {
		return err
	}
	in := purchase.Account{FullName: m.details.FullName, IDNumber: m.details.PersonalCode.Reveal(), Phone: m.details.Phone,
		BankCode:      m.details.BankCode,
		AccountNumber: m.details.BankAccount.Reveal(), AccountType: m.details.AccountType, Consented: true, Store: true,
		Channel: channel, Evidence: evidence}
	if channel == mandate.PayPage {
		in.Agent = "Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36"
	}
	in.ConsentText = m.s.Purchases.MandateText(rec, in)
	given, err := m.s.Purchases.GiveAccount(ctx, who, rec.ID, in)
	if given.IsRecurringToken {
		m.token = given.ID
	}
	return err
}

// charged attaches the stored account to the newest purchase.
func (m *member) charged(ctx context.Context) error {
	_, err := m.s.Purchases.Charge(ctx, m.who(), m.last(), m.token)
	return err
}

// dueAhead is a due date so many days after the step's own day, off closed days:
// earlier where that leaves time enough.
func (m *member) dueAhead(daysAgo, ahead int) time.Time {
	shift := calendar.Previous
	if ahead < 7 {
		shift = calendar.Next
	}
	day := m.s.Calendar.Shift(m.today.AddDays(ahead-daysAgo), shift)
	return calendar.TimeOfDay{Hour: 12}.On(day)
}
