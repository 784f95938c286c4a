package database

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database/seal"
	"debitdesk/models/fault"
	"debitdesk/models/replay"
)

// Answers are the answers that were given before. They may show a client's numbers and requests hold them, so both are
// kept as secrets: the answer sealed, the fingerprint keyed.
type Answers struct{ DB *DB }

func (s *DB) sealAnswer(k replay.Key, body []byte) []byte {
	if len(body) == 0 {
		return []byte{}
	}
	return s.Seal.SealBytes(AnswerAt(k.MerchantID.String(), k.IsTest, k.Key), body)
}

func (s *DB) fingerprint(k replay.Key) []byte {
	return s.Seal.Hash(k.MerchantID, "request", string(k.Fingerprint))
}

// Answered gives the result of the use case to the Idempotency-Key of the
// request, if it has one. Use cases call it last in their transaction.
func (t *Tx) Answered(result any) error { return replay.Answered(t.ctx, result) }

// keepAnswer writes the answer, if one waits, and gives its recorder: it is told
// once the transaction stands, so that a change that was lost and begins again
// keeps its answer too.
func (t *Tx) keepAnswer() *replay.Recorder {
	rec := replay.RecorderFrom(t.ctx)
	if rec == nil {
		return nil
	}
	answer := rec.Pending()
	if answer == nil {
		return nil
	}
	t.Later(
		`INSERT INTO idempotency_keys (merchant_id, is_test, key, fingerprint, status, body, stored_at)
			VALUES ($1,$2,$3,$4,$5,$6,$7)`,
		rec.MerchantID,
		rec.IsTest,
		rec.Key.Key,
		t.s.fingerprint(rec.Key),
		answer.Status,
		t.s.sealAnswer(rec.Key, answer.Body),
		Instant(time.Now()),
	)
	return rec
}

// dropAnswer forgets an answer whose transaction came to nothing: the next one of
// the request gives its own.
func (t *Tx) dropAnswer() {
	if rec := replay.RecorderFrom(t.ctx); rec != nil && !rec.Kept() {
		rec.Undo()
	}
}

type idempotencyRow struct {
	Fingerprint []byte
	Status      int
	Body        []byte
}

// Recall finds the stored answer for a key; nil when there is none.
// replay.ErrKeyReused when the key belongs to another request.
func (a Answers) Recall(ctx context.Context, k replay.Key) (*replay.Answer, error) {
	s := a.DB
	var row idempotencyRow
	err := s.Gorm(ctx).Table("idempotency_keys").Select("fingerprint, status, body").
		Where("merchant_id = ? AND is_test = ? AND key = ?", k.MerchantID, k.IsTest, k.Key).Take(&row).Error
	switch {
	case fault.Is(err, fault.NotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("recall answer: %w", err)
	case !bytes.Equal(row.Fingerprint, s.fingerprint(k)):
		return nil, replay.ErrKeyReused
	}
	body, err := s.Seal.OpenBytes(AnswerAt(k.MerchantID.String(), k.IsTest, k.Key), row.Body)
	if errors.Is(err, seal.ErrDamaged) {
		return nil, fault.New(fault.Conflict, "answer_unreadable",
			"This request was carried out before. Its answer can no longer be read; look at what it was about.")
	}
	if err != nil {
		return nil, fmt.Errorf("recall answer: %w", err)
	}
	return &replay.Answer{Status: row.Status, Body: body}, nil
}

// Remember keeps an answer that changed nothing, such as a refusal. An answer
// that is there already stays.
func (a Answers) Remember(ctx context.Context, k replay.Key, given replay.Answer) error {
	s := a.DB
	_, err := s.Pool.Exec(ctx,
		`INSERT INTO idempotency_keys (merchant_id, is_test, key, fingerprint, status, body, stored_at)
		VALUES ($1,$2,$3,$4,$5,$6,$7) ON CONFLICT DO NOTHING`,
		k.MerchantID, k.IsTest, k.Key, s.fingerprint(k), given.Status, s.sealAnswer(k, given.Body), Instant(time.Now()))
	if err != nil {
		return fmt.Errorf("remember answer: %w", err)
	}
	return nil
}

// AnswerAt is the place of the answer that an Idempotency-Key keeps.
func AnswerAt(merchantID string, isTest bool, key string) seal.Place {
	owner, _ := uuid.Parse(merchantID)
	return seal.Place{Owner: owner, Table: "idempotency_keys", Column: "body", Row: strconv.FormatBool(isTest) + "/" + key}
}
