package purchase

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/token"
)

// Offer is what the hosted page can ask of the client now.
type Offer struct {
	Account    bool          // the details of an account can be given
	Stored     []Forecast    // debits from accounts of the client that can be used again, newest first
	FirstDebit calendar.Date // the day of the debit that follows; zero when nothing is collected
	Moved      string        // why that is another day than the due day, or nothing
	Version    string        // of the terms that MandateText puts into words
	Refusal    string        // why nothing can be paid here although it is still owed
	MayStore   bool          // the client chooses whether the account is stored
	Asking     Asking        // how the client is asked after giving an account; zero for eft
}

// Open tells that the client can do something.
func (o Offer) Open() bool { return o.Account || len(o.Stored) > 0 }

// Offer works out what the hosted page can ask for; nothing when the purchase
// waits for nobody.
func (s *Service) Offer(ctx context.Context, rec Record) (Offer, error) {
	plan := s.firstPlan(rec.asGiven(), rec.Brand, s.Now())
	o := Offer{Version: s.TermsVersion(rec), MayStore: rec.MayChooseToStore()}
	if rec.collects() {
		o.FirstDebit, o.Moved = plan.ActionDate, plan.Note()
	}
	switch err := s.mayGive(ctx, rec); {
	case err == nil:
		o.Account, o.Asking = true, s.asking(rec)
	case !fault.Is(err, fault.Conflict):
		return o, err
	case rec.Payable(s.Now()):
		o.Refusal = err.Error()
	}
	if offered := s.mayUse(rec) == nil; !offered {
		return o, nil
	}
	var err error
	o.Stored, err = s.payableFrom(ctx, rec)
	return o, err
}

// payableFrom are the debits that the client can choose from: one for each stored account that allows this amount.
func (s *Service) payableFrom(ctx context.Context, rec Record) ([]Forecast, error) {
	usable, err := s.StoredFor(ctx, rec)
	if err != nil || len(usable) == 0 {
		return nil, err
	}
	ids := make([]uuid.UUID, len(usable))
	for i, t := range usable {
		ids[i] = t.ID
	}
	all, err := s.payNowFrom(ctx, rec.Purchase, ids...)
	return slices.DeleteFunc(all, func(f Forecast) bool { return len(f.Problems) > 0 }), err
}

// Source is the account that the purchase is debited from, or that it stores;
// NotFound when none was given.
func (s *Service) Source(ctx context.Context, rec Record) (token.Token, error) {
	id := rec.ID
	if rec.TokenID != uuid.Nil {
		id = rec.TokenID
	}
	return s.Tokens().Token(ctx, rec.MerchantID, id)
}

// MandateText is what the client is asked to agree to: with what is known of the
// account, or with what was given.
func (s *Service) MandateText(rec Record, in Account) string {
	in.Clean()
	m := rec.permission()
	if rec.MayChooseToStore() && !in.Store {
		m = m.OfOneDebit()
	}
	m.HolderName = cmp.Or(in.FullName, rec.Payer.FullName)
	m.AccountMask, m.BankCode, m.AccountType = bank.AccountNumber(in.AccountNumber).String(), in.BankCode, in.AccountType
	return mandate.Wording(m, rec.Brand, s.termsOf(rec))
}

// LaterDebits is what the client agrees to beside MandateText who lets the account be stored.
func (s *Service) LaterDebits(rec Record) string {
	return mandate.Later(rec.permission(), rec.Brand, s.termsOf(rec))
}

// TermsVersion changes when the terms do, whoever the client is: the amount, the
// day of the first debit, who collects.
func (s *Service) TermsVersion(rec Record) string {
	sum := sha256.Sum256([]byte(mandate.Wording(rec.permission(), rec.Brand, s.termsOf(rec))))
	return hex.EncodeToString(sum[:6])
}

func (s *Service) termsOf(rec Record) mandate.Start {
	return rec.terms(s.firstPlan(rec.asGiven(), rec.Brand, s.Now()), rec.directDebit().DeductionDay)
}

// permission is the mandate as far as the purchase alone tells.
func (r Record) permission() mandate.Mandate {
	dd := r.directDebit()
	return mandate.Mandate{Kind: mandate.Kind(r.StoresBy()), Terms: dd.Terms, ProfileCode: dd.ProfileCode,
		AbbreviatedName: dd.AbbreviatedName, PeriodUnits: dd.PeriodUnits,
		DeductionDay: dd.DeductionDay, AmountCents: r.OpenCents()}
}

// directDebit is the debit-order block that was asked for, else the brand's own
// registration; a brand without one leaves it empty.
func (r Record) directDebit() DirectDebit {
	if r.Details.DirectDebit != nil {
		return *r.Details.DirectDebit
	}
	p, _ := r.Brand.DefaultProfile()
	var wrong fault.Problems
	in := DirectDebitInput{ProfileCode: p.ProfileCode, AbbreviatedName: p.AbbreviatedName, AccountNumber: p.AccountNumber}
	return *in.complete(&wrong, r.Brand, r.Purchase)
}

// mayPay is what every way of paying on the hosted page needs.
func (s *Service) mayPay(rec Record) error {
	switch {
	case !rec.Payable(s.Now()):
		return fault.New(fault.Conflict, "purchase_charge_wrong_status", "This request is %s; nothing more is needed.",
			rec.Status)
	case rec.Currency != money.ZAR:
		return fault.New(fault.Conflict, "purchase_charge_error", "Debit orders are in ZAR; this request is in %s.",
			rec.Currency)
	case !rec.allows(EFT) && !rec.allows(DebiCheck):
		return fault.New(fault.Conflict, "purchase_charge_error", "This request cannot be paid by debit order.")
	}
	return nil
}

// mayGive: one purchase stores one account, whose id it shares. Where the first debit of that account failed and
// nothing else hangs on it, the client can give it anew, or another one.
func (s *Service) mayGive(ctx context.Context, rec Record) error {
	if err := s.mayGiveAgain(ctx, rec); err != nil {
		return err
	}
	if err := s.mayPay(rec); err != nil {
		return err
	}
	if !rec.allows(rec.StoresBy()) {
		return fault.New(fault.Conflict, "purchase_charge_error",
			"This request can only be paid from an account that you have authorised at your bank already.")
	}
	if rec.StoresBy() == DebiCheck && s.Bank.NoDebiCheck() != "" {
		return fault.New(fault.Conflict, "purchase_charge_error",
			"%s cannot have your bank ask you at the moment. Please ask them for another way to pay.", rec.Brand.Name)
	}
	if rec.TotalCents == 0 && !rec.mayBeZero() {
		return fault.New(fault.Conflict, "purchase_charge_error", "There is nothing to pay.")
	}
	if rec.directDebit().ProfileCode == "" {
		return fault.New(fault.Conflict, "purchase_charge_error", "%s cannot take debit orders yet.", rec.Brand.Name)
	}
	if err := s.stillAClient(ctx, rec); err != nil {
		return err
	}
	if rec.CollectionCount == 0 || rec.Method == DebiCheck {
		return nil // an account that was given is either stored already or being collected from
	}
	t, err := s.Tokens().Token(ctx, rec.MerchantID, rec.ID)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil
	case err != nil:
		return err
	}
	m, err := s.Mandates().Mandate(ctx, rec.MerchantID, rec.ID)
	if err == nil && !renewable(t, m) {
		err = fault.New(fault.Conflict, "purchase_charge_wrong_status",
			"Bank details were already given for this request. Ask for a new link.")
	}
	return err
}

// renewable tells that an account can be given anew: its first debit failed, or the one debit that it allowed was
// returned. A permission on paper stays, for its scan is the proof.
func renewable(t token.Token, m mandate.Mandate) bool {
	return (t.State == token.Pending || t.UsedUp()) && m.Consent.Channel != mandate.SignedPaper
}

// mayUse: a stored account is of use where there is money to take.
func (s *Service) mayUse(rec Record) error {
	if err := s.mayPay(rec); err != nil {
		return err
	}
	if !rec.collects() {
		return fault.New(fault.Conflict, "purchase_charge_error",
			"There is nothing to pay; give the details of a new account instead.")
	}
	return nil
}

// StoredFor lists the stored accounts that a purchase could be debited from: the client's
// own, of this brand, of a method that was not excluded, that can be charged.
func (s *Service) StoredFor(ctx context.Context, rec Record) ([]token.Token, error) {
	if rec.ClientID == uuid.Nil {
		return nil, nil
	}
	live, err := s.Tokens().TokensOf(ctx, rec.MerchantID, rec.ClientID)
	return s.chargeable(rec, live), err
}

// chargeable are those of a client's live tokens that the purchase can be debited from.
func (s *Service) chargeable(rec Record, live []token.Token) (usable []token.Token) {
	for _, t := range live {
		if s.offers(rec, t) {
			usable = append(usable, t)
		}
	}
	return usable
}

// offers tells whether a purchase can be debited from an account.
func (s *Service) offers(rec Record, t token.Token) bool {
	return rec.ClientID != uuid.Nil && t.ClientID == rec.ClientID && t.State == token.Active && !t.Held() && !t.Parked() &&
		t.BrandID == rec.BrandID &&
		rec.allows(t.Method) && s.cannotDebit(t.Method) == ""
}

// cannotDebit says why nothing is debited from accounts of a method: the bank connection does not have it.
func (s *Service) cannotDebit(method string) string {
	if method == DebiCheck {
		return s.Bank.NoDebiCheck()
	}
	return ""
}

// stillAClient: no account is stored for a client who was deleted, or whose debits are stopped.
func (s *Service) stillAClient(ctx context.Context, rec Record) error {
	if rec.ClientID == uuid.Nil {
		return nil
	}
	_, err := s.Clients().ClientDetails(ctx, rec.MerchantID, rec.ClientID)
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.Conflict, "purchase_charge_error", "%s has withdrawn this request.", rec.Brand.Name)
	}
	if err != nil {
		return err
	}
	switch err = s.NotStopped(ctx, rec.MerchantID, rec.ClientID); {
	case fault.HasCode(err, "client_stopped"):
		err = fault.New(fault.Conflict, "client_stopped",
			"%s has stopped all debits of this client. Please speak to them about how to pay.", rec.Brand.Name)
	case fault.HasCode(err, "client_parked"):
		err = fault.New(fault.Conflict, "client_parked",
			"%s is still moving its clients to this page. Please speak to them about how to pay.", rec.Brand.Name)
	}
	return err
}
