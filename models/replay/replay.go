// Package replay knows that a request with a key of its own is answered once:
// the same key gets the same answer again. It must not know HTTP or SQL.
package replay

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// Answer is what a request was answered.
type Answer struct {
	Status int
	Body   []byte
}

// ErrKeyReused says that the key was used with another request.
var ErrKeyReused = errors.New("idempotency key used with a different request")

// Key is the Idempotency-Key of one request.
type Key struct {
	MerchantID  uuid.UUID
	IsTest      bool
	Key         string
	Fingerprint []byte // of method, path, query, body and kind of caller
}

// Recorder carries a Key through the use case, so that the answer is written
// in the transaction of the fact: after a crash either both are there or neither.
type Recorder struct {
	Key
	answer *Answer
	kept   bool
}

type (
	recorderKey struct{}
	encoderKey  struct{}
)

// WithRecorder makes the next transaction of ctx keep the answer.
func WithRecorder(ctx context.Context, k Key) (context.Context, *Recorder) {
	rec := &Recorder{Key: k}
	return context.WithValue(ctx, recorderKey{}, rec), rec
}

// RecorderFrom is nil when the request has no key.
func RecorderFrom(ctx context.Context) *Recorder {
	rec, _ := ctx.Value(recorderKey{}).(*Recorder)
	return rec
}

// Kept tells whether a transaction wrote the answer.
func (r *Recorder) Kept() bool { return r.kept }

// Pending is the answer that waits to be written; nil when there is none or it
// was handed out already.
func (r *Recorder) Pending() *Answer {
	if r.kept {
		return nil
	}
	return r.answer
}

// Keep says that a transaction wrote the answer.
func (r *Recorder) Keep() { r.kept = true }

// Undo says that the transaction which was to write the answer came to nothing:
// the next one keeps its own.
func (r *Recorder) Undo() { r.kept, r.answer = false, nil }

// Encoder turns the result of a use case into the answer the caller will see.
type Encoder func(result any) (Answer, error)

// WithEncoder tells how results are answered on this request.
func WithEncoder(ctx context.Context, enc Encoder) context.Context {
	return context.WithValue(ctx, encoderKey{}, enc)
}

// Answered gives the result of a use case to the key of the request, if it has one.
func Answered(ctx context.Context, result any) error {
	rec := RecorderFrom(ctx)
	enc, _ := ctx.Value(encoderKey{}).(Encoder)
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
