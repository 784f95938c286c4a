package savedreport

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/analysis"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
)

// most is how many reports a person may keep in one business.
const most = 20

// Service holds the use cases of saved reports.
type Service struct {
	Store    Store
	Now      func() time.Time   // the product's clock
	Calendar *calendar.Calendar // business days
	// Person is a person of the team with their address and what they may do now; NotFound for one who left.
	Person func(ctx context.Context, merchantID, id uuid.UUID) (who actor.Actor, address string, err error)
	// Draw answers a report as PDF.
	Draw    func(ctx context.Context, who actor.Actor, r Report, q, before analysis.Question) ([]byte, error)
	Letters Letters
	Brand   func(ctx context.Context, merchantID, id uuid.UUID) error // NotFound for one that is another's
}

// Letters words the mails with reports.
type Letters interface {
	// MonthlyReport brings a report to the person who keeps it.
	MonthlyReport(to string, r Report, q analysis.Question) mail.Letter
}

func (s *Service) today() calendar.Date { return calendar.DateOf(s.Now()) }

// person lets people pass: reports are kept for them.
func person(who actor.Actor) error {
	if who.Kind != actor.User {
		return fault.Missing()
	}
	return who.May(actor.Read)
}

// Of gives the reports that a person keeps, by name.
func (s *Service) Of(ctx context.Context, who actor.Actor) ([]Report, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.ofOwner(ctx, who.MerchantID, who.ID)
}

// Save keeps a report under its name. One that is mailed is mailed from next month on.
func (s *Service) Save(ctx context.Context, who actor.Actor, r Report) (Report, error) {
	if err := person(who); err != nil {
		return r, err
	}
	if err := r.tidy(); err != nil {
		return r, err
	}
	if r.BrandID != uuid.Nil {
		if err := s.Brand(ctx, who.MerchantID, r.BrandID); err != nil {
			return r, err
		}
	}
	return r, s.Store.InTx(ctx, func(tx *database.Tx) error {
		kept, err := count(tx, who)
		if err != nil {
			return err
		}
		if kept >= most {
			return fault.New(fault.Conflict, "too_many_reports",
				"You have %d saved reports, which is the most. Delete one that you do not need.", most)
		}
		r.ID, r.MerchantID, r.OwnerID, r.SettledOn = tx.NewID(), who.MerchantID, who.ID, s.today().FirstDayOfMonth()
		r.CreatedAt, r.UpdatedAt = tx.Now(), tx.Now()
		tx.Create(&r)
		note(tx, who, r, "saved")
		return tx.Answered(r)
	})
}

// Mail has a report mailed to its owner each month from the next one on, or no longer.
func (s *Service) Mail(ctx context.Context, who actor.Actor, id uuid.UUID, monthly bool) (r Report, err error) {
	if err := person(who); err != nil {
		return r, err
	}
	return r, s.Store.InTx(ctx, func(tx *database.Tx) error {
		if r, err = hold(tx, who, id); err != nil || r.Monthly == monthly {
			return err
		}
		r.Monthly, r.Note, r.UpdatedAt = monthly, "", tx.Now()
		if month := s.today().FirstDayOfMonth(); monthly && r.SettledOn.Before(month) {
			r.SettledOn = month
		}
		if err := save(tx, r); err != nil {
			return err
		}
		note(tx, who, r, "changed")
		return nil
	})
}

// Delete drops a report of a person.
func (s *Service) Delete(ctx context.Context, who actor.Actor, id uuid.UUID) error {
	if err := person(who); err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		r, err := hold(tx, who, id)
		if err != nil {
			return err
		}
		if err := drop(tx, r); err != nil {
			return err
		}
		note(tx, who, r, "deleted")
		return nil
	})
}

func note(tx *database.Tx, who actor.Actor, r Report, verb string) {
	tx.Audit(who, audit.Entry{Action: "report." + verb, ObjectType: "saved_report", ObjectID: r.ID,
		Text:  "The saved report " + r.Name + " was " + verb + ".",
		After: map[string]any{"period": r.Period, "than": r.Than, "monthly": r.Monthly}})
}
