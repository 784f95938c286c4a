package batch

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
)

const (
	checkedAtOnce = 1000 // rows of one transaction
	quickly       = 2000 // rows that are checked before the answer, so that nobody waits for a worker
)

// Map fixes which column means what and has every row checked. Small files are checked before it comes back.
func (s *Service) Map(ctx context.Context, who actor.Actor, id uuid.UUID, m Mapping) (Batch, error) {
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, err
	}
	if err := m.Check().Err(); err != nil {
		return Batch{}, err
	}
	b, err := s.change(ctx, who, id, func(tx *database.Tx, b *Batch) error {
		switch {
		case b.Started():
			return fault.New(fault.Conflict, "batch_started",
				"Rows of this batch were already sent, so its columns can no longer change.")
		case !b.in(ToMap, Checking, Checked):
			return wrongState(*b)
		}
		if b.in(Checked) {
			keepMark(tx, who, *b)
		}
		b.touched(who)
		b.Mapping, b.WarningsAccepted = m, false
		forgetDecisions(tx, *b) // the rows may name others now
		if err := rememberMapping(tx, *b); err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "batch.mapped", ObjectType: "batch", ObjectID: b.ID,
			Text: "The columns were chosen."})
		return recheck(tx, b)
	})
	return s.checked(ctx, b, err)
}

// checked checks the rows of a small batch at once, so that nobody waits for a worker.
func (s *Service) checked(ctx context.Context, b Batch, err error) (Batch, error) {
	if err != nil || !b.isSmall() {
		return b, err
	}
	if err := s.work(ctx, Ref{b.MerchantID, b.ID}, func() bool { return false }); err != nil {
		return b, err
	}
	return s.Store.Batch(ctx, b.MerchantID, b.ID)
}

// recheck has all rows that nothing has become of checked anew.
func recheck(tx *database.Tx, b *Batch) error {
	b.Revision++
	if _, err := moveRows(tx, *b, []RowState{Ready, Bad}, Fresh, "", nil); err != nil {
		return err
	}
	return checkRest(tx, b)
}

// checkRest has the rows checked that are to be.
func checkRest(tx *database.Tx, b *Batch) error {
	b.State = Checking
	if b.isSmall() {
		claimBatch(tx, *b) // by who called: workers keep away, and take it up if it is never finished
	} else {
		forWorkers(tx, *b)
	}
	return nil
}

// Refresh checks the rows of a draft anew that was checked on another day, and gives it: due dates may have passed
// since, and debits have other days. A request for a second approver stays, unless something came out differently.
func (s *Service) Refresh(ctx context.Context, who actor.Actor, id uuid.UUID) (Batch, error) {
	if err := who.May(actor.Read); err != nil {
		return Batch{}, err
	}
	b, err := s.Store.Batch(ctx, who.MerchantID, id)
	if err != nil || !b.Outdated(s.Now()) {
		return b, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		var err error
		if b, err = Lock(tx, who.MerchantID, id); err != nil || !b.Outdated(tx.Now()) {
			return err
		}
		if err := recheck(tx, &b); err != nil {
			return err
		}
		b.UpdatedAt = tx.Now()
		tx.Audit(actor.SystemOf(b.MerchantID), audit.Entry{Action: "batch.checked_again", ObjectType: "batch",
			ObjectID: b.ID, Text: "The rows were checked again, because they were last checked on another day."})
		return save(tx, &b)
	})
	if err != nil || b.State != Checking {
		return b, err
	}
	return s.checked(ctx, b, nil)
}

// isSmall tells whether the rows are checked before the answer.
func (b Batch) isSmall() bool { return b.Rows <= quickly }

// checkSome checks the next rows; more tells that there are others.
func (s *Service) checkSome(ctx context.Context, seen Batch) (more bool, err error) {
	rows, err := s.takeUp(ctx, seen,
		RowQuery{States: []RowState{Fresh}, Limit: checkedAtOnce})
	if err != nil {
		return false, err
	}
	if rows, err = s.judgeTogether(ctx, seen, rows); err != nil {
		return false, err
	}
	watch, err := s.watch(ctx, seen.MerchantID, seen.ID)
	if err != nil {
		return false, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		b, err := Lock(tx, seen.MerchantID, seen.ID)
		switch {
		case err != nil:
			return err
		case b.State != seen.State || b.Revision != seen.Revision:
			return fault.ErrLost
		}
		if more = len(rows) > 0; more {
			if err := saveRows(tx, b, rows, false); err != nil {
				return err
			}
			return save(tx, &b)
		}
		b.State, b.UpdatedAt, b.CheckedAt = Checked, tx.Now(), tx.Now()
		if err := warn(tx, b, nil); err != nil {
			return err
		}
		if err := save(tx, &b); err != nil {
			return err
		}
		return watch(tx, actor.SystemOf(b.MerchantID), b)
	})
	return more, err
}

// warn notes what a person should look at in the ready rows. Amounts are compared for the rows that are numbered, or
// for all.
func warn(tx *database.Tx, b Batch, numbered []int) error {
	if err := noteWarnings(tx, b, tx.Now().Add(-warnWithin)); err != nil {
		return err
	}
	return markUnusual(tx, b, numbered)
}

// What is far from usual: so many times a client's usual amount, or that of the file where the client has none. A file
// with fewer rows has no usual amount: an amount from UnusualFrom on is held against what the business has invoiced
// lately, and where that is too little to tell, an amount from UnusualAlone on is unusual.
const (
	UnusualForClient = 3
	UnusualForFile   = 10
	FileMiddle       = 3
	UnusualFrom      = 100_000    // cents: R 1 000
	UnusualAlone     = 10_000_000 // cents: R 100 000
)
