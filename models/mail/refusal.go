package mail

import "errors"

// Refusal is a relay's last word on one message: the address does not exist, the
// message is not taken. Trying again would only repeat it.
type Refusal struct{ Err error }

// Error is what the relay said.
func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap gives the relay's error.
func (r *Refusal) Unwrap() error { return r.Err }

// IsRefusal tells a last word from a passing trouble.
func IsRefusal(err error) bool {
	var r *Refusal
	return errors.As(err, &r)
}
