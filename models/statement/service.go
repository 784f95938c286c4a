package statement

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/paging"
	"debitdesk/models/queue"
	"debitdesk/models/report"
)

// Service holds the use cases of statements.
type Service struct {
	Store Store
	Paper NewPaper
	Now   func() time.Time
	Test  bool // sandbox mode
}

// Input is a statement as it was asked for.
type Input struct {
	Problems fault.Problems // of its shape
	Format   Format
	Timezone string // IANA; empty is UTC
	Query    string
	Filter   report.Filter // names exactly one currency
}

func (in *Input) check() {
	w := &in.Problems
	if in.Format != CSV && in.Format != XLSX && !w.Has("format") {
		w.Add("format", "invalid_choice", "%q is not a valid choice. Choose csv or xlsx.", string(in.Format))
	}
	if in.Timezone == "" {
		in.Timezone = "UTC"
	}
	if _, err := time.LoadLocation(in.Timezone); (err != nil || in.Timezone == "Local") && !w.Has("timezone") {
		w.Add("timezone", "invalid_choice", "%q is not a time zone. Use an IANA name such as Africa/Johannesburg.",
			in.Timezone)
	}
	switch n := len(in.Filter.Currencies); {
	case w.Has("currency"):
	case n > 1:
		w.Add("currency", "max_length", "A statement can only have one currency.")
	}
}

// Create asks for a statement, which is made in the background.
func (s *Service) Create(ctx context.Context, who actor.Actor, in Input) (Statement, error) {
	if err := who.May(actor.Write); err != nil {
		return Statement{}, err
	}
	in.check()
	brands, err := (&report.Money{Store: report.Store(s.Store)}).Allow(ctx, who, in.Filter)
	if f, known := fault.From(err); known && f.Kind == fault.Invalid {
		in.Problems = append(in.Problems, f.Fields...)
	} else if err != nil {
		return Statement{}, err
	}
	if err := in.Problems.Err(); err != nil {
		return Statement{}, err
	}
	if len(in.Filter.Currencies) == 0 { // the brand's (API contract 12.15)
		if len(in.Filter.Brands) > 0 {
			brands = slices.DeleteFunc(brands, func(b merchant.Brand) bool { return b.ID != in.Filter.Brands[0] })
		}
		in.Filter.Currencies = report.Currencies(brands)[:1]
	}
	var made Statement
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		made = Statement{ID: tx.NewID(), MerchantID: who.MerchantID, IsTest: s.Test, Format: in.Format, Timezone: in.Timezone,
			Query: in.Query, Filter: in.Filter,
			Status: Pending, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
		tx.Create(&made)
		tx.Audit(who, audit.Entry{Action: "statement.asked", ObjectType: "statement", ObjectID: made.ID,
			Text:  "A statement of money movements was requested.",
			After: map[string]any{"format": made.Format, "timezone": made.Timezone, "query": made.Query}})
		tx.Enqueue(queue.MakeStatement{StatementID: made.ID})
		return tx.Answered(made)
	})
	return made, err
}

// Get gives one statement.
func (s *Service) Get(ctx context.Context, who actor.Actor, id uuid.UUID) (Statement, error) {
	if err := who.May(actor.Read); err != nil {
		return Statement{}, err
	}
	return s.Store.Statement(ctx, who.MerchantID, id)
}

// List gives the statements, newest first.
func (s *Service) List(ctx context.Context, who actor.Actor, ask paging.Ask) (paging.Page[Statement], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Statement]{}, err
	}
	return s.Store.Statements(ctx, who.MerchantID, ask)
}

// Cancel ends a statement that is not finished.
func (s *Service) Cancel(ctx context.Context, who actor.Actor, id uuid.UUID) (Statement, error) {
	if err := who.May(actor.Write); err != nil {
		return Statement{}, err
	}
	found, err := s.Store.Statement(ctx, who.MerchantID, id)
	if err != nil {
		return found, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		won, err := cancelStatement(tx, who.MerchantID, id)
		if err != nil {
			return err
		}
		if !won {
			return fault.New(fault.Conflict, "company_statement_cancel_wrong_status",
				"Only a statement that is pending or running can be cancelled.")
		}
		found.Status, found.FinishedAt, found.UpdatedAt = Cancelled, tx.Now(), tx.Now()
		tx.Audit(who, audit.Entry{Action: "statement.cancelled", ObjectType: "statement", ObjectID: id,
			Text: "A statement was cancelled."})
		return tx.Answered(found)
	})
	return found, err
}

// File gives the file of a finished statement, and keeps who took it.
func (s *Service) File(ctx context.Context, who actor.Actor, id uuid.UUID) (Statement, []byte, error) {
	found, err := s.Get(ctx, who, id)
	if err != nil {
		return found, nil, err
	}
	if found.Status != Finished {
		return found, nil, fault.New(fault.NotFound, "not_found", "This statement has no file: it is %s.", found.Status)
	}
	file, err := s.Store.StatementFile(ctx, who.MerchantID, id)
	if err != nil {
		return found, nil, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		tx.Audit(who, audit.Entry{Action: "statement.downloaded", ObjectType: "statement", ObjectID: id,
			Text: "A statement was downloaded.", After: map[string]any{"rows": found.Rows}})
		return nil
	})
	return found, file, err
}

// Name is what the file is called: after its period, as its own zone has the days, so that the files of two months are
// told apart.
func (st Statement) Name() string {
	zone, err := time.LoadLocation(st.Timezone)
	if err != nil { // it was read when the statement was asked for
		zone = time.UTC
	}
	day := func(at time.Time) string { return at.In(zone).Format(time.DateOnly) }
	f := st.Filter
	period := "until-" + day(f.To)
	switch {
	case f.From.IsZero() && f.To.IsZero():
		period = "until-" + day(st.CreatedAt)
	case f.From.IsZero():
	case f.To.IsZero():
		period = "from-" + day(f.From)
	case day(f.From) == day(f.To):
		period = day(f.From)
	default:
		period = day(f.From) + "-to-" + day(f.To)
	}
	return fmt.Sprintf("statement-%s-%s.%s", f.Currencies[0], period, st.Format)
}
