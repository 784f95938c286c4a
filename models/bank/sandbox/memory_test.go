package sandbox_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/sandbox"
)

// memory is a ledger for tests of the bank alone; the product's ledger is in PostgreSQL and passes banktest.Exercise.
type memory struct {
	records map[uuid.UUID]*sandbox.Record
	used    map[string]int
}

func newMemory() *memory {
	return &memory{map[uuid.UUID]*sandbox.Record{}, map[string]int{}}
}

func (m *memory) Save(_ context.Context, orders []sandbox.Order, script func(sandbox.Order, int) []sandbox.Entry) (
	[]bool, error) {
	fresh := make([]bool, len(orders))
	for i, o := range orders {
		if _, found := m.records[o.ID]; found {
			continue
		}
		key := string(o.Kind) + o.MerchantID.String() + o.Account.Reveal()
		fresh[i] = true
		m.records[o.ID] = &sandbox.Record{Order: o, Waiting: script(o, m.used[key])}
		m.used[key]++
	}
	return fresh, nil
}

func (m *memory) Due(_ context.Context, now time.Time, limit int) ([]sandbox.Answer, error) {
	var due []sandbox.Answer
	for id, r := range m.records {
		for _, e := range r.Waiting {
			if !e.DueAt.After(now) {
				due = append(due, sandbox.Answer{OrderID: id, Entry: e})
			}
		}
	}
	slices.SortFunc(due, func(a, b sandbox.Answer) int {
		return cmp.Or(a.Entry.DueAt.Compare(b.Entry.DueAt), strings.Compare(a.OrderID.String(), b.OrderID.String()),
			a.Entry.Seq-b.Entry.Seq)
	})
	return due[:min(limit, len(due))], nil
}

func (m *memory) Acknowledge(_ context.Context, ids []sandbox.AnswerID) error {
	for _, id := range ids {
		r, found := m.records[id.OrderID]
		if !found {
			continue
		}
		at := slices.IndexFunc(r.Waiting, func(e sandbox.Entry) bool { return e.Seq == id.Seq })
		if at >= 0 {
			r.Delivered = append(r.Delivered, r.Waiting[at])
			r.Waiting = slices.Delete(r.Waiting, at, at+1)
		}
	}
	return nil
}

func (m *memory) Replace(_ context.Context, id uuid.UUID, change func(sandbox.Record) ([]sandbox.Entry, error)) error {
	r, found := m.records[id]
	if !found {
		return bank.ErrUnknown
	}
	entries, err := change(*r)
	if err != nil || entries == nil {
		return err
	}
	last := 0
	for _, e := range append(slices.Clone(r.Delivered), r.Waiting...) {
		last = max(last, e.Seq)
	}
	r.Waiting = sandbox.Renumber(entries, last)
	return nil
}
