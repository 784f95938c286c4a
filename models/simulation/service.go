package simulation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
)

// Service holds the use cases of the simulator.
type Service struct {
	Store     Store
	Clients   *client.Service
	Purchases *purchase.Service
	Calendar  *calendar.Calendar
	Now       func() time.Time
	Controls  *Controls
	// Person invents the nth client. The ending of the account decides what the sandbox bank answers.
	Person func(n int, ending string) client.Details
	// Ending is the account that always ends so: by a return code, or by a dispute.
	Ending func(code string, dispute bool) string
	// History lives through five weeks of a believable business and gives its purchases;
	// step is told how far it is.
	History func(ctx context.Context, h History) ([]uuid.UUID, error)
}

// History is a believable business that is to be lived through.
type History struct {
	Merchant merchant.Merchant
	Brand    merchant.Brand
	Who      actor.Actor
	Clients  int
	Seed     int64
	Step     func(done, all int)
}

const shown = 10

// Runs lists the newest runs.
func (s *Service) Runs(ctx context.Context, who actor.Actor) ([]Run, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.Runs(ctx, who.MerchantID, shown)
}

// Begin asks for a run, which is played in the background. Conflict while another
// one is open, of whichever merchant: there is one clock.
func (s *Service) Begin(ctx context.Context, who actor.Actor, kind Kind, a Ask) (Run, error) {
	if err := may(who); err != nil {
		return Run{}, err
	}
	if err := a.check(kind); err != nil {
		return Run{}, err
	}
	if !s.Controls.Forces() {
		return Run{}, fault.New(fault.Conflict, "simulation_unavailable", NotForced)
	}
	m, brand, err := s.place(ctx, who, a.BrandID)
	if err != nil {
		return Run{}, err
	}
	a.BrandID = brand.ID
	var made Run
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		made = Run{ID: tx.NewID(), MerchantID: m.ID, Kind: kind, State: Waiting, Ask: a, Starter: who, AllSteps: 1,
			CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
		if kind == Scenario {
			made.AllSteps, made.Result.Wanted = a.steps(), a.wanted()
		}
		if err := insertRun(tx, made); err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "simulation.started", ObjectType: "simulation", ObjectID: made.ID,
			Text: "The simulator was started: " + a.words(kind) + ".",
			After: map[string]any{"kind": kind, "months": a.Months, "clients": a.Clients, "paid": a.Paid, "unpaid": a.Unpaid,
				"disputed": a.Disputed, "seed": a.Seed}})
		tx.Enqueue(queue.Simulate{RunID: made.ID})
		return tx.Answered(made)
	})
	return made, err
}

func (a Ask) words(kind Kind) string {
	if kind == Demo {
		return fmt.Sprintf("demo data with %s, seed %d", plural.Of(a.Clients, "client"), a.Seed)
	}
	return fmt.Sprintf("%s, %s, %d%% paid, %d%% code 02, %d%% disputed, seed %d", plural.Of(a.Clients, "client"),
		plural.Of(a.Months, "month"),
		a.Paid, a.Unpaid, a.Disputed, a.Seed)
}

// Words says what the run plays.
func (r Run) Words() string { return r.Ask.words(r.Kind) }

// may: who plays moves the clock and writes; that is an admin, or a program that may write.
func may(who actor.Actor) error {
	if err := who.May(actor.MoveClock); err != nil {
		return err
	}
	return who.May(actor.Write)
}

// place is where to play: a test merchant's brand, the first one unless one is named.
func (s *Service) place(ctx context.Context, who actor.Actor,
	brandID uuid.UUID) (merchant.Merchant, merchant.Brand, error) {
	m, err := s.test(ctx, who)
	if err != nil {
		return m, merchant.Brand{}, err
	}
	brands, err := merchant.Store(s.Store).Brands(ctx, who.MerchantID)
	if err != nil {
		return m, merchant.Brand{}, err
	}
	for _, b := range brands {
		if b.ID == brandID || brandID == uuid.Nil {
			return m, b, nil
		}
	}
	var wrong fault.Problems
	wrong.NoSuch("brand_id", brandID)
	return m, merchant.Brand{}, wrong.Err()
}

func (s *Service) test(ctx context.Context, who actor.Actor) (merchant.Merchant, error) {
	m, err := merchant.Store(s.Store).Merchant(ctx, who.MerchantID)
	if err == nil && !m.IsTest {
		return m, fault.New(fault.Forbidden, "permission_denied", "The simulator is for test merchants only.")
	}
	return m, err
}

const wipeTries = 3

// Wiped tells how many rows of each table went.
type Wiped map[string]int64

// Wipe empties a test merchant: clients, purchases, debits, mails and what hangs
// on them. People, credentials, brands, webhooks and the audit log stay. Typed must
// be the merchant's short name.
func (s *Service) Wipe(ctx context.Context, who actor.Actor, typed string) (wiped Wiped, err error) {
	if err := who.May(actor.Manage); err != nil {
		return nil, err
	}
	m, err := s.test(ctx, who)
	if err != nil {
		return nil, err
	}
	demands, err := merchant.Store(s.Store).Demands(ctx, who.MerchantID)
	if err != nil {
		return nil, err
	}
	if who.Kind == actor.User && demands.Any() {
		return nil, fault.At(
			"confirm",
			"approval_needed",
			"Your business asks for a second approver before money or tokens are touched, and a wipe deletes all of them. "+
				"Ask for fewer approvals first, under Settings, Approvals: a second approver has to agree to that.",
		)
	}
	if strings.TrimSpace(typed) != m.Slug {
		return nil, fault.At("confirm", "invalid", "Type %s to confirm.", m.Slug)
	}
	err = s.Controls.Clock.Exclusive(ctx, func() error {
		if open, err := s.Store.OpenRun(ctx); err != nil || open {
			return errors.Join(err, fault.New(fault.Conflict, "simulation_running",
				"The simulator is playing. Wait until it is done."))
		}
		for range wipeTries { // what runs in the background may be at the same rows
			if wiped, err = s.wipe(ctx, who, m); !errors.Is(err, fault.ErrLost) {
				return err
			}
		}
		return fault.New(fault.Unavailable, "busy", "Work in the background is using these records. Try again in a moment.")
	})
	return wiped, err
}

func (s *Service) wipe(ctx context.Context, who actor.Actor, m merchant.Merchant) (wiped Wiped, err error) {
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		gone, err := wipe(tx, m.ID)
		if err != nil {
			return err
		}
		wiped = gone
		after := map[string]any{}
		for table, n := range gone {
			after[table] = n
		}
		tx.Audit(who, audit.Entry{Action: "sandbox.wiped", ObjectType: "merchant", ObjectID: m.ID, Text: "The test data of " +
			m.Name + " was wiped.", After: after})
		return tx.Answered(wiped)
	})
	return wiped, err
}
