package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/database/table"
	"debitdesk/models/paging"
)

var auditFound = table.View(database.AuditColumns(func(f *audit.Found) *audit.Entry { return &f.Entry })...).
	Then(func(f *audit.Found) { f.Actor.MerchantID = f.MerchantID })

// Timeline implements audit.Reader.
func (s *Store) Timeline(ctx context.Context, merchantID uuid.UUID, of audit.Subject,
	ask paging.Ask) (paging.Page[audit.Entry], error) {
	about, id := "purchase_id", of.PurchaseID
	if id == uuid.Nil {
		about, id = "client_id", of.ClientID
	}
	entries, err := database.Find(ctx, s.DB, database.Audits, database.Page(database.List(ctx, s.DB, database.Audits).Where("merchant_id = ? AND "+about+" = ?",
		merchantID, id), ask))
	if err != nil {
		return paging.Page[audit.Entry]{}, fmt.Errorf("time line: %w", err)
	}
	return paging.Cut(ask, entries), nil
}

var likeLiteral = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// idLag is how much later than its moment an entry may get its id: its transaction has
// begun before.
const idLag = 10 * time.Minute

// auditWalk is the way to what a filter lets through. Objects, people and days have an
// index; anything else is looked at entry by entry.
func (s *Store) auditWalk(ctx context.Context, merchantID uuid.UUID, f audit.Filter) (*listing.Walk, error) {
	w := &listing.Walk{Columns: "*", From: "audit_entries"}
	w.And("merchant_id = ?", merchantID)
	if f.ObjectID != uuid.Nil {
		const of, next = "(SELECT * FROM audit_entries WHERE merchant_id = ? AND ", " ORDER BY id @direction) UNION ALL "
		w.From = "(" + of + "object_id = ? AND client_id IS DISTINCT FROM object_id AND purchase_id IS DISTINCT FROM object_id" +
			next + of + "client_id = ?" + next + of + "purchase_id = ? AND client_id IS DISTINCT FROM ? ORDER BY id @direction)) AS about"
		m, o := merchantID, f.ObjectID
		w.Args = append([]any{m, o, m, o, m, o, o}, w.Args...)
	}
	if f.ActorID != uuid.Nil {
		var person bool
		err := s.Gorm(ctx).Raw("SELECT EXISTS (SELECT FROM users WHERE id = ?)", f.ActorID).Scan(&person).Error
		if err != nil {
			return nil, fmt.Errorf("look who acted: %w", err)
		}
		if person {
			w.And("actor_kind = 'user' AND actor_id = ?", f.ActorID)
		} else {
			w.Fitting("actor_id = ?", f.ActorID)
		}
	}
	if !f.From.IsZero() {
		w.And("id >= ? AND at >= ?", paging.FirstAt(f.From), f.From)
	}
	if !f.To.IsZero() {
		w.And("id < ? AND at <= ?", paging.FirstAt(f.To.Add(idLag)), f.To)
	}
	if f.Area != "" {
		w.Fitting("starts_with(action, ?)", f.Area+".")
	}
	if f.Kind != "" {
		w.Fitting("actor_kind = ?", string(f.Kind))
	}
	if f.IP != "" {
		w.Fitting("ip = ?", f.IP)
	}
	if f.Search != "" {
		like := "%" + likeLiteral.Replace(f.Search) + "%"
		w.Fitting("(text ILIKE ? OR actor_name ILIKE ? OR action ILIKE ?)", like, like, like)
	}
	return w, nil
}

// AuditPage implements audit.Records.
func (s *Store) AuditPage(ctx context.Context, merchantID uuid.UUID, f audit.Filter,
	ask paging.Ask) (paging.Page[audit.Found], error) {
	w, err := s.auditWalk(ctx, merchantID, f)
	if err != nil {
		return paging.Page[audit.Found]{}, err
	}
	order := "e.id DESC"
	if ask.Newer {
		order = "e.id"
	}
	return listing.Page(ctx, s.DB, auditFound, w, ask, func(page string) string {
		return "SELECT e.*, l.n, l.hash FROM (" + page + ") e LEFT JOIN audit_links l ON l.entry_id = e.id ORDER BY " + order
	})
}

// CountAudit implements audit.Records.
func (s *Store) CountAudit(ctx context.Context, merchantID uuid.UUID, f audit.Filter,
	limit int64) (n int64, known bool, err error) {
	w, err := s.auditWalk(ctx, merchantID, f)
	if err != nil || w.Fits != "" {
		return 0, false, err
	}
	err = s.Gorm(ctx).Raw(fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM %s WHERE %s LIMIT %d) e", w.Source(paging.Ask{}), w.Where, limit),
		w.Args...).Scan(&n).Error
	if err != nil {
		return 0, false, fmt.Errorf("count the audit: %w", err)
	}
	return n, true, nil
}

// AuditEntry implements audit.Records.
func (s *Store) AuditEntry(ctx context.Context, merchantID, id uuid.UUID) (audit.Found, error) {
	return database.First(database.Seek(ctx, s.DB, auditFound,
		`SELECT e.*, l.n, l.hash FROM audit_entries e LEFT JOIN audit_links l ON l.entry_id = e.id WHERE e.merchant_id = ? AND e.id = ?`, merchantID, id))
}

var _ audit.Records = (*Store)(nil)
