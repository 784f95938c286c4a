package web

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/audit"
	"debitdesk/models/batch"
	"debitdesk/models/billing"
	"debitdesk/models/client"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/models/token"
)

// Shelf is where the pages about debits find what they show.
type Shelf interface {
	Timeline
	Replays
	token.Lister
	mandate.Reader
	mandate.Lister
	Mails
	report.Reader
}

// Rooms are the pages about debits.
type Rooms struct {
	Home      *Home
	Purchases *Purchases
	Tokens    *Tokens
	Mandates  *Mandates
	Accounts  *Accounts
	Invoices  *Invoices
	Live      *Live // give it its Watch
	SetUp     *MandateForms

	Amendments *Amendments
	Exports    *Exports
	Templates  *Templates // give it its Service
}

// NewRooms builds the pages about debits, and gives the desk its count of what
// needs attention.
func NewRooms(desk *Desk, purchases *purchase.Service, clients *client.Service, bills *billing.Service, shelf Shelf) Rooms {
	register, proofs := &token.Service{Read: shelf}, &mandate.Service{Read: shelf, Lists: shelf}
	reports := &report.Service{Read: shelf, Now: desk.Now, Calendar: purchases.Calendar, Timetable: purchases.Timetable}
	desk.Attention = reports.AttentionCount
	live := &Live{Desk: desk, Sheet: proofs.Show, AskAgain: purchases.AskAgain, Limits: purchases.Limits, Window: purchases.Window}
	exports := &Exports{Desk: desk, Audit: &audit.Exports{InTx: func(ctx context.Context, fn func(audit.Log) error) error {
		return purchases.InTx(ctx, func(tx purchase.Tx) error { return fn(tx) })
	}}}
	ofPurchases := &Purchases{Desk: desk, Service: purchases, Clients: clients, Tokens: register, Billing: bills, Mails: shelf, Events: shelf, Replays: shelf, Exports: exports}
	return Rooms{
		Exports:   exports,
		Home:      &Home{Desk: desk, Reports: reports},
		Purchases: ofPurchases,
		Templates: &Templates{Desk: desk, Purchases: ofPurchases, Exports: exports, Match: matching(purchases)},
		Invoices:  &Invoices{Desk: desk, Service: bills, Exports: exports},
		Tokens:    &Tokens{Desk: desk, Register: register, Mandates: proofs, Purchases: purchases, Exports: exports},
		Mandates:  &Mandates{Desk: desk, Service: proofs, Tokens: register, Purchases: purchases, Events: shelf, LivePanel: live.Panel, Exports: exports},
		Accounts:  &Accounts{Desk: desk, Purchases: purchases, Clients: clients, Replays: shelf},
		Live:      live,
		SetUp:     &MandateForms{Desk: desk, Purchases: purchases, Clients: clients, Replays: shelf},

		Amendments: &Amendments{Desk: desk, Purchases: purchases, Register: register, Mandates: proofs, Replays: shelf, LivePanel: live.Panel},
	}
}

// matching finds many clients in one question.
func matching(purchases *purchase.Service) func(context.Context, uuid.UUID, batch.Keys) ([]client.Client, error) {
	return func(ctx context.Context, merchantID uuid.UUID, by batch.Keys) ([]client.Client, error) {
		return any(purchases.Read).(batch.Reader).MatchClients(ctx, merchantID, by) //nolint:forcetypeassert // one store answers them all
	}
}

// Subscribe gives the rooms about templates the use cases behind them.
func (r Rooms) Subscribe(s Subscriptions) Rooms {
	r.Templates.Service = s
	r.Purchases.Subscriptions = s
	return r
}

// Beside puts what belongs to a client's debits on the client's page.
func (r Rooms) Beside(c *Clients) {
	c.Panels = append(c.Panels, r.Tokens.TokensPanel, r.Tokens.PurchasesPanel)
	if r.Templates.Service != nil {
		c.Panels = append(c.Panels, r.Templates.Panel)
	}
	c.Impact = r.Tokens.ClientImpact
	c.Exports = r.Exports
}
