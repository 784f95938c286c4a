package main

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/report"
)

// As a business lives through random days, with returns, late returns, disputes, refunds and payments by hand, each
// day's balance and account of a client is written down at its end. Looked back at later, each day shows what it
// showed, to the cent, and today is now; the parts of each balance add up to it.
func TestEarlierDaysStandAsTheyStood(t *testing.T) {
	t.Parallel()
	v := openVault(t)
	dice := rand.New(rand.NewPCG(15, 6)) //nolint:gosec // a test that is the same each time
	books := &report.Money{Store: report.Store{DB: v.app.Store}}
	var merchantID uuid.UUID
	must(t, v.app.Store.Pool.QueryRow(t.Context(), `SELECT merchant_id FROM brands WHERE id = $1`, v.brand).Scan(
		(*[16]byte)(&merchantID)))
	who := actor.Actor{Kind: actor.User, Role: actor.Staff, MerchantID: merchantID}
	accounts := []string{"4000000101", "4000009002", "4000009500", "4000009030", "4000009430", "4000009012"}
	type shown struct {
		day     calendar.Date
		balance map[string]report.Balance
		account report.Account
	}
	var days []shown
	var bought []string
	var client uuid.UUID
	evening := calendar.DateOf(v.app.Store.Now()).AddDays(1).At(23, 50) // whatever time it is now
	v.api(200, "POST", "/sandbox/clock", fmt.Sprintf(`{"now":%q}`, evening.Format(time.RFC3339)))
	for step := range 34 {
		if step < 20 {
			account := accounts[dice.IntN(len(accounts))]
			bought = append(bought, v.charged(account, 1000+dice.IntN(90000)))
			if client == uuid.Nil {
				must(t, v.app.Store.Pool.QueryRow(t.Context(), `SELECT client_id FROM purchases WHERE id = $1`, bought[0]).Scan(
					(*[16]byte)(&client)))
			}
		}
		if len(bought) > 0 && dice.IntN(2) == 0 { // it may be refused: not every purchase is paid
			v.ask("POST", "/api/v1/purchases/"+bought[dice.IntN(len(bought))]+"/refund/",
				fmt.Sprintf(`{"amount":%d}`, 100+dice.IntN(500)), "Authorization: Bearer "+v.token)
		}
		balance, err := books.Balance(t.Context(), who, report.Filter{})
		must(t, err)
		today := calendar.DateOf(v.app.Store.Now())
		account, err := books.Account(t.Context(), who, client, today)
		must(t, err)
		days = append(days, shown{today, balance, account})
		now, err := books.BalanceAsOf(t.Context(), who, today)
		must(t, err)
		if now[money.ZAR] != balance[money.ZAR] {
			t.Fatalf("%s: as of today %+v, now %+v", today, now, balance)
		}
		for part, want := range map[report.Part]money.Sum{report.Returnable: balance[money.ZAR].ReservedCents,
			report.Owed: balance[money.ZAR].OwedCents} {
			sum, err := books.SumPart(t.Context(), who, report.PartFilter{Part: part, AsOf: today, Currency: money.ZAR})
			must(t, err)
			if sum.Cents != want {
				t.Errorf("%s, today: the rows of %s come to %s, not %s", today, part, sum.Cents, want)
			}
		}
		hours := 24 * (1 + dice.IntN(3))
		v.api(200, "POST", "/sandbox/clock", fmt.Sprintf(`{"advance":"%dh"}`, hours))
	}
	moved := 0
	for _, d := range days {
		back, err := books.BalanceAsOf(t.Context(), who, d.day)
		must(t, err)
		was := d.balance[money.ZAR]
		if back[money.ZAR] != was {
			t.Errorf("%s: shown %+v, looked back %+v", d.day, was, back[money.ZAR])
		}
		if was.ReservedCents.Sign() > 0 && was.OwedCents.Sign() > 0 {
			moved++
		}
		for part, want := range map[report.Part]money.Sum{report.Returnable: was.ReservedCents, report.Owed: was.OwedCents} {
			sum, err := books.SumPart(t.Context(), who, report.PartFilter{Part: part, AsOf: d.day, Currency: money.ZAR})
			must(t, err)
			if sum.Cents != want {
				t.Errorf("%s: the rows of %s come to %s, not %s", d.day, part, sum.Cents, want)
			}
			if n, cents := listed(t, books, who, report.PartFilter{Part: part, AsOf: d.day}); n != sum.N || cents != want {
				t.Errorf("%s: %d rows of %s are listed with %s, and counted %d with %s", d.day, n, part, cents, sum.N, want)
			}
		}
		all, err := books.SumMovements(t.Context(), who, report.MovementFilter{To: d.day, Currency: money.ZAR})
		must(t, err)
		if all.Cents != was.NetCents() {
			t.Errorf("%s: movements come to %s, not %s", d.day, all.Cents, was.NetCents())
		}
		account, err := books.Account(t.Context(), who, client, d.day)
		must(t, err)
		if account.Owing != d.account.Owing || account.PaidCents != d.account.PaidCents ||
			account.BilledCents != d.account.BilledCents {
			t.Errorf("%s: the account was %+v and is %+v", d.day, d.account, account)
		}
	}
	if moved == 0 {
		t.Error("on no day something could be returned and something was owed")
	}
}

// listed reads the rows of a part of the balance page by page, there and back, and adds them up.
func listed(t *testing.T, books *report.Money, who actor.Actor, f report.PartFilter) (n int64, cents money.Sum) {
	t.Helper()
	ask, all := paging.Ask{Limit: 2}, []uuid.UUID{}
	for {
		page, err := books.PartRows(t.Context(), who, f, ask)
		must(t, err)
		for _, m := range page.Items {
			n, cents, all = n+1, cents.Plus(money.SumOf(m.Cents)), append(all, m.ID)
		}
		if !page.Older || len(page.Items) == 0 {
			break
		}
		ask.From = page.Items[len(page.Items)-1].ID
	}
	if len(all) > 2 {
		page, err := books.PartRows(t.Context(), who, f, paging.Ask{Limit: 2, From: all[len(all)-1], Newer: true})
		must(t, err)
		if len(page.Items) != 2 || page.Items[1].ID != all[len(all)-2] || page.Items[0].ID != all[len(all)-3] {
			t.Errorf("%s: the way back leads elsewhere", f.AsOf)
		}
	}
	return n, cents
}
