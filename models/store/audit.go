package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/paging"
	"debitdesk/models/store/seal"
	"debitdesk/models/store/table"
)

// auditColumns are who it was and what changed.
func auditColumns[T any](of func(*T) *audit.Entry) []table.Column[T] {
	text := func(name string, field func(*audit.Entry) *string) table.Column[T] {
		return table.Column[T]{
			Name:  name,
			Write: func(_ *seal.Box, record *T) (any, error) { return *field(of(record)), nil },
			Read: func(_ *seal.Box, record *T, stored []byte) error {
				*field(of(record)) = string(stored)
				return nil
			},
		}
	}
	facts := func(name string, field func(*audit.Entry) *map[string]any) table.Column[T] {
		return table.Column[T]{
			Name:  name,
			Write: func(_ *seal.Box, record *T) (any, error) { return factsJSON(*field(of(record))), nil },
			Read:  func(_ *seal.Box, record *T, stored []byte) error { return json.Unmarshal(stored, field(of(record))) },
		}
	}
	return []table.Column[T]{
		text("actor_kind", func(e *audit.Entry) *string { return (*string)(&e.Actor.Kind) }),
		{Name: "actor_id", Write: func(_ *seal.Box, record *T) (any, error) { return orNull(of(record).Actor.ID), nil },
			Read: func(_ *seal.Box, record *T, stored []byte) (err error) {
				of(record).Actor.ID, err = uuid.FromBytes(stored)
				return err
			}},
		text("actor_name", func(e *audit.Entry) *string { return &e.Actor.Name }),
		text("ip", func(e *audit.Entry) *string { return &e.Actor.IP }),
		text("request_id", func(e *audit.Entry) *string { return &e.Actor.RequestID }),
		facts("before", func(e *audit.Entry) *map[string]any { return &e.Before }),
		facts("after", func(e *audit.Entry) *map[string]any { return &e.After }),
	}
}

var (
	auditTable = table.New("audit_entries", auditColumns(func(e *audit.Entry) *audit.Entry { return e })...).
			Then(func(e *audit.Entry) { e.Actor.MerchantID = e.MerchantID })
	auditFound = table.View(auditColumns(func(f *audit.Found) *audit.Entry { return &f.Entry })...).
			Then(func(f *audit.Found) { f.Actor.MerchantID = f.MerchantID })
)

// Audit keeps the entry in this transaction: the merchant is the actor's, the
// moment is the transaction's.
func (t *Tx) Audit(who actor.Actor, e audit.Entry) { insert(t, auditTable, t.signed(who, e)) }

func (t *Tx) signed(who actor.Actor, e audit.Entry) audit.Entry {
	e.ID, e.MerchantID, e.At, e.Actor = t.NewID(), who.MerchantID, t.now, who
	return e
}

// factsJSON writes what changed; facts are words, numbers and times, which always encode.
func factsJSON(facts map[string]any) *string {
	if len(facts) == 0 {
		return nil
	}
	b, err := json.Marshal(facts)
	if err != nil {
		b, _ = json.Marshal(map[string]string{"unreadable": err.Error()})
	}
	text := string(b)
	return &text
}

// Timeline implements audit.Reader.
func (s *Store) Timeline(ctx context.Context, merchantID uuid.UUID, of audit.Subject,
	ask paging.Ask) (paging.Page[audit.Entry], error) {
	about, id := "purchase_id", of.PurchaseID
	if id == uuid.Nil {
		about, id = "client_id", of.ClientID
	}
	entries, err := find(ctx, s, auditTable, beside(list(ctx, s, auditTable).Where("merchant_id = ? AND "+about+" = ?",
		merchantID, id), ask))
	if err != nil {
		return paging.Page[audit.Entry]{}, fmt.Errorf("time line: %w", err)
	}
	return paging.Cut(ask, entries), nil
}

var likeLiteral = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

func (s *Store) auditList(ctx context.Context, merchantID uuid.UUID, f audit.Filter) *gorm.DB {
	list := s.read(ctx).Table("audit_entries").Where("merchant_id = ?", merchantID)
	if f.Area != "" {
		list = list.Where("action LIKE ?", likeLiteral.Replace(f.Area)+".%")
	}
	if f.Kind != "" {
		list = list.Where("actor_kind = ?", string(f.Kind))
	}
	if f.ObjectID != uuid.Nil {
		list = list.Where("(object_id = ? OR client_id = ? OR purchase_id = ?)", f.ObjectID, f.ObjectID, f.ObjectID)
	}
	if f.ActorID != uuid.Nil {
		list = list.Where("actor_id = ?", f.ActorID)
	}
	if f.IP != "" {
		list = list.Where("ip = ?", f.IP)
	}
	if !f.From.IsZero() {
		list = list.Where("at >= ?", f.From)
	}
	if !f.To.IsZero() {
		list = list.Where("at <= ?", f.To)
	}
	if f.Search != "" {
		like := "%" + likeLiteral.Replace(f.Search) + "%"
		list = list.Where("(text ILIKE ? OR actor_name ILIKE ? OR action ILIKE ?)", like, like, like)
	}
	return list
}

// AuditPage implements audit.Records.
func (s *Store) AuditPage(ctx context.Context, merchantID uuid.UUID, f audit.Filter,
	ask paging.Ask) ([]audit.Found, error) {
	page := beside(s.auditList(ctx, merchantID, f), ask)
	order := "e.id DESC"
	if ask.Newer {
		order = "e.id"
	}
	return seek(ctx, s, auditFound,
		`SELECT e.*, l.n, l.hash FROM (?) e LEFT JOIN audit_links l ON l.entry_id = e.id ORDER BY `+order, page.Select("*"))
}

// CountAudit implements audit.Records.
func (s *Store) CountAudit(ctx context.Context, merchantID uuid.UUID, f audit.Filter,
	limit int64) (n int64, err error) {
	err = s.read(ctx).Raw(`SELECT count(*) FROM (?) e`,
		s.auditList(ctx, merchantID, f).Select("1").Limit(int(limit))).Scan(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count the audit: %w", err)
	}
	return n, nil
}

// AuditEntry implements audit.Records.
func (s *Store) AuditEntry(ctx context.Context, merchantID, id uuid.UUID) (audit.Found, error) {
	return first(seek(ctx, s, auditFound,
		`SELECT e.*, l.n, l.hash FROM audit_entries e LEFT JOIN audit_links l ON l.entry_id = e.id WHERE e.merchant_id = ? AND e.id = ?`, merchantID, id))
}

var _ audit.Records = (*Store)(nil)
