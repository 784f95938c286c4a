// Package outbox knows how a mail leaves the house: claimed by one process, tried
// again with growing patience, marked when the relay has it. It must not know how
// mails are worded or how a relay is spoken to.
package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"debitdesk/models/mail"
)

// Store keeps the mails.
type Store interface {
	Now() time.Time
	// DueMails names queued mails whose turn has come, longest waiting first.
	DueMails(ctx context.Context, limit int) ([]uuid.UUID, error)
	// ClaimMail takes a mail for this process and counts the try; false when
	// another has it, its time has not come, it is done or unknown.
	ClaimMail(ctx context.Context, id uuid.UUID) (mail.Mail, bool, error)
	// MailWorded keeps the words of a mail that was queued without them.
	MailWorded(ctx context.Context, id uuid.UUID, l mail.Letter) error
	// MailSent marks a mail that the relay has.
	MailSent(ctx context.Context, id uuid.UUID) error
	// MailPutOff keeps it for another try at next; the zero time gives it up.
	MailPutOff(ctx context.Context, id uuid.UUID, try int, why string, next time.Time) error
}

// Service sends what the outbox holds.
type Service struct {
	Store  Store
	Sender mail.Sender
	// Compose words a mail that was queued without words, as those of many invoices
	// at once are.
	Compose func(ctx context.Context, m mail.Mail) (mail.Letter, error)
	// Sent, when given, hears of every mail that the relay has taken, so that an
	// invoice's purchase can turn sent. It must be safe to repeat.
	Sent func(ctx context.Context, m mail.Mail) error
}

// patience is how long the next try waits after the first failure, the second and
// so on. A mail that has failed once more than there are waits is given up.
var patience = []time.Duration{
	time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 16 * time.Hour,
}

// Tries is how often a mail is tried at most.
const Tries = 8

const (
	sendWithin = time.Minute // one try; far below the time for which a claim holds
	chunk      = 50
	weary      = 3 // failures in a row after which a sweep leaves the relay alone
	whyLength  = 500
)

// errPutOff marks a try that failed and was written down.
var errPutOff = errors.New("mail put off")

// Send sends one mail. A mail that another process has, that is not due or that
// is done already is no error. When the relay fails, the mail is put off or given
// up, and the error tells why.
//
// A process that dies after the relay took the mail and before it was marked
// leaves it queued: it goes out again with the same message id.
func (s *Service) Send(ctx context.Context, id uuid.UUID) error {
	_, err := s.send(ctx, id)
	return err
}

// SendDue sends every mail whose turn has come and tells how many went out. It
// stops early, with the relay's error, when the relay fails again and again.
func (s *Service) SendDue(ctx context.Context) (sent int, err error) {
	failures := 0
	for {
		ids, err := s.Store.DueMails(ctx, chunk)
		if err != nil {
			return sent, err
		}
		taken := 0
		for _, id := range ids {
			done, err := s.send(ctx, id)
			switch {
			case err != nil && !errors.Is(err, errPutOff):
				return sent, err
			case done:
				sent, taken, failures = sent+1, taken+1, 0
			case err == nil: // another process has it
			default:
				taken, failures = taken+1, failures+1
			}
			if failures == weary {
				return sent, err
			}
		}
		if taken == 0 {
			return sent, nil
		}
	}
}

func (s *Service) send(ctx context.Context, id uuid.UUID) (sent bool, err error) {
	m, claimed, err := s.Store.ClaimMail(ctx, id)
	if err != nil || !claimed {
		return false, err
	}
	if m.Text == "" && m.HTML == "" && s.Compose != nil {
		if m.Letter, err = s.word(ctx, m); err != nil {
			return false, s.putOff(context.WithoutCancel(ctx), m, err)
		}
	}
	within, cancel := context.WithTimeout(ctx, sendWithin)
	err = s.Sender.Send(within, m)
	cancel()
	// What the relay said must be written down even when the caller gives up now.
	ctx = context.WithoutCancel(ctx)
	if err != nil {
		return false, s.putOff(ctx, m, err)
	}
	return true, s.sent(ctx, m)
}

// word keeps the words before they leave the house: what is shown is what was sent.
func (s *Service) word(ctx context.Context, m mail.Mail) (mail.Letter, error) {
	l, err := s.Compose(ctx, m)
	if err != nil {
		return l, fmt.Errorf("word mail %s: %w", m.ID, err)
	}
	return l, s.Store.MailWorded(ctx, m.ID, l)
}

// sent tells the hook before it marks the mail: a crash in between repeats both,
// and never leaves a mail that is sent with a purchase that is not.
func (s *Service) sent(ctx context.Context, m mail.Mail) error {
	var told error
	if s.Sent != nil {
		if err := s.Sent(ctx, m); err != nil {
			told = fmt.Errorf("tell of sent mail %s: %w", m.ID, err)
		}
	}
	return errors.Join(s.Store.MailSent(ctx, m.ID), told)
}

func (s *Service) putOff(ctx context.Context, m mail.Mail, why error) error {
	next := NextTry(s.Store.Now(), m.Tries, why)
	err := s.Store.MailPutOff(ctx, m.ID, m.Tries, short(why.Error()), next)
	return errors.Join(fmt.Errorf("%w: send mail %s, try %d: %w", errPutOff, m.ID, m.Tries, why), err)
}

// NextTry is when a mail is tried again after its nth try failed at now; the zero
// time when it is given up.
func NextTry(now time.Time, tries int, why error) time.Time {
	if mail.IsRefusal(why) || tries >= Tries {
		return time.Time{}
	}
	return now.Add(patience[max(tries, 1)-1])
}

// short cuts a text to what the row keeps, between runes.
func short(text string) string {
	if len(text) <= whyLength {
		return text
	}
	cut := whyLength
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}

// Keep is the sender without a relay: the mail stays in the outbox, where the
// sandbox mail page shows it, and counts as sent.
type Keep struct{}

// Send implements mail.Sender.
func (Keep) Send(context.Context, mail.Mail) error { return nil }
