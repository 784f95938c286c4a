package files_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/bank/files"
	"debitdesk/models/bank/simbank"
	"debitdesk/models/calendar"
	"debitdesk/models/storetest/thorough"
)

// Two businesses are at one bank, and use its folders together. Whoever imports whatever the bank left there, before or
// after it was read, under whatever name and twice, each debit ends as the bank's ledger says.
func TestWhoeverImportsWhateverEachDebitEndsAsTheBanksLedgerSays(t *testing.T) {
	for _, success := range []string{"silence", "booked"} {
		for seed := range thorough.Times(1, 3) {
			t.Run(success, func(t *testing.T) { neighbours(t, success, rand.New(rand.NewPCG(uint64(seed), 27))) })
		}
	}
}

func neighbours(t *testing.T, success string, random *rand.Rand) {
	begin, cal := calendar.On(2026, 12, 1), calendar.New()
	w := newTown(t, begin.At(5, 0), func(p *files.Profile, s *simbank.Settings) {
		service := p.Services["eft"]
		service.Success = success
		p.Services["eft"] = service
		s.Booking = simbank.Single
	})
	people := []actor.Actor{w.business("62001872440"), w.business("62001872441")}
	of := accounts
	if success == "silence" {
		of = accounts[:len(accounts)-1]
	}
	sent, seen := map[uuid.UUID]int64{}, map[string][]byte{}
	for day, n := begin, 0; n < 5; day, n = cal.AddBusinessDays(day, 1), n+1 {
		var debits []bank.Instruction
		for k := range 8 {
			in := bank.Instruction{ID: uuid.New(), MerchantID: people[k%2].MerchantID, Method: bank.EFT,
				AmountCents: 100 + random.Int64N(100000), Currency: "ZAR", ActionDate: cal.AddBusinessDays(day, 3),
				Branch: "632005", Account: of[random.IntN(len(of))], AccountType: bank.Current, HolderName: "N Dlamini",
				StatementLine: "GYM 0001", Sequence: bank.RecurringDebit, ContractReference: "C1",
				MandateDate: begin.AddDays(-30), Creditor: bank.Creditor{Name: "Gym", AbbreviatedName: "GYM",
					ProfileCode: "G1", Branch: "250655", Account: []string{"62001872440", "62001872441"}[k%2]}}
			debits, sent[in.ID] = append(debits, in), in.AmountCents
		}
		_, err := w.Submit(t.Context(), debits)
		must(t, err)
		w.throughImporting(day, people, random, seen)
	}
	w.throughImporting(begin.AddDays(75), people, random, seen)
	for _, content := range seen {
		for _, who := range people {
			_, err := w.Import(t.Context(), who, "last.xml", content)
			must(t, err)
		}
	}
	w.settle()
	atBank := map[string]int64{}
	for _, e := range w.bank.Entries() {
		atBank[e.ID] += e.Cents
	}
	for id, cents := range sent {
		item, found, err := w.Store.ExchangeItem(t.Context(), id, false)
		must(t, err)
		has := int64(0)
		if item.Outcome == bank.Provisional || item.Outcome == bank.Successful {
			has = cents
		}
		if at := atBank[strings.ReplaceAll(id.String(), "-", "")]; !found || at != has ||
			item.Outcome == "" && success == "silence" {
			t.Errorf("a debit of %d is %s/%s with us and %d at the bank", cents, item.State, item.Outcome, at)
		}
	}
	var booked, matched int64
	for _, cents := range atBank {
		booked += cents
	}
	must(t, w.store.Pool.QueryRow(t.Context(), `SELECT coalesce(sum(CASE WHEN credit THEN amount_cents
		ELSE -amount_cents END), 0) FROM bank_entries WHERE state = 'matched'`).Scan(&matched))
	if booked == 0 || booked != matched {
		t.Errorf("the bank's ledger comes to %d, the movements that we matched to %d", booked, matched)
	}
}

// business is a person of a business that is paid into an account.
func (w *town) business(account string) actor.Actor {
	w.t.Helper()
	m, brand, now := w.store.NewID(), w.store.NewID(), w.store.Now()
	for _, one := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, $2, 'Gym', true, $3, $3)`,
			[]any{m, "gym-" + account, now}},
		{`INSERT INTO brands (id, merchant_id, name, reference_prefix, created_at, updated_at)
			VALUES ($1, $2, 'Gym', 'DD', $3, $3)`, []any{brand, m, now}},
		{`INSERT INTO debit_profiles (id, merchant_id, brand_id, profile_code, abbreviated_name, account_number,
			is_default, created_at) VALUES ($1, $2, $3, 'G1', 'GYM', $4, true, $5)`,
			[]any{w.store.NewID(), m, brand, account, now}},
	} {
		_, err := w.store.Pool.Exec(w.t.Context(), one.sql, one.args...)
		must(w.t, err)
	}
	return actor.Actor{Kind: actor.User, Role: actor.Finance, MerchantID: m, Name: "Fatima"}
}

// throughImporting is through, on which people import what lies in the inbox before it is read, and what lay there on
// any day before.
func (w *town) throughImporting(day calendar.Date, people []actor.Actor, random *rand.Rand, seen map[string][]byte) {
	w.t.Helper()
	for d := calendar.DateOf(w.store.Now()); !d.After(day); d = d.AddDays(1) {
		for _, hour := range []int{6, 9, 13, 17} {
			at := d.At(hour, 0)
			if !at.After(w.store.Now()) {
				continue
			}
			must(w.t, w.store.Clock.MoveTo(w.t.Context(), at))
			_, err := w.bank.Round(w.t.Context())
			must(w.t, err)
			names, err := filepath.Glob(filepath.Join(w.dir, "inbox", "*"))
			must(w.t, err)
			for _, name := range names {
				content, err := os.ReadFile(name)
				must(w.t, err)
				seen[name] = content
			}
			for name, content := range seen {
				if random.IntN(4) > 0 {
					continue
				}
				_, err := w.Import(w.t.Context(), people[random.IntN(2)], filepath.Base(name), content)
				must(w.t, err)
			}
			w.settle()
		}
	}
}
