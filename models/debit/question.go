package debit

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// question is one authentication with all that hangs on its answer, its rows held
// by one transaction. The first of answer and time limit decides.
type question struct {
	s     *Service
	ctx   context.Context
	tx    *database.Tx
	a     row[mandate.Authentication]
	m     row[mandate.Mandate]
	t     row[token.Token]
	p     row[purchase.Purchase]
	first *collection.Collection  // what acceptance plans
	again *mandate.Authentication // the fallback that follows
	wrong error
}

// onAsked lets decide look at one authentication and change what hangs on it.
func (s *Service) onAsked(ctx context.Context, id uuid.UUID, decide func(*question)) error {
	return s.InTx(ctx, func(tx *database.Tx) error {
		ctx := tx.Context()
		q, err := s.holdAsked(ctx, tx, id)
		if err != nil || q == nil {
			return err
		}
		decide(q)
		return q.save()
	})
}

// holdAsked gives nil for an id that is not ours.
func (s *Service) holdAsked(ctx context.Context, tx *database.Tx, id uuid.UUID) (*question, error) {
	held, err := holdAsked(tx, []uuid.UUID{id})
	asked, found := held[id]
	if err != nil || !found {
		return nil, err
	}
	return &question{s: s, ctx: ctx, tx: tx, a: held1(asked.Authentication), m: held1(asked.Mandate),
		t: held1(asked.Token), p: held1(asked.Purchase)}, nil
}

func held1[T any](v T) row[T] { return row[T]{was: v, is: v} }

func (q *question) save() error {
	if q.wrong != nil {
		return q.wrong
	}
	now := q.tx.Now()
	if q.t.changed {
		q.t.is.UpdatedAt = now
		token.Save(q.tx, q.t.is, q.t.was.State)
	}
	if q.m.changed {
		q.m.is.UpdatedAt = now
		mandate.Save(q.tx, q.m.is, q.m.was.State)
	}
	if q.a.changed {
		mandate.SaveAuthentication(q.tx, q.a.is, q.a.was.State)
	}
	if q.again != nil {
		mandate.InsertAuthentication(q.tx, *q.again)
	}
	if q.p.changed {
		q.p.is.UpdatedAt = now
		purchase.Save(q.tx, q.p.is, q.p.was.Status)
	}
	if q.first != nil {
		collection.Insert(q.tx, *q.first)
	}
	return nil
}

// sent starts the time to answer.
func (q *question) sent(at time.Time) {
	a := &q.a.is
	a.State, a.SentAt, a.ExpiresAt = mandate.AuthSent, at, q.s.Limits.Ends(a.Method, at)
	q.a.changed = true
	q.moveMandate(mandate.Pending, "")
}

func (q *question) moveMandate(to mandate.State, code string) {
	q.m.is.State, q.m.is.ReasonCode, q.m.changed = to, code, true
}

func (q *question) answered(state mandate.AuthState, code string, at time.Time) {
	a := &q.a.is
	a.State, a.Code, a.AnsweredAt, q.a.changed = state, code, at, true
}

// accept: the client confirmed the mandate.
func (q *question) accept(msg bank.Message) {
	q.answered(mandate.AuthAccepted, msg.Code, msg.At)
	q.a.is.Channel = msg.Channel
	q.m.is.BankReference = msg.Reference
	q.m.is.Fallback = q.a.is.Method == mandate.Fallback
	q.usable(mandate.ActiveState, msg.At)
	text := "The client confirmed the mandate"
	if channel := mandate.ChannelLabel(msg.Channel); channel != "" {
		text += " (" + channel + ")"
	}
	q.note(actor.BankOf(q.m.is.MerchantID), "mandate.accepted", "%s.", text)
}

// usable: debits may run, so the token lives, and the first debit is planned where
// there is an amount.
func (q *question) usable(state mandate.State, at time.Time) {
	q.moveMandate(state, "")
	q.m.is.AcceptedAt = at
	brand, err := q.s.Purchases.Merchants().Brand(q.ctx, q.m.is.MerchantID, q.m.is.BrandID)
	if err != nil {
		q.wrong = err
		return
	}
	if q.t.is.State == token.Pending && !q.m.is.OneDebit {
		q.t.is.State, q.t.changed = token.Active, true
		q.tx.Audit(actor.BankOf(q.t.is.MerchantID),
			audit.Entry{Action: "token.stored", ObjectType: "token", ObjectID: q.t.is.ID, ClientID: q.t.is.ClientID,
				PurchaseID: q.p.is.ID,
				Text:       fmt.Sprintf("The account %s is stored and can be charged.", q.t.is.AccountMask),
				After:      map[string]any{"state": q.t.is.State}})
	}
	q.first = q.s.Purchases.Authenticated(q.tx, &q.p.is, q.m.is, brand)
	q.p.changed = true
	q.wrong = q.s.Purchases.MailAgreement(q.tx, q.p.is, q.m.is, brand, q.first, q.a.is.Number)
}

// decline: the mandate did not come about. A refusal never starts the fallback.
func (q *question) decline(state mandate.State, code string, at time.Time) {
	reason := bank.MandateCodeOf(code)
	q.answered(authStates[state], code, at)
	q.moveMandate(state, code)
	q.p.changed = q.p.is.Unauthenticated(state, reason, q.tx.Now()) || q.p.changed
	q.note(actor.BankOf(q.m.is.MerchantID), "mandate."+string(state), "%s. %s", reason.Label(), reason.Remedy)
}

var authStates = map[mandate.State]mandate.AuthState{
	mandate.Rejected: mandate.AuthRejected, mandate.NoResponse: mandate.AuthNoResponse,
	mandate.FailedAtBank: mandate.AuthFailed,
}

// passed: the time limit has come, unless an answer was quicker.
func (q *question) passed() {
	a, now := q.a.is, q.tx.Now()
	switch {
	case a.State == mandate.AuthRequested && !now.Before(a.RequestedAt.Add(q.s.Limits.For(a.Method))):
		q.a.is.CancelDue = true // it may have arrived all the same
		q.decline(mandate.FailedAtBank, bank.CodeSystemError, now)
	case a.State.Open() && a.State != mandate.AuthRequested && !now.Before(a.ExpiresAt):
		q.unanswered(a.ExpiresAt)
	}
}

// unanswered: nobody answered in time. The fallback follows where it was asked
// for; when that is not answered either, the mandate is registered without the
// client (source: do_delayed_on_auth_failure).
func (q *question) unanswered(at time.Time) {
	switch {
	case q.repeats():
		q.answered(mandate.AuthNoResponse, bank.CodeNoAnswer, at)
		q.moveMandate(mandate.Submitted, "")
		q.again = &mandate.Authentication{ID: q.tx.NewID(), MerchantID: q.m.is.MerchantID, MandateID: q.m.is.ID,
			Number: q.a.is.Number + 1,
			Method: mandate.RealTime, State: mandate.AuthRequested, RequestedBy: "repeat", RequestedAt: q.tx.Now()}
		q.note(actor.SystemOf(q.m.is.MerchantID), "mandate.repeated",
			"The client did not answer in time and is asked again, as the terms of this client say.")
	case q.a.is.Method == mandate.Fallback:
		q.answered(mandate.AuthNoResponse, bank.CodeNoAnswer, at)
		q.m.is.Fallback = true
		q.usable(mandate.Registered, at)
		q.note(
			actor.SystemOf(q.m.is.MerchantID),
			"mandate.registered",
			"The client did not answer within %s; the mandate is registered without an answer. "+
				"Every debit under it may be disputed.",
			mandate.Span(q.s.Limits.For(mandate.Fallback)),
		)
	case q.m.is.Terms != nil && q.m.is.Terms.DelayedOnFailure:
		q.answered(mandate.AuthNoResponse, bank.CodeNoAnswer, at)
		q.moveMandate(mandate.Submitted, "")
		q.again = &mandate.Authentication{ID: q.tx.NewID(), MerchantID: q.m.is.MerchantID, MandateID: q.m.is.ID,
			Number: q.a.is.Number + 1,
			Method: mandate.Fallback, State: mandate.AuthRequested, RequestedBy: "fallback", RequestedAt: q.tx.Now()}
		q.note(actor.SystemOf(q.m.is.MerchantID), "mandate.fallback",
			"The client did not answer in time, is asked again and has %s. Debits under this fallback may be disputed.",
			mandate.Span(q.s.Limits.For(mandate.Fallback)))
	default:
		q.decline(mandate.NoResponse, bank.CodeNoAnswer, at)
	}
}

// repeats tells that the client is asked in real time once more, as their own terms say, within the window.
func (q *question) repeats() bool {
	return q.a.is.Method == mandate.RealTime && q.a.is.Number <= q.p.is.Details.AuthRetries &&
		q.a.is.Number < q.s.Limits.MostTries && q.s.Purchases.Window.Open(q.tx.Now())
}

// suspended: the client's bank runs nothing more under the mandate.
func (q *question) suspended(msg bank.Message) {
	q.moveMandate(mandate.Suspended, msg.Code)
	if blockable(q.t.is) {
		block(&q.t.is, msg.Code)
		q.t.changed = true
	}
	q.note(actor.BankOf(q.m.is.MerchantID), "mandate.suspended", "The client’s bank suspended the mandate: %s. %s",
		bank.Label(msg.Code), bank.Remedy(msg.Code))
}

// mandateAnswer records the bank's word on a mandate.
func (s *Service) mandateAnswer(ctx context.Context, msg bank.Message) error {
	return s.InTx(ctx, func(tx *database.Tx) error {
		ctx := tx.Context()
		fresh, err := newMessages(tx, s.Bank.Name(), []bank.Message{msg}, nobodys)
		if err != nil || !fresh[msg.ID] {
			return err
		}
		q, err := s.holdAsked(ctx, tx, msg.InstructionID)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		out := outcome{message: msg, text: "ignored: the request is not ours"}
		if q != nil {
			out.merchantID, out.text = q.m.is.MerchantID, q.take(msg)
			if err := q.save(); err != nil {
				return err
			}
		}
		noteOutcomes(tx, s.Bank.Name(), []outcome{out})
		return nil
	})
}

// take applies a message, or says why it changes nothing.
func (q *question) take(msg bank.Message) string {
	was, stood := q.a.is.State, q.m.is.State
	if was == mandate.AuthRequested && msg.Kind != bank.MandateSuspended {
		q.sent(msg.At) // the answer proves that the bank has it
	}
	late := !q.a.is.ExpiresAt.IsZero() && !msg.At.Before(q.a.is.ExpiresAt)
	switch open := q.a.is.State.Open(); {
	case msg.Kind == bank.MandateSuspended && stood.Usable() && q.carries():
		q.suspended(msg)
	case msg.Kind == bank.MandateDelivered && q.a.is.State == mandate.AuthSent:
		q.a.is.State, q.a.is.DeliveredAt, q.a.changed = mandate.AuthDelivered, msg.At, true
	case msg.Kind == bank.MandateAccepted && open && !late:
		q.accept(msg)
	case msg.Kind == bank.MandateRejected && open && !late:
		q.decline(mandate.Rejected, msg.Code, msg.At)
	case msg.Kind == bank.MandateFailed && open && !late:
		q.decline(mandate.FailedAtBank, msg.Code, msg.At)
	case msg.Kind == bank.MandateUnanswered && open:
		q.unanswered(msg.At)
	default:
		if msg.Kind == bank.MandateAccepted && !q.carries() { // too late: the bank must not think it has a mandate
			q.a.is.CancelDue, q.a.changed = true, true
			q.note(actor.BankOf(q.m.is.MerchantID), "mandate.answered_late",
				"The client’s answer came after the time limit and changes nothing.")
		}
		return fmt.Sprintf("ignored: %s (%s) changes nothing while the request is %s and the mandate %s", msg.Kind, msg.Code,
			was, stood)
	}
	return fmt.Sprintf("applied: request %s to %s, mandate %s to %s", was, q.a.is.State, stood, q.m.is.State)
}

// carries tells that the mandate came about by this authentication: the client
// accepted it, or nobody answered the fallback.
func (q *question) carries() bool {
	return q.a.is.State == mandate.AuthAccepted || q.a.is.State == mandate.AuthNoResponse &&
		q.a.is.Method == mandate.Fallback
}

func (q *question) note(who actor.Actor, action, format string, args ...any) {
	noteMandate(q.tx, who, q.m.is, action, format, args...)
}

// noteMandate puts a sentence about a mandate on the time lines.
func noteMandate(tx *database.Tx, who actor.Actor, m mandate.Mandate, action, format string, args ...any) {
	tx.Audit(who, audit.Entry{Action: action, ObjectType: "mandate", ObjectID: m.ID, ClientID: m.ClientID,
		PurchaseID: m.ID,
		Text:       fmt.Sprintf(format, args...), After: map[string]any{"state": m.State}})
}

func (q *question) say(at time.Time) string {
	return at.In(calendar.SAST).Format("2 Jan 2006 15:04:05") + " SAST"
}
