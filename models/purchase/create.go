package purchase

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
)

// Create records a purchase. When it asks for an account to be stored and the
// client's bank details are known, the account is stored at once; otherwise the
// purchase waits for the payer's page.
func (s *Service) Create(ctx context.Context, who actor.Actor, in Input) (Record, error) {
	if err := who.May(actor.Write); err != nil {
		return Record{}, err
	}
	return s.CreateAnd(ctx, who, in, recordItself)
}

// Besides is written in the transaction of a new purchase; it gives the answer of
// the use case.
type Besides func(*database.Tx, Record) (answer any)

func recordItself(_ *database.Tx, rec Record) any { return rec }

// CreateAnd records a purchase, and in the same transaction what belongs to it.
func (s *Service) CreateAnd(ctx context.Context, who actor.Actor, in Input, also Besides) (Record, error) {
	p, brand, err := s.draft(ctx, who, &in)
	if err != nil {
		return Record{}, err
	}
	var account *storing
	if p.storesNow() {
		if err := s.NotStopped(ctx, who.MerchantID, p.ClientID); err != nil {
			return Record{}, err
		}
		verified, err := s.verify(ctx, who, p)
		if err != nil {
			return Record{}, err
		}
		if account, err = s.storingFor(ctx, who, &p, brand, mandate.Consent{Channel: p.consentChannel(), IP: who.IP},
			false); err != nil {
			return Record{}, err
		}
		account.verified = verified
	}
	return s.insertWith(ctx, who, p, brand, account, also)
}

// insert keeps a new purchase, with the account that it stores, if any.
func (s *Service) insert(ctx context.Context, who actor.Actor, p Purchase, brand merchant.Brand,
	account *storing) (Record, error) {
	return s.insertWith(ctx, who, p, brand, account, recordItself)
}

func (s *Service) insertWith(ctx context.Context, who actor.Actor, p Purchase, brand merchant.Brand, account *storing,
	also Besides) (Record, error) {
	var err error
	if p.ReferenceGenerated, err = s.nextReference(ctx, brand); err != nil {
		return Record{}, err
	}
	rec := Record{Purchase: p, Brand: brand}
	err = s.InTx(ctx, func(tx *database.Tx) error {
		rec.Purchase = p
		rec.Begin(tx.NewID(), tx.Now())
		if account != nil {
			rec.Collection = account.apply(tx, &rec.Purchase)
		}
		rec.setPassAt()
		if account != nil && rec.ClientID != uuid.Nil {
			client.HoldForDebit(tx, rec.MerchantID, rec.ClientID)
		}
		Insert(tx, rec.Purchase)
		if account != nil {
			if err := account.write(tx, rec.Purchase, rec.Collection); err != nil {
				return err
			}
		}
		tx.Audit(who, audit.Entry{Action: "purchase.created", ObjectType: "purchase", ObjectID: rec.ID,
			ClientID:   rec.ClientID,
			PurchaseID: rec.ID, Text: createdText(rec.Purchase),
			After: map[string]any{"status": rec.Status, "total_cents": rec.TotalCents, "due": rec.Due.Unix()}})
		return tx.Answered(also(tx, rec))
	})
	if errors.Is(err, fault.ErrLost) {
		return Record{}, fault.New(fault.Conflict, "conflict",
			"This client is being deleted at the moment. Try again.").Because(err)
	}
	return rec, err
}

func createdText(p Purchase) string {
	if p.Method != "" && p.IsRecurringToken {
		return "The bank account was stored without taking money."
	}
	return fmt.Sprintf("Purchase of %s was created.", SayCents(p))
}

// Preview says what Create would do, with nothing stored: the total and the
// problems of the request.
func (s *Service) Preview(ctx context.Context, who actor.Actor, in Input) (Record, error) {
	if err := who.May(actor.Write); err != nil {
		return Record{}, err
	}
	p, brand, err := s.draft(ctx, who, &in)
	return Record{Purchase: p, Brand: brand}, err
}

// draft turns a request into a purchase, or reports everything that is wrong.
func (s *Service) draft(ctx context.Context, who actor.Actor, in *Input) (Purchase, merchant.Brand, error) {
	now, shape := s.Now(), in.Problems
	in.Problems = nil
	in.check(now)
	brand, err := s.brandOf(ctx, who, in)
	if err != nil {
		return Purchase{}, brand, err
	}
	payer, err := s.payerOf(ctx, who, in)
	if err != nil {
		return Purchase{}, brand, err
	}
	p := in.purchase(now, who, brand, payer)
	w := &in.Problems
	total, wrong := in.Details.TotalCents()
	*w = append(*w, wrong...)
	p.TotalCents = total
	if in.DirectDebit != nil {
		p.Details.DirectDebit = in.DirectDebit.complete(w, brand, p)
	}
	p.Method = in.method()
	if total == 0 && len(wrong) == 0 && len(in.Details.Products) > 0 && !p.mayBeZero() &&
		!unread(shape, "purchase.products", "purchase.debt", "purchase.total_override") {
		w.Add("purchase."+fault.All, "min_value", "%s", zeroAmount)
	}
	if p.storesNow() && len(*w) == 0 && len(shape) == 0 {
		checkAccount(w, &p, in)
		s.checkPayer(w, &p, in)
	}
	s.canCollect(w, p)
	return p, brand, in.settle(shape)
}

// canCollect holds a request against what the bank connection can do, and one that asks the client at once against the
// window too.
func (s *Service) canCollect(w *fault.Problems, p Purchase) {
	if !s.canPayBy(w, "payment_method_whitelist", p.Options.Whitelist) {
		return
	}
	t := p.authenticated()
	switch {
	case t == nil:
	case p.Method == DebiCheck && p.storesNow():
		s.mayAsk(w, t.Authentication)
	default:
		s.canAsk(w, t.Authentication)
	}
}

func (s *Service) brandOf(ctx context.Context, who actor.Actor, in *Input) (merchant.Brand, error) {
	if in.BrandID == uuid.Nil {
		return merchant.Brand{}, nil
	}
	brand, err := s.Merchants().Brand(ctx, who.MerchantID, in.BrandID)
	if fault.Is(err, fault.NotFound) {
		in.Problems.NoSuch("brand_id", in.BrandID)
		return brand, nil
	}
	return brand, err
}

func (s *Service) payerOf(ctx context.Context, who actor.Actor, in *Input) (client.Details, error) {
	if in.Client != nil {
		return *in.Client, nil
	}
	if in.ClientID == uuid.Nil {
		return client.Details{}, nil
	}
	d, err := s.Clients().ClientDetails(ctx, who.MerchantID, in.ClientID)
	if fault.Is(err, fault.NotFound) {
		in.Problems.NoSuch("client_id", in.ClientID)
		return d, nil
	}
	if err == nil && in.Revise != nil {
		in.Revise(&d)
	}
	return d, err
}

func (in *Input) purchase(now time.Time, who actor.Actor, b merchant.Brand, payer client.Details) Purchase {
	p := Purchase{
		MerchantID: who.MerchantID, BrandID: in.BrandID, ClientID: in.ClientID, UserID: in.UserID, IsTest: b.IsTest,
		Status: Created, Product: cmp.Or(in.Product, ByPurchases), Currency: money.ZAR,
		Due: now.Add(defaultDue), DueStrict: in.DueStrict, Issued: in.Issued, Reference: in.Reference,
		Payer: payer, Details: in.Details, Options: in.Options, CreatedIP: who.IP,
	}
	if in.Due != nil {
		p.Due, p.DueGiven = *in.Due, true
	}
	p.Details.Language = cmp.Or(p.Details.Language, b.Language)
	p.Details.Timezone = cmp.Or(p.Details.Timezone, "UTC")
	p.Options.Platform = cmp.Or(p.Options.Platform, "api")
	if p.Issued.IsZero() {
		p.Issued = DayIn(now, p.Details.Timezone)
	}
	p.Details.RequestClientDetails = slices.DeleteFunc(slices.Clone(p.Details.RequestClientDetails), payer.Knows)
	return p
}

// DayIn is the calendar day in the purchase's own time zone.
func DayIn(now time.Time, zone string) calendar.Date {
	if loc, err := time.LoadLocation(zone); err == nil {
		y, m, d := now.In(loc).Date()
		return calendar.On(y, m, d)
	}
	return calendar.DateOf(now)
}

// method is what the purchase stores an account by: only a forced one stores.
func (in *Input) method() string {
	if in.Options.ForceRecurring && len(in.Options.Whitelist) == 1 {
		return in.Options.Whitelist[0]
	}
	return ""
}

// mayBeZero: a zero total stores an account without collecting (source: what the
// service does, 4; API contract 12.16).
func (p Purchase) mayBeZero() bool {
	return (p.Options.ForceRecurring || p.Options.SkipCapture) &&
		!slices.ContainsFunc(p.Options.Whitelist, func(m string) bool { return m != EFT && m != DebiCheck })
}

// storesNow tells whether all that storing the account needs is known already
// (API contract 4.1 and 12.5).
func (p Purchase) storesNow() bool {
	if p.Details.DirectDebit == nil || p.Payer.BankAccount == "" || p.Payer.BankCode == "" {
		return false
	}
	switch p.Method {
	case EFT:
		return true
	case DebiCheck:
		return p.Details.DirectDebit.Terms != nil && p.Payer.FullName != "" && p.Payer.PersonalCode != "" &&
			p.Payer.Phone != ""
	}
	return false
}

// consentChannel: by DebiCheck the client consents at their own bank.
func (p Purchase) consentChannel() mandate.Channel {
	if p.Method == DebiCheck {
		return mandate.ByBank
	}
	return mandate.ByAPI
}

func (s *Service) nextReference(ctx context.Context, b merchant.Brand) (string, error) {
	n, err := s.Store.NextNumber(ctx, b.ID, "purchase")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s%d", b.ReferencePrefix, n), nil
}
