package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"debitdesk/models/replay"
)

// Answered gives the result of the use case to the Idempotency-Key of the
// request, if it has one. Use cases call it last in their transaction.
func (t *Tx) Answered(result any) error { return replay.Answered(t.ctx, result) }

func (t *Tx) keepAnswer() {
	rec := replay.RecorderFrom(t.ctx)
	if rec == nil {
		return
	}
	answer := rec.Pending()
	if answer == nil {
		return
	}
	t.later(`INSERT INTO idempotency_keys (merchant_id, is_test, key, fingerprint, status, body, stored_at) VALUES ($1,$2,$3,$4,$5,$6,$7)`,
		rec.MerchantID, rec.IsTest, rec.Key.Key, rec.Fingerprint, answer.Status, answer.Body, Instant(time.Now()))
	rec.Keep()
}

type idempotencyRow struct {
	Fingerprint []byte
	Status      int
	Body        []byte
}

// Recall finds the stored answer for a key; nil when there is none.
// replay.ErrKeyReused when the key belongs to another request.
func (s *Store) Recall(ctx context.Context, k replay.Key) (*replay.Answer, error) {
	var row idempotencyRow
	err := s.read(ctx).Table("idempotency_keys").Select("fingerprint, status, body").
		Where("merchant_id = ? AND is_test = ? AND key = ?", k.MerchantID, k.IsTest, k.Key).Take(&row).Error
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("recall answer: %w", err)
	case !bytes.Equal(row.Fingerprint, k.Fingerprint):
		return nil, replay.ErrKeyReused
	}
	return &replay.Answer{Status: row.Status, Body: row.Body}, nil
}

// Remember keeps an answer that changed nothing, such as a refusal. An answer
// that is there already stays.
func (s *Store) Remember(ctx context.Context, k replay.Key, a replay.Answer) error {
	_, err := s.Pool.Exec(ctx, `INSERT INTO idempotency_keys (merchant_id, is_test, key, fingerprint, status, body, stored_at)
		VALUES ($1,$2,$3,$4,$5,$6,$7) ON CONFLICT DO NOTHING`,
		k.MerchantID, k.IsTest, k.Key, k.Fingerprint, a.Status, a.Body, Instant(time.Now()))
	if err != nil {
		return fmt.Errorf("remember answer: %w", err)
	}
	return nil
}
