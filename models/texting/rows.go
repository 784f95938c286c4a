package texting

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/paging"
	"debitdesk/models/sms"
)

// claimFor is how long a process has until it hands a message over, in real time. After it another takes over.
const claimFor = time.Minute

// Store is where messages, replies and blocked numbers are kept.
type Store struct{ *database.DB }

var (
	messages = table.New("sms_messages",
		table.Column[sms.Message]{Name: "text_sealed", Once: true, Write: func(box *seal.Box, m *sms.Message) (any, error) {
			return box.SealBytes(seal.PlaceOf("sms_messages", "text_sealed", m.MerchantID, m.ID), []byte(m.Text)), nil
		}, Read: openText})
	insertMessage = messages.Write(`INSERT INTO sms_messages (@columns) VALUES (@values)
		ON CONFLICT (object_id, kind, attempt) DO NOTHING`)
)

// OpenText is what is kept of the words of an SMS; damaged: they cannot be read any more.
func OpenText(box *seal.Box, merchantID, id uuid.UUID, stored []byte) (text string, damaged bool, err error) {
	if len(stored) == 0 {
		return sms.LinkNotKept, false, nil
	}
	opened, err := box.OpenBytes(seal.PlaceOf("sms_messages", "text_sealed", merchantID, id), stored)
	if errors.Is(err, seal.ErrDamaged) {
		return sms.Unread, true, nil
	}
	return string(opened), false, err
}

func openText(box *seal.Box, m *sms.Message, stored []byte) (err error) {
	m.Text, m.Unreadable, err = OpenText(box, m.MerchantID, m.ID, stored)
	return err
}

func insert(tx *database.Tx, m sms.Message) { database.Write(tx, insertMessage, m) }

// Messages lists a page of the merchant's messages, newest first.
func (s Store) Messages(ctx context.Context, merchantID uuid.UUID, ask paging.Ask) ([]sms.Message, error) {
	return database.Find(ctx, s.DB, messages,
		database.PageOf(database.List(ctx, s.DB, messages), "merchant_id", merchantID, ask))
}

// Message gives one message of the merchant; NotFound otherwise.
func (s Store) Message(ctx context.Context, merchantID, id uuid.UUID) (sms.Message, error) {
	return database.One(ctx, s.DB, messages, "merchant_id = $1 AND id = $2", merchantID, id)
}

// MessagesTo lists the newest messages to a client.
func (s Store) MessagesTo(ctx context.Context, merchantID, clientID uuid.UUID, limit int) ([]sms.Message, error) {
	return database.All(ctx, s.DB, messages, "merchant_id = $1 AND client_id = $2 ORDER BY id DESC LIMIT $3", merchantID,
		clientID, limit)
}

const due = `state = 'queued' AND handed_at IS NULL AND not_before <= ?
	AND (claimed_until IS NULL OR claimed_until < now())`

// claimDue takes messages whose turn has come for this process and counts the try, longest waiting first. It crosses
// merchants: the sweep serves them all.
func (s Store) claimDue(ctx context.Context, limit int) ([]sms.Message, error) {
	return database.Seek(ctx, s.DB, messages, `UPDATE sms_messages
		SET tries = tries + 1, claimed_until = now() + make_interval(secs => ?)
		WHERE id IN (SELECT id FROM sms_messages WHERE `+due+` ORDER BY not_before, id LIMIT ? FOR UPDATE SKIP LOCKED)
		RETURNING *`, claimFor.Seconds(), s.Now(), limit)
}

// claim takes one message; none when it is sent, not due, being sent elsewhere, or unknown.
func (s Store) claim(ctx context.Context, id uuid.UUID) ([]sms.Message, error) {
	return database.Seek(ctx, s.DB, messages, `UPDATE sms_messages SET tries = tries + 1,
		claimed_until = now() + make_interval(secs => ?) WHERE id = ? AND `+due+` RETURNING *`, claimFor.Seconds(), id,
		s.Now())
}

// unanswered lists messages that were handed over by a process that ended before it heard the answer.
func (s Store) unanswered(ctx context.Context, limit int) ([]sms.Message, error) {
	return database.All(ctx, s.DB, messages, `state = 'queued' AND handed_at IS NOT NULL AND claimed_until < now()
		LIMIT $1`, limit)
}

var (
	errLost  = errors.New("the claim was lost") // another process has the message by now
	errLimit = errors.New("the limit of the day is used up")
)

// hand notes that a message is about to be handed over, and counts its parts against the limit of a day: errLimit
// when it does not fit, errBlocked when its number was blocked meanwhile, errLost when the try is not this
// process's any more.
func (s Store) hand(ctx context.Context, m sms.Message, day calendar.Date, limit int) error {
	err := pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		took, err := tx.Exec(ctx, `UPDATE sms_messages SET handed_at = now(), counted_on = $3,
				claimed_until = now() + make_interval(secs => $4)
			WHERE id = $1 AND tries = $2 AND state = 'queued' AND handed_at IS NULL`, m.ID.String(), m.Tries, day.String(),
			claimFor.Seconds())
		if err != nil {
			return err
		}
		if took.RowsAffected() == 0 {
			return errLost
		}
		if m.Answers() {
			return nil
		}
		var blocked bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM sms_blocks WHERE merchant_id = $1 AND phone = $2)`,
			m.MerchantID.String(), m.To).Scan(&blocked); err != nil {
			return err
		}
		if blocked {
			return errBlocked
		}
		fits, err := tx.Exec(ctx, `INSERT INTO sms_days (merchant_id, day, parts) SELECT $1, $2, $3 WHERE $3 <= $4::int
			ON CONFLICT (merchant_id, day) DO UPDATE SET parts = sms_days.parts + excluded.parts
			WHERE sms_days.parts + excluded.parts <= $4::int`, m.MerchantID.String(), day.String(), m.Parts, limit)
		if err == nil && fits.RowsAffected() == 0 {
			err = errLimit
		}
		return err
	})
	if err != nil && !errors.Is(err, errLost) && !errors.Is(err, errLimit) && !errors.Is(err, errBlocked) {
		err = fmt.Errorf("hand over a message: %w", err)
	}
	return err
}

// accepted notes that the provider took a message, or may have. A report may have come before. What stays here has
// arrived.
func (s Store) accepted(ctx context.Context, m sms.Message, by sms.Limits, providerID, why string) error {
	state := sms.Sent
	if by.Keeps {
		state = sms.Delivered
	}
	_, err := s.Pool.Exec(ctx, `UPDATE sms_messages SET provider = $2, provider_id = $3, sent_at = coalesce(sent_at, $4),
			done_at = CASE WHEN $6 = 'delivered' THEN $4 ELSE done_at END, claimed_until = NULL,
			text_sealed = CASE WHEN kind = '`+sms.Page+`' AND $6 <> 'delivered' THEN NULL ELSE text_sealed END,
			why = CASE WHEN state = 'queued' THEN $5 ELSE why END,
			state = CASE WHEN state = 'queued' THEN $6 ELSE state END
		WHERE id = $1 AND handed_at IS NOT NULL AND provider = ''`, m.ID.String(), by.Name, providerID, s.Now(), why,
		string(state))
	if err != nil {
		return fmt.Errorf("note that a message was taken: %w", err)
	}
	return nil
}

// putOff keeps a message for another try at next (product time), and gives its parts back to the limit. A try that did
// not reach the provider does not count. Only the process of that try may say so.
func (s Store) putOff(ctx context.Context, m sms.Message, why string, next time.Time, counts bool) error {
	back := 1
	if counts {
		back = 0
	}
	return s.back(ctx, m, `not_before = $4, tries = tries - $5::int`, why, next, back)
}

// back takes a message back from being handed over; set uses $4 and what follows.
func (s Store) back(ctx context.Context, m sms.Message, set, why string, args ...any) error {
	_, err := s.Pool.Exec(ctx, `WITH old AS (SELECT merchant_id, counted_on, parts FROM sms_messages WHERE id = $1
			AND tries = $2 AND state = 'queued'),
		day AS (UPDATE sms_days d SET parts = greatest(d.parts - o.parts, 0) FROM old o
			WHERE d.merchant_id = o.merchant_id AND d.day = o.counted_on)
		UPDATE sms_messages SET why = $3, handed_at = NULL, claimed_until = NULL, counted_on = NULL, `+set+`
		WHERE id = $1 AND tries = $2 AND state = 'queued'`, append([]any{m.ID.String(), m.Tries, why}, args...)...)
	if err != nil {
		return fmt.Errorf("put a message off: %w", err)
	}
	return nil
}

// stopped gives a queued message up in a transaction; false when it is not waiting any more. Its parts do not count.
func stopped(tx *database.Tx, m sms.Message, to sms.State, why string) (bool, error) {
	tx.Later(`UPDATE sms_days d SET parts = greatest(d.parts - m.parts, 0) FROM sms_messages m WHERE m.id = $1
		AND m.merchant_id = $2 AND m.state = 'queued' AND d.merchant_id = m.merchant_id AND d.day = m.counted_on`, m.ID,
		m.MerchantID)
	return tx.ExecOne("give a message up", `UPDATE sms_messages SET state = $3, why = $4, done_at = $5,
			claimed_until = NULL,
			text_sealed = CASE WHEN kind = '`+sms.Page+`' THEN NULL ELSE text_sealed END
		WHERE merchant_id = $1 AND id = $2 AND state = 'queued'`, m.MerchantID, m.ID, string(to), why, tx.Now())
}

// reported moves a message by a report; false when it is that far already.
func reported(tx *database.Tx, m sms.Message, to sms.State, why string) (bool, error) {
	return tx.ExecOne("note a report", `UPDATE sms_messages SET state = $3, why = $4, sent_at = coalesce(sent_at, $5),
			done_at = CASE WHEN $3 = 'sent' THEN done_at ELSE $5 END, claimed_until = NULL,
			text_sealed = CASE WHEN kind = '`+sms.Page+`' THEN NULL ELSE text_sealed END
		WHERE merchant_id = $1 AND id = $2 AND state = ANY($6::text[])`, m.MerchantID, m.ID, string(to), why, tx.Now(),
		to.Before())
}

// find gives the message of a report: by our id, else by the provider's; NotFound when there is none.
func (s Store) find(ctx context.Context, id uuid.UUID, provider, providerID string) (sms.Message, error) {
	return database.One(ctx, s.DB, messages, `id = $1 OR $1 = '00000000-0000-0000-0000-000000000000' AND provider = $2
		AND provider_id = $3 AND $3 <> '' LIMIT 1`, id, provider, providerID)
}

// lastTo gives the message that went to a number last, of whatever merchant; NotFound when there is none.
func (s Store) lastTo(ctx context.Context, number string) (sms.Message, error) {
	return database.One(ctx, s.DB, messages, `recipient = $1 AND state <> 'skipped'
		ORDER BY sent_at DESC NULLS LAST, id DESC LIMIT 1`, number)
}

// NextDue is the earliest moment after now at which a message's turn comes; found is false when none waits.
func (s Store) NextDue(ctx context.Context) (at time.Time, found bool, err error) {
	var next *time.Time
	if err := s.Pool.QueryRow(ctx, `SELECT min(not_before) FROM sms_messages WHERE state = 'queued' AND not_before > $1`,
		s.Now()).Scan(&next); err != nil {
		return at, false, fmt.Errorf("find the next message: %w", err)
	}
	return database.OrZero(next), next != nil, nil
}

// linksKept is how long texts with a link that lets its reader in stay where they were not sent to a provider.
const linksKept = 8 * 24 * time.Hour

// Tidy takes the texts out of such messages.
func (s Store) Tidy(ctx context.Context, now time.Time) error {
	err := s.InChunks(ctx, `UPDATE sms_messages SET text_sealed = NULL WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM sms_messages WHERE kind = '`+sms.Page+`' AND text_sealed IS NOT NULL AND state <> 'queued'
		AND created_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`, now.Add(-linksKept))
	if err != nil {
		return fmt.Errorf("tidy messages: %w", err)
	}
	return nil
}
