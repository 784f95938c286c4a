package texting

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/paging"
	"debitdesk/models/sms"
)

// claimFor is how long a process has until it hands a message over, in real time. After it another takes over.
const claimFor = time.Minute

// Store is where messages, replies and blocked numbers are kept.
type Store struct{ *database.DB }

// kept is a message with its words, sealed. They are NULL once they are not kept any more.
type kept struct {
	sms.Message
	database.Damage
	TextSealed []byte `gorm:"serializer:sealed;<-:create"`
}

// TableName implements GORM's Tabler.
func (kept) TableName() string { return "sms_messages" }

// message is the message with its words, or what is said in their place.
func (k *kept) message() sms.Message {
	switch m := &k.Message; {
	case k.Damage.Unreadable("text_sealed"):
		m.Text, m.Unreadable = sms.Unread, true
	case len(k.TextSealed) == 0:
		m.Text = sms.LinkNotKept
	default:
		m.Text = string(k.TextSealed)
	}
	return k.Message
}

// one reads the message that a list of them finds first; NotFound when there is none.
func one(of *gorm.DB) (sms.Message, error) {
	var found kept
	err := of.Take(&found).Error
	return found.message(), err
}

// all reads the messages that a list finds.
func all(of *gorm.DB) ([]sms.Message, error) {
	var found []kept
	err := of.Find(&found).Error
	list := make([]sms.Message, len(found))
	for i := range found {
		list[i] = found[i].message()
	}
	return list, err
}

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

// insert keeps a message, unless its cause has one already.
func insert(tx *database.Tx, m sms.Message) error {
	return tx.Gorm().Clauses(clause.OnConflict{DoNothing: true,
		Columns: []clause.Column{{Name: "object_id"}, {Name: "kind"}, {Name: "attempt"}}}).
		Create(&kept{Message: m, TextSealed: []byte(m.Text)}).Error
}

// Messages lists a page of the merchant's messages, newest first.
func (s Store) Messages(ctx context.Context, merchantID uuid.UUID, ask paging.Ask) ([]sms.Message, error) {
	return all(database.PageOf(s.Gorm(ctx), "merchant_id", merchantID, ask))
}

// Message gives one message of the merchant; NotFound otherwise.
func (s Store) Message(ctx context.Context, merchantID, id uuid.UUID) (sms.Message, error) {
	return one(s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("id = ?", id))
}

// MessagesTo lists the newest messages to a client.
func (s Store) MessagesTo(ctx context.Context, merchantID, clientID uuid.UUID, limit int) ([]sms.Message, error) {
	return all(s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("client_id = ?", clientID).Order("id DESC").
		Limit(limit))
}

const due = `state = 'queued' AND handed_at IS NULL AND not_before <= ?
	AND (claimed_until IS NULL OR claimed_until < now())`

// claimDue takes messages whose turn has come for this process and counts the try, longest waiting first. It crosses
// merchants: the sweep serves them all.
func (s Store) claimDue(ctx context.Context, limit int) ([]sms.Message, error) {
	return all(s.Gorm(ctx).Raw(`UPDATE sms_messages SET tries = tries + 1,
		claimed_until = now() + make_interval(secs => ?)
		WHERE id IN (SELECT id FROM sms_messages WHERE `+due+` ORDER BY not_before, id LIMIT ? FOR UPDATE SKIP LOCKED)
		RETURNING *`, claimFor.Seconds(), s.Now(), limit))
}

// claim takes one message; none when it is sent, not due, being sent elsewhere, or unknown.
func (s Store) claim(ctx context.Context, id uuid.UUID) ([]sms.Message, error) {
	return all(s.Gorm(ctx).Raw(`UPDATE sms_messages SET tries = tries + 1,
		claimed_until = now() + make_interval(secs => ?) WHERE id = ? AND `+due+` RETURNING *`, claimFor.Seconds(), id,
		s.Now()))
}

// unanswered lists messages that were handed over by a process that ended before it heard the answer.
func (s Store) unanswered(ctx context.Context, limit int) ([]sms.Message, error) {
	return all(s.Gorm(ctx).Scopes(database.AcrossMerchants).
		Where("state = ? AND handed_at IS NOT NULL AND claimed_until < now()", sms.Queued).Limit(limit))
}

var (
	errLost  = errors.New("the claim was lost") // another process has the message by now
	errLimit = errors.New("the limit of the day is used up")
)

// hand notes that a message is about to be handed over, and counts its parts against the limit of a day: errLimit
// when it does not fit, errBlocked when its number was blocked meanwhile, errLost when the try is not this
// process's any more.
func (s Store) hand(ctx context.Context, m sms.Message, day calendar.Date, limit int) error {
	err := s.InTx(ctx, func(tx *database.Tx) error {
		took, err := database.Found(tx.Gorm().Table("sms_messages").
			Where("id = ? AND tries = ? AND state = ? AND handed_at IS NULL", m.ID, m.Tries, sms.Queued).
			UpdateColumns(map[string]any{"handed_at": gorm.Expr("now()"), "counted_on": day,
				"claimed_until": gorm.Expr("now() + make_interval(secs => ?)", claimFor.Seconds())}))
		switch {
		case err != nil:
			return err
		case !took:
			return errLost
		case m.Answers():
			return nil
		}
		since, err := s.Blocked(tx.Context(), m.MerchantID, m.To)
		switch {
		case err != nil:
			return err
		case !since.IsZero():
			return errBlocked
		case m.Parts > limit:
			return errLimit
		}
		fits, err := database.Found(tx.Gorm().Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "merchant_id"}, {Name: "day"}},
			DoUpdates: clause.Assignments(map[string]any{"parts": gorm.Expr("sms_days.parts + excluded.parts")}),
			Where: clause.Where{Exprs: []clause.Expression{
				gorm.Expr("sms_days.parts + excluded.parts <= ?", limit)}}}).Create(&sent{m.MerchantID, day, m.Parts}))
		if err == nil && !fits {
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
	at := s.Now()
	err := s.Gorm(ctx).Exec(`UPDATE sms_messages SET provider = ?, provider_id = ?, sent_at = coalesce(sent_at, ?),
			done_at = CASE WHEN ? = 'delivered' THEN ? ELSE done_at END, claimed_until = NULL,
			text_sealed = CASE WHEN kind IN ? AND ? <> 'delivered' THEN NULL ELSE text_sealed END,
			why = CASE WHEN state = 'queued' THEN ? ELSE why END,
			state = CASE WHEN state = 'queued' THEN ? ELSE state END
		WHERE id = ? AND handed_at IS NOT NULL AND provider = ''`, by.Name, providerID, at, state, at,
		sms.LettingIn, state, why, state, m.ID).Error
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
	err := s.Gorm(ctx).Exec(`WITH old AS (SELECT merchant_id, counted_on, parts FROM sms_messages WHERE id = ?
			AND tries = ? AND state = 'queued'),
		day AS (UPDATE sms_days d SET parts = greatest(d.parts - o.parts, 0) FROM old o
			WHERE d.merchant_id = o.merchant_id AND d.day = o.counted_on)
		UPDATE sms_messages SET why = ?, handed_at = NULL, claimed_until = NULL, counted_on = NULL, not_before = ?,
			tries = tries - ?
		WHERE id = ? AND tries = ? AND state = 'queued'`, m.ID, m.Tries, why, next, back, m.ID, m.Tries).Error
	if err != nil {
		return fmt.Errorf("put a message off: %w", err)
	}
	return nil
}

// withoutLink is what stays of the words of a message that is over.
var withoutLink = gorm.Expr("CASE WHEN kind IN ? THEN NULL ELSE text_sealed END", sms.LettingIn)

// stopped gives a queued message up in a transaction; false when it is not waiting any more. Its parts do not count.
func stopped(tx *database.Tx, m sms.Message, to sms.State, why string) (bool, error) {
	err := tx.Gorm().Exec(`UPDATE sms_days d SET parts = greatest(d.parts - m.parts, 0) FROM sms_messages m WHERE m.id = ?
		AND m.merchant_id = ? AND m.state = 'queued' AND d.merchant_id = m.merchant_id AND d.day = m.counted_on`, m.ID,
		m.MerchantID).Error
	if err != nil {
		return false, fmt.Errorf("give the parts of a message back: %w", err)
	}
	return database.Found(tx.Gorm().Table("sms_messages").Scopes(database.OfMerchant(m.MerchantID)).
		Where("id = ? AND state = ?", m.ID, sms.Queued).UpdateColumns(map[string]any{"state": to, "why": why,
		"done_at": tx.Now(), "claimed_until": nil, "text_sealed": withoutLink}))
}

// reported moves a message by a report; false when it is that far already.
func reported(tx *database.Tx, m sms.Message, to sms.State, why string) (bool, error) {
	change := map[string]any{"state": to, "why": why, "sent_at": gorm.Expr("coalesce(sent_at, ?)", tx.Now()),
		"claimed_until": nil, "text_sealed": withoutLink}
	if to != sms.Sent {
		change["done_at"] = tx.Now()
	}
	return database.Found(tx.Gorm().Table("sms_messages").Scopes(database.OfMerchant(m.MerchantID)).
		Where("id = ? AND state IN ?", m.ID, to.Before()).UpdateColumns(change))
}

// find gives the message of a report: by our id, else by the provider's; NotFound when there is none.
func (s Store) find(ctx context.Context, id uuid.UUID, provider, providerID string) (sms.Message, error) {
	of := s.Gorm(ctx).Scopes(database.AcrossMerchants)
	if id != uuid.Nil {
		return one(of.Where("id = ?", id))
	}
	return one(of.Where("provider = ? AND provider_id = ? AND provider_id <> ''", provider, providerID))
}

// lastTo gives the message that went to a number last, of whatever merchant; NotFound when there is none.
func (s Store) lastTo(ctx context.Context, number string) (sms.Message, error) {
	return one(s.Gorm(ctx).Scopes(database.AcrossMerchants).Where("recipient = ? AND state <> ?", number, sms.Skipped).
		Order("sent_at DESC NULLS LAST, id DESC"))
}

// NextDue is the earliest moment after now at which a message's turn comes; found is false when none waits.
func (s Store) NextDue(ctx context.Context) (at time.Time, found bool, err error) {
	waiting := s.Gorm(ctx).Table("sms_messages").Where("state = 'queued' AND not_before > ?", s.Now())
	if at, found, err = database.Earliest(waiting, "not_before"); err != nil {
		return at, false, fmt.Errorf("find the next message: %w", err)
	}
	return at, found, nil
}

// linksKept is how long texts with a link that lets its reader in stay where they were not sent to a provider.
const linksKept = 8 * 24 * time.Hour

// Tidy takes the texts out of such messages.
func (s Store) Tidy(ctx context.Context, now time.Time) error {
	err := s.InChunks(ctx, `UPDATE sms_messages SET text_sealed = NULL WHERE ctid = ANY (ARRAY(
		SELECT ctid FROM sms_messages WHERE kind = ANY ($2::text[])
		AND text_sealed IS NOT NULL AND state <> 'queued' AND created_at < $1 LIMIT $3 FOR UPDATE SKIP LOCKED))`,
		now.Add(-linksKept), database.Texts(sms.LettingIn))
	if err != nil {
		return fmt.Errorf("tidy messages: %w", err)
	}
	return nil
}
