package journal

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/billing"
	"debitdesk/models/purchase"
)

// Document is an invoice or a credit note, on the day on which it is booked.
type Document struct {
	Entry Entry
	Paper billing.Paper
}

// mostAtOnce is how many documents are written while a person waits. More are written in the background.
const mostAtOnce = 10_000

// Documents are the invoices and credit notes of some days. They are read some at a time, so that what is held in
// memory does not grow with them.
type Documents struct {
	Book          // what all of them have in common
	Total   int64 // when reading began
	service *Service
	last    int64 // entry when reading began
	at      Place
}

// Repeats are numbers that more than one document has, such as those of two brands.
type Repeats struct {
	N     int64  // documents with a number that another one has taken
	First string // such as this one
}

// Documents begins to read the invoices and credit notes of some days.
func (s *Service) Documents(ctx context.Context, who actor.Actor, ask Ask) (*Documents, error) {
	if err := who.May(actor.Books); err != nil {
		return nil, err
	}
	ask.Documents = true
	wrong := ask.check()
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	d := &Documents{Book: Book{Ask: ask}, service: s}
	var err error
	if d.Mapping, err = s.Store.mapping(ctx, who.MerchantID); err != nil {
		return nil, err
	}
	d.Total, d.last, d.Repeats, err = s.Store.documentsThere(ctx, who.MerchantID, ask)
	return d, err
}

// AtOnce tells whether they are few enough to be written while a person waits.
func (d *Documents) AtOnce() bool { return d.Total <= int64(cmp.Or(d.service.Most, mostAtOnce)) }

// Next gives the next documents, at most so many; a book without entries is behind the last.
func (d *Documents) Next(ctx context.Context, who actor.Actor, most int) (Book, error) {
	b, s := d.Book, d.service
	if err := who.May(actor.Books); err != nil {
		return b, err
	}
	var err error
	b.Entries, err = s.Store.documentEntries(ctx, who.MerchantID, d.Ask, d.at, d.last, most)
	if err != nil || len(b.Entries) == 0 {
		return b, err
	}
	last := b.Entries[len(b.Entries)-1]
	d.at = Place{Day: last.Day, N: last.N}
	ids, purchases := make([]uuid.UUID, len(b.Entries)), make([]uuid.UUID, len(b.Entries))
	for i, e := range b.Entries {
		ids[i], purchases[i] = e.SourceID, e.PurchaseID
	}
	docs, err := billing.Store(s.Store).Invoices(ctx, who.MerchantID, ids)
	if err != nil {
		return b, err
	}
	about, err := purchase.Store(s.Store).PurchasesOf(ctx, who.MerchantID, purchases)
	if err != nil {
		return b, err
	}
	for _, e := range b.Entries {
		if inv, found := docs[e.SourceID]; found {
			b.Documents = append(b.Documents, Document{Entry: e, Paper: billing.PaperOf(inv, about[e.PurchaseID])})
		}
	}
	return b, nil
}

// ExportDocuments gives all that were not read yet, at most so many at a time, and keeps who took them. fits says what
// the format refuses, before anything is kept.
func (s *Service) ExportDocuments(ctx context.Context, who actor.Actor, d *Documents, most int,
	each func(*Book) error, fits func() error) error {
	var first, last string
	var n int
	for {
		b, err := d.Next(ctx, who, most)
		if err == nil && len(b.Entries) > 0 {
			err = each(&b)
		}
		if err != nil {
			return err
		}
		if len(b.Entries) == 0 {
			if err := fits(); err != nil {
				return err
			}
			return s.exported(ctx, who, d.Ask, n, first, last)
		}
		n, first, last = n+len(b.Entries), cmp.Or(first, b.first()), b.last()
	}
}
