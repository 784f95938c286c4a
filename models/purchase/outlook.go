package purchase

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/merchant"
	"debitdesk/models/token"
)

// Outlook is a purchase with what may be done about it next.
type Outlook struct {
	Record
	Usable []token.Token
	Again  Again
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
	found, err := s.Lists.PurchasesOf(ctx, who.MerchantID, ids)
	if err != nil {
		return nil, err
	}
	last, err := s.Read.LatestCollections(ctx, who.MerchantID, ids...)
	if err != nil {
		return nil, err
	}
	var clients, refunding []uuid.UUID
	for id, p := range found {
		if p.ClientID != uuid.Nil {
			clients = append(clients, p.ClientID)
		}
		if p.RefundingCents > 0 {
			refunding = append(refunding, id)
		}
	}
	refunds := map[uuid.UUID][]Refund{}
	if len(refunding) > 0 {
		underWay, err := s.Read.RefundsUnderWay(ctx, who.MerchantID, refunding...)
		if err != nil {
			return nil, err
		}
		for _, r := range underWay {
			refunds[r.PurchaseID] = append(refunds[r.PurchaseID], r)
		}
	}
	live, err := s.Read.TokensOfClients(ctx, who.MerchantID, distinct(clients))
	if err != nil {
		return nil, err
	}
	brands, now := map[uuid.UUID]merchant.Brand{}, s.Now()
	var wishes []Wish
	for id, p := range found {
		o := Outlook{Record: Record{Purchase: p, Refunds: refunds[id]}}
		if brands[p.BrandID].ID == uuid.Nil {
			if brands[p.BrandID], err = s.Read.Brand(ctx, who.MerchantID, p.BrandID); err != nil {
				return nil, err
			}
		}
		o.Brand = brands[p.BrandID]
		if c, debited := last[id]; debited {
			o.Collection = &c
		}
		o.Usable = s.chargeable(o.Record, live[p.ClientID])
		if o.failedDebit(now) {
			wishes = append(wishes, Wish{Purchase: p, TokenID: o.Collection.TokenID})
		}
		out[id] = o
	}
	if len(wishes) == 0 {
		return out, nil
	}
	k, err := s.known(ctx, who.MerchantID, wishes)
	if err != nil {
		return nil, err
	}
	for _, w := range wishes {
		o := out[w.Purchase.ID]
		o.Again = s.judgeAgain(k, o.Record, now).with(o.Record, o.Usable)
		out[w.Purchase.ID] = o
	}
	return out, nil
}
