package purchase

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/token"
)

// Account is the bank details as the payer gives them on the hosted page, or as
// staff copy them from a signed form. The names are those of the form fields.
type Account struct {
	FullName, IDNumber, Phone string
	BankCode, AccountNumber   string
	AccountType               bank.AccountType
	Consented                 bool
	ConsentText               string
	Agent                     string // the payer's browser
	Evidence                  []mandate.Evidence
	Channel                   mandate.Channel
}

// Open finds a purchase by the payer's link: knowing the id is the permission.
func (s *Service) Open(ctx context.Context, id uuid.UUID) (Record, error) {
	p, err := s.Read.PurchaseForPayer(ctx, id)
	if err != nil {
		return Record{}, err
	}
	return s.beside(ctx, p)
}

// MandateText is what the payer is asked to agree to, before the account is known.
func (s *Service) MandateText(rec Record, in Account) string {
	dd := rec.directDebit()
	return mandate.Wording(mandate.Mandate{
		ProfileCode: dd.ProfileCode, AbbreviatedName: dd.AbbreviatedName, PeriodUnits: dd.PeriodUnits, DeductionDay: dd.DeductionDay,
		AmountCents: rec.TotalCents, HolderName: or(in.FullName, rec.Payer.FullName), AccountMask: bank.AccountNumber(in.AccountNumber).String(),
		BankCode: in.BankCode, AccountType: in.AccountType,
	}, rec.Brand, rec.Currency)
}

func (r Record) directDebit() DirectDebit {
	if r.Details.DirectDebit != nil {
		return *r.Details.DirectDebit
	}
	p, _ := r.Brand.DefaultProfile()
	var wrong fault.Problems
	in := DirectDebitInput{ProfileCode: p.ProfileCode, AbbreviatedName: p.AbbreviatedName, AccountNumber: p.AccountNumber}
	return *in.complete(&wrong, r.Brand, r.Purchase)
}

// GiveAccount stores the account that the payer gave and starts what the purchase
// is for: storing only, or the first collection too.
func (s *Service) GiveAccount(ctx context.Context, who actor.Actor, id uuid.UUID, in Account) (Record, error) {
	if who.Kind != actor.Payer {
		if err := who.May(actor.Write); err != nil {
			return Record{}, err
		}
	}
	in.clean()
	if err := in.check(s); err != nil {
		return Record{}, err
	}
	return s.change(ctx, who.MerchantID, id, func(rec Record) (func(Tx, *Record) error, error) {
		if err := s.mayGive(rec); err != nil {
			return nil, err
		}
		next := rec.Purchase
		in.into(&next)
		dd := rec.directDebit()
		next.Details.DirectDebit, next.Method = &dd, EFT
		consent := mandate.Consent{Text: in.ConsentText, IP: who.IP, Agent: in.Agent, Channel: in.Channel}
		st, err := s.storingFor(ctx, who, &next, rec.Brand, consent)
		if err != nil {
			return nil, err
		}
		st.evidence = in.Evidence
		return func(tx Tx, rec *Record) error {
			before := rec.Status
			rec.Purchase = next
			rec.Collection = st.apply(tx, &rec.Purchase)
			st.write(tx, rec.Purchase, rec.Collection)
			tx.Audit(who, audit.Entry{Action: "purchase.account_given", ObjectType: "purchase", ObjectID: rec.ID, ClientID: rec.ClientID, PurchaseID: rec.ID,
				Text: "Bank details were given.", Before: map[string]any{"status": before}, After: map[string]any{"status": rec.Status}})
			return nil
		}, nil
	})
}

// mayGive: one purchase stores one account.
func (s *Service) mayGive(rec Record) error {
	switch {
	case !rec.Payable(s.Now()):
		return fault.New(fault.Conflict, "purchase_charge_wrong_status", "This request is %s; nothing more is needed.", rec.Status)
	case rec.CollectionCount > 0 && rec.Method != "":
		return fault.New(fault.Conflict, "purchase_charge_wrong_status", "Bank details were given for this request already. Ask for a new link.")
	case rec.Currency != "ZAR":
		return fault.New(fault.Conflict, "purchase_charge_error", "Debit orders are in ZAR; this request is in %s.", rec.Currency)
	case rec.TotalCents == 0 && !rec.mayBeZero():
		return fault.New(fault.Conflict, "purchase_charge_error", "There is nothing to pay.")
	}
	return nil
}

func (in *Account) clean() {
	in.FullName = strings.Join(strings.Fields(in.FullName), " ")
	in.AccountNumber = bank.CleanAccount(in.AccountNumber).Reveal()
	in.IDNumber = bank.CleanID(in.IDNumber).Reveal()
	in.BankCode = strings.TrimSpace(in.BankCode)
	if in.Channel == "" {
		in.Channel = mandate.PayPage
	}
	if in.AccountType == "" {
		in.AccountType = bank.Current
	}
}

func (in *Account) check(s *Service) error {
	var w fault.Problems
	if in.FullName == "" {
		w.Add("full_name", "required", "Give the name of the account holder.")
	}
	text(&w, "full_name", in.FullName, 128)
	for _, p := range bank.ValidateAccount(in.BankCode, bank.AccountNumber(in.AccountNumber), in.AccountType).Problems {
		w.Add(formName(p.Field), p.Code, "%s", p.Message)
	}
	if in.IDNumber != "" {
		if _, wrong := bank.ParseIdentity(bank.IDNumber(in.IDNumber), today(s)); len(wrong) > 0 {
			w.Add("id_number", wrong[0].Code, "%s", wrong[0].Message)
		}
	}
	if in.Phone != "" {
		phone, ok := bank.NormalisePhone(in.Phone)
		if !ok {
			w.Add("phone", "invalid", "Give a phone number such as 082 123 4567.")
		}
		in.Phone = phone
	}
	if !in.Consented {
		w.Add("consent", "required", "Please agree to the debit order; without that nothing can be debited.")
	}
	return w.Err()
}

// formName: the payer's page asks for an account_number where records say bank_account.
func formName(field string) string {
	if field == bank.FieldAccount {
		return "account_number"
	}
	return field
}

func (in Account) into(p *Purchase) {
	p.Payer.FullName = in.FullName
	p.Payer.BankAccount = bank.AccountNumber(in.AccountNumber)
	p.Payer.BankCode, p.Payer.AccountType = in.BankCode, in.AccountType
	if in.IDNumber != "" {
		p.Payer.PersonalCode = bank.IDNumber(in.IDNumber)
	}
	if in.Phone != "" {
		p.Payer.Phone = in.Phone
	}
}

// StoredFor lists the stored accounts that the hosted page offers: the payer's
// own, of this brand, that can be charged.
func (s *Service) StoredFor(ctx context.Context, rec Record) ([]token.Token, error) {
	if rec.ClientID == uuid.Nil {
		return nil, nil
	}
	live, err := s.Read.TokensOf(ctx, rec.MerchantID, rec.ClientID)
	var usable []token.Token
	for _, t := range live {
		if t.State == token.Active && t.BrandID == rec.BrandID {
			usable = append(usable, t)
		}
	}
	return usable, err
}

// UseStored pays with a stored account that the payer chose on the hosted page:
// on the due date when that lies two days ahead, else as early as the cut-offs
// allow.
func (s *Service) UseStored(ctx context.Context, who actor.Actor, id, tokenID uuid.UUID) (Record, error) {
	return s.change(ctx, who.MerchantID, id, func(rec Record) (func(Tx, *Record) error, error) {
		if err := s.mayGive(rec); err != nil {
			return nil, err
		}
		if rec.TotalCents == 0 {
			return nil, fault.New(fault.Conflict, "purchase_charge_error", "There is nothing to pay; give the details of a new account instead.")
		}
		t, m, err := s.chargeable(ctx, rec.Purchase, tokenID)
		if err != nil {
			return nil, err
		}
		if rec.ClientID == uuid.Nil || t.ClientID != rec.ClientID {
			return nil, invalidToken("Invalid or inactive recurring token!")
		}
		return func(tx Tx, rec *Record) error {
			soon := !rec.DueGiven || s.Timetable.TooSoon(rec.Due, tx.Now())
			if soon {
				rec.Due = s.Timetable.DueOn(s.Timetable.EarliestActionDate(s.Calendar, tx.Now()))
			}
			return s.charging(who, t, m)(tx, rec)
		}, nil
	})
}
