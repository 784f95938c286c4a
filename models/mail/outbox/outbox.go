// Package outbox knows how a mail leaves the house: claimed by one process, tried
// again with growing patience, marked when the relay has it. It must not know how
// mails are worded or how a relay is spoken to.
package outbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"debitdesk/models/mail"
)

// Service sends what the outbox holds.
type Service struct {
	Store  Store
	Sender mail.Sender
	// AtOnce is how many mails of a group are sent side by side; 0 is one.
	AtOnce int
	// Compose words mails that were queued without words, as invoices are.
	Compose func(ctx context.Context, mails []mail.Mail) ([]mail.Letter, error)
	// Sent, when given, hears of all mails that the relay has taken, so that an
	// invoice's purchase can turn sent. It must be safe to repeat.
	Sent func(ctx context.Context, mails []mail.Mail) error
}

// patience is how long the next try waits after the first failure, the second and
// so on. A mail that has failed once more than there are waits is given up.
var patience = []time.Duration{
	time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 16 * time.Hour,
}

// Tries is how often a mail is tried at most.
const Tries = 8

const (
	sendWithin = time.Minute // one try
	group      = 200         // mails that are claimed, worded and marked together
	outward    = 60          // the same where a relay takes its time
	weary      = 3           // failures in a row after which a sweep leaves the relay alone
	whyLength  = 500
)

// errPutOff marks a try that failed and was written down.
var errPutOff = errors.New("mail put off")

// Send sends one mail. A mail that another process has, that is not due or that
// is done already is no error. When the relay fails, the mail is put off or given
// up, and the error tells why.
func (s *Service) Send(ctx context.Context, id uuid.UUID) error {
	mails, err := s.Store.ClaimMail(ctx, id)
	if err != nil || len(mails) == 0 {
		return err
	}
	_, _, err = s.send(ctx, mails)
	return err
}

// SendDue sends every mail whose turn has come, in groups, and tells how many went
// out. It stops early, with the relay's error, when the relay fails again and again.
//
// Before the last byte of a mail leaves, the claim is looked at: a process that was
// slow and lost it does not send. The moment it has left, that is noted: a process
// that is killed later does not send the mail again, and one that is killed before
// has sent nothing.
func (s *Service) SendDue(ctx context.Context) (sent int, err error) {
	if err := s.confirm(ctx); err != nil {
		return 0, err
	}
	size := outward
	if _, keeps := s.Sender.(Keep); keeps {
		size = group
	}
	for {
		mails, err := s.Store.ClaimMails(ctx, size)
		if err != nil || len(mails) == 0 {
			return sent, err
		}
		n, tired, err := s.send(ctx, mails)
		sent += n
		if err != nil && (tired || !errors.Is(err, errPutOff)) {
			return sent, err
		}
	}
}

// confirm marks what was handed over by a process that is gone.
func (s *Service) confirm(ctx context.Context) error {
	for {
		mails, err := s.Store.UnconfirmedMails(ctx, group)
		if err != nil || len(mails) == 0 {
			return err
		}
		if err := s.sent(ctx, mails, s.Store.MailsSent); err != nil {
			return err
		}
	}
}

// send sends claimed mails, and tells how many the relay took; tired when it failed
// again and again.
func (s *Service) send(ctx context.Context, mails []mail.Mail) (n int, tired bool, err error) {
	mails, given := s.readable(ctx, mails)
	if len(mails) == 0 {
		return 0, false, given
	}
	_, keeps := s.Sender.(Keep)
	if err := s.word(ctx, mails, !keeps); err != nil {
		why := error(nil)
		for _, m := range mails {
			why = s.putOff(context.WithoutCancel(ctx), m, err)
		}
		return 0, true, why
	}
	if keeps {
		return len(mails), false, errors.Join(given, s.sent(ctx, mails, s.Store.MailsKept))
	}
	r := round{s: s, todo: mails}
	var talks sync.WaitGroup
	for range max(min(s.AtOnce, len(mails)), 1) {
		talks.Go(func() { r.talk(ctx) })
	}
	talks.Wait()
	// What the relay said must be written down even when the caller gives up now.
	ctx = context.WithoutCancel(ctx)
	return len(r.taken), r.failures >= weary, errors.Join(r.err, given, s.sent(ctx, r.taken, s.Store.MailsSent),
		s.Store.ReleaseMails(ctx, r.todo))
}

var errUnreadable = &mail.Refusal{Err: errors.New("what is stored of its words cannot be read")}

// readable gives up mails whose words cannot be read, and gives the others.
func (s *Service) readable(ctx context.Context, mails []mail.Mail) (good []mail.Mail, given error) {
	for _, m := range mails {
		if m.Unreadable {
			given = errors.Join(given, s.putOff(context.WithoutCancel(ctx), m, errUnreadable))
			continue
		}
		good = append(good, m)
	}
	return good, given
}

// word words mails, and keeps the words before they leave the house: what is shown
// is what was sent.
func (s *Service) word(ctx context.Context, mails []mail.Mail, leaving bool) error {
	var at []int
	var wordless []mail.Mail
	for i, m := range mails {
		if m.Text == "" && m.HTML == "" {
			at, wordless = append(at, i), append(wordless, m)
		}
	}
	if s.Compose == nil || len(wordless) == 0 {
		return nil
	}
	letters, err := s.Compose(ctx, wordless)
	if err != nil {
		return fmt.Errorf("word mails: %w", err)
	}
	for n, i := range at {
		mails[i].Letter = letters[n]
		wordless[n].Letter = letters[n]
	}
	if !leaving {
		return nil
	}
	return s.Store.MailsWorded(ctx, wordless)
}

// sent tells the hook before it marks the mails: a crash in between repeats both,
// and never leaves a mail that is sent with a purchase that is not.
func (s *Service) sent(ctx context.Context, mails []mail.Mail, mark func(context.Context, []mail.Mail) error) error {
	if len(mails) == 0 {
		return nil
	}
	var told error
	if s.Sent != nil {
		if err := s.Sent(ctx, mails); err != nil {
			told = fmt.Errorf("tell of sent mails: %w", err)
		}
	}
	return errors.Join(mark(ctx, mails), told)
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
