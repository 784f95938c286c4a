package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/audit"
	"debitdesk/models/database"
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

func (s *Store) auditList(ctx context.Context, merchantID uuid.UUID, f audit.Filter) *gorm.DB {
	list := s.Gorm(ctx).Table("audit_entries").Where("merchant_id = ?", merchantID)
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
	page := database.Page(s.auditList(ctx, merchantID, f), ask)
	order := "e.id DESC"
	if ask.Newer {
		order = "e.id"
	}
	return database.Seek(ctx, s.DB, auditFound,
		`SELECT e.*, l.n, l.hash FROM (?) e LEFT JOIN audit_links l ON l.entry_id = e.id ORDER BY `+order, page.Select("*"))
}

// CountAudit implements audit.Records.
func (s *Store) CountAudit(ctx context.Context, merchantID uuid.UUID, f audit.Filter,
	limit int64) (n int64, err error) {
	err = s.Gorm(ctx).Raw(`SELECT count(*) FROM (?) e`,
		s.auditList(ctx, merchantID, f).Select("1").Limit(int(limit))).Scan(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count the audit: %w", err)
	}
	return n, nil
}

// AuditEntry implements audit.Records.
func (s *Store) AuditEntry(ctx context.Context, merchantID, id uuid.UUID) (audit.Found, error) {
	return database.First(database.Seek(ctx, s.DB, auditFound,
		`SELECT e.*, l.n, l.hash FROM audit_entries e LEFT JOIN audit_links l ON l.entry_id = e.id WHERE e.merchant_id = ? AND e.id = ?`, merchantID, id))
}

var _ audit.Records = (*Store)(nil)
