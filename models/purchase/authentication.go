package purchase

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/queue"
)

// The attempt error codes of an authentication (API contract 1.5).
const (
	errorDeclined   = "authorization_failed"
	errorNoAnswer   = "timeout"
	errorBankFailed = bank.ErrorAcquirer
)

const authenticationAt = directDebitAt + ".authentication_type"

// AsksBy is how clients are asked unless somebody chooses: in real time where the bank connection can.
func (s *Service) AsksBy() mandate.Method {
	if s.Bank.NoRealTime() != "" {
		return mandate.Delayed
	}
	return mandate.RealTime
}

// canAsk notes a way of asking that the bank connection does not have.
func (s *Service) canAsk(w *fault.Problems, m mandate.Method) bool {
	if why := s.Bank.NoRealTime(); m == mandate.RealTime && why != "" {
		w.Add(authenticationAt, "debicheck_unavailable", "%s", why)
		return false
	}
	return true
}

// mayAsk applies the window of real-time requests too (API contract 4.4).
func (s *Service) mayAsk(w *fault.Problems, m mandate.Method) {
	if now := s.Now(); s.canAsk(w, m) && m == mandate.RealTime && !s.Window.Open(now) {
		w.Add(authenticationAt, "debicheck_unavailable", "%s", s.Window.Refusal(now))
	}
}

// askable are the terms as the client can be asked for them. A request that was made when the bank connection could do
// more is asked by DELAYED, so that the client's link goes on working.
func (s *Service) askable(t *mandate.Terms) *mandate.Terms {
	if t == nil || t.Authentication != mandate.RealTime || s.Bank.NoRealTime() == "" {
		return t
	}
	delayed := *t
	delayed.Authentication = mandate.Delayed
	return &delayed
}

// ask writes down that the client is to be asked; a job hands it to the bank.
func ask(tx *database.Tx, who actor.Actor, p Purchase, m mandate.Mandate, how mandate.Method, number int) {
	mandate.InsertAuthentication(
		tx,
		mandate.Authentication{ID: tx.NewID(), MerchantID: m.MerchantID, MandateID: m.ID,
			Number: number, Method: how,
			State: mandate.AuthRequested, RequestedBy: who.Name, RequestedAt: tx.Now()},
	)
	tx.Enqueue(queue.RunDue{})
	tx.Audit(who, audit.Entry{Action: "mandate.requested", ObjectType: "mandate", ObjectID: m.ID, ClientID: p.ClientID,
		PurchaseID: p.ID,
		Text: fmt.Sprintf("%s is asked to confirm a DebiCheck mandate for %s at %s (%s).", m.HolderName, m.AccountMask,
			bank.BankName(m.BankCode), how.Label()),
		After: map[string]any{"contract_reference": m.ContractReference, "method": how, "number": number, "terms": m.Terms}})
}

// AskAgain asks the client once more for a mandate that was not answered, declined
// or could not be asked for. How often is limited; real time has its window.
// Errors: Conflict when there is nothing to ask, Invalid outside the window.
func (s *Service) AskAgain(ctx context.Context, who actor.Actor, id uuid.UUID, how mandate.Method) (Record, error) {
	if err := who.May(actor.Write); err != nil {
		return Record{}, err
	}
	if how != mandate.RealTime && how != mandate.Delayed {
		return Record{}, fault.At("method", "invalid_choice", "%q is not a valid choice. Choose one of: REALTIME, DELAYED.",
			how)
	}
	return s.change(ctx, who.MerchantID, id, func(rec Record) (func(*database.Tx, *Record) error, error) {
		m, err := s.Mandates().Mandate(ctx, rec.MerchantID, rec.ID)
		if err != nil {
			return nil, err
		}
		before, err := s.Mandates().AuthenticationsOf(ctx, rec.MerchantID, rec.ID)
		if err != nil {
			return nil, err
		}
		if err := s.mayAskAgain(rec.Purchase, m, before, how); err != nil {
			return nil, err
		}
		if err := s.stillAClient(ctx, rec); err != nil {
			return nil, err
		}
		return func(tx *database.Tx, rec *Record) error {
			if rec.ClientID != uuid.Nil {
				client.HoldForDebit(tx, rec.MerchantID, rec.ClientID)
			}
			from, status := m.State, rec.Status
			m.State, m.ReasonCode, m.UpdatedAt = mandate.Submitted, "", tx.Now()
			mandate.Renew(tx, m, from)
			rec.ownAccount()
			rec.Move(PendingExecute, tx.Now())
			ask(tx, who, rec.Purchase, m, how, before[0].Number+1)
			tx.Audit(who, audit.Entry{Action: "purchase.asked_again", ObjectType: "purchase", ObjectID: rec.ID,
				ClientID: rec.ClientID, PurchaseID: rec.ID,
				Text: "The client is asked again.", Before: map[string]any{"status": status},
				After: map[string]any{"status": rec.Status}})
			return nil
		}, nil
	})
}

// PlanAskAgain tells for each of some mandates why its client cannot be asked once more in this way; nil says
// that AskAgain would do it. Mandates that are gone are left out. It asks the store a handful of questions,
// however many they are.
func (s *Service) PlanAskAgain(ctx context.Context, who actor.Actor, ids []uuid.UUID,
	how mandate.Method) (map[uuid.UUID]error, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	mandates, err := s.Mandates().MandatesByID(ctx, who.MerchantID, ids)
	if err != nil {
		return nil, err
	}
	purchases, err := s.Store.PurchasesOf(ctx, who.MerchantID, ids)
	if err != nil {
		return nil, err
	}
	before, err := s.Mandates().AuthenticationsOfEach(ctx, who.MerchantID, ids)
	if err != nil {
		return nil, err
	}
	out := make(map[uuid.UUID]error, len(mandates))
	for _, m := range mandates {
		out[m.ID] = s.mayAskAgain(purchases[m.ID], m, before[m.ID], how)
	}
	return out, nil
}

func (s *Service) mayAskAgain(p Purchase, m mandate.Mandate, before []mandate.Authentication,
	how mandate.Method) error {
	now := s.Now()
	switch {
	case s.Bank.NoDebiCheck() != "":
		return fault.New(fault.Conflict, "debicheck_unavailable", "%s", s.Bank.NoDebiCheck())
	case m.Kind != mandate.DebiCheck || len(before) == 0:
		return fault.New(fault.Conflict, "mandate_wrong_kind",
			"Only DebiCheck mandates are confirmed by the client at the bank.")
	case m.State.Waiting():
		return fault.New(fault.Conflict, "mandate_waiting", "The client is already being asked.")
	case !m.State.Unanswered():
		return fault.New(fault.Conflict, "mandate_wrong_state", "This mandate is %s; there is nothing to ask.",
			m.State.Label())
	case !p.Payable(now):
		return fault.New(fault.Conflict, "purchase_charge_wrong_status",
			"The purchase of this mandate is %s. Set up a new mandate.", p.Status)
	case mandate.Asked(before, how) >= s.Limits.MostTries:
		return tooOften(s.Limits)
	}
	var w fault.Problems
	s.mayAsk(&w, how)
	return w.Err()
}

func tooOften(l mandate.Limits) error {
	return fault.New(fault.Conflict, "mandate_too_often",
		"The client was asked %d times this way; that is the limit. Set up a new mandate.", l.MostTries)
}

// Authenticated: the mandate of a purchase became usable. The account is stored
// at once, and the first collection follows where there is an amount (API
// contract 3.7.2). The collection is to be inserted by the caller; nil for none.
func (s *Service) Authenticated(tx *database.Tx, p *Purchase, m mandate.Mandate,
	b merchant.Brand) *collection.Collection {
	if p.Status != PendingExecute {
		return nil
	}
	now := tx.Now()
	p.IsRecurringToken = !m.OneDebit
	if !p.collects() {
		p.stored(now, "")
		return nil
	}
	p.Attempted(Attempt{Type: "authorize", Successful: true, Method: DebiCheck, At: now})
	return p.firstDebit(tx, s, m, s.firstPlan(*p, b, now), s.runsSoon(*p, now))
}

// Unauthenticated: the mandate did not come about; false when the purchase has
// moved on. It stays payable until due.
func (p *Purchase) Unauthenticated(state mandate.State, reason bank.MandateCode, at time.Time) bool {
	if p.Status != PendingExecute {
		return false
	}
	code := errorDeclined
	switch state {
	case mandate.NoResponse:
		code = errorNoAnswer
	case mandate.FailedAtBank:
		code = errorBankFailed
	default:
	}
	p.Attempted(Attempt{Type: "authorize", Method: DebiCheck, At: at, Error: &AttemptError{code, reason.Label()}})
	p.Move(Failed, at)
	return true
}

// verify asks the bank about the account where the terms say so; nil when they do
// not. A bank that cannot answer never fails the request (reference: debit orders
// 3.3). What the bank said is kept, also when it fails the request.
func (s *Service) verify(ctx context.Context, who actor.Actor, p Purchase) (*mandate.Verification, error) {
	dd := p.Details.DirectDebit
	if p.Method != DebiCheck || dd == nil || dd.Terms == nil || !dd.Terms.VerifyAccount {
		return nil, nil
	}
	verifier := s.Verifier
	if verifier == nil {
		verifier = bank.NoVerifier{}
	}
	answers, err := verifier.Verify(ctx, bank.Verification{MerchantID: p.MerchantID, Branch: p.Payer.BankCode,
		Account: p.Payer.BankAccount, AccountType: p.Payer.AccountType,
		ID: p.Payer.PersonalCode, FullName: p.Payer.FullName, Email: p.Payer.Email, Phone: p.Payer.Phone})
	if err != nil {
		answers = bank.Verified{} // the question did not arrive: not checked
	}
	v := &mandate.Verification{MerchantID: p.MerchantID, ClientID: p.ClientID, Account: p.Payer.BankAccount,
		AccountMask: p.Payer.BankAccount.String(),
		BankCode:    p.Payer.BankCode, Answers: answers, Passed: answers.Refusal() == ""}
	if v.Passed {
		return v, nil
	}
	if err := s.InTx(ctx, func(tx *database.Tx) error {
		if p.ID != uuid.Nil {
			v.PurchaseID = p.ID
		}
		keepVerification(tx, who, *v)
		return nil
	}); err != nil {
		return nil, err
	}
	return nil, fault.At(directDebitAt+".verify_account", "account_verification_failed", "%s", answers.Refusal())
}

func keepVerification(tx *database.Tx, who actor.Actor, v mandate.Verification) {
	v.ID, v.At = tx.NewID(), tx.Now()
	mandate.InsertVerification(tx, v)
	text := fmt.Sprintf("The bank was asked about the account %s: %s", v.AccountMask, v.Summary())
	tx.Audit(who, audit.Entry{Action: "account.verified", ObjectType: "account_verification", ObjectID: v.ID,
		ClientID: v.ClientID, PurchaseID: v.PurchaseID,
		Text: text, After: map[string]any{"passed": v.Passed, "answers": v.Answers}})
}

// checkPayer adds what DebiCheck needs of the client beside a bank account: a
// natural person with an identity (reference: debit orders 1.1).
func (s *Service) checkPayer(w *fault.Problems, p *Purchase, in *Input) {
	if p.Method != DebiCheck {
		return
	}
	add := func(field, what, code, message string) {
		if in.Client != nil {
			w.Add("client."+field, code, "%s", message)
			return
		}
		w.Add("client_id", code, "The client’s %s cannot be used: %s", what, message)
	}
	if wrong := p.Payer.IdentityProblems(calendar.DateOf(s.Now())); len(wrong) > 0 {
		add("personal_code", "identity number", wrong[0].Code, wrong[0].Message)
	}
	for _, problem := range p.Payer.PhoneProblems() {
		add("phone", "phone number", problem.Code, problem.Message)
	}
}
