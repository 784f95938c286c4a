package main

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
func (a *App) simulator(s services) *simulation.Service {
	move := func(ctx context.Context, to time.Time) error { return s.sandbox.Live(ctx, to) }
	return &simulation.Service{InTx: store.Runner[simulation.Tx](a.Store), Store: a.Store, Brands: a.Store, Clients: s.clients, Purchases: s.purchases,
		Calendar: s.purchases.Calendar, Now: a.Store.Now, Move: move, Alone: a.Store.Clock.Exclusive, Person: demo.Person, Ending: bankdesk.Ending,
		History: func(ctx context.Context, h simulation.History) ([]uuid.UUID, error) {
			d := &demo.Service{Clients: s.clients, Purchases: s.purchases, Read: a.Store, Calendar: s.purchases.Calendar, Clock: a.Store.Clock, Advance: move}
			return d.Live(ctx, demo.Again{Merchant: h.Merchant, Brand: h.Brand, Who: h.Who, Clients: h.Clients, Seed: int(h.Seed % demoSeeds), Step: h.Step})
		}}
}
