package task

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/plural"
)

const (
	claimHolds  = time.Minute // longer than a piece takes; each piece renews it
	mostTries   = 5           // of one piece
	triedAgain  = 10 * time.Second
	takenUp     = 20
	mostBytes   = 512 << 20 // of a file
	brokenWords = "This stopped because of a problem on our side. Ask for it again."
)

// errTaken says that another worker has the task, or it is over.
var errTaken = errors.New("the task has another worker")

// Work goes on with a task until it is over. It may be called again, at any time and in several processes at once:
// who holds the claim does the work. Each piece is kept in one transaction with how far the task is, and only while
// the claim holds, so a piece counts once.
func (s *Service) Work(ctx context.Context, id uuid.UUID) error { return s.work(ctx, id, false) }

// WorkAtOnce is Work for who asked, and has a head start.
func (s *Service) WorkAtOnce(ctx context.Context, id uuid.UUID) error { return s.work(ctx, id, true) }

func (s *Service) work(ctx context.Context, id uuid.UUID, asker bool) error {
	claim, now := uuid.New(), s.now()
	t, err := s.Store.claimTask(ctx, id, claim, now, now.Add(claimHolds), asker)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err == nil && s.Workers[t.Kind] == nil {
		err = s.refused(ctx, &t, claim, fmt.Errorf("no worker does %q", t.Kind))
	} else if err == nil {
		run := s.Workers[t.Kind].Begin()
		defer run.Close()
		for err == nil && t.State.Open() {
			err = s.step(ctx, &t, claim, run)
		}
	}
	switch {
	case err == nil, errors.Is(err, errTaken):
		return nil
	case ctx.Err() != nil: // stopped: the next one goes on
		return errors.Join(ctx.Err(), s.Store.yieldTask(context.WithoutCancel(ctx), id, claim, t.Tries, s.now()))
	}
	return err
}

// TakeUp goes on with tasks that have nobody: a lost job, a killed process.
func (s *Service) TakeUp(ctx context.Context) error {
	ids, err := s.Store.openTasks(ctx, s.now(), takenUp)
	all := []error{err}
	for _, id := range ids {
		if err := s.Work(ctx, id); err != nil {
			all = append(all, fmt.Errorf("task %s: %w", id, err))
		}
	}
	return errors.Join(all...)
}

// step does one piece, or ends the task.
func (s *Service) step(ctx context.Context, t *Task, claim uuid.UUID, run Run) error {
	stop, by, err := s.Store.stopping(ctx, *t)
	if err != nil {
		return err
	}
	if stop {
		t.StoppedBy = by
		return s.end(ctx, t, claim, Cancelled, t.stopped(), Piece{})
	}
	who, refused := s.person(ctx, *t)
	if refused == nil && t.Any() {
		refused = fault.New(fault.Conflict, "task_unreadable",
			"What was asked for cannot be read: what is stored of it was damaged. Ask for it again.")
	}
	if refused != nil {
		return s.refused(ctx, t, claim, refused)
	}
	next := *t
	piece, err := work(ctx, run, &next, who)
	if err != nil {
		return s.refused(ctx, t, claim, err)
	}
	if piece.Anew {
		next.FileBytes = 0
	}
	if why := s.tooLarge(next, piece); why != "" {
		return s.end(ctx, t, claim, Failed, why, Piece{})
	}
	*t = next
	if !piece.More {
		return s.end(ctx, t, claim, Done, t.Note, piece)
	}
	return s.keep(ctx, t, claim, piece, nil)
}

// tooLarge says why a file does not go on; empty: it does.
func (s *Service) tooLarge(t Task, piece Piece) string {
	size := t.FileBytes + int64(len(piece.File))
	if large, is := s.Workers[t.Kind].(Large); is {
		if size <= large.MostBytes() {
			return ""
		}
		return fmt.Sprintf("The file would be larger than %d MB. The operator of this installation can write it on the "+
			"command line.", large.MostBytes()>>20)
	}
	if size <= mostBytes {
		return ""
	}
	return "The file would be larger than 512 MB. Narrow the filters."
}

// work does a piece; one that panics has failed.
func work(ctx context.Context, run Run, t *Task, who actor.Actor) (_ Piece, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return run.Step(ctx, t, who)
}

// person is who asked, with what they may do now.
func (s *Service) person(ctx context.Context, t Task) (actor.Actor, error) {
	who, err := s.Person(ctx, t.MerchantID, t.AskerID)
	if fault.Is(err, fault.NotFound) {
		return who, fault.New(fault.Forbidden, "permission_denied", "%s is no longer on the team.", t.Asker.Name)
	}
	if err == nil {
		err = who.May(t.Needs)
	}
	who.IP, who.RequestID = t.Asker.IP, t.Asker.RequestID
	return who, err
}

// refused ends a task that is refused; what fails for a reason of ours is tried again a little later.
func (s *Service) refused(ctx context.Context, t *Task, claim uuid.UUID, err error) error {
	if f, is := fault.From(err); is && f.Kind != fault.Internal {
		return s.end(ctx, t, claim, Failed, f.Words(), Piece{})
	}
	if ctx.Err() != nil {
		return err
	}
	if s.Failed != nil {
		s.Failed(ctx, *t, err)
	}
	if t.Tries++; t.Tries >= mostTries {
		return s.end(ctx, t, claim, Failed, brokenWords, Piece{})
	}
	return errors.Join(err, s.Store.yieldTask(ctx, t.ID, claim, t.Tries, s.now().Add(triedAgain)))
}

// stopped says what is done and what is not.
func (t Task) stopped() string {
	text := plural.Of(t.Done-t.Failed, "row") + " done"
	if t.Failed > 0 {
		text += ", " + plural.Of(t.Failed, "row") + " failed"
	}
	if t.Total > t.Done {
		text += ", " + plural.Of(t.Total-t.Done, "row") + " not done"
	}
	return "Cancelled by " + t.StoppedBy + ": " + text + "."
}

// end ends a task. What was written of a file that is not complete is deleted.
func (s *Service) end(ctx context.Context, t *Task, claim uuid.UUID, state State, note string, piece Piece) error {
	t.State, t.Note, t.EndedAt = state, note, s.now()
	kept := state == Done && t.KeptUntil.IsZero()
	switch {
	case kept:
		t.KeptUntil = t.EndedAt.Add(FileKept)
	case state == Done:
		if t.KeptUntil = t.EndedAt; t.FileName != "" {
			t.Note = strings.TrimSpace(note + " Its file is not kept: a client was erased while it was made.")
		}
		piece = Piece{}
	}
	var tell []mail.Mail
	if by, is := s.Workers[t.Kind].(Announcer); is && kept {
		var err error
		if tell, err = by.Announce(ctx, *t); err != nil {
			return err
		}
	}
	return s.keep(ctx, t, claim, piece, func(tx *database.Tx) {
		if !kept {
			tx.Fail(dropFile(tx, *t))
		}
		for _, m := range tell {
			tx.InsertMail(m)
		}
		tx.Audit(actor.SystemOf(t.MerchantID), audit.Entry{Action: "task.ended", ObjectType: "task", ObjectID: t.ID,
			Text:  t.Title + " " + map[State]string{Done: "is done.", Cancelled: "was stopped.", Failed: "failed."}[state],
			After: map[string]any{"state": state, "rows": t.Done, "failed": t.Failed, "file": t.FileName}})
	})
}

// keep writes how far a task is, with the piece of its file, in one transaction.
func (s *Service) keep(ctx context.Context, t *Task, claim uuid.UUID, piece Piece, more func(*database.Tx)) error {
	next := *t
	next.UpdatedAt, next.Tries = s.now(), 0
	next.Claim, next.ClaimedUntil = claim, next.UpdatedAt.Add(claimHolds)
	if !next.State.Open() {
		next.Claim, next.ClaimedUntil = uuid.Nil, time.Time{}
		if next.State != Done || !next.KeptUntil.After(next.EndedAt) {
			next.Chunks, next.FileBytes, next.FileName = 0, 0, ""
		}
	}
	err := s.Store.InTx(ctx, func(tx *database.Tx) error {
		won, err := save(tx, &next, claim, piece)
		if err != nil {
			return err
		}
		if !won {
			return errTaken
		}
		if more != nil {
			more(tx)
		}
		return nil
	})
	if err == nil {
		*t = next
	}
	return err
}
