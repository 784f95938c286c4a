package book

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

// Service holds the use cases of imports.
type Service struct {
	InTx          func(context.Context, func(*database.Tx) error) error
	Store         Store
	Purchases     *purchase.Service
	Subscriptions *subscription.Service
	Clients       *client.Service
	// TakeNumbers reserves n numbers of a brand's counter and gives the first.
	TakeNumbers func(ctx context.Context, brandID uuid.UUID, name string, n int) (first int64, err error)
	Demands     func(ctx context.Context, merchantID uuid.UUID) (merchant.Demands, error)
	Now         func() time.Time
	// Later asks for work of an import that goes on without the page, in the transaction that makes it necessary, and
	// gives the id of the task; nil: whoever calls does the work.
	Later func(tx *database.Tx, who actor.Actor, i Import) (uuid.UUID, error)
}

// quickly is how many rows are rehearsed without a task.
const quickly = 2000

// Small tells that an import is rehearsed before the answer.
func (i Import) Small() bool { return i.Rows <= quickly }

// later asks for the work of an import, for a person.
func (s *Service) later(tx *database.Tx, who actor.Actor, i *Import) (err error) {
	if s.Later == nil || who.Kind != actor.User || i.State == Checking && i.Small() {
		return nil
	}
	i.TaskID, err = s.Later(tx, who, *i)
	return err
}

// Filter narrows the list of imports; its zero value takes all.
type Filter struct {
	States   []State
	From, To time.Time // uploaded then, both inclusive; zero: open
}

// Get finds an import.
func (s *Service) Get(ctx context.Context, who actor.Actor, id uuid.UUID) (Import, error) {
	if err := who.May(actor.Read); err != nil {
		return Import{}, err
	}
	return s.Store.Import(ctx, who.MerchantID, id)
}

// List gives one page of imports, the newest first.
func (s *Service) List(ctx context.Context, who actor.Actor, f Filter, ask paging.Ask) (paging.Page[Import], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Import]{}, err
	}
	return s.Store.Imports(ctx, who.MerchantID, f, ask)
}

// Rows gives rows of an import in the order of the file, their numbers masked.
func (s *Service) Rows(ctx context.Context, who actor.Actor, id uuid.UUID, q RowQuery) ([]Row, error) {
	i, err := s.Get(ctx, who, id)
	if err != nil {
		return nil, err
	}
	rows, err := s.Store.rows(ctx, who.MerchantID, id, q)
	for n := range rows {
		rows[n].Cells, rows[n].Undo = i.Mapping.masked(rows[n].Cells), nil
	}
	return rows, err
}

// Glimpse is Survey of the first rows alone, for samples of each column.
func (s *Service) Glimpse(ctx context.Context, who actor.Actor, i Import) (*Survey, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	survey := NewSurvey(len(i.Format.Header))
	rows, err := s.Store.rows(ctx, i.MerchantID, i.ID, RowQuery{Limit: copied})
	for _, r := range rows {
		survey.See(r.Cells, r.Numbers...)
	}
	return survey, err
}

func (m Mapping) masked(cells []string) []string {
	out := make([]string, len(cells))
	for n, c := range cells {
		var f Field
		if n < len(m.Columns) {
			f = m.Columns[n].Field
		}
		out[n] = Masked(f, c)
	}
	return out
}

// Causes counts rows by what is found about them, what keeps them out first.
func (s *Service) Causes(ctx context.Context, who actor.Actor, id uuid.UUID) ([]CauseCount, error) {
	if _, err := s.Get(ctx, who, id); err != nil {
		return nil, err
	}
	return s.Store.causes(ctx, who.MerchantID, id)
}

// Groups adds up what came in, or will, by group.
func (s *Service) Groups(ctx context.Context, who actor.Actor, id uuid.UUID) ([]GroupSum, error) {
	if _, err := s.Get(ctx, who, id); err != nil {
		return nil, err
	}
	return s.Store.groups(ctx, who.MerchantID, id)
}

// Days adds up the first debits of a group by day.
func (s *Service) Days(ctx context.Context, who actor.Actor, id uuid.UUID, group string) ([]DaySum, error) {
	if _, err := s.Get(ctx, who, id); err != nil {
		return nil, err
	}
	return s.Store.days(ctx, who.MerchantID, id, group)
}

// change changes an import under its lock.
func (s *Service) change(ctx context.Context, who actor.Actor, id uuid.UUID,
	do func(*database.Tx, *Import) error) (i Import, err error) {
	if err := who.May(actor.Bill); err != nil {
		return i, err
	}
	err = s.InTx(ctx, func(tx *database.Tx) error {
		if i, err = lockImport(tx, who.MerchantID, id); err != nil {
			return err
		}
		i.UpdatedAt = tx.Now()
		if err := do(tx, &i); err != nil {
			return err
		}
		if err := saveImport(tx, i); err != nil {
			return err
		}
		return tx.Answered(i)
	})
	return i, err
}

func note(tx *database.Tx, who actor.Actor, i Import, action, text string, before, after map[string]any) {
	tx.Audit(who, audit.Entry{Action: action, ObjectType: "import", ObjectID: i.ID, Text: text, Before: before,
		After: after})
}

// Discard drops a draft: nothing of it was written.
func (s *Service) Discard(ctx context.Context, who actor.Actor, id uuid.UUID) (Import, error) {
	return s.change(ctx, who, id, func(tx *database.Tx, i *Import) error {
		if !i.Draft() {
			return wrongState(*i)
		}
		before := i.State
		i.State = Discarded
		note(tx, who, *i, "import.discarded", fmt.Sprintf("The import %s was discarded.", i.Name),
			map[string]any{"state": before}, map[string]any{"state": i.State})
		return nil
	})
}

// NeedsTwo tells that a second person has to agree: the import makes mandates that debit more than the business lets
// one person send.
func (s *Service) NeedsTwo(ctx context.Context, i Import) (bool, merchant.Demands, error) {
	d, err := s.Demands(ctx, i.MerchantID)
	return err == nil && i.Counts.Debitable > 0 && d.NeedsTwo(i.Counts.Cents), d, err
}

// lost is what whoever meets another change gets.
func lost(err error) error {
	return fault.New(fault.Conflict, "conflict", "Another person is changing this import. Try again.").Because(err)
}
