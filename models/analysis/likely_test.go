package analysis

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/estimate"
	"debitdesk/models/purchase"
	"debitdesk/models/storetest"
)

// ledger is a merchant whose debits one test writes as they are.
type ledger struct {
	storetest.Rows
	t        *testing.T
	merchant uuid.UUID
	today    calendar.Date
	service  *Service
}

func ledgerAt(t *testing.T, today calendar.Date) *ledger {
	t.Helper()
	db, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Sandbox: true,
		Machine: storetest.StandingClock()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	storetest.StartAt(t, db.Clock, today.At(9, 0))
	l := &ledger{Rows: storetest.RowsOf(t, db), t: t, today: today,
		service: &Service{Store: Store{DB: db}, Now: db.Now, Calendar: calendar.New()}}
	l.Run(`ALTER TABLE collections DROP CONSTRAINT collections_purchase_id_fkey,
		DROP CONSTRAINT collections_mandate_id_fkey`) // the debits stand alone
	l.Run(`ALTER TABLE mandates DROP CONSTRAINT mandates_brand_id_fkey, DROP CONSTRAINT mandates_client_id_fkey`)
	l.Run(`ALTER TABLE tokens DROP CONSTRAINT tokens_brand_id_fkey`)
	l.merchant = l.Merchant("gym")
	return l
}

func (l *ledger) who() actor.Actor {
	return actor.Actor{Kind: actor.User, Role: actor.Staff, MerchantID: l.merchant, ID: uuid.New(), Name: "Thandi"}
}

// accounts makes some bank accounts, each with the same debits.
func (l *ledger) accounts(n int, debits ...debited) {
	l.t.Helper()
	for range n {
		id := l.NewID()
		l.Run(`INSERT INTO mandates (id, merchant_id, brand_id, kind, state, contract_reference, profile_code,
				abbreviated_name, clearing_account, period_units, deduction_day, amount_cents, holder_name, account_mask,
				bank_code, account_type, consent_text, consent_at, consent_channel, created_at, updated_at)
			VALUES ($1, $2, $1, 'eft', 'active', left(($1::uuid)::text, 14), '', '', '', '', 1, 0, '', '', '632005', '', '', $3,
				'api', $3, $3)`, id, l.merchant, l.today.AddDays(-400).At(9, 0))
		l.Run(`INSERT INTO tokens (id, merchant_id, brand_id, mandate_id, method, state, description, holder_name, bank_code,
				account_type, account_sealed, account_mask, account_hash, failures, created_at, updated_at)
			VALUES ($1, $2, $1, $1, 'eft', 'active', '', '', '632005', '', '', '', '', $3, $4, $4)`, id, l.merchant,
			failuresOf(debits), l.today.At(8, 0))
		for _, d := range debits {
			l.Run(`INSERT INTO collections (id, merchant_id, brand_id, client_id, purchase_id, attempt, token_id, mandate_id,
					method, state, amount_cents, currency, action_date, original_date, submit_at, execute_at, service,
					statement_line, result_code, created_at, updated_at)
				VALUES ($1, $2, $3, $3, $1, 1, $3, $3, 'eft', $4, 45000, 'ZAR', $5, $5, $6, $6, '', '', $7, $6, $6)`,
				l.NewID(), l.merchant, id, string(d.state), l.today.AddDays(d.days), l.today.At(8, 0), d.code)
		}
	}
}

// failuresOf is how many of the newest answered debits failed in a row, as the account keeps it.
func failuresOf(debits []debited) (n int) {
	for _, d := range slices.Backward(debits) {
		if d.state.Outcome() == collection.OutcomeCollected {
			break
		}
		if d.state.Outcome() != collection.OutcomeOpen {
			n++
		}
	}
	return n
}

func (l *ledger) risks() Risks {
	l.t.Helper()
	r, err := l.service.Risks(l.t.Context(), l.who())
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

func (l *ledger) tokenOf(id uuid.UUID) (token uuid.UUID) {
	l.t.Helper()
	if err := l.Pool.QueryRow(l.t.Context(), `SELECT token_id FROM collections WHERE id = $1`, id).
		Scan(&token); err != nil {
		l.t.Fatal(err)
	}
	return token
}

// debited is a debit so many days from today.
type debited struct {
	days  int
	state collection.State
	code  string
}

func planned(days int) debited { return debited{days, collection.Scheduled, ""} }

func monthly(n int, state collection.State, code string) (out []debited) {
	for month := n; month > 0; month-- {
		out = append(out, debited{-30*month + 10, state, code})
	}
	return out
}

func TestADebitIsLikelyToFailWhereMoreThanHalfOfThoseWithItsRecordDid(t *testing.T) {
	l := ledgerAt(t, calendar.On(2026, time.November, 20))
	l.accounts(20, append(monthly(8, collection.Unpaid, "02"), planned(5), planned(40))...)
	l.accounts(50, append(monthly(8, collection.Final, "00"), planned(5))...)
	// Failed once, then paid: those who go on like this are not at risk.
	l.accounts(40, append(append(monthly(8, collection.Final, "00")[:5], debited{-80, collection.Unpaid, "02"}),
		debited{-50, collection.Final, "00"}, debited{-20, collection.Final, "00"}, planned(5))...)
	l.accounts(3, debited{-20, collection.Unpaid, "04"}, planned(9)) // nothing like it was seen
	other := l.merchant
	l.merchant = l.Merchant("school")
	l.accounts(40, append(monthly(8, collection.Unpaid, "04"), planned(5))...)
	l.merchant = other

	r := l.risks()
	if r.All != (purchase.Tally{N: 20, Cents: 900_000}) || len(r.Debits) != 20 {
		t.Fatalf("%+v of %d", r.All, len(r.Debits))
	}
	// Six of six failed before, twice for each account in the days that are looked at; all of them failed, too.
	d := r.Debits[0]
	if d.Record.Failed != 6 || d.Record.Of != 6 || d.Record.Code != "02" || d.Record.Bank != "632005" ||
		d.Record.Age != collection.AgeOlder || d.On != l.today.AddDays(5) {
		t.Errorf("%+v", d)
	}
	if c := d.Like; c.N < estimate.Enough || c.Failed != c.N || !c.Likely() {
		t.Errorf("%+v", c)
	}
	if b := r.Failing; b.Low < 800_000 || b.Expected > 900_000 || b.High > 900_000 || b.Low > b.Expected {
		t.Errorf("%+v", b)
	}
	if r.Judged.N != 20 || r.Unknown != (purchase.Tally{N: 3, Cents: 135_000}) {
		t.Errorf("judged %+v, unknown %+v", r.Judged, r.Unknown)
	}
	// Two debits of each account that always failed, as called; and the first after a lone failure, which nobody could
	// tell from those then, and which was paid.
	if c, enough := r.Backtest(); !enough || c.N != 80 || c.Failed != 40 {
		t.Errorf("tried: %+v", c)
	}
	one := collection.Collection{ID: d.ID}
	one.TokenID = l.tokenOf(d.ID)
	if a, likely, err := l.service.Risk(t.Context(), l.who(), one); err != nil || !likely || a != d {
		t.Errorf("alone it is %+v: %v", a, err)
	}
	one.ID = l.NewID()
	if _, likely, err := l.service.Risk(t.Context(), l.who(), one); err != nil || likely {
		t.Errorf("another debit is likely to fail: %v", err)
	}
	l.merchant = uuid.New()
	one.ID = d.ID
	if _, likely, err := l.service.Risk(t.Context(), l.who(), one); err != nil || likely {
		t.Errorf("a stranger is told: %v", err)
	}
	if r := l.risks(); r.Judged.N+r.Unknown.N != 0 || r.Tested != 0 {
		t.Errorf("a stranger: %+v", r)
	}
}

// The bank answers the debits of one day together, and its own faults say nothing about an account.
func TestWhatWasNotKnownOrSaysNothingIsNoRecord(t *testing.T) {
	l := ledgerAt(t, calendar.On(2026, time.November, 20))
	l.accounts(31, debited{-100, collection.Unpaid, "02"}, debited{-40, collection.Unpaid, "04"},
		debited{-40, collection.Unpaid, "04"})
	l.accounts(1, debited{-40, collection.Unpaid, "04"}, planned(5))
	l.accounts(1, debited{-70, collection.Unpaid, "03"}, debited{-40, collection.Unpaid, "NR"}, planned(6))
	if r := l.risks(); r.Unknown.N != 2 || r.Judged.N != 0 {
		t.Errorf("%+v", r)
	}
	found, err := l.service.Store.plannedAfterFailures(t.Context(), l.merchant, l.today, uuid.Nil)
	if err != nil || len(found) != 2 {
		t.Fatalf("%+v: %v", found, err)
	}
	for _, f := range found {
		if r := f.Record; f.On == l.today.AddDays(6) && (r.Code != "03" || r.Failed != 1 || r.Of != 1) {
			t.Errorf("after the bank's own fault: %+v", r)
		}
	}
	l.service.knownOn = calendar.Date{} // as on another day: the past does not change within one
	l.accounts(31, debited{-70, collection.Disputed, "30"}, debited{-40, collection.Unpaid, "02"})
	l.accounts(1, debited{-70, collection.Unpaid, "30"}, planned(5))
	if r := l.risks(); r.All.N != 1 || r.Debits[0].Like != (Cases{byCode, 31, 31}) && r.Debits[0].Like.N != 31 {
		t.Errorf("%+v", r)
	}
}

func TestThirtyCasesAreEnoughAndMoreThanHalfOfThemIsLikely(t *testing.T) {
	r := Record{Code: "02", Failed: 2, Of: 6, Age: collection.AgeOlder, Bank: "632005", Day: 1}
	other := r
	other.Day, other.Bank = 26, "250655"
	all := cases{}
	all.add(r, 20, 29)
	if c := all.like(r); c != (Cases{}) || c.Likely() {
		t.Errorf("29 cases: %+v", c)
	}
	all.add(other, 0, 1)
	if c := all.like(r); c != (Cases{ByAge, 20, 30}) || !c.Likely() {
		t.Errorf("30 cases by what they have in common: %+v", c)
	}
	all.add(r, 0, 1)
	if c := all.like(r); c != (Cases{ByDay, 20, 30}) || all.like(other) != (Cases{ByAge, 20, 31}) {
		t.Errorf("%+v", c)
	}
	// By the published interval, 45 of 100 lie between 38.8 and 51.4 %: 55 of 100 between 48.6 and 61.2.
	if (Cases{ByAge, 55, 100}).Likely() || !(Cases{ByAge, 57, 100}).Likely() {
		t.Error("chance is told as a likelihood")
	}
}
