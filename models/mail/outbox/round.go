package outbox

import (
	"context"
	"errors"
	"sync"

	"debitdesk/models/mail"
)

// round is a group of mails on its way, over several conversations side by side.
type round struct {
	s        *Service
	mu       sync.Mutex
	todo     []mail.Mail
	taken    []mail.Mail
	failures int // in a row
	err      error
}

func (r *round) talk(ctx context.Context) {
	for {
		m, more := r.next(ctx)
		if !more {
			return
		}
		r.done(m, r.s.hand(ctx, m))
	}
}

// next is the next mail, unless the relay is in trouble or the caller gave up.
func (r *round) next(ctx context.Context) (m mail.Mail, more bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.todo) == 0 || ctx.Err() != nil || r.failures >= weary || r.err != nil && !errors.Is(r.err, errPutOff) {
		return m, false
	}
	m, r.todo = r.todo[0], r.todo[1:]
	return m, true
}

func (r *round) done(m mail.Mail, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil:
		r.taken, r.failures = append(r.taken, m), 0
	case errors.Is(err, errLost):
	case errors.Is(err, errStopped):
		r.todo = append(r.todo, m)
	default:
		r.failures++
		r.err = err
	}
}

var (
	errLost    = errors.New("the claim was lost")     // another process has the mail by now
	errStopped = errors.New("stopped while speaking") // the caller gave up; the mail is not the relay's
)

// hand sends one mail.
func (s *Service) hand(ctx context.Context, m mail.Mail) error {
	within, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	var noted error
	var gone *leaving
	handed := false
	err := s.Sender.Send(within, m, mail.LastByte{
		May: func() error {
			if gone, noted = s.Store.HandMail(within, m.ID, m.Tries); noted == nil && gone == nil {
				noted = errLost
			}
			return noted
		},
		Gone: func() {
			handed = true
			_ = gone.Gone(context.WithoutCancel(ctx)) // the mail is marked once more when the relay has answered
		},
	})
	if gone != nil {
		gone.Release()
	}
	switch {
	case err == nil:
		return nil
	case noted != nil && ctx.Err() == nil:
		return noted
	case ctx.Err() != nil && !handed:
		return errStopped
	case ctx.Err() != nil: // it is on its way, and nobody heard the answer
		return errLost
	}
	return s.putOff(context.WithoutCancel(ctx), m, err)
}
