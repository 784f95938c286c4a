package app

import (
	"context"

	"github.com/google/uuid"

	bankdesk "debitdesk/models/bank/sandbox"
	"debitdesk/models/database"
	"debitdesk/models/demo"
	"debitdesk/models/simulation"
)

// demoSeeds is how many demos with other people there are.
const demoSeeds = 10_000

// simulations play in the sandbox with the use cases that people use.
func simulations(db *database.DB, s Services) *simulation.Service {
	return &simulation.Service{Store: simulation.Store{DB: db}, Clients: s.Clients,
		Purchases: s.Purchases,
		Calendar:  s.Purchases.Calendar, Now: db.Now, Controls: s.Controls, Person: demo.Person,
		Ending: bankdesk.Ending,
		History: func(ctx context.Context, h simulation.History) ([]uuid.UUID, error) {
			d := &demo.Service{Clients: s.Clients, Purchases: s.Purchases, Deletions: s.Deletions, Read: s.Merchants.Store,
				Calendar: s.Purchases.Calendar, Clock: db.Clock, Advance: s.Controls.Live}
			return d.Live(ctx, demo.Again{Merchant: h.Merchant, Brand: h.Brand, Who: h.Who, Clients: h.Clients,
				Seed: int(h.Seed % demoSeeds), Step: h.Step})
		}}
}
