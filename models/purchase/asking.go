package purchase

import (
	"context"
	"slices"
	"time"

	"debitdesk/models/fault"
	"debitdesk/models/mandate"
)

// Asking is how the client is asked at their own bank once the account was given.
type Asking struct {
	Terms   *mandate.Terms
	Within  time.Duration // how long the client has to answer
	Until   string        // or the hour at which the bank ends it on the day on which it asks: "20:00"
	Again   time.Duration // and when the bank asks once more
	OpensAt time.Time     // the bank cannot be asked in real time before that; zero: it can now
	Window  mandate.Window
}

// Asked is how the client was asked: the mandate and the last time of asking.
type Asked struct {
	Mandate mandate.Mandate
	Last    mandate.Authentication
}

// Waiting tells that the client's answer is awaited.
func (a Asked) Waiting() bool { return a.Last.State.Open() && a.Mandate.State.Waiting() }

// Asked finds how the client was asked about this purchase's account; nil when it
// is no DebiCheck, or nobody was asked.
func (s *Service) Asked(ctx context.Context, rec Record) (*Asked, error) {
	if rec.Method != DebiCheck {
		return nil, nil //nolint:nilnil // not to have been asked is an answer
	}
	m, err := s.Mandates().Mandate(ctx, rec.MerchantID, rec.ID)
	if err != nil {
		return nil, unlessMissing(err)
	}
	all, err := s.Mandates().AuthenticationsOf(ctx, rec.MerchantID, rec.ID)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &Asked{m, all[0]}, nil
}

func unlessMissing(err error) error {
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// AnswerBy is when the time to answer ends: what was not handed over yet has all of it left.
func (s *Service) AnswerBy(a mandate.Authentication, now time.Time) time.Time {
	if a.ExpiresAt.IsZero() {
		return s.Limits.Ends(a.Method, now)
	}
	return a.ExpiresAt
}

// StoresBy is the method by which an account that is given is stored: DebiCheck
// where its terms were asked for.
func (p Purchase) StoresBy() string {
	if p.authenticated() != nil {
		return DebiCheck
	}
	return EFT
}

// asGiven is the purchase as it stands once an account was given.
func (p Purchase) asGiven() Purchase {
	p.Method = p.StoresBy()
	return p
}

// authenticated are what the client has to authenticate; nil for eft.
func (p Purchase) authenticated() *mandate.Terms {
	if dd := p.Details.DirectDebit; dd != nil {
		return dd.Terms
	}
	return nil
}

// allows tells whether the request may be paid by that method.
func (p Purchase) allows(method string) bool {
	return p.Options.Whitelist == nil || slices.Contains(p.Options.Whitelist, method)
}

func (s *Service) asking(rec Record) Asking {
	t := s.askable(rec.authenticated())
	if t == nil {
		return Asking{}
	}
	a := Asking{Terms: t, Within: s.Limits.For(t.Authentication), Again: s.Limits.For(mandate.Fallback), Window: s.Window}
	if at, ends := s.Limits.DayEnd(t.Authentication); ends {
		a.Until = at.String()
	}
	if now := s.Now(); t.Authentication == mandate.RealTime && !s.Window.Open(now) {
		a.OpensAt = s.Window.OpensAt(now)
	}
	return a
}

// mayGiveAgain: who declined, did not answer or could not be asked may give an
// account again; who is being asked answers first, and who agreed has agreed.
func (s *Service) mayGiveAgain(ctx context.Context, rec Record) error {
	if rec.Method != DebiCheck {
		return nil
	}
	m, err := s.Mandates().Mandate(ctx, rec.MerchantID, rec.ID)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil
	case err != nil:
		return err
	case m.State.Waiting():
		return fault.New(fault.Conflict, "purchase_charge_wrong_status",
			"Your bank is already asking you: please answer there first.")
	case m.State.Unanswered():
		return s.notTooOften(ctx, rec)
	}
	return fault.New(fault.Conflict, "purchase_charge_wrong_status",
		"Bank details were already given for this request. Ask for a new link.")
}

// notTooOften: a client is not asked without end.
func (s *Service) notTooOften(ctx context.Context, rec Record) error {
	t := s.askable(rec.authenticated())
	if t == nil {
		return nil
	}
	before, err := s.Mandates().AuthenticationsOf(ctx, rec.MerchantID, rec.ID)
	if err == nil && mandate.Asked(before, t.Authentication) >= s.Limits.MostTries {
		err = tooOften(s.Limits)
	}
	return err
}
