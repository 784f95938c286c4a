// Package upkeep is what goes over all tables: it removes what is past its time, adds up the figures that are kept,
// seals with another key, tells what a copy must hold and fills a database from it, and tells how far behind the work
// is.
package upkeep

import (
	"context"
	"fmt"
	"time"

	"debitdesk/models/book"
	"debitdesk/models/client"
	"debitdesk/models/clientpage"
	"debitdesk/models/database"
	"debitdesk/models/database/history"
	"debitdesk/models/followup"
	"debitdesk/models/issuer"
	"debitdesk/models/listview"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/merging"
	"debitdesk/models/requestlog"
	"debitdesk/models/selection"
	"debitdesk/models/subscription"
	"debitdesk/models/task"
	"debitdesk/models/texting"
	"debitdesk/models/user"
	"debitdesk/models/webhook"
)

// Store is where what goes over all tables is read and written.
type Store struct{ *database.DB }

const (
	keysKept   = 48 * time.Hour     // idempotency keys; 24 hours are promised
	solvedKept = 7 * 24 * time.Hour // what was solved, for the list of a day
)

// Tidy removes what is past its time, in real time, which never runs ahead of the sandbox clock, and makes the
// coming months of history: idempotency keys, the log of requests, sessions that are over, forms that were kept
// for a sign-in, old sign-in counters, old events, evidence of erased clients that the law does not want any
// more. So nothing is lost because a person moved that clock by months.
func (s Store) Tidy(ctx context.Context, now time.Time) error {
	now = database.Instant(now)
	if err := history.Grow(ctx, s.DB); err != nil {
		return err
	}
	err := s.InChunks(ctx, `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM idempotency_keys WHERE stored_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`, now.Add(-keysKept))
	if err != nil {
		return fmt.Errorf("tidy idempotency keys: %w", err)
	}
	mails := outbox.Store{DB: s.DB}
	if err := mails.Tidy(ctx, now); err != nil {
		return err
	}
	texts := texting.Store{DB: s.DB}
	if err := texts.Tidy(ctx, now); err != nil {
		return err
	}
	err = s.InChunks(ctx, `DELETE FROM kept_forms WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM kept_forms WHERE created_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`, now.Add(-user.FormsKept))
	if err != nil {
		return fmt.Errorf("tidy kept forms: %w", err)
	}
	log := requestlog.Store{DB: s.DB}
	if err := log.Tidy(ctx, now); err != nil {
		return err
	}
	tasks := task.Store{DB: s.DB}
	if err := tasks.Tidy(ctx, now); err != nil {
		return err
	}
	selections := selection.Store{DB: s.DB}
	if err := selections.Tidy(ctx, now); err != nil {
		return err
	}
	subscriptions := subscription.Store{DB: s.DB}
	if err := subscriptions.TidyLetters(ctx, now); err != nil {
		return err
	}
	books := book.Store{DB: s.DB}
	if err := books.Tidy(ctx, now); err != nil {
		return err
	}
	merges := merging.Store{DB: s.DB}
	if err := merges.Tidy(ctx, now); err != nil {
		return err
	}
	pages := clientpage.Store{DB: s.DB}
	if err := pages.Tidy(ctx, now); err != nil {
		return err
	}
	desk := followup.Store{DB: s.DB}
	if err := desk.Tidy(ctx, now.Add(-solvedKept)); err != nil {
		return err
	}
	lists := listview.Store{DB: s.DB}
	if err := lists.Tidy(ctx, now); err != nil {
		return err
	}
	if err := client.DropOldEvidence(ctx, client.Store{DB: s.DB}, now); err != nil {
		return err
	}
	events := webhook.Store{DB: s.DB}
	if err := events.Tidy(ctx, now); err != nil {
		return err
	}
	issuers := issuer.Store{DB: s.DB}
	if err := issuers.Tidy(ctx, now); err != nil {
		return err
	}
	people := user.Store{DB: s.DB}
	_, err = people.DropDeadSessions(ctx, now, now.Add(-user.SessionAbsolute))
	return err
}
