package amendment

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// Revision is what staff want instead of a stored account.
type Revision struct {
	Problems    fault.Problems // what is wrong with the form already, to be reported with the rest
	Method      string         // eft or debicheck
	Name        string         // what the debits are for
	PriceCents  int64          // of a usual debit; by DebiCheck the client confirms it
	FirstCents  int64          // collected with the new details; 0: nothing
	DirectDebit purchase.DirectDebitInput
	KeepAccount bool              // by DebiCheck: the old account under new terms
	Account     *purchase.Account // by DebiCheck: the new account, as far as staff know it; nil: the client gives it
	UserID      uuid.UUID
}

// amendmentDays is how long a client may take to give new details before the
// request counts as overdue.
const amendmentDays = 30

// Amend begins to replace a live token (source: amending, step 1): it makes the
// purchase that stores the new details. By DebiCheck with details that are known
// the client is asked at once; otherwise the client gives them on the hosted page,
// or signs on paper. The old token is not touched. Errors: Conflict amendment_open
// while another amendment of the token is open.
func (s *Service) Amend(ctx context.Context, who actor.Actor, tokenID uuid.UUID, in Revision) (Amendment, error) {
	if err := who.May(actor.Write); err != nil {
		return Amendment{}, err
	}
	return s.amend(ctx, who, tokenID, in)
}

func (s *Service) amend(ctx context.Context, who actor.Actor, tokenID uuid.UUID, in Revision) (Amendment, error) {
	old, err := s.Purchases.Tokens().Token(ctx, who.MerchantID, tokenID)
	if err != nil {
		return Amendment{}, err
	}
	if !old.Live() {
		return Amendment{}, fault.New(fault.Conflict, "amendment_wrong_state",
			"This token is no longer in use; there is nothing to replace.")
	}
	if err := s.noOpenAmendment(ctx, who, tokenID); err != nil {
		return Amendment{}, err
	}
	was, err := s.Purchases.Store.Purchase(ctx, who.MerchantID, tokenID)
	if err != nil {
		return Amendment{}, err
	}
	known := was.Payer
	if old.ClientID != uuid.Nil {
		if known, err = s.Purchases.Clients().ClientDetails(ctx, who.MerchantID, old.ClientID); err != nil {
			return Amendment{}, err
		}
	}
	ask := s.asInput(in, old, was, known)
	var out Amendment
	_, err = s.Purchases.CreateAnd(ctx, who, ask, func(tx *database.Tx, rec purchase.Record) any {
		out = Amendment{ID: tx.NewID(), MerchantID: rec.MerchantID, OldTokenID: old.ID, NewID: rec.ID, State: AmendmentOpen,
			CreatedBy: who.Name, CreatedAt: tx.Now()}
		tx.Create(&out)
		note(tx, who, old, rec.ID, "amendment.begun", "token", old.ID, "New details are to replace "+
			old.AccountMask+". It stays in use until they work.")
		return out
	})
	if open := s.noOpenAmendment(ctx, who, tokenID); fault.Is(err, fault.Conflict) && open != nil {
		return Amendment{}, open // another began in the same moment
	}
	return out, err
}

func (s *Service) noOpenAmendment(ctx context.Context, who actor.Actor, tokenID uuid.UUID) error {
	a, err := s.store().Of(ctx, who.MerchantID, tokenID)
	switch {
	case fault.Is(err, fault.NotFound):
		return nil
	case err == nil && a.State == AmendmentOpen:
		return fault.New(fault.Conflict, "amendment_open",
			"This token is already being replaced. Finish that first, or abandon it.")
	}
	return err
}

// asInput is the new purchase: the same client and brand, with other details.
func (s *Service) asInput(r Revision, old token.Token, was purchase.Purchase, known client.Details) purchase.Input {
	due := s.Purchases.Now().Add(amendmentDays * 24 * time.Hour)
	in := purchase.Input{Problems: r.Problems, ClientID: old.ClientID, BrandID: old.BrandID, Currency: was.Currency,
		UserID: r.UserID, Due: &due, DirectDebit: &r.DirectDebit,
		Options: purchase.Options{ForceRecurring: true, Whitelist: []string{r.Method}, Platform: "web", Source: "web_office"},
		Details: purchase.Details{Timezone: "Africa/Johannesburg", TotalOverrideCents: &r.FirstCents,
			Products: []purchase.Product{{Name: cmp.Or(r.Name, "Debit order"), PriceCents: r.PriceCents,
				Quantity: decimal.NewFromInt(1)}}}}
	if r.FirstCents > 0 {
		in.Due = nil // collected as early as the cut-offs allow
	}
	if r.Account != nil && r.Method == purchase.DebiCheck && !r.KeepAccount {
		account := *r.Account
		account.Consented = true // the client consents at their own bank
		account.Clean()
		missing(&account, known)
		if f, wrong := fault.From(account.Check(s.Purchases, purchase.Record{})); wrong {
			in.Problems = append(in.Problems, f.Fields...)
		}
		r.Account = &account
	}
	in.Revise = func(d *client.Details) { r.revise(d, was.Payer) }
	if old.ClientID == uuid.Nil {
		payer := was.Payer
		in.Revise(&payer)
		in.Client = &payer
	}
	return in
}

// missing notes what the bank needs of the client and nobody has given.
func missing(in *purchase.Account, known client.Details) {
	if in.IDNumber == "" && known.PersonalCode == "" {
		in.Problems.Add("id_number", "required",
			"Enter the client’s identity or passport number; the client’s record has none.")
	}
	if in.Phone == "" && known.Phone == "" {
		in.Problems.Add("phone", "required",
			"Enter the client’s phone number: the bank asks the client there, and the client’s record has none.")
	}
}

// revise puts the new account in the place of the one that the client's record
// has. An account that the client is to give is left empty; so is one for EFT, since
// nobody agreed to it yet.
func (r Revision) revise(d *client.Details, was client.Details) {
	switch {
	case r.Method == purchase.DebiCheck && r.KeepAccount:
		d.BankAccount, d.BankCode, d.AccountType = was.BankAccount, was.BankCode, was.AccountType
		d.FullName = cmp.Or(was.FullName, d.FullName)
		d.PersonalCode, d.Phone = cmp.Or(d.PersonalCode, was.PersonalCode), cmp.Or(d.Phone, was.Phone)
	case r.Method == purchase.DebiCheck && r.Account != nil:
		var p purchase.Purchase
		p.Payer = *d
		r.Account.Into(&p)
		*d = p.Payer
	default:
		d.BankAccount, d.BankCode, d.AccountType = "", "", bank.AccountType("")
	}
}

// note puts a sentence about an amendment on the time lines of a record.
func note(tx *database.Tx, who actor.Actor, t token.Token, purchaseID uuid.UUID, action, object string, id uuid.UUID,
	text string) {
	tx.Audit(who, audit.Entry{Action: action, ObjectType: object, ObjectID: id, ClientID: t.ClientID,
		PurchaseID: purchaseID, Text: text})
}
