package task

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/queue"
)

// Service holds the use cases of tasks.
type Service struct {
	Store Store
	Now   func() time.Time // real time
	// Person gives who asked, as they are now; NotFound for somebody who left the team.
	Person func(ctx context.Context, merchantID, id uuid.UUID) (actor.Actor, error)
	// Workers do the work, by kind.
	Workers map[string]Worker
	// Failed hears of pieces that failed for a reason of ours; nil hears nothing.
	Failed func(ctx context.Context, t Task, err error)
}

// Wish is a task as it is asked for.
type Wish struct {
	Kind, Title string
	Needs       actor.Action
	Input       []byte
	Total       int64
	// About is what the audit keeps of it beside the request.
	About []audit.Entry
	// AtOnce says that who asks goes on with it by WorkAtOnce: others take it only if that does not happen.
	AtOnce bool
}

// headStart is how long others leave a task to who asked for it to be done at once.
const headStart = 5 * time.Second

const mostOpen = 20 // tasks of one merchant at once

// Ask asks for long work. It begins at once, in the background unless the wish says otherwise.
func (s *Service) Ask(ctx context.Context, who actor.Actor, w Wish) (Task, error) {
	if err := who.May(w.Needs); err != nil {
		return Task{}, err
	}
	made := s.made(who, w)
	return made, s.Store.InTx(ctx, func(tx *database.Tx) error {
		if err := s.insert(tx, made, w); err != nil {
			return err
		}
		return tx.Answered(made)
	})
}

// AskIn is Ask in the transaction of another change; who is the person for whom it is done.
func (s *Service) AskIn(tx *database.Tx, who actor.Actor, w Wish) (Task, error) {
	if err := who.May(w.Needs); err != nil {
		return Task{}, err
	}
	made := s.made(who, w)
	return made, s.insert(tx, made, w)
}

func (s *Service) made(who actor.Actor, w Wish) Task {
	now := s.now()
	made := Task{ID: s.Store.NewID(), MerchantID: who.MerchantID, Kind: w.Kind, Title: w.Title, Needs: w.Needs,
		AskerID: who.ID, Asker: who, Input: w.Input, State: Waiting, Position: []byte("{}"), Total: w.Total, CreatedAt: now,
		UpdatedAt: now}
	if w.AtOnce {
		made.ClaimedUntil = now.Add(headStart)
	}
	return made
}

func (s *Service) insert(tx *database.Tx, made Task, w Wish) error {
	if err := besideErasures(tx, made.MerchantID); err != nil {
		return err
	}
	open, err := countOpen(tx, made.MerchantID)
	if err != nil {
		return err
	}
	if open >= mostOpen {
		return fault.New(fault.Conflict, "too_many_tasks",
			"%d tasks are waiting or running. Wait until one is done or cancel one.", open)
	}
	tx.Create(&made)
	tx.Audit(made.Asker, audit.Entry{Action: "task.asked", ObjectType: "task", ObjectID: made.ID,
		Text: made.Title + " was asked for.", After: map[string]any{"kind": made.Kind, "rows": made.Total}})
	for _, e := range w.About {
		tx.Audit(made.Asker, e)
	}
	tx.Enqueue(queue.WorkTask{TaskID: made.ID})
	return nil
}

// now is real time as the database keeps it.
func (s *Service) now() time.Time { return database.Instant(s.Now()) }

// Get gives one task.
func (s *Service) Get(ctx context.Context, who actor.Actor, id uuid.UUID) (Task, error) {
	if err := who.May(actor.Read); err != nil {
		return Task{}, err
	}
	return s.Store.Task(ctx, who.MerchantID, id)
}

// List gives the tasks of the business, newest first.
func (s *Service) List(ctx context.Context, who actor.Actor, ask paging.Ask) (paging.Page[Task], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Task]{}, err
	}
	return s.Store.Tasks(ctx, who.MerchantID, ask)
}

// shownFor is how long a page tells of a task that has ended.
const shownFor = 15 * time.Minute

// Recent are the person's own tasks that are open or have just ended, newest first.
func (s *Service) Recent(ctx context.Context, who actor.Actor) ([]Task, error) {
	if who.Kind != actor.User || who.ID == uuid.Nil {
		return nil, nil
	}
	return s.Store.recent(ctx, who.MerchantID, who.ID, s.now().Add(-shownFor))
}

// Cancel ends a task: at once where nobody has begun it, else after the piece under way. What is done stays done.
func (s *Service) Cancel(ctx context.Context, who actor.Actor, id uuid.UUID) (Task, error) {
	t, err := s.Get(ctx, who, id)
	if err != nil {
		return t, err
	}
	if err := who.May(t.Needs); err != nil {
		return t, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		won, err := cancelWaiting(tx, t, who.Name, s.now())
		if err == nil && !won {
			won, err = stopRunning(tx, t, who.Name, s.now())
		}
		if err != nil {
			return err
		}
		if !won {
			return fault.New(fault.Conflict, "task_over", "Only a task that is waiting or running can be cancelled.")
		}
		tx.Audit(
			who,
			audit.Entry{Action: "task.cancelled", ObjectType: "task", ObjectID: id, Text: t.Title + " was cancelled."},
		)
		return nil
	})
	if err != nil {
		return t, err
	}
	return s.Store.Task(ctx, who.MerchantID, id)
}

// MayTake is nil for who may take the file of a task.
func (s *Service) MayTake(who actor.Actor, t Task) error {
	err := who.May(t.Needs)
	if guard, is := s.Workers[t.Kind].(Guard); is && err == nil {
		err = guard.Takes(who)
	}
	return err
}

// Download gives a task whose file may be read by Store.Chunk, and keeps who took it.
func (s *Service) Download(ctx context.Context, who actor.Actor, id uuid.UUID) (Task, error) {
	t, err := s.Get(ctx, who, id)
	if err != nil {
		return t, err
	}
	if err := s.MayTake(who, t); err != nil {
		return t, err
	}
	if !t.HasFile(s.now()) {
		return t, fault.New(fault.NotFound, "not_found", "This task has no file, or it was deleted after %d days.",
			int(FileKept.Hours()/24))
	}
	return t, s.Store.InTx(ctx, func(tx *database.Tx) error {
		if err := countDownload(tx, t); err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "task.downloaded", ObjectType: "task", ObjectID: id,
			Text: "The file of “" + t.Title + "” was downloaded.", After: map[string]any{"file": t.FileName, "rows": t.Done}})
		return nil
	})
}
