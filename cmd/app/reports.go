package app

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/letters"
	"debitdesk/handlers/web/reports"
	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/savedreport"
)

// pictures put how debits went into words.
func (s Services) pictures(test bool) reports.Pictures {
	return reports.Pictures{Analysis: s.Analysis, Brands: s.Merchants.Store, Test: test,
		Templates: s.Subscriptions.Store.TemplateNames}
}

// savedReports keeps and mails the reports of people.
func (s Services) savedReports(db *database.DB, now func() time.Time, words letters.Writer,
	test bool) *savedreport.Service {
	return &savedreport.Service{Store: savedreport.Store{DB: db}, Now: now, Calendar: s.Purchases.Calendar,
		Person: func(ctx context.Context, merchantID, id uuid.UUID) (actor.Actor, string, error) {
			u, err := s.Users.Store.Active(ctx, merchantID, id)
			return u.Actor(), u.Email, err
		},
		Draw: s.pictures(test).PDF, Letters: words,
		Brand: func(ctx context.Context, merchantID, id uuid.UUID) error {
			_, err := s.Merchants.Store.Brand(ctx, merchantID, id)
			return err
		}}
}
