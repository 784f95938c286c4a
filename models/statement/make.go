package statement

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/money"
)

const (
	claimHolds = 11 * time.Minute // longer than a job may take
	takenUp    = 20
	// mostRows is how many movements a file has at most; a sheet ends soon after.
	mostRows = 1_000_000
)

var errTooLong = errors.New("too many movements")

// Make makes one statement. It may be called again, at any time and in several
// processes at once: who holds the claim does the work, and what was cancelled
// meanwhile stays so.
func (s *Service) Make(ctx context.Context, id uuid.UUID) error {
	claim := uuid.New()
	found, mine, err := s.Store.ClaimStatement(ctx, id, claim, claimHolds)
	if err != nil || !mine {
		return err
	}
	var file bytes.Buffer
	made, err := s.write(ctx, found, &file)
	made.Status = Finished
	switch {
	case err == nil:
	case ctx.Err() != nil: // stopped: the next one does it
		return errors.Join(ctx.Err(), s.Store.YieldStatement(context.WithoutCancel(ctx), id, claim))
	case errors.Is(err, errTooLong):
		made.Status, made.Note = Failed, "The period has more than 1 000 000 movements. Choose a shorter one."
		file.Reset()
		err = nil
	default:
		made.Status, made.Note = Failed, "The file could not be created. Ask for it again."
		file.Reset()
	}
	made.FinishedAt = s.Now()
	_, notKept := s.Store.FinishStatement(ctx, made, claim, file.Bytes()) // cancelled meanwhile: it stays so
	return errors.Join(err, notKept)
}

// TakeUp makes statements that wait and have nobody: a lost job, a killed process.
func (s *Service) TakeUp(ctx context.Context) error {
	ids, err := s.Store.OpenStatements(ctx, takenUp)
	all := []error{err}
	for _, id := range ids {
		if err := s.Make(ctx, id); err != nil {
			all = append(all, fmt.Errorf("statement %s: %w", id, err))
		}
	}
	return errors.Join(all...)
}

// write goes through the movements with a running balance. What the lines add up to
// must be what the database adds up by itself, or there is no file.
func (s *Service) write(ctx context.Context, st Statement, file *bytes.Buffer) (Statement, error) {
	paper := s.Paper(file)
	defer paper.Release()
	err := s.Store.Book(ctx, st.MerchantID, st.Filter, func(book Book) error {
		if book.Sums.Rows > mostRows {
			return errTooLong
		}
		sums := Sums{OpeningCents: book.Sums.OpeningCents, ClosingCents: book.Sums.OpeningCents}
		if err := paper.Open(st, sums.OpeningCents); err != nil {
			return err
		}
		err := book.Each(func(l Line) error {
			sums.add(l.AmountCents)
			return paper.Line(l, sums.ClosingCents)
		})
		if err != nil {
			return err
		}
		if sums != book.Sums {
			return fmt.Errorf("statement %s does not close: its lines come to %+v, the ledger to %+v",
				st.ID, sums, book.Sums)
		}
		st.Rows = sums.Rows
		return paper.Close(sums)
	})
	return st, err
}

func (s *Sums) add(cents int64) {
	s.Rows++
	moved := money.SumOf(cents)
	s.ClosingCents = s.ClosingCents.Plus(moved)
	if cents < 0 {
		s.OutCents = s.OutCents.Minus(moved)
	} else {
		s.InCents = s.InCents.Plus(moved)
	}
}
