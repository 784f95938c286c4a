package main

import (
	"path/filepath"
	"strings"
	"testing"

	"debitdesk/models/actor"
	"debitdesk/models/bank/files"
	"debitdesk/models/bank/simbank"
	"debitdesk/models/merchant"
	"debitdesk/models/user"
)

// Live mode with a bank that takes files, from the first start to the first file: one debit of R 1,00 to the merchant's
// own account, which the bank acknowledges. The clock is the machine's, and nobody moves it.
func TestInLiveModeTheFirstRandIsHandedToTheBank(t *testing.T) {
	t.Parallel()
	dir, keys := filepath.Join(t.TempDir(), "exchange"), filepath.Join(t.TempDir(), "keys.json")
	if got := typed(t, nil, "", "keys", "new", keys); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	if got := typed(t, nil, "", "bank", "check", dir, "--init", "simulator"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	env := sandboxOn(t)
	env["DEBITDESK_MODE"], env["DEBITDESK_KEYS"], env["DEBITDESK_BANK"] = "live", keys, "files:"+dir
	env["DEBITDESK_BASE_URL"], env["DEBITDESK_SMTP_URL"] = "https://desk.example", "smtp://"+openLetterbox(t).Addr().
		String()
	site := openSiteOn(t, env, func(*App) {})
	site.url = site.local
	if site.app.Services.Controls != nil {
		t.Fatal("live mode has a clock that people move")
	}
	profile, err := files.ReadProfile(dir)
	must(t, err)
	if site.app.Services.Purchases.Timetable.CutOff != profile.Rules().LastCut() {
		t.Error("the timetable is not the bank's")
	}
	site.ownBusiness(t)
	found, _ := examined(t, env)
	for _, name := range []string{"configuration", "key file", "bank", "bank files", "clock"} {
		if f, there := found[name]; !there || f.State == bad {
			t.Errorf("%s: %+v", name, f)
		}
	}
	bank, err := simbank.Open(simbank.Settings{Dir: dir, Hasty: true})
	must(t, err)
	t.Cleanup(func() { _ = bank.Close() })

	made := typed(t, env, "", "apikey", "create", "--merchant", "gym", "--name", "till", "--ttl", "8760h")
	b := &filesSite{site: site, dir: dir, bank: bank, books: &books{t: t, env: env, db: site.app.Store.Pool.Pool,
		token: strings.TrimSpace(made.out), brand: brandOf(t, env, "gym")}}
	on := &process{url: site.url, log: &logged{}}
	client, token := b.stores(on, 1, "62001872440")
	purchase := b.charges(on, client, token, 100, site.workingDay(14))

	owner := site.tab(t, browser(t))
	owner.signIn()
	owner.open("/bank")
	owner.sees("Nothing is waiting for the bank.")
	// Its last cut comes in two weeks. Here it has come.
	_, err = b.books.db.Exec(t.Context(), `UPDATE collections SET submit_at = now()`)
	must(t, err)
	must(t, site.app.Services.RunDue(t.Context()))
	owner.open("/bank")
	owner.sees("Debits")
	owner.click("Make files now")
	owner.sees("Debits: 1 item")
	owner.submit()
	owner.sees("1 file was made for the bank.")
	b.books.until("the bank has accepted the file", func() bool {
		must(t, site.app.Services.RunDue(t.Context()))
		_, err := bank.Round(t.Context())
		must(t, err)
		return b.books.number(`SELECT count(*) FROM bank_files_out WHERE state = 'accepted'`) == 1
	})
	owner.open("/bank/files")
	owner.sees("Accepted")
	owner.opensFirst()
	owner.sees("In all 1 item")
	owner.open("/purchases/" + purchase)
	owner.sees("was handed to the bank")
}

// ownBusiness is a merchant whose account is known to its bank, with an admin who can sign in.
func (s *site) ownBusiness(t *testing.T) {
	t.Helper()
	m, _, err := s.app.Services.Merchants.Create(t.Context(), merchant.New{Slug: "gym", Name: "Kloof Street Fitness",
		Brand: merchant.Brand{Profiles: []merchant.Profile{{ProfileCode: "TEST1", AbbreviatedName: "KLOOFGYM",
			AccountNumber: "62001872440", BranchCode: "250655"}}}})
	must(t, err)
	_, err = s.app.Services.Users.Create(t.Context(), actor.OperatorOf(m.ID),
		user.Input{Email: "owner@gym.example", Name: "Nomsa Jacobs", Password: password, Role: actor.Admin})
	must(t, err)
}
