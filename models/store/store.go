// Package store keeps in PostgreSQL what several concepts share: their queries join
// tables of more than one, or go over all of them. A concept whose rows are its own has
// its queries beside it.
package store

import (
	"context"

	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/ownrule"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/models/user"
)

// Options is what a Store needs besides the address of its database.
type Options = database.Options

// Store is the database with the queries of the concepts.
type Store struct {
	*database.DB
	clients
	mails
	mandates
	merchants
	ownRules
	purchases
	tokens
	users
}

// What concepts find by themselves, for those that ask for it through an interface.
type (
	clients   = client.Store
	mails     = outbox.Store
	mandates  = mandate.Store
	merchants = merchant.Store
	ownRules  = ownrule.Store
	purchases = purchase.Store
	tokens    = token.Store
	users     = user.Store
)

// Tx is a unit of work with the changes of the concepts.
type Tx struct {
	*database.Tx
}

// Open connects. It does not migrate.
func Open(ctx context.Context, dsn string, opt Options) (*Store, error) {
	db, err := database.Open(ctx, dsn, opt)
	if err != nil {
		return nil, err
	}
	return &Store{DB: db, clients: clients{DB: db}, mails: mails{DB: db}, mandates: mandates{DB: db},
		merchants: merchants{DB: db}, ownRules: ownRules{DB: db}, purchases: purchases{DB: db},
		tokens: tokens{DB: db}, users: users{DB: db}}, nil
}

// InTx runs fn in one transaction, as database.DB does.
func (s *Store) InTx(ctx context.Context, fn func(*Tx) error) error {
	return s.DB.InTx(ctx, func(tx *database.Tx) error { return fn(&Tx{Tx: tx}) })
}
