package purchase

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/merchant"
	"debitdesk/models/token"
)

// Outlook is a purchase with what may be done about it next.
type Outlook struct {
	Record
	Usable     []token.Token
	Again      Again
	LinkSentAt time.Time // the last mail with the link to pay; zero: none
}

// Outlooks gives, of some purchases at once, what Get, StoredFor and Again give of each.
func (s *Service) Outlooks(ctx context.Context, who actor.Actor, ids []uuid.UUID) (map[uuid.UUID]Outlook, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	out := make(map[uuid.UUID]Outlook, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	var found map[uuid.UUID]Purchase
	var last map[uuid.UUID]collection.Collection
	var links map[uuid.UUID]time.Time
	if err := database.AtOnce(ctx, func(ctx context.Context) (err error) {
		found, err = s.Store.PurchasesOf(ctx, who.MerchantID, ids)
		return err
	}, func(ctx context.Context) (err error) {
		last, err = s.Collections().Latest(ctx, who.MerchantID, ids...)
		return err
	}, func(ctx context.Context) (err error) {
		links, err = s.Store.LinksSent(ctx, who.MerchantID, ids...)
		return err
	}); err != nil {
		return nil, err
	}
	now := s.Now()
	var brandIDs, clients, refunding []uuid.UUID
	var wishes []Wish
	for id, p := range found {
		o := Outlook{Record: Record{Purchase: p}, LinkSentAt: links[id]}
		if c, debited := last[id]; debited {
			o.Collection = &c
		}
		brandIDs = append(brandIDs, p.BrandID)
		if p.ClientID != uuid.Nil {
			clients = append(clients, p.ClientID)
		}
		if p.RefundingCents > 0 {
			refunding = append(refunding, id)
		}
		if o.failedDebit(now) {
			wishes = append(wishes, Wish{Purchase: p, TokenID: o.Collection.TokenID})
		}
		out[id] = o
	}
	var brands map[uuid.UUID]merchant.Brand
	var live map[uuid.UUID][]token.Token
	var refunds []Refund
	var k known
	if err := database.AtOnce(ctx, func(ctx context.Context) (err error) {
		brands, err = s.brandsOf(ctx, who.MerchantID, brandIDs)
		return err
	}, func(ctx context.Context) (err error) {
		live, err = s.Tokens().TokensOfClients(ctx, who.MerchantID, distinct(clients))
		return err
	}, func(ctx context.Context) (err error) {
		if len(refunding) > 0 {
			refunds, err = s.Store.RefundsUnderWay(ctx, who.MerchantID, refunding...)
		}
		return err
	}, func(ctx context.Context) (err error) {
		if len(wishes) > 0 {
			k, err = s.accounts(ctx, who.MerchantID, wishes)
		}
		return err
	}); err != nil {
		return nil, err
	}
	for _, r := range refunds {
		o := out[r.PurchaseID]
		o.Refunds = append(o.Refunds, r)
		out[r.PurchaseID] = o
	}
	for id, o := range out {
		o.Brand = brands[o.BrandID]
		o.Usable = s.chargeable(o.Record, live[o.ClientID])
		if o.failedDebit(now) {
			o.Again = s.judgeAgain(k, o.Record, now).with(o.Record, o.Usable)
		}
		out[id] = o
	}
	return out, nil
}
