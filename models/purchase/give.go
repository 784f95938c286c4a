package purchase

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
)

// Account is the bank details as the client gives them on the hosted page, or as
// staff copy them from a signed form. The names are those of the form fields.
type Account struct {
	Problems                  fault.Problems // what is wrong with the form already, to be reported with the rest
	FullName, IDNumber, Phone string
	BankCode, AccountNumber   string
	AccountType               bank.AccountType // CURRENT when left out
	Consented                 bool
	Store                     bool   // keep the account for later debits, where that is the client's to choose
	TermsVersion              string // of the terms that were shown; empty: not compared
	ConsentText               string // empty: the terms, with these details filled in
	Agent                     string // the client's browser
	Evidence                  []mandate.Evidence
	Channel                   mandate.Channel
	SignedOn                  calendar.Date // of a paper; zero: the moment it is given
}

// consentedAt is zero for the moment at which the details are given.
func (in Account) consentedAt() (at time.Time) {
	if !in.SignedOn.IsZero() {
		at = in.SignedOn.At(0, 0).UTC()
	}
	return at
}

// Open finds a purchase by the client's link: knowing the id is the permission.
func (s *Service) Open(ctx context.Context, id uuid.UUID) (Record, error) {
	p, err := s.Store.PurchaseForPayer(ctx, id)
	if err != nil {
		return Record{}, err
	}
	return s.Beside(ctx, p)
}

// MayChooseToStore tells that storing the account is a choice of the client's own,
// Beside the debit (source: force_recurring). Where nothing is debited, storing is
// all that the client is asked for.
func (p Purchase) MayChooseToStore() bool { return !p.Options.ForceRecurring && p.collects() }

// GiveAccount stores the account that the client gave and starts what the purchase
// is for: storing only, or the first collection too.
func (s *Service) GiveAccount(ctx context.Context, who actor.Actor, id uuid.UUID, in Account) (Record, error) {
	if err := mayGiveFor(who); err != nil {
		return Record{}, err
	}
	in.Clean()
	return s.change(ctx, who.MerchantID, id, func(rec Record) (func(*database.Tx, *Record) error, error) {
		if err := in.Check(s, rec); err != nil {
			return nil, err
		}
		if err := s.mayGive(ctx, rec); err != nil {
			return nil, err
		}
		if in.TermsVersion != "" && in.TermsVersion != s.TermsVersion(rec) {
			return nil, fault.New(fault.Conflict, "terms_changed",
				"The agreement changed while this page was open. Please read it again and agree to it.")
		}
		next := rec.Purchase
		in.Into(&next)
		dd := rec.directDebit()
		dd.Terms = s.askable(dd.Terms)
		next.Details.DirectDebit, next.Method = &dd, rec.StoresBy()
		consent := mandate.Consent{Text: in.ConsentText, At: in.consentedAt(), IP: who.IP, Agent: in.Agent,
			Channel: in.Channel}
		st, err := s.givenAccount(ctx, who, &next, rec.Brand, consent, rec.MayChooseToStore() && !in.Store)
		if err != nil {
			return nil, err
		}
		st.evidence = in.Evidence
		return func(tx *database.Tx, rec *Record) error {
			before := rec.Status
			if rec.ClientID != uuid.Nil {
				client.HoldForDebit(tx, rec.MerchantID, rec.ClientID)
			}
			rec.Purchase = next
			rec.Collection = st.apply(tx, &rec.Purchase)
			if err := st.write(tx, rec.Purchase, rec.Collection); err != nil {
				return err
			}
			tx.Audit(who, audit.Entry{Action: "purchase.account_given", ObjectType: "purchase", ObjectID: rec.ID,
				ClientID: rec.ClientID, PurchaseID: rec.ID,
				Text: "Bank details were given.", Before: map[string]any{"status": before},
				After: map[string]any{"status": rec.Status}})
			return nil
		}, nil
	})
}

// givenAccount prepares the storing of details that a client gave, perhaps again
// after a mandate that did not come about. By DebiCheck the window and the account
// are checked now (API contract 4.5).
func (s *Service) givenAccount(ctx context.Context, who actor.Actor, p *Purchase, b merchant.Brand, c mandate.Consent,
	oneDebit bool) (*storing, error) {
	if p.Method != DebiCheck {
		return s.givenAnew(ctx, who, p, b, c, oneDebit)
	}
	var w fault.Problems
	if s.mayAsk(&w, p.Details.DirectDebit.Terms.Authentication); w.Err() != nil {
		return nil, w.Err()
	}
	verified, err := s.verify(ctx, who, *p)
	if err != nil {
		return nil, err
	}
	st, err := s.storingFor(ctx, who, p, b, c, oneDebit)
	if err != nil {
		return nil, err
	}
	st.verified = verified
	m, err := s.Mandates().Mandate(ctx, p.MerchantID, p.ID)
	if fault.Is(err, fault.NotFound) {
		return st, nil
	}
	if err != nil {
		return nil, err
	}
	before, err := s.Mandates().AuthenticationsOf(ctx, p.MerchantID, p.ID)
	switch how := p.Details.DirectDebit.Terms.Authentication; {
	case err != nil || len(before) == 0:
		return st, err
	case mandate.Asked(before, how) >= s.Limits.MostTries:
		return nil, tooOften(s.Limits)
	}
	st.renews, st.asked = m.State, before[0].Number
	return st, nil
}

// givenAnew prepares the storing of an account, perhaps in the place of one whose first debit failed.
func (s *Service) givenAnew(ctx context.Context, who actor.Actor, p *Purchase, b merchant.Brand, c mandate.Consent,
	oneDebit bool) (*storing, error) {
	st, err := s.storingFor(ctx, who, p, b, c, oneDebit)
	if err != nil {
		return nil, err
	}
	before, err := s.Mandates().Mandate(ctx, p.MerchantID, p.ID)
	if fault.Is(err, fault.NotFound) {
		return st, nil
	}
	st.renews, st.replaced = before.State, &before
	return st, err
}

// mayGiveFor: clients act for themselves, staff need the permission to write.
func mayGiveFor(who actor.Actor) error {
	if who.Kind == actor.Payer {
		return nil
	}
	return who.May(actor.Write)
}

// Clean takes away what people type around values.
func (in *Account) Clean() {
	in.FullName = strings.Join(strings.Fields(in.FullName), " ")
	in.AccountNumber = bank.CleanAccount(in.AccountNumber).Reveal()
	in.IDNumber = bank.CleanID(in.IDNumber).Reveal()
	in.BankCode = bank.CleanBranch(in.BankCode)
	in.Phone = strings.TrimSpace(in.Phone)
	if in.Channel == "" {
		in.Channel = mandate.PayPage
	}
	if in.AccountType == "" {
		in.AccountType = bank.Current
	}
}

// Check reports everything at once; a field that the form reported already is
// not reported twice. DebiCheck needs to know who the client is and where to ask.
func (in *Account) Check(s *Service, rec Record) error {
	w := in.Problems
	add := func(field, code, message string) {
		if !w.Has(field) {
			w.Add(field, code, "%s", message)
		}
	}
	switch {
	case in.FullName == "":
		add("full_name", "required", "Enter the name of the account holder.")
	case !isText(in.FullName):
		add("full_name", "invalid", "This name has characters that cannot be kept. Please type it again.")
	case !fault.IsOneLine(in.FullName):
		add("full_name", "invalid", fault.NotOneLine)
	case utf8.RuneCountInString(in.FullName) > maxName:
		add("full_name", "max_length", "A name can have at most 128 characters.")
	}
	given := in.details()
	for _, p := range given.AccountProblems() {
		add(formName(p.Field), p.Code, p.Message)
	}
	switch {
	case in.IDNumber != "":
		if wrong := given.IdentityProblems(today(s)); len(wrong) > 0 {
			add("id_number", wrong[0].Code, wrong[0].Message)
		}
	case rec.StoresBy() == DebiCheck && rec.Payer.PersonalCode == "":
		add("id_number", "required", "Enter your ID or passport number: your bank checks it.")
	}
	switch {
	case in.Phone != "":
		for _, p := range given.PhoneProblems() {
			add("phone", p.Code, p.Message)
		}
		in.Phone = given.Phone
	case rec.StoresBy() == DebiCheck && rec.Payer.Phone == "":
		add("phone", "required", "Enter your cellphone number: your bank will ask you there.")
	}
	if in.SignedOn.After(today(s)) {
		add("signed_on", "max_value", "The mandate cannot be signed in the future.")
	}
	if !in.Consented {
		add("consent", "required", "Please agree to the debit order; without that nothing can be debited.")
	}
	if t := s.askable(rec.authenticated()); t != nil {
		s.mayAsk(&w, t.Authentication)
	}
	return w.Err()
}

// details are the numbers that were given, to be held against the rules on them.
func (in Account) details() client.Details {
	return client.Details{BankCode: in.BankCode, BankAccount: bank.AccountNumber(in.AccountNumber),
		AccountType:  in.AccountType,
		PersonalCode: bank.IDNumber(in.IDNumber), Phone: in.Phone}
}

const maxName = 128

// isText refuses bytes that are no text and control characters.
func isText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// formName: the payer's page asks for an account_number where records say bank_account.
func formName(field string) string {
	if field == bank.FieldAccount {
		return "account_number"
	}
	return field
}

// Into writes the account into a purchase.
func (in Account) Into(p *Purchase) {
	p.Payer.FullName = in.FullName
	p.Payer.BankAccount = bank.AccountNumber(in.AccountNumber)
	p.Payer.BankCode, p.Payer.AccountType = in.BankCode, in.AccountType
	if in.IDNumber != "" {
		p.Payer.PersonalCode = bank.IDNumber(in.IDNumber)
	}
	if in.Phone != "" {
		p.Payer.Phone = in.Phone
	}
	p.Replace() // what could not be read of the account of before is not needed any more
}

// UseStored pays with a stored account that the client chose on the hosted page:
// on the due date when that lies two days ahead, else as early as the cut-offs and
// the account's mandate allow.
func (s *Service) UseStored(ctx context.Context, who actor.Actor, id, tokenID uuid.UUID) (Record, error) {
	if err := mayGiveFor(who); err != nil {
		return Record{}, err
	}
	return s.change(ctx, who.MerchantID, id, func(rec Record) (func(*database.Tx, *Record) error, error) {
		if err := s.mayUse(rec); err != nil {
			return nil, err
		}
		f, err := s.payNow(ctx, rec.Purchase, tokenID)
		if err != nil {
			return nil, err
		}
		if t := f.Token; t.ID != uuid.Nil && (rec.ClientID == uuid.Nil || t.ClientID != rec.ClientID ||
			!rec.allows(t.Method)) {
			return nil, InvalidToken("Invalid or inactive recurring token!")
		}
		return s.charging(who, f), f.Err()
	})
}

// payNow is the debit of a client who is here: on the due day, else as early as the cut-offs and the mandate allow.
func (s *Service) payNow(ctx context.Context, p Purchase, tokenID uuid.UUID) (Forecast, error) {
	all, err := s.payNowFrom(ctx, p, tokenID)
	if err != nil {
		return Forecast{}, err
	}
	return all[0], nil
}

// payNowFrom is payNow for each of some accounts of one client.
func (s *Service) payNowFrom(ctx context.Context, p Purchase, tokens ...uuid.UUID) ([]Forecast, error) {
	wishes := make([]Wish, len(tokens))
	for i, id := range tokens {
		wishes[i] = Wish{Purchase: p, TokenID: id, AtOnce: true}
	}
	all, err := s.Forecasts(ctx, p.MerchantID, wishes)
	if err != nil {
		return nil, err
	}
	now := s.Now()
	var moved []Wish
	var places []int
	for i, f := range all {
		if f.Token.ID == uuid.Nil {
			continue
		}
		w := wishes[i]
		switch {
		case s.runsSoon(p, now):
			w.Purchase.Due = s.Timetable.DueOn(s.agreedDue(f.schedule, f.Mandate, f.schedule.Earliest(now), now))
		case s.onlyCalendar(f.schedule, f.Mandate, p.Due, now):
			w.Purchase.Due = s.Timetable.DueOn(s.agreedDue(f.schedule, f.Mandate, f.Plan.OriginalDate, now))
		default:
			continue
		}
		moved, places = append(moved, w), append(places, i)
	}
	if len(moved) == 0 {
		return all, nil
	}
	later, err := s.Forecasts(ctx, p.MerchantID, moved)
	for n, f := range later {
		all[places[n]] = f
	}
	return all, err
}
