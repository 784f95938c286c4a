package purchase

import (
	"cmp"
	"context"
	"fmt"
	"strings"
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
	"debitdesk/models/merchant"
	"debitdesk/models/token"
)

// storing is an account on its way to become a token: the mandate, the token and,
// by EFT with an amount, the first collection. By DebiCheck the client is asked
// first, and everything else follows from the answer.
type storing struct {
	s        *Service
	who      actor.Actor
	brand    merchant.Brand
	mandate  mandate.Mandate
	token    token.Token
	evidence []mandate.Evidence
	verified *mandate.Verification
	asked    int              // how often the client was asked before
	renews   mandate.State    // the state of the mandate whose details these replace; empty: it is new
	replaced *mandate.Mandate // the mandate of before, by EFT; nil: it is new
	first    collection.Plan  // of the first collection; of no use when nothing is collected
	soon     bool             // the first collection runs as early as the cut-offs allow
}

// storingFor prepares everything that needs no transaction.
func (s *Service) storingFor(ctx context.Context, who actor.Actor, p *Purchase, b merchant.Brand, c mandate.Consent,
	oneDebit bool) (*storing, error) {
	n, err := s.Store.NextNumber(ctx, b.ID, "contract")
	if err != nil {
		return nil, err
	}
	dd := p.Details.DirectDebit
	holder := cmp.Or(p.Payer.FullName, p.Payer.LegalName, p.Payer.Email)
	kind := bank.Current
	if p.Payer.AccountType != "" {
		kind = p.Payer.AccountType
	}
	m := mandate.Mandate{
		MerchantID: p.MerchantID, BrandID: b.ID, ClientID: p.ClientID, Kind: mandate.EFT, State: mandate.ActiveState,
		ContractReference: contractReference(b, n), ProfileCode: dd.ProfileCode, AbbreviatedName: dd.AbbreviatedName,
		ClearingAccount: dd.AccountNumber, PeriodUnits: dd.PeriodUnits, DeductionDay: dd.DeductionDay,
		AmountCents: p.OpenCents(),
		HolderName:  holder, AccountMask: p.Payer.BankAccount.String(), BankCode: p.Payer.BankCode, AccountType: kind,
		Consent: c,
	}
	if p.Method == DebiCheck {
		m.Kind, m.State, m.Terms = mandate.DebiCheck, mandate.Submitted, dd.Terms
	}
	if oneDebit {
		m = m.OfOneDebit()
	}
	now := s.Now()
	first := s.firstPlan(*p, b, now)
	if m.Consent.Text == "" {
		m.Consent.Text = mandate.Wording(m, b, p.terms(first, dd.DeductionDay))
	}
	return &storing{s: s, who: who, brand: b, first: first, soon: s.runsSoon(*p, now), mandate: m, token: token.Token{
		MerchantID: p.MerchantID, BrandID: b.ID, ClientID: p.ClientID, Method: p.Method, State: token.Pending,
		HolderName: holder,
		BankCode:   p.Payer.BankCode, AccountType: kind, Account: p.Payer.BankAccount,
		AccountMask: p.Payer.BankAccount.String(), CreatedBy: who.Name,
	}}, nil
}

// contractReference is at most 14 characters and never used again: the brand's
// prefix and a counter.
func contractReference(b merchant.Brand, n int64) string {
	prefix := strings.ToUpper(strings.Map(alphanumeric, b.ReferencePrefix))
	prefix = prefix[:min(len(prefix), merchant.PrefixInReference)]
	return fmt.Sprintf("%s%010d", prefix, n)
}

func alphanumeric(r rune) rune {
	if r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return -1
}

// apply moves the purchase: by DebiCheck the client is asked; by EFT without an
// amount the account is stored at once, otherwise the first collection decides
// (API contract 4.5).
func (st *storing) apply(tx *database.Tx, p *Purchase) *collection.Collection {
	now := tx.Now()
	st.mandate.ID, st.mandate.CreatedAt, st.mandate.UpdatedAt = p.ID, now, now
	if st.mandate.Consent.At.IsZero() {
		st.mandate.Consent.At = now
	}
	st.token.ID, st.token.MandateID, st.token.Description = p.ID, p.ID, uuid.NewSHA1(p.ID, []byte("description")).String()
	st.token.CreatedAt, st.token.UpdatedAt = now, now
	p.ownAccount()
	if st.mandate.Kind == mandate.DebiCheck {
		p.Move(PendingExecute, now)
		return nil
	}
	st.mandate.AcceptedAt = now
	if !p.collects() {
		st.token.State = token.Active
		p.stored(now, st.who.IP)
		return nil
	}
	return p.firstDebit(tx, st.s, st.mandate, st.first, st.soon)
}

// ownAccount: from here on the purchase is about the account that it stores. One
// that it was charged with before, in vain, has no part in it any more.
func (p *Purchase) ownAccount() { p.TokenID = uuid.Nil }

// stored: the account is kept and nothing is collected.
func (p *Purchase) stored(at time.Time, ip string) {
	p.IsRecurringToken = true
	p.Attempted(Attempt{Type: "authorize", Successful: true, Method: p.Method, ClientIP: ip, At: at})
	p.Move(Preauthorized, at)
}

// firstDebit plans the collection that comes with storing the account.
func (p *Purchase) firstDebit(tx *database.Tx, s *Service, m mandate.Mandate, plan collection.Plan,
	soon bool) *collection.Collection {
	c := s.CollectionOf(tx, *p, p.ID, m, plan)
	if because := firstBecause(m, c.AmountCents); len(because) > 0 {
		c.Disputable, c.DisputableBecause = true, because
	}
	p.Awaits(c)
	switch {
	case !soon:
		p.Move(PendingCharge, tx.Now())
	case p.Status != PendingExecute: // which it is when the client was asked
		p.Move(PendingExecute, tx.Now())
	}
	return &c
}

// firstBecause is why the client could dispute the first debit: its day is part of
// what was confirmed, its amount may be another one (total_override).
func firstBecause(m mandate.Mandate, cents int64) (because []string) {
	if m.Fallback {
		because = append(because, mandate.BecauseFallback)
	}
	if m.Terms != nil && m.Terms.PriceCents != cents {
		because = append(because, mandate.BecauseAmountDiffers)
	}
	return because
}

// write keeps the mandate, the token and the collection, after the purchase.
func (st *storing) write(tx *database.Tx, p Purchase, c *collection.Collection) error {
	if st.renews == "" {
		mandate.Insert(tx, st.mandate)
		token.Insert(tx, st.token)
	} else {
		mandate.Renew(tx, st.mandate, st.renews)
		token.Renew(tx, st.token)
	}
	for _, e := range st.evidence {
		e.ID, e.MerchantID, e.MandateID, e.CreatedAt = tx.NewID(), p.MerchantID, st.mandate.ID, tx.Now()
		mandate.InsertEvidence(tx, e)
	}
	if st.verified != nil {
		st.verified.PurchaseID = p.ID
		keepVerification(tx, st.who, *st.verified)
	}
	if c != nil {
		collection.Insert(tx, *c)
	}
	if st.mandate.Kind == mandate.DebiCheck {
		ask(tx, st.who, p, st.mandate, st.mandate.Terms.Authentication, st.asked+1)
		return nil
	}
	entry := audit.Entry{Action: "mandate.given", ObjectType: "mandate", ObjectID: st.mandate.ID,
		ClientID: p.ClientID, PurchaseID: p.ID,
		Text: fmt.Sprintf("Permission to debit %s at %s was recorded (%s).", st.token.AccountMask,
			bank.BankName(st.token.BankCode), channelWords(st.mandate.Consent.Channel)),
		After: map[string]any{"contract_reference": st.mandate.ContractReference, "channel": st.mandate.Consent.Channel}}
	if was := st.replaced; was != nil {
		entry.Text += fmt.Sprintf(" It replaces the permission %s to debit %s, whose debit failed.", was.ContractReference,
			was.AccountMask)
		entry.Before = map[string]any{"contract_reference": was.ContractReference, "channel": was.Consent.Channel}
		mandate.InsertReplaced(tx, was.ReplacedAt(tx.NewID(), tx.Now()))
	}
	tx.Audit(st.who, entry)
	return st.s.MailAgreement(tx, p, st.mandate, st.brand, c, max(p.CollectionCount, 1))
}

func channelWords(c mandate.Channel) string {
	switch c {
	case mandate.PayPage:
		return "given on the hosted page"
	case mandate.SignedPaper:
		return "signed on paper"
	case mandate.ByAPI:
		return "held by the merchant"
	case mandate.ByBank:
		return "given at the client’s bank"
	}
	return string(c)
}

// collects tells whether storing the account takes money too.
func (p Purchase) collects() bool { return p.TotalCents > 0 && !p.Options.SkipCapture }

// runsSoon: the due was not given, or lies too near to wait for.
func (s *Service) runsSoon(p Purchase, now time.Time) bool {
	return !p.DueGiven || s.Timetable.For(bank.Method(p.Method)).TooSoon(p.Due, now)
}

// firstPlan plans the collection that a client's consent starts: on the due when
// that was given and lies far enough ahead, else as early as the cut-offs allow.
func (s *Service) firstPlan(p Purchase, b merchant.Brand, now time.Time) collection.Plan {
	days := s.Schedule(b, bank.Method(cmp.Or(p.Method, EFT)))
	if s.runsSoon(p, now) {
		return days.PlanOn(days.Earliest(now), now)
	}
	return days.Plan(p.Due, now)
}

// FirstDate is the debit date of the first collection, where it is known before the client has answered: zero when
// nothing is collected, or when the debit runs as soon as the answer allows.
func (s *Service) FirstDate(p Purchase, b merchant.Brand) calendar.Date {
	now := s.Now()
	if !p.collects() || s.runsSoon(p, now) {
		return calendar.Date{}
	}
	return s.firstPlan(p, b, now).ActionDate
}

// terms are what the permission says of this purchase. A deduction day that only
// follows from the one-hour default of due was chosen by nobody.
func (p Purchase) terms(first collection.Plan, day int) mandate.Start {
	t := mandate.Start{Currency: p.Currency, AnyDay: p.Method != DebiCheck && !p.DueGiven &&
		day == (&DirectDebitInput{}).day(&fault.Problems{}, "months", p)}
	if p.collects() {
		t.FirstDebit = first.ActionDate
	}
	t.TrackDays = p.Details.TrackingDays
	return t
}

// CollectionOf is one debit of a token under its mandate.
func (s *Service) CollectionOf(tx *database.Tx, p Purchase, tokenID uuid.UUID, m mandate.Mandate,
	plan collection.Plan) collection.Collection {
	c := collection.Collection{
		ID: tx.NewID(), MerchantID: p.MerchantID, BrandID: p.BrandID, ClientID: p.ClientID, PurchaseID: p.ID,
		Attempt: p.CollectionCount + 1,
		TokenID: tokenID, MandateID: m.ID, Method: bank.Method(m.Kind), AmountCents: p.OpenCents(), Currency: p.Currency,
		CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
	}
	if m.Kind == mandate.DebiCheck {
		most := plan.TrackingDays
		if m.Fallback {
			most = plan.RegisteredDays
		}
		c.TrackingDays = min(p.TrackingDays(s.Limits), most)
	}
	c.OnceOff = m.AllowsOneDebit()
	c.Schedule(plan)
	c.StatementLine = StatementLine(m, c.ActionDate)
	return c
}

// Awaits: c is the newest debit of the purchase.
func (p *Purchase) Awaits(c collection.Collection) {
	p.CollectionCount, p.ExecuteAt = p.CollectionCount+1, c.ExecuteAt
}

// StatementLine is what the client reads on the bank statement.
func StatementLine(m mandate.Mandate, action calendar.Date) string {
	line, err := collection.StatementLine(m.AbbreviatedName, m.ContractReference, collection.FreeText(action))
	if err != nil { // a registered name that a statement does not carry: the reference still finds the debit
		line, _ = collection.StatementLine("", m.ContractReference, collection.FreeText(action))
	}
	return line
}
