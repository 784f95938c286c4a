package approval

import (
	"context"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/task"
	"debitdesk/models/user"
)

// DoMany is the request to bill or debit many together, which comes to more than one person may do alone.
const DoMany Kind = "do_many"

// Work is what many are done by: the task that begins when a second person agrees.
type Work struct {
	Task  string       `json:"task"`  // its kind
	Needs actor.Action `json:"needs"` // of who asks
	One   string       `json:"one"`   // what one of them is: "purchase"
	Key   string       `json:"key"`   // the same for the same work
	Input []byte       `json:"-"`     // what was asked for, as its worker wrote it; kept beside the request, sealed
}

// Standing is what the work of a request would do at a moment.
type Standing struct {
	Title  string // of the task: "Debit 38 purchases again"
	Name   string // the same in a sentence: "debit 38 purchases again"
	Totals Totals // of what would be done; the digest is the same as long as the same is done to the same
	Lines  []string
	Input  []byte // what the task is given: what was asked for, less what changed since
	Audit  audit.Entry
}

// Worker knows what one kind of work would do. What changed since it was asked for is left out, with its reason.
type Worker interface {
	Stands(ctx context.Context, who actor.Actor, input []byte) (Standing, error)
}

// many checks that the asker may do what is asked for, and adds what it means now.
func (s *Service) many(ctx context.Context, who actor.Actor, of Subject) (Subject, error) {
	if of.Work == nil || s.Works[of.Work.Task] == nil {
		return of, fault.Missing()
	}
	if err := who.May(of.Work.Needs); err != nil {
		return of, err
	}
	now, err := s.Works[of.Work.Task].Stands(ctx, who, of.Work.Input)
	switch {
	case err != nil:
		return of, err
	case now.Totals.Rows == 0:
		return of, nothingLeft()
	}
	if err := who.Sends(now.Totals.Cents); err != nil {
		return of, err
	}
	if now.Totals.Cents != 0 {
		now.Name += ", together " + money.Format(now.Totals.Cents, money.ZAR)
	}
	return Subject{Work: of.Work, Totals: now.Totals, Name: now.Name}, nil
}

func nothingLeft() error {
	return fault.New(fault.Conflict, "nothing_left", "Nothing of this can be done now. Refuse the request.")
}

// unreadable is what stands in the place of work that cannot be read.
const unreadable = "What was asked for cannot be read: what is stored of it was damaged. Refuse it, and ask again."

// standing is what the work of a request would do now, in the name of who asked.
func (s *Service) standing(ctx context.Context, a Approval) (Standing, error) {
	if a.Any() || a.Subject.Work == nil || s.Works[a.Subject.Work.Task] == nil {
		return Standing{Name: a.Subject.Name, Lines: []string{unreadable}}, nil
	}
	asker, err := s.people().User(ctx, a.MerchantID, a.AskedBy)
	if err != nil {
		return Standing{}, err
	}
	return s.Works[a.Subject.Work.Task].Stands(ctx, asker.Actor(), a.Input)
}

// seenNow is the work of a request that is approved, as long as it is what the second person was shown.
func (s *Service) seenNow(ctx context.Context, a Approval, seen Totals) (Standing, error) {
	if a.Kind != DoMany || a.State != Approved {
		return Standing{}, nil
	}
	now, err := s.standing(ctx, a)
	switch {
	case err != nil:
		return now, err
	case now.Totals.Rows == 0:
		return now, nothingLeft()
	case now.Totals.Rows != seen.Rows || now.Totals.Cents != seen.Cents || now.Totals.Digest != seen.Digest:
		return now, fault.New(fault.Conflict, "stakes_grew", "What would be done changed since you looked. Look at it again.")
	}
	return now, nil
}

// begin hands the work to the task that does it, in the transaction of the decision: once decided, it goes on whatever
// becomes of this process.
func (s *Service) begin(tx *database.Tx, asker user.User, a Approval, now Standing) error {
	as := asker.Actor()
	if err := still(as.May(a.Subject.Work.Needs)); err != nil {
		return err
	}
	if err := as.Sends(now.Totals.Cents); err != nil {
		return still(err)
	}
	entry := now.Audit
	entry.ObjectType, entry.ObjectID = "approval", a.ID
	entry.After = map[string]any{"rows": now.Totals.Rows, "cents": now.Totals.Cents, "approved_by": a.DecidedName}
	w := a.Subject.Work
	_, err := s.Tasks.AskIn(tx, as, task.Wish{Kind: w.Task, Title: now.Title, Needs: w.Needs, Input: now.Input,
		Total: int64(now.Totals.Rows), About: []audit.Entry{entry}})
	return err
}
