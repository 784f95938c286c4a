package smtp

import "context"

// Greet begins a conversation with the relay, encryption and sign-in included, and
// takes leave. The error says what the relay did not like.
func (r *Relay) Greet(ctx context.Context) error {
	l, err := r.line(ctx)
	if err != nil {
		return err
	}
	l.close()
	return nil
}
