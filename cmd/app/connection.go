package app

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	bankdesk "debitdesk/models/bank/sandbox"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/mandate"
)

// connection is who collects, when, and who answers about accounts.
type connection struct {
	gateway   bank.Gateway
	verifier  bank.Verifier
	timetable collection.Timetable
	able      bank.Capabilities
	sandbox   *bankdesk.Bank // the built-in bank, whose answers a person can force; nil where another collects
}

// connect fills in what the options leave open.
func (o Options) connect(now func() time.Time, days *calendar.Calendar) connection {
	c := connection{gateway: o.Gateway, verifier: o.Verifier, timetable: collection.DefaultTimetable()}
	if o.Timetable != nil {
		c.timetable = *o.Timetable
	}
	switch {
	case c.gateway != nil:
	case o.Sandbox:
		c.sandbox = bankdesk.New(bankdesk.Store{DB: o.Store}, now, c.timetable, days)
		c.gateway = c.sandbox
		if c.verifier == nil {
			c.verifier = c.sandbox
		}
	default:
		c.gateway = bank.None{}
	}
	if c.verifier == nil {
		c.verifier = bank.NoVerifier{}
	}
	c.able = c.gateway.Capabilities()
	return c
}

// limits are the times to answer of clients; only the simulated bank waits for them longer than for the day.
func (c connection) limits() mandate.Limits {
	l := mandate.LimitsBy(c.timetable.Rules)
	if c.sandbox == nil {
		l = l.AtBank(c.timetable.Rules)
	}
	return l
}

// refundHolder is a bank connection at which refunds wait before they leave.
type refundHolder interface {
	TakeRefundBack(tx *database.Tx, merchantID, id uuid.UUID) (bool, error)
	HeldRefunds(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) ([]uuid.UUID, error)
}
