package allocation

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/purchase"
)

// mostNamed is how many open purchases one name may have for the name to say which of them is meant (ours): the number
// of a client, under which all that the client ever owed stands, says nothing.
const mostNamed = 5

// reference is a purchase that a name leads to.
type reference struct {
	Name       string
	PurchaseID uuid.UUID
	Invoice    bool // by the number of its invoice, whether it is owed or not
}

// naming is what names lead to.
type naming struct {
	of   map[string][]reference
	recs map[uuid.UUID]purchase.Record
}

// named finds what names lead to: purchases that are owed by what they are called, at most so many of a name, and those
// of invoices by their numbers. also are purchases that are read beside them.
func (s *Service) named(ctx context.Context, who actor.Actor, names []string, also []uuid.UUID, most int) (k naming,
	err error) {
	k = naming{of: map[string][]reference{}, recs: map[uuid.UUID]purchase.Record{}}
	found, err := s.Store.named(ctx, who.MerchantID, names, most)
	if err != nil {
		return k, err
	}
	ids := map[uuid.UUID]bool{}
	for _, id := range also {
		ids[id] = true
	}
	for _, f := range found {
		k.of[f.Name] = append(k.of[f.Name], f)
		ids[f.PurchaseID] = true
	}
	recs, err := s.Purchases.Several(ctx, who, slices.Collect(maps.Keys(ids)))
	for _, rec := range recs {
		k.recs[rec.ID] = rec
	}
	return k, err
}

// take adds the purchases that the names of a text lead to.
func (o *offers) take(names []string, k naming) {
	for _, name := range names {
		of := k.of[name]
		owed := 0
		for _, r := range of {
			rec, is := k.recs[r.PurchaseID]
			if !is {
				continue
			}
			if rec.Status.Owing() {
				owed++
			} else {
				o.closed = true
			}
			o.add(rec, name)
		}
		for _, r := range of {
			if at, is := o.at[r.PurchaseID]; is && owed > mostNamed {
				o.all[at].Crowded = true
			}
		}
	}
}

// Likely says which purchase each of some movements probably pays: the one that the page of the movement offers as
// sure. It asks a handful of questions for all of them together.
func (s *Service) Likely(ctx context.Context, who actor.Actor, entries []exchange.Entry) (map[uuid.UUID]Offer, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	all, err := s.textsOf(ctx, who, entries, nil)
	if err != nil {
		return nil, err
	}
	out := map[uuid.UUID]Offer{}
	for _, t := range all {
		if o, sure := Probable(t.found.ranked(s, false)); sure {
			out[t.entry.ID] = o
		}
	}
	return out, nil
}

// text is what the text of a movement names.
type text struct {
	entry exchange.Entry
	names []string
	cut   bool // it may name more
	found offers
}

// textsOf reads what the texts of movements name, of those that can pay and name anything. paid are purchases that
// movements paid already: they count as if they had not.
func (s *Service) textsOf(ctx context.Context, who actor.Actor, entries []exchange.Entry,
	paid map[uuid.UUID]uuid.UUID) (all []text, err error) {
	names, also := map[string]bool{}, []uuid.UUID(nil)
	for _, n := range entries {
		of, is := paid[n.ID]
		if !is && !n.Payable() {
			continue
		}
		t := text{entry: n, found: offersOf(n)}
		if t.names, t.cut = namesIn(n.Remittance); len(t.names) == 0 {
			continue
		}
		if is {
			also = append(also, of)
		}
		for _, name := range t.names {
			names[name] = true
		}
		all = append(all, t)
	}
	if len(all) == 0 {
		return nil, nil
	}
	k, err := s.named(ctx, who, slices.Sorted(maps.Keys(names)), also, mostNamed+1)
	if err != nil {
		return nil, err
	}
	for i := range all {
		t := &all[i]
		of, is := paid[t.entry.ID]
		if !is {
			t.found.take(t.names, k)
			continue
		}
		t.found.left = t.entry.AmountCents
		before := k.before(of, t.entry.AmountCents)
		t.found.take(t.names, before)
	}
	return all, nil
}

// before is what names lead to as it was before a purchase was paid.
func (k naming) before(id uuid.UUID, cents int64) naming {
	rec, is := k.recs[id]
	if !is {
		return k
	}
	rec = rec.BeforePayment(cents)
	recs := maps.Clone(k.recs)
	recs[id] = rec
	of := maps.Clone(k.of)
	name := strings.ToUpper(rec.Called())
	if !slices.ContainsFunc(of[name], func(r reference) bool { return r.PurchaseID == id }) {
		of[name] = append(slices.Clip(of[name]), reference{Name: name, PurchaseID: id})
	}
	return naming{of: of, recs: recs}
}
