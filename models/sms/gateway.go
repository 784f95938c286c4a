package sms

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
)

// Gateway is a provider that takes short messages and tells what became of them.
type Gateway interface {
	// Send hands a message over and gives the provider's id of it. An error is a Refusal, a Busy or an Unknown; any other
	// one means that the provider has not taken the message, and that it may be tried again.
	Send(ctx context.Context, m Outgoing) (providerID string, err error)
	// Reports reads what the provider tells about messages; ErrMalformed when it is nothing that it would tell.
	Reports(c Call) ([]Report, error)
	// Replies reads what people answered; ErrMalformed as above.
	Replies(c Call) ([]Reply, error)
	Limits() Limits
}

// Confirmer is a gateway that can be asked whether it has a reply. No provider signs what it tells, so a number is
// blocked only after the question, where it can be asked.
type Confirmer interface {
	Confirm(ctx context.Context, r Reply) (bool, error)
}

// Limits are what a provider promises.
type Limits struct {
	Name string // of the provider, for people
	// Repeats is for how long the same message may be handed over again without being sent twice; 0: never.
	Repeats time.Duration
	Keeps   bool // messages go nowhere: the sandbox shows them
}

// Outgoing is what a provider needs of a message.
type Outgoing struct {
	ID       uuid.UUID // ours, by which reports are told apart; number alone is not enough
	To       string    // +27 and nine digits
	Text     string
	Encoding Encoding
}

// Call is an incoming HTTP call of a provider.
type Call struct {
	Header func(name string) string
	Body   []byte
}

// Report is what became of a message.
type Report struct {
	ID         uuid.UUID // ours; zero when the provider names only its own
	ProviderID string
	State      State // Sent, Delivered, Failed or Expired
	Why        string
}

// Reply is what a person answered.
type Reply struct {
	ProviderID string
	From       string // as the provider writes the number
	Text       string
	To         uuid.UUID // the message that it answers; zero: not told
	ToProvider string    // the same by the provider's id; empty: not told
}

// Refusal is a provider's last word on one message.
type Refusal struct{ Why string }

// Error is what the provider said.
func (r *Refusal) Error() string { return r.Why }

// Busy means that the provider takes no more for a while.
type Busy struct{ After time.Duration }

// Error names how long.
func (b *Busy) Error() string { return "the provider takes no more messages for " + b.After.String() }

// Unknown means that the message may have been taken: the connection ended before the answer.
type Unknown struct{ Err error }

// Error is what happened to the connection.
func (u *Unknown) Error() string { return "no answer of the provider: " + u.Err.Error() }

// Unwrap gives the error of the connection.
func (u *Unknown) Unwrap() error { return u.Err }

// ErrMalformed is a call that no provider makes.
var ErrMalformed = errors.New("this is nothing that the provider would tell")

// Keep is the gateway without a provider: messages stay in the outbox, where the sandbox's phone shows them.
type Keep struct{}

// Send implements Gateway.
func (Keep) Send(context.Context, Outgoing) (string, error) { return "", nil }

// Reports implements Gateway.
func (Keep) Reports(Call) ([]Report, error) { return nil, ErrMalformed }

// Replies implements Gateway.
func (Keep) Replies(Call) ([]Reply, error) { return nil, ErrMalformed }

// Limits implements Gateway.
func (Keep) Limits() Limits { return Limits{Name: "sandbox", Keeps: true} }
