package texting

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/sms"
)

// patience is how long the next try waits after the first failure, the second and so on. A message that has failed once
// more than there are waits is given up.
var patience = []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 4 * time.Hour}

const (
	sendWithin = 30 * time.Second // one try
	group      = 100              // messages that are claimed together
	weary      = 3                // failures in a row after which a sweep leaves the provider alone
	whyLength  = 300              // characters
)

// errPutOff marks a try that failed and was written down.
var errPutOff = errors.New("SMS put off")

// Send sends one message. One that another process has, that is not due or that is done already is no error.
func (s *Service) Send(ctx context.Context, id uuid.UUID) error {
	if !s.Ready() {
		return nil
	}
	found, err := s.Store.claim(ctx, id)
	for _, m := range found {
		err = errors.Join(err, s.try(ctx, m))
	}
	return err
}

// SendDue sends every message whose turn has come, and tells how many were looked at. It stops early, with the
// provider's error, when that fails again and again.
//
// Before a message is handed over that is noted: a process that is killed later does not send it again, unless the
// provider knows a message again by its id.
func (s *Service) SendDue(ctx context.Context) (n int, err error) {
	if !s.Ready() {
		return 0, nil
	}
	if err := s.takeOver(ctx); err != nil {
		return 0, err
	}
	failures := 0
	for {
		found, err := s.Store.claimDue(ctx, group)
		if err != nil || len(found) == 0 {
			return n, err
		}
		for i, m := range found {
			err := s.try(ctx, m)
			if err == nil {
				n, failures = n+1, 0
				continue
			}
			if failures++; failures >= weary || !errors.Is(err, errPutOff) || ctx.Err() != nil {
				return n, errors.Join(err, s.release(context.WithoutCancel(ctx), found[i+1:]))
			}
		}
	}
}

// release gives claimed messages back that were not tried.
func (s *Service) release(ctx context.Context, left []sms.Message) (err error) {
	for _, m := range left {
		err = errors.Join(err, s.Store.putOff(ctx, m, m.Why, m.NotBefore, false))
	}
	return err
}

// takeOver sees to what was handed over by a process that is gone.
func (s *Service) takeOver(ctx context.Context) error {
	for {
		left, err := s.Store.unanswered(ctx, group)
		if err != nil || len(left) == 0 {
			return err
		}
		for _, m := range left {
			if err := s.unsure(ctx, m, nil); err != nil && !errors.Is(err, errPutOff) {
				return err
			}
		}
	}
}

// try looks whether a claimed message may go out now, and hands it over.
func (s *Service) try(ctx context.Context, m sms.Message) error {
	now := s.Store.Now()
	set, err := s.Store.Settings(ctx, m.MerchantID)
	if err != nil {
		return err
	}
	hours := sms.Hours{Wide: set.WideHours}
	switch next := hours.NextAllowed(now, s.Calendar); {
	case m.Unreadable:
		return s.giveUp(ctx, m, sms.Failed, sms.Unread)
	case m.ExpiresAt.Before(now):
		return s.giveUp(ctx, m, sms.Skipped, "It could not be sent in time.")
	case !m.AtAnyHour() && next.After(m.ExpiresAt):
		return s.giveUp(ctx, m, sms.Skipped,
			"It would have gone out too late: SMS wait for the hours in which they may be sent.")
	case !m.AtAnyHour() && next.After(now):
		return s.Store.putOff(ctx, m, "", next, false)
	}
	today := calendar.DateOf(now)
	switch err := s.Store.hand(ctx, m, today, set.DailyParts); {
	case errors.Is(err, errLost):
		return nil
	case errors.Is(err, errBlocked):
		return s.giveUp(ctx, m, sms.Skipped, "The client answered STOP.")
	case errors.Is(err, errLimit):
		next := hours.NextAllowed(today.AddDays(1).At(0, 0), s.Calendar)
		if next.After(m.ExpiresAt) {
			return s.giveUp(ctx, m, sms.Skipped, "The limit of SMS for one day was used up. An admin can change it in Settings.")
		}
		return s.Store.putOff(ctx, m, "The limit of SMS for one day is used up.", next, false)
	case err != nil:
		return err
	}
	return s.over(ctx, m)
}

// over hands a message over and keeps the answer, even when the caller gives up meanwhile.
func (s *Service) over(ctx context.Context, m sms.Message) error {
	within, cancel := context.WithTimeout(ctx, sendWithin)
	id, err := s.Gateway.Send(within, sms.Outgoing{ID: m.ID, To: m.To, Text: m.Text, Encoding: m.Encoding})
	cancel()
	ctx = context.WithoutCancel(ctx)
	if err == nil {
		return s.Store.accepted(ctx, m, s.Gateway.Limits(), id, "")
	}
	var refused *sms.Refusal
	var busy *sms.Busy
	var unknown *sms.Unknown
	switch {
	case errors.As(err, &refused):
		return s.giveUp(ctx, m, sms.Failed, "The provider refused it: "+short(refused.Why))
	case errors.As(err, &unknown):
		return s.unsure(ctx, m, err)
	case errors.As(err, &busy):
		return s.later(ctx, m, err, busy.After)
	}
	return s.later(ctx, m, err, 0)
}

// unsure sees to a message that the provider may have. Where it can be handed over again without being sent twice,
// it is.
func (s *Service) unsure(ctx context.Context, m sms.Message, why error) error {
	if span := s.Gateway.Limits().Repeats; span > 0 && s.Store.Now().Sub(m.NotBefore) < span {
		if why == nil {
			why = errors.New("the process that sent it ended")
		}
		return s.later(ctx, m, why, 0)
	}
	return s.Store.accepted(ctx, m, s.Gateway.Limits(), "", sms.Unsure)
}

// later keeps a message for another try.
func (s *Service) later(ctx context.Context, m sms.Message, why error, after time.Duration) error {
	text := "It could not be handed over: " + short(why.Error())
	if m.Tries > len(patience) {
		return s.giveUp(ctx, m, sms.Failed, text)
	}
	next := s.Store.Now().Add(max(patience[max(m.Tries, 1)-1], after))
	return errors.Join(fmt.Errorf("%w: message %s, try %d: %w", errPutOff, m.ID, m.Tries, why),
		s.Store.putOff(ctx, m, text, next, true))
}

// giveUp ends a message that was not sent, where a person sees it.
func (s *Service) giveUp(ctx context.Context, m sms.Message, to sms.State, why string) error {
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		won, err := stopped(tx, m, to, why)
		if err != nil || !won {
			return err
		}
		return s.tell(tx, m, to, why)
	})
}

// tell puts what did not reach the client on its time line, and has a person see to it when nothing else did.
func (s *Service) tell(tx *database.Tx, m sms.Message, to sms.State, why string) error {
	text := "An SMS to the client was not sent. " + why
	if to != sms.Skipped {
		text = "An SMS did not reach the client. " + why
	}
	tx.Audit(actor.SystemOf(m.MerchantID), audit.Entry{Action: "sms." + string(to), ObjectType: "sms", ObjectID: m.ID,
		ClientID: m.ClientID, PurchaseID: m.PurchaseID, Text: text, After: map[string]any{"kind": m.Kind, "state": to}})
	if s.Raise == nil || m.ClientID == uuid.Nil || m.Answers() {
		return nil
	}
	reached, err := s.Store.reachedSince(tx.Context(), m)
	if err != nil || reached {
		return err
	}
	return s.Raise(tx, m, text)
}

// short cuts what a provider said to what a row keeps.
func short(text string) string {
	if letters := []rune(text); len(letters) > whyLength {
		return string(letters[:whyLength])
	}
	return text
}
