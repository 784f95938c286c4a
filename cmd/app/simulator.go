package app

import (
	"context"
	"time"

	"github.com/google/uuid"

	bankdesk "debitdesk/models/bank/sandbox"
	"debitdesk/models/demo"
	"debitdesk/models/simulation"
	"debitdesk/models/store"
)

// demoSeeds is how many demos with other people there are.
const demoSeeds = 10_000

// simulator plays in the sandbox with the use cases that people use.
func simulator(db *store.Store, s Services) *simulation.Service {
	move := func(ctx context.Context, to time.Time) error { return s.Sandbox.Live(ctx, to) }
	return &simulation.Service{InTx: store.Runner[simulation.Tx](db), Store: db, Brands: db, Clients: s.Clients,
		Purchases: s.Purchases,
		Calendar:  s.Purchases.Calendar, Now: db.Now, Move: move, Alone: db.Clock.Exclusive, Person: demo.Person,
		Ending: bankdesk.Ending,
		History: func(ctx context.Context, h simulation.History) ([]uuid.UUID, error) {
			d := &demo.Service{Clients: s.Clients, Purchases: s.Purchases, Read: db, Calendar: s.Purchases.Calendar,
				Clock: db.Clock, Advance: move}
			return d.Live(ctx, demo.Again{Merchant: h.Merchant, Brand: h.Brand, Who: h.Who, Clients: h.Clients,
				Seed: int(h.Seed % demoSeeds), Step: h.Step})
		}}
}
