package debit_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/amendment"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/debit"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// An amendment ends in a take-over that moves money, so its effects are tried here,
// where debits run.

var (
	thursday = calendar.On(2027, time.February, 25)
	lastMay  = calendar.On(2027, time.May, 25)
)

// amending is a house in which payers answer their banks.
func amending(t testing.TB) *house {
	h := open(t)
	h.purchases.Window, h.purchases.Limits = mandate.DefaultWindow(), mandate.DefaultLimits()
	h.debits.Limits = mandate.DefaultLimits()
	return h
}

func (h *house) engineWithLimits() *debit.Service {
	e := h.engine(h.bank)
	e.Limits = mandate.DefaultLimits()
	return e
}

// variable are terms that allow up to a maximum on the 25th.
func variable(most int64) purchase.DirectDebitInput {
	day := 25
	return purchase.DirectDebitInput{DeductionDay: &day, PeriodUnits: "months",
		Ask: &mandate.Ask{ValueType: "VARIABLE", AuthenticationType: "REALTIME",
			DebitSequence: "RCUR", AdjustmentCategory: "NEVER", MaxAmountCents: &most}}
}

// toDebiCheck is new details by DebiCheck, of an account that staff know.
func toDebiCheck(account string, price, most int64) amendment.Revision {
	return amendment.Revision{Method: purchase.DebiCheck, PriceCents: price, DirectDebit: variable(most),
		Account: &purchase.Account{
			FullName: "N Dlamini", IDNumber: "8501015009086", Phone: "0821234567", BankCode: "632005", AccountNumber: account,
			AccountType: bank.Current}}
}

func (h *house) amend(old uuid.UUID, r amendment.Revision) amendment.Amendment {
	h.t.Helper()
	a, err := h.amendments.Amend(ctx, h.who, old, r)
	must(h.t, err)
	return a
}

func (h *house) sheet(id uuid.UUID) amendment.AmendmentSheet {
	h.t.Helper()
	a, err := h.amendments.Amendment(ctx, h.who, id)
	must(h.t, err)
	return a
}

// answered lets the payer's 120 seconds pass.
func (h *house) answered() { h.to(h.store.Now().Add(2 * time.Minute)) }

func (h *house) agreed(id uuid.UUID) amendment.Agreed {
	a := h.sheet(id)
	return amendment.Agreed{Given: true, Count: len(a.Moves), Cents: a.MovesCents()}
}

func (h *house) takeOver(id uuid.UUID) amendment.AmendmentSheet {
	h.t.Helper()
	a, err := h.amendments.TakeOver(ctx, h.who, id, h.agreed(id))
	must(h.t, err)
	return a
}

func (h *house) oldMandate(id uuid.UUID) mandate.Mandate {
	h.t.Helper()
	m, err := mandate.Store{DB: h.store}.Mandate(ctx, h.who.MerchantID, id)
	must(h.t, err)
	return m
}

func wantCode(t testing.TB, err error, code string) {
	t.Helper()
	f, ok := fault.From(err)
	if !ok || f.Code != code && (len(f.Fields) == 0 || f.Fields[0].Code != code) {
		t.Fatalf("got %v, want %s", err, code)
	}
}

func TestTakeOverMovesWhatWaitsAndCollectsItOnceFromTheNewAccount(t *testing.T) {
	h := amending(t)
	old := h.tokenise("4000000000", 0)
	waits := h.mustCharge(old.ID, 9900, thursday)
	a := h.amend(old.ID, toDebiCheck("4000000000", 9900, 12000))
	if got := h.token(old.ID).State; got != token.Active {
		t.Fatalf("the old token is %s while the payer is asked", got)
	}
	_, err := h.amendments.TakeOver(ctx, h.who, a.ID, h.agreed(a.ID))
	wantCode(t, err, "amendment_not_ready")
	h.answered()

	done := h.takeOver(a.ID)
	if done.State != amendment.AmendmentDone || done.Moved != 1 {
		t.Fatalf("got %s with %d moved", done.State, done.Moved)
	}
	if o, n := h.token(old.ID), h.token(a.NewID); o.State != token.Superseded || n.State != token.Active {
		t.Fatalf("old %s, new %s", o.State, n.State)
	}
	if m := h.oldMandate(old.ID); m.State != mandate.Superseded || m.EndedAt.IsZero() {
		t.Fatalf("the old mandate is %s", m.State)
	}
	if h.get(old.ID).IsRecurringToken {
		t.Fatal("the old purchase still is a recurring token")
	}
	moved := h.get(waits.ID)
	c := moved.Collection
	if moved.Status != purchase.PendingCharge || moved.TokenID != a.NewID || c.TokenID != a.NewID ||
		c.MandateID != a.NewID || c.Attempt != 2 || c.Method != bank.DebiCheck || c.Disputable {
		t.Fatalf("moved: %s on %s, attempt %d by %s, disputable %t", moved.Status, c.TokenID, c.Attempt, c.Method,
			c.Disputable)
	}
	if c.StatementLine == waits.Collection.StatementLine {
		t.Fatal("the payer would read the old reference")
	}

	h.to(thursday.At(23, 0))
	h.to(start.AddDate(0, 2, 0))
	if p := h.get(waits.ID); p.Status != purchase.Paid || h.ledger(waits.ID) != 9900 {
		t.Fatalf("%s, collected %d", p.Status, h.ledger(waits.ID))
	}
	if n := h.number(`SELECT count(*) FROM sandbox_instructions WHERE id = $1`, waits.Collection.ID); n != 0 {
		t.Fatal("the bank was handed the debit of the old account")
	}
}

func TestAnyRefusalOfTheNewDetailsLeavesTheOldTokenInUse(t *testing.T) {
	for name, account := range map[string]string{"declined by the client": "4000008002",
		"refused by the bank": "4000008003", "not answered": "4000008480"} {
		t.Run(name, func(t *testing.T) {
			h := amending(t)
			old := h.tokenise("4000000000", 0)
			waits := h.mustCharge(old.ID, 9900, thursday)
			a := h.amend(old.ID, toDebiCheck(account, 9900, 12000))
			h.to(start.Add(3 * time.Minute))
			_, err := h.amendments.TakeOver(ctx, h.who, a.ID, h.agreed(a.ID))
			wantCode(t, err, "amendment_not_ready")
			h.to(start.AddDate(0, 2, 0))
			if o, n := h.token(old.ID), h.token(a.NewID); o.State != token.Active || n.State != token.Pending {
				t.Fatalf("old %s, new %s", o.State, n.State)
			}
			if h.ledger(waits.ID) != 9900 {
				t.Fatalf("collected %d", h.ledger(waits.ID))
			}
		})
	}
}

func TestTakeOverNeedsConsentToExactlyWhatMoves(t *testing.T) {
	h := amending(t)
	old := h.tokenise("4000000000", 0)
	h.mustCharge(old.ID, 9900, thursday)
	a := h.amend(old.ID, toDebiCheck("4000000000", 9900, 12000))
	h.answered()
	seen := h.agreed(a.ID)
	_, err := h.amendments.TakeOver(ctx, h.who, a.ID, amendment.Agreed{Count: seen.Count, Cents: seen.Cents})
	wantCode(t, err, "required")
	h.mustCharge(old.ID, 100, thursday)
	_, err = h.amendments.TakeOver(ctx, h.who, a.ID, seen)
	wantCode(t, err, "changed")
	if got := h.token(old.ID).State; got != token.Active {
		t.Fatalf("a refused take-over left the old token %s", got)
	}
	if done := h.takeOver(a.ID); done.Moved != 2 {
		t.Fatalf("moved %d", done.Moved)
	}
}

func TestPurchaseOutsideTheNewTermsStopsTheTakeOverUntilItIsCancelled(t *testing.T) {
	h := amending(t)
	old := h.tokenise("4000000000", 0)
	fits, dear := h.mustCharge(old.ID, 12000, thursday), h.mustCharge(old.ID, 12001, thursday)
	a := h.amend(old.ID, toDebiCheck("4000000000", 9900, 12000))
	h.answered()
	if stopped := h.sheet(a.ID).Stopped(); len(stopped) != 1 || stopped[0].ID != dear.ID {
		t.Fatalf("stopped by %v", stopped)
	}
	_, err := h.amendments.TakeOver(ctx, h.who, a.ID, h.agreed(a.ID))
	wantCode(t, err, "amendment_stopped")
	if c := h.get(fits.ID).Collection; c.State != collection.Scheduled || c.Attempt != 1 {
		t.Fatalf("a stopped take-over touched another purchase: %s, attempt %d", c.State, c.Attempt)
	}
	_, err = h.purchases.Cancel(ctx, h.who, dear.ID)
	must(t, err)
	h.takeOver(a.ID)
	if c := h.get(fits.ID).Collection; c.Attempt != 2 || len(c.DisputableBecause) != 1 ||
		c.DisputableBecause[0] != mandate.BecauseAmountDiffers {
		t.Fatalf("attempt %d, disputable because %v", c.Attempt, c.DisputableBecause)
	}
}

// From DebiCheck, handed over one business day ahead, to EFT, which needs two.
func TestDayThatTheNewMethodCannotReachStopsTheTakeOver(t *testing.T) {
	h := amending(t)
	who := payer()
	who.BankAccount, who.BankCode, who.PersonalCode, who.Phone = "4000000000", "632005", "8501015009086", "+27821234567"
	terms := variable(12000)
	old, err := h.purchases.Create(ctx, h.who, purchase.Input{Client: who, BrandID: h.brand, Currency: "ZAR",
		DirectDebit: &terms,
		Details:     total(one(9900), 0), Options: purchase.Options{Whitelist: []string{"debicheck"}, ForceRecurring: true}})
	must(t, err)
	h.answered()
	waits := h.mustCharge(old.ID, 9900, thursday)
	a := h.amend(old.ID, amendment.Revision{Method: purchase.EFT})
	h.signed(a.NewID, "4000000001")

	h.to(waits.Collection.SubmitAt.Add(-time.Hour)) // Wednesday, 11:00
	if moves := h.sheet(a.ID).Moves; len(moves) != 1 || moves[0].Stopping == "" ||
		!moves[0].Plan.ActionDate.After(thursday) {
		t.Fatalf("not stopped: %+v", moves)
	}
	h.to(waits.Collection.SubmitAt) // it is at the bank: the old account is debited once more
	if done := h.takeOver(a.ID); done.Moved != 0 {
		t.Fatalf("moved %d", done.Moved)
	}
	h.to(start.AddDate(0, 2, 0))
	if h.ledger(waits.ID) != 9900 || h.get(waits.ID).CollectionCount != 1 {
		t.Fatalf("collected %d in %d debits", h.ledger(waits.ID), h.get(waits.ID).CollectionCount)
	}
}

func total(d purchase.Details, cents int64) purchase.Details {
	d.TotalOverrideCents = &cents
	return d
}

// signed gives new EFT details from a signed form.
func (h *house) signed(id uuid.UUID, account string) {
	h.t.Helper()
	_, err := h.purchases.GiveAccount(ctx, h.who, id, purchase.Account{FullName: "N Dlamini", BankCode: "632005",
		AccountNumber: account,
		Consented:     true, Channel: mandate.SignedPaper})
	must(h.t, err)
}

func TestSupersededTokenCannotBeChargedNorFound(t *testing.T) {
	h := amending(t)
	old := h.tokenise("4000000000", 0)
	a := h.amend(old.ID, amendment.Revision{Method: purchase.EFT})
	if p := h.get(a.NewID); p.Status != purchase.Created || p.Payer.BankAccount != "" {
		t.Fatalf("EFT details were stored that nobody gave: %s", p.Status)
	}
	h.signed(a.NewID, "4000000001")
	h.takeOver(a.ID)
	_, err := h.charge(old.ID, 100, thursday)
	wantCode(t, err, "invalid_recurring_token")
	_, err = h.charge(a.NewID, 100, thursday)
	must(t, err)
	if err := h.deletions.DeleteToken(ctx, h.who, uuid.Nil, old.ID); !fault.Is(err, fault.NotFound) {
		t.Fatalf("a superseded token was deleted: %v", err)
	}
	if n := h.number(`SELECT count(*) FROM tokens WHERE state IN ('active', 'blocked')`); n != 1 {
		t.Fatalf("%d live tokens", n)
	}
}

func TestTakeOverRepeatedOrAtOnceMovesOnce(t *testing.T) {
	h := amending(t)
	old := h.tokenise("4000000000", 0)
	waits := h.mustCharge(old.ID, 9900, thursday)
	a := h.amend(old.ID, toDebiCheck("4000000000", 9900, 12000))
	h.answered()
	agreed := h.agreed(a.ID)
	var wait sync.WaitGroup
	wrong := make([]error, 4)
	for i := range wrong {
		wait.Go(func() { _, wrong[i] = h.amendments.TakeOver(ctx, h.who, a.ID, agreed) })
	}
	wait.Wait()
	for _, err := range wrong {
		must(t, err)
	}
	_, err := h.amendments.TakeOver(ctx, h.who, a.ID, amendment.Agreed{})
	must(t, err)
	if n := h.number(`SELECT count(*) FROM collections WHERE purchase_id = $1 AND state = 'scheduled'`,
		waits.ID); n != 1 || h.get(waits.ID).CollectionCount != 2 {
		t.Fatalf("%d scheduled debits, %d in all", n, h.get(waits.ID).CollectionCount)
	}
	if n := h.number(
		`SELECT count(*) FROM audit_entries WHERE action IN ('token.superseded', 'token.took_over', 'mandate.superseded',
			'mandate.took_over', 'purchase.moved', 'amendment.done')`,
	); n != 6 {
		t.Fatalf("%d audit entries", n)
	}
	_, err = h.amendments.Abandon(ctx, h.who, a.ID)
	wantCode(t, err, "amendment_closed")
}

// Charges, a deletion and a run of debits in the middle of a take-over: whoever
// wins, nothing is collected twice, and no debit waits on a token that ended.
func TestTakeOverMeetsChargesDeletionAndHandOver(t *testing.T) {
	h := amending(t)
	old := h.tokenise("4000000000", 0)
	for range 3 {
		h.mustCharge(old.ID, 9900, thursday)
	}
	a := h.amend(old.ID, toDebiCheck("4000000000", 9900, 12000))
	h.answered()
	must(t, h.store.Clock.MoveTo(ctx, h.get(old.ID).CreatedAt.Add(time.Hour)))
	agreed := h.agreed(a.ID)
	var wait sync.WaitGroup
	wait.Go(func() { _, _ = h.amendments.TakeOver(ctx, h.who, a.ID, agreed) })
	wait.Go(func() { _, _ = h.charge(old.ID, 9900, thursday) })
	wait.Go(func() { _ = h.deletions.DeleteToken(ctx, h.program(), uuid.Nil, old.ID) })
	wait.Go(func() { _, _ = h.engineWithLimits().Run(context.Background()) })
	wait.Wait()
	if n := h.number(
		`SELECT count(*) FROM collections c JOIN tokens t ON t.id = c.token_id
			WHERE c.state = 'scheduled' AND t.state NOT IN ('active', 'blocked')`,
	); n != 0 {
		t.Fatalf("%d debits wait on a token that ended", n)
	}
	h.to(start.AddDate(0, 2, 0))
	if n := h.number(
		`SELECT count(*) FROM (SELECT purchase_id FROM ledger_entries WHERE kind = 'collected'
			GROUP BY purchase_id HAVING count(*) > 1) AS twice`,
	); n != 0 {
		t.Fatalf("%d purchases were collected twice", n)
	}
}

func TestDeletedOldTokenLeavesNothingToMove(t *testing.T) {
	h := amending(t)
	old := h.tokenise("4000000000", 0)
	waits := h.mustCharge(old.ID, 9900, thursday)
	a := h.amend(old.ID, toDebiCheck("4000000000", 9900, 12000))
	h.answered()
	must(t, h.deletions.DeleteToken(ctx, h.program(), uuid.Nil, old.ID))
	done, err := h.amendments.TakeOver(ctx, h.who, a.ID, amendment.Agreed{})
	must(t, err)
	if done.State != amendment.AmendmentDone || done.Moved != 0 || h.token(old.ID).State != token.Deleted ||
		h.get(waits.ID).Status != purchase.Failed {
		t.Fatalf("%s, moved %d, old token %s", done.State, done.Moved, h.token(old.ID).State)
	}
}

func TestNewEFTAccountWhoseFirstDebitFailsDoesNotTakeOver(t *testing.T) {
	h := amending(t)
	old := h.tokenise("4000000000", 0)
	a := h.amend(old.ID, amendment.Revision{Method: purchase.EFT, PriceCents: 5000, FirstCents: 5000})
	h.signed(a.NewID, "4000009012")
	if s := h.sheet(a.ID); s.Ready() || s.Failed() {
		t.Fatalf("ready %t, failed %t before the first debit", s.Ready(), s.Failed())
	}
	h.to(start.AddDate(0, 1, 0))
	if s := h.sheet(a.ID); s.Ready() || !s.Failed() {
		t.Fatalf("ready %t, failed %t after it: purchase %s, token %s", s.Ready(), s.Failed(), s.Source.Status,
			s.New.Token.State)
	}
	if h.token(old.ID).State != token.Active {
		t.Fatal("the old token is not in use any more")
	}
}

func TestAbandonedAmendmentChangesNothingOfTheOldToken(t *testing.T) {
	h := amending(t)
	old := h.tokenise("4000000000", 0)
	a := h.amend(old.ID, amendment.Revision{Method: purchase.EFT})
	_, err := h.amendments.Amend(ctx, h.who, old.ID, amendment.Revision{Method: purchase.EFT})
	wantCode(t, err, "amendment_open")
	for range 2 {
		_, err = h.amendments.Abandon(ctx, h.who, a.ID)
		must(t, err)
	}
	if h.token(old.ID).State != token.Active || h.get(a.NewID).Status != purchase.Cancelled ||
		!h.get(old.ID).IsRecurringToken {
		t.Fatalf("old token %s, new purchase %s", h.token(old.ID).State, h.get(a.NewID).Status)
	}
	h.amend(old.ID, amendment.Revision{Method: purchase.EFT}) // and it may begin anew
}

func TestOneAmendmentOfATokenIsOpenAtATime(t *testing.T) {
	h := amending(t)
	old := h.tokenise("4000000000", 0)
	var wait sync.WaitGroup
	wrong := make([]error, 4)
	for i := range wrong {
		wait.Go(func() { _, wrong[i] = h.amendments.Amend(ctx, h.who, old.ID, amendment.Revision{Method: purchase.EFT}) })
	}
	wait.Wait()
	begun := 0
	for _, err := range wrong {
		if err == nil {
			begun++
			continue
		}
		wantCode(t, err, "amendment_open")
	}
	if n := h.number(`SELECT count(*) FROM amendments`); begun != 1 || n != 1 {
		t.Fatalf("%d begun, %d kept", begun, n)
	}
	if n := h.number(`SELECT count(*) FROM purchases`); n != 2 {
		t.Fatalf("%d purchases: a lost amendment left one behind", n)
	}
}

// A DebiCheck token lives while its own first debit waits for the due date.
func TestFirstDebitOfTheOldTokenMovesToo(t *testing.T) {
	h := amending(t)
	due := lastMay.At(12, 0)
	who := payer()
	who.BankAccount, who.BankCode, who.PersonalCode, who.Phone = "4000000000", "632005", "8501015009086", "+27821234567"
	terms := variable(12000)
	old, err := h.purchases.Create(ctx, h.who, purchase.Input{Client: who, BrandID: h.brand, Currency: "ZAR",
		DirectDebit: &terms, Due: &due,
		Details: one(9900), Options: purchase.Options{Whitelist: []string{"debicheck"}, ForceRecurring: true}})
	must(t, err)
	h.answered()
	a := h.amend(old.ID, amendment.Revision{Method: purchase.DebiCheck, PriceCents: 9900, DirectDebit: variable(9900),
		KeepAccount: true})
	h.answered()
	if done := h.takeOver(a.ID); done.Moved != 1 {
		t.Fatalf("moved %d", done.Moved)
	}
	p := h.get(old.ID)
	if p.IsRecurringToken || p.TokenID != a.NewID || p.Collection.TokenID != a.NewID {
		t.Fatalf("recurring %t, paid with %s", p.IsRecurringToken, p.TokenID)
	}
	h.to(lastMay.At(23, 0))
	if h.ledger(old.ID) != 9900 {
		t.Fatalf("collected %d", h.ledger(old.ID))
	}
	if n := h.number(`SELECT count(*) FROM mandate_authentications WHERE mandate_id = $1 AND cancel_due`, old.ID); n != 0 {
		t.Fatal("the bank was not told that the old mandate ended")
	}
}
