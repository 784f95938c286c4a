package exchange

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/fault"
)

func (s Store) Pending(ctx context.Context, merchantID uuid.UUID, by time.Time) (found []Pending, err error) {
	err = s.Gorm(ctx).Raw(`SELECT merchant_id, kind FROM bank_items WHERE `+waitingBy+`?
		AND (? OR merchant_id = ?) GROUP BY 1, 2 ORDER BY min(cut_at)`, database.Instant(by), merchantID == uuid.Nil,
		merchantID).Find(&found).Error
	return found, err
}

// ExchangeItem is an item, with its order when asked; found is false when there is none.
func (s Store) ExchangeItem(ctx context.Context, id uuid.UUID, withOrder bool) (Item, bool, error) {
	var found struct {
		Item
		OrderSealed []byte
	}
	one := s.Gorm(ctx).Table("bank_items").Scopes(database.AcrossMerchants)
	if !withOrder {
		one = one.Omit("order_sealed")
	}
	err := one.Take(&found, "id = ?", id).Error
	if err == nil && withOrder {
		err = found.open(s.Seal, found.OrderSealed)
	}
	if fault.Is(err, fault.NotFound) {
		return found.Item, false, nil
	}
	return found.Item, err == nil, err
}

// heldRefunds are those of some refunds that have not left.
func (s Store) heldRefunds(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (held []uuid.UUID, err error) {
	err = s.Gorm(ctx).Table("bank_items").Scopes(database.OfMerchant(merchantID)).
		Where("id IN ? AND kind = ? AND state IN ?", ids, Refunds, givenBack).Pluck("id", &held).Error
	return held, err
}

// Unwritten and Unplaced are ids of messages that a crash left behind, oldest first.
func (s Store) Unwritten(ctx context.Context) (ids []string, err error) {
	err = s.Gorm(ctx).Model(&Message{}).Scopes(database.AcrossMerchants).
		Where("state IN ? AND content IS NULL", []MessageState{Made, Held}).Order("made_at, id").Pluck("id", &ids).Error
	return ids, err
}

func (s Store) Unplaced(ctx context.Context) ([]Message, error) {
	return s.messages(ctx, "state = ? AND content IS NOT NULL", Made)
}

// messages are those of all merchants that a condition finds, the oldest first.
func (s Store) messages(ctx context.Context, condition string, args ...any) (found []Message, err error) {
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants, withoutContent).Where(condition, args...).Order("made_at, id").
		Find(&found).Error
	return found, err
}

// Untaken are messages that were placed and not seen to be taken.
func (s Store) Untaken(ctx context.Context) ([]Message, error) {
	return s.messages(ctx, "state = ?", Placed)
}

// unsaidAck are taken messages of which no finding says that their acknowledgement is missing.
const unsaidAck = `state = 'taken' AND NOT EXISTS (SELECT FROM bank_findings f
	WHERE f.kind = 'not_acknowledged' AND f.subject = bank_files_out.id AND f.opened_at >= bank_files_out.ack_due_at)`

// OverdueAcks are taken messages whose acknowledgement is missing by now.
func (s Store) OverdueAcks(ctx context.Context, now time.Time) ([]Message, error) {
	return s.messages(ctx, `ack_due_at <= ? AND `+unsaidAck, database.Instant(now))
}

// unsaidApproval are held messages of which no finding says that they must be approved now.
const unsaidApproval = `state = 'held' AND NOT EXISTS (SELECT FROM bank_findings f
	WHERE f.kind = 'unapproved' AND f.subject = bank_files_out.id || ':overdue')`

// OverdueApprovals are held messages that must be approved by then, and of which no finding says so yet.
func (s Store) OverdueApprovals(ctx context.Context, by time.Time) ([]Message, error) {
	return s.messages(ctx, `approve_by <= ? AND `+unsaidApproval, database.Instant(by))
}

// Outgoing is a message with its items and their orders, in the order in which they are written.
func (s Store) Outgoing(ctx context.Context, id string) (out Outgoing, err error) {
	if out.Message, out.Groups, err = s.Message(ctx, uuid.Nil, id); err != nil {
		return out, err
	}
	items, err := database.Collect(ctx, s.DB, itemTable, inMessage, []any{id})
	if err != nil {
		return out, err
	}
	return out, filled(id, out.Groups, items)
}

// Message of a merchant, with its groups; the zero merchant is any.
func (s Store) Message(ctx context.Context, merchantID uuid.UUID,
	id string) (m Message, groups []Group, err error) {
	err = s.Gorm(ctx).Scopes(ofOrAll(merchantID), withoutContent).Take(&m, "id = ?", id).Error
	if err == nil {
		groups, err = s.groupsOf(ctx, id)
	}
	return m, groups, err
}

// packed are the bytes of a file of a merchant, sealed.
type packed struct {
	MerchantID uuid.UUID
	Content    []byte
}

// Content is the packed bytes of a message.
func (s Store) Content(ctx context.Context, id string) ([]byte, error) {
	var of packed
	err := s.Gorm(ctx).Raw(`SELECT merchant_id, content FROM bank_files_out WHERE id = ? AND content IS NOT NULL`, id).
		Take(&of).Error
	if err != nil {
		return nil, err
	}
	content, err := s.Seal.OpenBytes(contentAt(of.MerchantID, id), of.Content)
	if errors.Is(err, seal.ErrDamaged) {
		err = fault.New(fault.Conflict, unreadableFile, "This file cannot be read: what is stored of it was damaged. "+
			"Have it brought back from a backup.")
	}
	return content, err
}

// NextExchange is the earliest moment of a cut, of a silence that counts, or of a missing acknowledgement or
// approval. An answer that waits is due at once.
func (s Store) NextExchange(ctx context.Context) (at time.Time, found bool, err error) {
	var next struct{ At time.Time }
	err = s.Gorm(ctx).Raw(`SELECT least(
		(SELECT min(cut_at) FROM bank_items WHERE state = 'waiting'),
		(SELECT min(silence_at) FROM bank_items i WHERE silence_at IS NOT NULL AND ` + silent + `),
		(SELECT min(made_at) FROM bank_files_out WHERE state = 'made' OR state = 'held' AND content IS NULL),
		(SELECT min(approve_by) - interval '1 hour' FROM bank_files_out WHERE ` + unsaidApproval + `),
		(SELECT min(ack_due_at) FROM bank_files_out WHERE ` + unsaidAck + `),
		(SELECT min(greatest(at, waits_until)) FROM bank_answers WHERE delivered_at IS NULL)) AS at`).Take(&next).Error
	return next.At.UTC(), !next.At.IsZero(), err
}

// AnswersDue are answers that the product has not recorded, oldest first.
func (s Store) AnswersDue(ctx context.Context, limit int) (due []Answer, err error) {
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants).
		Where("delivered_at IS NULL AND (waits_until IS NULL OR waits_until <= ?)", s.Now()).Order("at, id").Limit(limit).
		Find(&due).Error
	return due, err
}

// AnswersOf are the answers that followed from the match of a movement.
func (s Store) AnswersOf(ctx context.Context, entryID uuid.UUID) (found []Answer, err error) {
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants).Find(&found, "entry_id = ?", entryID).Error
	return found, err
}

func (s Store) AnswersDelivered(ctx context.Context, ids []string) error {
	return s.Gorm(ctx).Model(&Answer{}).Scopes(database.AcrossMerchants).
		Where("id IN ? AND delivered_at IS NULL", ids).UpdateColumn("delivered_at", s.Now()).Error
}

// Brought are documents that people imported and nobody has read yet.
func (s Store) Brought(ctx context.Context) (found []Document, err error) {
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants, withoutContent).
		Where("state = ? AND content IS NOT NULL", DocumentOpen).Order("arrived_at, id").Find(&found).Error
	return found, err
}

func (s Store) DocumentContent(ctx context.Context, id uuid.UUID) ([]byte, error) {
	var of packed
	err := s.Gorm(ctx).Raw(`SELECT merchant_id, content FROM bank_files_in WHERE id = ? AND content IS NOT NULL`, id).
		Take(&of).Error
	if err != nil {
		return nil, fmt.Errorf("read an imported document: %w", err)
	}
	content, err := s.Seal.OpenBytes(documentAt(of.MerchantID, id), of.Content)
	if errors.Is(err, seal.ErrDamaged) {
		err = &Unreadable{Why: whyDamaged}
	}
	return content, err
}
