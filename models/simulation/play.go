package simulation

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
)

const (
	claimHolds = time.Minute
	holdAgain  = 500 * time.Millisecond // so often a person sees how far it is
	daysAhead  = 7                      // from making a purchase to its due date
	daysAfter  = 15                     // from the last due date to the end: disputes come on day 10
	cutOff     = "The program was stopped while it played. What it had created until then stays; wipe it, or play again."
)

// Play plays a run. It may be called again, at any time and in several processes at
// once: who claims the run plays it.
func (s *Service) Play(ctx context.Context, id uuid.UUID) error {
	claim := uuid.New()
	r, mine, err := s.Store.ClaimRun(ctx, id, claim, claimHolds)
	if err != nil || !mine {
		return err
	}
	progress := &progress{run: r}
	stop := s.hold(ctx, progress, claim)
	got, err := s.play(ctx, r, progress)
	stop()
	r = progress.now()
	r.Result.Got, r.State, r.UpdatedAt = got, Done, s.Now()
	if r.Kind == Demo {
		r.Result.Wanted = got
	}
	if err == nil {
		r.Steps = r.AllSteps
	} else {
		r.State, r.Note = Failed, why(ctx, err)
	}
	return errors.Join(err, s.Store.FinishRun(context.WithoutCancel(ctx), r, claim))
}

func why(ctx context.Context, err error) string {
	if f, known := fault.From(err); known && f.Kind != fault.Internal {
		return f.Message
	}
	if ctx.Err() != nil {
		return cutOff
	}
	return "It could not be played to the end."
}

// TakeUp plays runs that wait and have nobody, and gives up those whose worker is gone.
func (s *Service) TakeUp(ctx context.Context) error {
	err := s.Store.DropLostRuns(ctx, cutOff)
	ids, listed := s.Store.WaitingRuns(ctx)
	all := []error{err, listed}
	for _, id := range ids {
		all = append(all, s.Play(ctx, id))
	}
	return errors.Join(all...)
}

// progress is how far a run is; the one who plays writes it, the one who keeps the
// claim reads it.
type progress struct {
	mu  sync.Mutex
	run Run
}

func (p *progress) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.run.Steps = min(p.run.Steps+1, p.run.AllSteps)
}

func (p *progress) at(done, all int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.run.Steps, p.run.AllSteps = done, max(all, 1)
}

func (p *progress) now() Run {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.run
}

// hold keeps the claim and shows the progress until the run is played.
func (s *Service) hold(ctx context.Context, p *progress, claim uuid.UUID) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(holdAgain)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = s.Store.HoldRun(ctx, p.now(), claim, claimHolds) // the next one comes in a moment
			}
		}
	})
	return func() { cancel(); done.Wait() }
}

func (s *Service) play(ctx context.Context, r Run, p *progress) (Tally, error) {
	m, brand, err := s.place(ctx, r.Starter, r.Ask.BrandID)
	if err != nil {
		return Tally{}, err
	}
	var made []uuid.UUID
	if r.Kind == Demo {
		made, err = s.History(ctx, History{Merchant: m, Brand: brand, Who: r.Starter, Clients: r.Ask.Clients,
			Seed: r.Ask.Seed, Step: p.at})
	} else {
		made, err = (&stage{Service: s, run: r, brand: brand, step: p.step}).play(ctx)
	}
	if err != nil {
		return Tally{}, err
	}
	return s.count(ctx, r.Starter, made)
}

// count looks at how the purchases ended, not at how they were meant to.
func (s *Service) count(ctx context.Context, who actor.Actor, made []uuid.UUID) (t Tally, err error) {
	for _, id := range made {
		rec, err := s.Purchases.Get(ctx, who, id)
		if err != nil {
			return t, err
		}
		t.Made++
		came := rec.Collection != nil
		switch {
		case rec.Status == purchase.Paid:
			t.Paid++
		case rec.Status == purchase.Chargeback:
			t.Disputed++
		case came && (rec.Status == purchase.Failed || rec.Status == purchase.Overdue) && rec.Collection.Result.Code == "02":
			t.Unpaid++
		case came && (rec.Status == purchase.Failed || rec.Status == purchase.Overdue):
			t.Other++
		default:
			t.Open++
		}
	}
	return t, nil
}

// steps is how much there is to do: clients, debits, moves of the clock.
func (a Ask) steps() int { return a.Clients + a.Months*a.Clients + a.Months }

// stage is a scenario while it is played.
type stage struct {
	*Service
	run     Run
	brand   merchant.Brand
	step    func()
	clients []clientAccount
	made    []uuid.UUID
}

// clientAccount is a client of the scenario with the account that pays.
type clientAccount struct {
	client client.Client
	n      int
	token  uuid.UUID // of the account that pays
	extra  int       // accounts beside it
}

// program stores accounts that are on record, as a program of the merchant's does.
func (st *stage) program() actor.Actor {
	return actor.Actor{Kind: actor.Credential, Name: "Simulator", MerchantID: st.run.MerchantID,
		Scopes: actor.AllScopes}
}

func (st *stage) play(ctx context.Context) ([]uuid.UUID, error) {
	first := calendar.DateOf(st.Now())
	for i := range st.run.Ask.Clients {
		if err := st.join(ctx, int(st.run.Ask.Seed%10_000)*MaxClients+i); err != nil {
			return nil, err
		}
		st.step()
	}
	plan, last := st.run.Ask.plan(), first
	for month := range st.run.Ask.Months {
		day := first.AddMonths(month, first.Day)
		if at := day.At(8, 0); at.After(st.Now()) {
			if err := st.Controls.Live(ctx, at); err != nil {
				return nil, err
			}
		}
		last = st.Calendar.Shift(day.AddDays(daysAhead), calendar.Next)
		for _, one := range plan {
			if one.month != month {
				continue
			}
			if err := st.debit(ctx, one, last); err != nil {
				return nil, fmt.Errorf("debit %d of month %d: %w", one.client, month, err)
			}
			st.step()
		}
		st.step()
	}
	return st.made, st.Controls.Live(ctx, last.AddDays(daysAfter).At(12, 0))
}

// join adds a client with an account that pays.
func (st *stage) join(ctx context.Context, n int) (err error) {
	p := clientAccount{n: n}
	p.client, err = st.Clients.Create(ctx, st.run.Starter,
		client.Input{Details: st.Person(n, ""), How: client.ForDebit})
	if err != nil {
		return fmt.Errorf("add a client: %w", err)
	}
	if p.token, err = st.store(ctx, p.client.ID); err == nil {
		st.clients = append(st.clients, p)
	}
	return err
}

// store keeps the account on a client's record, without collecting.
func (st *stage) store(ctx context.Context, clientID uuid.UUID) (uuid.UUID, error) {
	rec, err := st.Purchases.Create(ctx, st.program(), purchase.Input{ClientID: clientID, BrandID: st.brand.ID,
		DirectDebit: &purchase.DirectDebitInput{},
		Options:     purchase.Options{ForceRecurring: true, Whitelist: []string{purchase.EFT}},
		Details:     details("Storing the account", 0)})
	if err != nil {
		return uuid.Nil, fmt.Errorf("store an account: %w", err)
	}
	return rec.ID, nil
}

func details(name string, cents int64) purchase.Details {
	return purchase.Details{Language: "en", Products: []purchase.Product{{Name: name, PriceCents: cents,
		Quantity: decimal.NewFromInt(1)}}}
}

// debit makes one purchase and charges it to the account that ends as planned.
func (st *stage) debit(ctx context.Context, one slot, day calendar.Date) error {
	p := &st.clients[one.client]
	token, err := st.account(ctx, p, one)
	if err != nil {
		return err
	}
	due := day.At(12, 0)
	offer := products[one.product]
	rec, err := st.Purchases.Create(ctx, st.run.Starter, purchase.Input{ClientID: p.client.ID, BrandID: st.brand.ID,
		Due: &due, Details: details(offer.name, offer.cents)})
	if err != nil {
		return err
	}
	st.made = append(st.made, rec.ID)
	_, err = st.Purchases.Charge(ctx, st.run.Starter, rec.ID, token)
	return err
}

// account is the client's own for what pays. What is to fail gets another account
// each time, for a bank blocks one that fails again and again.
func (st *stage) account(ctx context.Context, p *clientAccount, one slot) (uuid.UUID, error) {
	ending := ""
	switch one.ends {
	case pays:
		return p.token, nil
	case noFunds:
		ending = st.Ending("02", false)
	case otherCode:
		ending = st.Ending(one.code, false)
	case disputes:
		ending = st.Ending("30", true)
	}
	p.extra++
	other := st.Person(p.n+1000*p.extra, ending)
	_, err := st.Clients.Update(ctx, st.run.Starter, p.client.ID,
		client.Change{How: client.ForDebit, Apply: func(now client.Details) (client.Details, fault.Problems) {
			now.BankAccount, now.BankCode, now.AccountType = other.BankAccount, other.BankCode, other.AccountType
			return now, nil
		}})
	if err != nil {
		return uuid.Nil, err
	}
	return st.store(ctx, p.client.ID)
}
