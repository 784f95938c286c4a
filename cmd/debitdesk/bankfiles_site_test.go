package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/files"
	"debitdesk/models/bank/simbank"
	"debitdesk/models/calendar"
)

// The story begins on a Monday and ends three months later. Live mode's clock is the machine's, so this is sandbox mode
// on the file bank: the same exchange, folders and pages, with a clock that can be moved.
var (
	storyBegins = calendar.On(2027, time.February, 1)
	storyEnds   = calendar.On(2027, time.May, 3)
	debitDays   = []calendar.Date{calendar.On(2027, time.February, 10), calendar.On(2027, time.February, 24),
		calendar.On(2027, time.March, 10), calendar.On(2027, time.March, 24), calendar.On(2027, time.April, 8)}
)

// oddAccounts fail, come back late or are disputed, and on which of the days they are debited. Everybody else pays.
var oddAccounts = []struct {
	number string
	day    int
}{
	{"4000009002", 0}, {"4000009012", 0}, {"4000009500", 0}, {"4000009030", 0}, {"4000009430", 0}, {"4000007001", 0},
	{"4000009102", 1}, {"4100009500", 1}, {"4000009036", 1}, {"4000007002", 1},
	{"4000009004", 2}, {"4100009430", 2}, {"4100009030", 2}, {"4200009500", 2}, {"4100007001", 2},
	{"4100009002", 3}, {"4000009034", 3}, {"4300009500", 3}, {"4000009056", 4}, {"4200009002", 4},
}

// goodPayers pay on each of the days: with the odd ones there are 200 debits.
const goodPayers = 36

// filesSite is a merchant's site with a bank that takes files, and the simulated bank behind it.
type filesSite struct {
	*site
	books *books
	bank  *simbank.Bank
	dir   string

	mu     sync.Mutex
	keep   string // answers whose name begins so are kept from the inbox, for a person to bring
	kept   map[string][]byte
	hidden string // the id of a debit that the bank does not tell in its statements
}

// openFilesSite has the bank look into its folder before the product does, at each moment at which the product works.
func openFilesSite(t *testing.T) *filesSite {
	t.Helper()
	env := sandboxOn(t)
	b := &filesSite{dir: filepath.Join(t.TempDir(), "exchange"), kept: map[string][]byte{}}
	if _, err := files.InitProfile(b.dir, "simulator"); err != nil {
		t.Fatal(err)
	}
	env["DEBITDESK_BANK"] = "files:" + b.dir
	b.site = openSiteOn(t, env, func(app *App) {
		if _, err := app.Store.Clock.StartAt(t.Context(), storyBegins.At(9, 0)); err != nil {
			t.Fatal(err)
		}
		var err error
		b.bank, err = simbank.Open(simbank.Settings{Dir: b.dir, Now: app.Store.Now, Booking: simbank.Single, Hasty: true})
		must(t, err)
		t.Cleanup(func() { _ = b.bank.Close() })
		x, is := app.Services.Exchange.(*exchange.Service)
		if !is {
			t.Fatalf("the exchange is %T", app.Services.Exchange)
		}
		x.Box, err = files.OpenBox(b.dir, files.Settings{MaxBytes: 64 << 20}) // nobody waits until a file stands still
		must(t, err)
		show := x.ShowClock
		x.ShowClock = func(now time.Time) error {
			if err := show(now); err != nil {
				return err
			}
			return b.round(t)
		}
	})
	b.books = &books{t: t, env: env}
	return b
}

// The details of one debit in a statement, and what names it there.
var (
	details = regexp.MustCompile(`(?s)<TxDtls>.*?</TxDtls>`)
	names   = regexp.MustCompile(`<(MsgId|PmtInfId|InstrId|EndToEndId|TxId|MndtId)>[^<]*<`)
)

// round is one look of the bank, and what the post office does with its answers.
func (b *filesSite) round(t *testing.T) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, err := b.bank.Round(t.Context()); err != nil {
		return err
	}
	answers, err := filepath.Glob(filepath.Join(b.dir, "inbox", "*.xml"))
	if err != nil {
		return err
	}
	for _, path := range answers {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if b.keep != "" && strings.HasPrefix(filepath.Base(path), b.keep) {
			b.kept[filepath.Base(path)] = content
			if err := os.Remove(path); err != nil {
				return err
			}
			continue
		}
		if b.hidden == "" || !bytes.Contains(content, []byte("camt.05")) || !bytes.Contains(content, []byte(b.hidden)) {
			continue
		}
		content = details.ReplaceAllFunc(content, func(one []byte) []byte {
			if !bytes.Contains(one, []byte(b.hidden)) {
				return one
			}
			return names.ReplaceAll(one, []byte("<$1>NOTPROVIDED<"))
		})
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (b *filesSite) keeps(prefix string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.keep = prefix
}

// passes lets the days before one pass. A server looks into the folder all the time; here it looks in the
// mornings, when banks answer, and at each moment at which something is due.
func (b *filesSite) passes(owner *tab, to calendar.Date, at string) {
	owner.t.Helper()
	for day := calendar.DateOf(b.app.Store.Now()); !day.After(to); day = day.AddDays(1) {
		morning := day.At(6, 1)
		if day == to && at < "06:01" || !morning.After(b.app.Store.Now()) {
			continue
		}
		must(owner.t, b.app.Services.Controls.Live(owner.t.Context(), morning))
	}
	owner.open("/sandbox/clock")
	owner.setsClock(to, at)
}

// stores makes a client with an account that may be debited, by the API.
func (b *filesSite) stores(on *process, n int, account string) (client, token string) {
	client = b.books.made(on, "/api/v1/clients/", fmt.Sprintf(
		`{"email":"payer%d@example.com","full_name":"Payer %d","bank_account":%q,"bank_code":"632005"}`, n, n, account))
	token = b.books.made(on, "/api/v1/purchases/", fmt.Sprintf(`{"client_id":%q,"brand_id":%q,
		"payment_method_whitelist":["eft"],"force_recurring":true,"purchase":{"products":[{"name":"Membership","price":0}],
		"payment_method_details":{"direct_debit":{"profile_code":"TEST1"}}}}`, client, b.books.brand))
	return client, token
}

// charges makes a purchase that is debited on a day, by the API.
func (b *filesSite) charges(on *process, client, token string, cents int, day calendar.Date) (purchase string) {
	purchase = b.books.made(on, "/api/v1/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"due":%d,"purchase":{"products":[{"name":"Fees","price":%d}]}}`, client, b.books.brand,
		day.At(17, 0).Unix(), cents))
	b.books.made(on, "/api/v1/purchases/"+purchase+"/charge/", fmt.Sprintf(`{"recurring_token":%q}`, token))
	return purchase
}

// opens makes the clients, their stored accounts and 200 debits by the API. It gives the purchases of the odd accounts
// and one that is paid.
func (b *filesSite) opens(t *testing.T) (odd map[string]string, paying string) {
	t.Helper()
	b.business(t)
	made := typed(t, b.books.env, "", "apikey", "create", "--merchant", "gym", "--name", "till", "--ttl", "8760h")
	if made.code != exitOK {
		t.Fatalf("%+v", made)
	}
	b.books.token, b.books.db = strings.TrimSpace(made.out), b.app.Store.Pool.Pool
	b.books.brand = brandOf(t, b.books.env, "gym")
	on := &process{url: b.url, log: &logged{}}
	for n := range goodPayers {
		client, stored := b.stores(on, n, fmt.Sprintf("62001%05d", n))
		for i, day := range debitDays {
			b.charges(on, client, stored, 45000+1300*n+i, day)
		}
	}
	odd = map[string]string{}
	for n, o := range oddAccounts {
		client, stored := b.stores(on, goodPayers+n, o.number)
		odd[o.number] = b.charges(on, client, stored, 99900+100*n, debitDays[o.day])
	}
	if n := b.books.number(`SELECT count(*) FROM collections`); n != 200 || t.Failed() {
		t.Fatalf("%d debits are scheduled", n)
	}
	paying = b.text(`SELECT p.id::text FROM purchases p JOIN collections c ON c.purchase_id = p.id
		WHERE c.amount_cents = 45000`)
	return odd, paying
}

// text is one value of the database.
func (b *filesSite) text(sql string, args ...any) (text string) {
	b.books.t.Helper()
	must(b.books.t, b.books.db.QueryRow(b.books.t.Context(), sql, args...).Scan(&text))
	return text
}
