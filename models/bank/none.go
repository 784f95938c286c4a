package bank

import (
	"context"

	"github.com/google/uuid"
)

// None is no connection at all: it refuses everything and never has anything to say.
type None struct{}

var _ Gateway = None{}

// Name is "none".
func (None) Name() string { return "none" }

// Capabilities are none.
func (None) Capabilities() Capabilities { return Capabilities{} }

// Submit refuses.
func (None) Submit(context.Context, []Instruction) ([]Receipt, error) { return nil, ErrUnable }

// RequestMandate refuses.
func (None) RequestMandate(context.Context, MandateRequest) (Receipt, error) {
	return Receipt{}, ErrUnable
}

// CancelMandate refuses.
func (None) CancelMandate(context.Context, uuid.UUID) error { return ErrUnable }

// Recall refuses.
func (None) Recall(context.Context, uuid.UUID) error { return ErrUnable }

// SubmitRefunds refuses.
func (None) SubmitRefunds(context.Context, []Refund) ([]Receipt, error) { return nil, ErrUnable }

// Contest refuses.
func (None) Contest(context.Context, Proof) error { return ErrUnable }

// Fetch has nothing.
func (None) Fetch(context.Context, int) ([]Message, error) { return nil, nil }

// Acknowledge has nothing to note.
func (None) Acknowledge(context.Context, []string) error { return nil }
