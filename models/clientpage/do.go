package clientpage

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/clientstop"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/followup"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/models/token"
)

// Limits of acts (source: follow-up, section 9; the number of mails is ours).
const (
	PromiseDays    = 14 // days ahead that a client can promise to pay
	promisesInTime = 2  // promises within promiseTime
	promiseTime    = 90 * 24 * time.Hour
	pausesInTime   = 3 // pauses of one subscription within pauseTime
	pauseTime      = 365 * 24 * time.Hour
	invoicesInTime = 3 // mails of one invoice a day
)

// check looks whether an act can be done now, and fills in what it is about. It is asked when the client begins, and
// again when the code was entered.
func (s *Service) check(tx *database.Tx, a *Act) error {
	looks := map[Kind]func(*database.Tx, *Act) error{Promise: s.checkPromise, Invoice: s.checkInvoice, Day: s.checkDay,
		Stop: s.checkSubscription, Pause: s.checkSubscription, Account: s.checkAccount, Objected: s.checkObjected,
		Details: s.checkText, Privacy: s.checkText}
	look, known := looks[a.Kind]
	if !known {
		return fault.Missing()
	}
	return look(tx, a)
}

// allowed refuses what the business does not offer, and notes whether staff decide.
func (s *Service) allowed(tx *database.Tx, a *Act) error {
	p, err := s.policy(tx, a)
	if err != nil {
		return err
	}
	if p == Off {
		return fault.New(fault.Conflict, "not_offered", "This is not offered on this page. Please speak to the business.")
	}
	a.Wish.Asks = p == AskStaff
	return nil
}

// within refuses what was done too often lately.
func (s *Service) within(tx *database.Tx, a *Act, object uuid.UUID, most int, span time.Duration, code,
	words string) error {
	n, err := doneSince(tx, a.MerchantID, a.ClientID, a.Kind, object, s.Real().Add(-span))
	if err == nil && n >= int64(most) {
		err = fault.New(fault.Conflict, code, "%s", words)
	}
	return err
}

// purchaseOf is the purchase that an act is about, if it is the client's.
func (s *Service) purchaseOf(tx *database.Tx, a *Act) (purchase.Record, error) {
	p, err := s.Purchases.Store.Purchase(tx.Context(), a.MerchantID, a.ObjectID)
	if err == nil && p.ClientID != a.ClientID {
		err = fault.Missing()
	}
	if err != nil {
		return purchase.Record{}, err
	}
	rec, err := s.Purchases.Get(tx.Context(), actor.SystemOf(a.MerchantID), p.ID)
	a.BrandID, a.Wish.Named, a.Wish.Cents = rec.BrandID, p.Called(), rec.OpenCents()
	return rec, err
}

// PromiseTo is the last day that a client can promise.
func PromiseTo(today calendar.Date) calendar.Date { return today.AddDays(PromiseDays) }

func (s *Service) checkPromise(tx *database.Tx, a *Act) error {
	rec, err := s.purchaseOf(tx, a)
	if err != nil {
		return err
	}
	if err := s.allowed(tx, a); err != nil {
		return err
	}
	today := calendar.DateOf(s.Now())
	switch {
	case !rec.Payable(s.Now()) || rec.TotalCents == 0:
		return fault.New(fault.Conflict, "not_owed", "This is not waiting to be paid any longer.")
	case a.Wish.Day.IsZero() || a.Wish.Day.Before(today) || a.Wish.Day.After(PromiseTo(today)):
		return fault.At("day", "invalid", "Choose a day from today to %s.", PromiseTo(today).Format(dayForm))
	}
	return s.within(tx, a, uuid.Nil, promisesInTime, promiseTime, "promised_twice",
		"You have said twice in the last 90 days when you will pay. Please speak to the business.")
}

const dayForm = "2 January 2006"

func (s *Service) checkInvoice(tx *database.Tx, a *Act) error {
	rec, err := s.purchaseOf(tx, a)
	if err != nil {
		return err
	}
	if err := s.allowed(tx, a); err != nil {
		return err
	}
	if err := s.Purchases.MayResendInvoice(rec); err != nil {
		return err
	}
	return s.within(tx, a, a.ObjectID, invoicesInTime, 24*time.Hour, "invoice_thrice",
		"This invoice was mailed three times today. Please look for it in your mailbox, also among the junk.")
}

func (s *Service) checkDay(tx *database.Tx, a *Act) error {
	if _, err := s.purchaseOf(tx, a); err != nil {
		return err
	}
	if err := s.allowed(tx, a); err != nil {
		return err
	}
	moves, err := s.Purchases.DayMoves(tx.Context(), a.MerchantID, a.ObjectID)
	if err != nil {
		return err
	}
	if !slices.Contains(moves.Days, a.Wish.Day) {
		return fault.At("day", "invalid_choice", "The debit cannot run on that day. Choose one of the days.")
	}
	a.Wish.Was = moves.Collection.ActionDate
	return s.within(tx, a, a.ObjectID, 1, pauseTime, "moved_once",
		"This debit was moved once already. Please speak to the business.")
}

// subscriptionOf is the subscription that an act is about, if it is the client's.
func (s *Service) subscriptionOf(tx *database.Tx, a *Act) (sub subscription.Subscriber, err error) {
	if sub, err = s.Subscriptions.Store.TemplateClient(tx.Context(), a.MerchantID, a.ObjectID); err != nil {
		return sub, err
	}
	if sub.ClientID != a.ClientID {
		return sub, fault.Missing()
	}
	t, err := s.Subscriptions.Store.AnyTemplate(tx.Context(), a.MerchantID, sub.TemplateID)
	a.BrandID, a.Wish.Named = t.BrandID, t.Name()
	return sub, err
}

func (s *Service) checkSubscription(tx *database.Tx, a *Act) error {
	sub, err := s.subscriptionOf(tx, a)
	if err != nil {
		return err
	}
	if err := s.allowed(tx, a); err != nil {
		return err
	}
	if a.Kind == Stop {
		return sub.MayStopByClient()
	}
	if err := sub.MayPauseByClient(); err != nil {
		return err
	}
	return s.within(tx, a, a.ObjectID, pausesInTime, pauseTime, "paused_thrice",
		"This subscription was paused three times within a year. Please speak to the business.")
}

func (s *Service) checkAccount(tx *database.Tx, a *Act) error {
	t, err := s.tokenOf(tx, a)
	if err != nil {
		return err
	}
	if t.Method != purchase.EFT { // its terms are set up by staff, and the bank asks the client
		a.Wish.Asks = true
	}
	return nil
}

// tokenOf is the account that an act is about, if it is the client's and in use.
func (s *Service) tokenOf(tx *database.Tx, a *Act) (token.Token, error) {
	t, err := s.Purchases.Tokens().Token(tx.Context(), a.MerchantID, a.ObjectID)
	switch {
	case err != nil:
		return t, err
	case t.ClientID != a.ClientID:
		return t, fault.Missing()
	case !t.Live():
		return t, fault.New(fault.Conflict, "account_gone", "This account is not in use any longer.")
	}
	a.BrandID, a.Wish.Named = t.BrandID, t.AccountMask
	return t, s.allowed(tx, a)
}

func (s *Service) checkObjected(tx *database.Tx, a *Act) error {
	t, err := s.tokenOf(tx, a)
	if err == nil && t.Objected() {
		err = clientstop.ErrObjected
	}
	return err
}

// object stops what is debited under a mandate to which the client did not agree, and has staff answer.
func (s *Service) object(tx *database.Tx, who actor.Actor, a *Act) error {
	t, err := s.tokenOf(tx, a)
	if err != nil {
		return err
	}
	stop, err := s.Stops.ObjectIn(tx, who, t)
	if err != nil {
		return err
	}
	a.Wish.Left = len(stop.Running)
	a.MadeID = s.insertRequest(tx, who, Request{ClientID: a.ClientID, Kind: NotAgreed, Channel: ByPage, ObjectID: t.ID,
		About: t.Named(), ReceivedOn: calendar.DateOf(tx.Now())}).ID
	return nil
}

func (s *Service) checkText(tx *database.Tx, a *Act) (err error) {
	if err := s.allowed(tx, a); err != nil {
		return err
	}
	a.Wish.Asks = true
	if a.Kind == Details {
		a.Wish.Request = Correction
	} else if !a.Wish.Request.IsRight() || a.Wish.Request == Correction {
		return fault.At("request", "required", "Choose what you ask for.")
	}
	a.Wish.Text, err = cleanText("text", a.Wish.Text, a.Kind == Details)
	return err
}

// do carries an act out, and has staff see it.
func (s *Service) do(tx *database.Tx, who actor.Actor, a *Act) (err error) {
	if a.Wish.Asks {
		kinds := map[Kind]RequestKind{Day: AsksDay, Stop: AsksStop, Pause: AsksPause, Account: AsksAccount}
		r := Request{ClientID: a.ClientID, Kind: a.Wish.Request, Channel: ByPage, ObjectID: a.ObjectID, About: about(a),
			Text: a.Wish.Text, ReceivedOn: calendar.DateOf(tx.Now())}
		if k, is := kinds[a.Kind]; is {
			r.Kind = k
		}
		a.MadeID = s.insertRequest(tx, who, r).ID
		return nil
	}
	var text string
	switch a.Kind {
	case Promise:
		var p followup.Promise
		p, err = s.Followups.PromiseByClient(tx, who, a.ObjectID, followup.Promising{DueOn: a.Wish.Day,
			AmountCents: a.Wish.Cents})
		a.MadeID = p.ID
		text = "The client said on its own page when it will pay: " + a.Wish.Day.Format(dayForm) + "."
	case Invoice:
		err = s.Purchases.MailAgainIn(tx.Context(), tx, who, a.ObjectID)
		text = "The client asked on its own page for the invoice again, and it was mailed."
	case Day:
		err = s.Purchases.MoveDayIn(tx, who, a.ObjectID, a.Wish.Day)
		text = "The client moved a debit on its own page, from " + a.Wish.Was.Format(dayForm) + " to " +
			a.Wish.Day.Format(dayForm) + "."
	case Stop:
		err = s.Subscriptions.StopByClientIn(tx, who, a.ObjectID)
		text = "The client stopped the subscription “" + a.Wish.Named + "” on its own page."
	case Pause:
		err = s.Subscriptions.PauseByClientIn(tx, who, a.ObjectID)
		text = "The client paused the subscription “" + a.Wish.Named + "” on its own page. " +
			"It is billed again when you resume it."
	case Objected:
		err = s.object(tx, who, a)
		text = "The client said on its own page that it did not agree to the mandate of " + a.Wish.Named +
			". Nothing is debited under it until you let it go on."
	case Account:
		text = "The client wants to give another bank account in the place of " + a.Wish.Named + "."
	default:
		return fault.Missing()
	}
	if err != nil {
		return err
	}
	s.tell(tx, who, a, text)
	return nil
}

// about is what a request to staff is about, in words.
func about(a *Act) string {
	words := []string{a.Wish.Named}
	if !a.Wish.Day.IsZero() {
		words = append(words, a.Wish.Day.Format(dayForm))
	}
	return strings.Trim(strings.Join(words, ", "), ", ")
}

// tell has staff see what a client did: a note beside it, and an entry on the time line.
func (s *Service) tell(tx *database.Tx, who actor.Actor, a *Act, text string) {
	n := followup.Note{ID: tx.NewID(), MerchantID: a.MerchantID, ObjectType: followup.Client, ObjectID: a.ClientID,
		ClientID: a.ClientID, Text: text, Author: who.Name, CreatedAt: tx.Now()}
	e := audit.Entry{Action: "client_page." + string(a.Kind), ObjectType: "client", ObjectID: a.ClientID,
		ClientID: a.ClientID, Text: text, After: map[string]any{"act": a.ID}}
	switch a.Kind {
	case Promise, Invoice, Day:
		n.ObjectType, n.ObjectID, n.PurchaseID, e.PurchaseID = followup.Purchase, a.ObjectID, a.ObjectID, a.ObjectID
	case Stop, Pause:
		n.ObjectType, n.ObjectID = followup.Subscriber, a.ObjectID
	default: // about the client
	}
	tx.Create(&n)
	tx.Audit(who, e)
}

// Account gives the purchase on whose page a client gives the new account, once the act was confirmed. It makes it
// where that was not done yet, so that it may be repeated.
func (s *Service) Account(ctx context.Context, v Visit, a Act, ip, requestID string) (uuid.UUID, error) {
	switch {
	case a.Kind != Account || a.State != ActDone || a.Wish.Asks:
		return uuid.Nil, fault.Missing()
	case a.MadeID != uuid.Nil:
		return a.MadeID, nil
	}
	began, err := s.Amendments.AmendByClient(ctx, v.who(ip, requestID), a.ObjectID)
	if err != nil {
		return uuid.Nil, err
	}
	a.MadeID = began.NewID
	err = s.InTx(ctx, func(tx *database.Tx) error { return saveAct(tx, a, ActDone) })
	if errors.Is(err, fault.ErrLost) {
		err = nil
	}
	return began.NewID, err
}
