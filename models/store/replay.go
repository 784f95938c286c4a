package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// Answer is what a POST with an Idempotency-Key was answered.
type Answer struct {
	Status int
	Body   []byte
}

// ErrKeyReused says that the key was used with another request.
var ErrKeyReused = errors.New("idempotency key used with a different request")

// Replay is the Idempotency-Key of one request.
type Replay struct {
	MerchantID  uuid.UUID
	IsTest      bool
	Key         string
	Fingerprint []byte // of method, path and body
}

// Recorder carries a Replay through the use case, so that the answer is written
// in the transaction of the fact: after a crash either both are there or neither.
type Recorder struct {
	Replay
	answer *Answer
	kept   bool
}

type recorderKey struct{}

// WithRecorder makes the next transaction of ctx keep the answer.
func WithRecorder(ctx context.Context, r Replay) (context.Context, *Recorder) {
	rec := &Recorder{Replay: r}
	return context.WithValue(ctx, recorderKey{}, rec), rec
}

func recorderFrom(ctx context.Context) *Recorder {
	rec, _ := ctx.Value(recorderKey{}).(*Recorder)
	return rec
}

// Kept tells whether a transaction wrote the answer.
func (r *Recorder) Kept() bool { return r.kept }

func (r *Recorder) keep(tx *Tx) {
	if r.answer == nil || r.kept {
		return
	}
	tx.later(`INSERT INTO idempotency_keys (merchant_id, is_test, key, fingerprint, status, body, stored_at) VALUES ($1,$2,$3,$4,$5,$6,$7)`,
		r.MerchantID, r.IsTest, r.Key, r.Fingerprint, r.answer.Status, r.answer.Body, Instant(time.Now()))
	r.kept = true
}

type answerKey struct{}

// Encoder turns the result of a use case into the answer the caller will see.
type Encoder func(result any) (Answer, error)

// WithEncoder tells how results are answered on this request.
func WithEncoder(ctx context.Context, enc Encoder) context.Context {
	return context.WithValue(ctx, answerKey{}, enc)
}

// Answered gives the result of the use case to the Idempotency-Key of the
// request, if it has one. Use cases call it last in their transaction.
func (t *Tx) Answered(result any) error {
	rec := recorderFrom(t.ctx)
	enc, _ := t.ctx.Value(answerKey{}).(Encoder)
	if rec == nil || enc == nil {
		return nil
	}
	answer, err := enc(result)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	rec.answer = &answer
	return nil
}

type idempotencyRow struct {
	Fingerprint []byte
	Status      int
	Body        []byte
}

// Recall finds the stored answer for a key; nil when there is none.
// ErrKeyReused when the key belongs to another request.
func (s *Store) Recall(ctx context.Context, r Replay) (*Answer, error) {
	var row idempotencyRow
	err := s.read(ctx).Table("idempotency_keys").Select("fingerprint, status, body").
		Where("merchant_id = ? AND is_test = ? AND key = ?", r.MerchantID, r.IsTest, r.Key).Take(&row).Error
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("recall answer: %w", err)
	case !bytes.Equal(row.Fingerprint, r.Fingerprint):
		return nil, ErrKeyReused
	}
	return &Answer{row.Status, row.Body}, nil
}

// Remember keeps an answer that changed nothing, such as a refusal. An answer
// that is there already stays.
func (s *Store) Remember(ctx context.Context, r Replay, a Answer) error {
	_, err := s.Pool.Exec(ctx, `INSERT INTO idempotency_keys (merchant_id, is_test, key, fingerprint, status, body, stored_at)
		VALUES ($1,$2,$3,$4,$5,$6,$7) ON CONFLICT DO NOTHING`,
		r.MerchantID, r.IsTest, r.Key, r.Fingerprint, a.Status, a.Body, Instant(time.Now()))
	if err != nil {
		return fmt.Errorf("remember answer: %w", err)
	}
	return nil
}
