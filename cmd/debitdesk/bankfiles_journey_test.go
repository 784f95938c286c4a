package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"debitdesk/models/bank/simbank"
)

// Three months with a bank that takes files, as finance sees them: returns, late returns and disputes, a file that is
// refused, one that gets lost, answers that come twice, one that a person brings, and a movement without a name. At the
// end the product's books are the bank's, to the cent.
func TestThreeMonthsWithABankThatTakesFiles(t *testing.T) {
	t.Parallel()
	b := openFilesSite(t)
	odd, paying := b.opens(t)
	chromium := browser(t)
	owner := b.tab(t, chromium)
	owner.signIn()
	owner.open("/bank")
	owner.sees("No file has been made yet")
	owner.looksAt("bank-empty")

	b.firstDebits(owner, odd)
	byHand := b.byHand(t, chromium)
	b.refusedFile(owner)
	owner.open(byHand[0])
	owner.sees("Paid, provisional")
	owner.open(byHand[1])
	owner.sees("Not enough money")
	b.lostFile(owner)
	b.refund(owner, paying)
	b.repeats(owner)
	b.broughtAnswer(owner)
	b.namelessMovements(owner, odd["4200009002"])
	b.passes(owner, storyEnds, "12:00")
	b.adds(t, owner)
	b.sameBooks(t)
	for account, says := range map[string]string{"4000009012": "closed", "4000009500": "Not enough money",
		"4000009030": "isputed", "4000009430": "isputed", "4000007001": "account"} {
		owner.open("/purchases/" + odd[account])
		owner.sees(says)
	}
	owner.open("/purchases/" + paying)
	owner.sees("Refunded")
}

func (b *filesSite) firstDebits(owner *tab, odd map[string]string) {
	owner.t.Helper()
	b.passes(owner, debitDays[0].AddDays(-2), "16:00")
	owner.open("/bank")
	owner.sees("Accepted")
	owner.sees("In 15")
	owner.open("/purchases/" + odd["4000007001"])
	owner.sees("Failed")
	b.passes(owner, debitDays[0].AddDays(6), "12:00")
	owner.open("/purchases/" + odd["4000009500"])
	owner.sees("Not enough money")
	owner.open("/bank/files")
	owner.looksAt("bank-files")
	owner.opensFirst()
	owner.sees("In all 42 items")
	owner.looksAt("bank-file")
	owner.open("/bank/days")
	owner.sees("Adds up")
	owner.open("/bank/movements")
	owner.sees("Matched")
	owner.looksAt("bank-movements")
	owner.open("/bank/received")
	owner.opensFirst()
	owner.looksAt("bank-received")
}

// byHand are two debits that a person makes for the second day, in a browser without scripts.
func (b *filesSite) byHand(t *testing.T, chromium context.Context) (purchases []string) {
	t.Helper()
	owner := b.tab(t, chromium).withoutScripts()
	owner.signIn()
	for _, one := range []struct{ name, email, account string }{{"Thandiwe Nkosi", "thandiwe@example.com", "62001230101"},
		{"Pieter Botha", "pieter@example.com", "62001239002"}} {
		client := owner.addsClient(one.name, one.email)
		link := owner.makesLink(client)
		b.tab(t, chromium).withoutScripts().givesAccount(link, one.name, one.account)
		purchases = append(purchases, owner.charges(client, "Monthly membership", "649.00", debitDays[1]))
	}
	return purchases
}

// refusedFile is sent again by a person, under another number, and runs.
func (b *filesSite) refusedFile(owner *tab) {
	owner.t.Helper()
	day := debitDays[1].AddDays(-2)
	b.bank.Misbehave(simbank.RefuseFile)
	b.passes(owner, day, "15:35")
	owner.open("/bank")
	owner.sees("A file was refused")
	owner.looksAt("bank-refused")
	owner.click("Send again…")
	owner.submit()
	owner.sees("The refused items are sent again with the next file.")
	b.passes(owner, day, "15:45")
	owner.open("/bank")
	owner.sees("There are no open findings.")
	owner.sees("Sent again")
	owner.sees("Accepted")
	b.passes(owner, debitDays[1].AddDays(1), "09:00")
}

// lostFile is laid out again by a person, unchanged.
func (b *filesSite) lostFile(owner *tab) {
	owner.t.Helper()
	day := debitDays[2].AddDays(-2)
	b.bank.Misbehave(simbank.LoseFile)
	b.passes(owner, day, "16:35")
	owner.open("/bank")
	owner.sees("A file was not acknowledged")
	owner.click("Lay out again…")
	owner.submit()
	owner.sees("The file is laid out again.")
	b.passes(owner, day, "16:50")
	owner.open("/bank")
	owner.sees("There are no open findings.")
	owner.loses("Taken")
}

// refund waits for the next cut, and leaves before it when somebody says so.
func (b *filesSite) refund(owner *tab, purchase string) {
	owner.t.Helper()
	b.passes(owner, debitDays[2].AddDays(2), "09:00")
	owner.open("/purchases/" + purchase)
	owner.click("Refund…")
	owner.submit()
	owner.sees("Refund pending")
	b.passes(owner, debitDays[2].AddDays(2), "09:10")
	owner.open("/bank")
	owner.sees("Refunds")
	owner.looksAt("bank-waiting")
	owner.click("Make files now")
	owner.sees("Refunds: 1 item")
	owner.submit()
	owner.sees("1 file was made for the bank.")
	b.passes(owner, debitDays[2].AddDays(2), "09:20")
	owner.open("/bank/files?kind=refunds")
	owner.sees("Accepted")
}

// repeats are answers that come two and three times.
func (b *filesSite) repeats(owner *tab) {
	owner.t.Helper()
	b.bank.Misbehave(simbank.Twice, simbank.Copies)
	b.passes(owner, debitDays[3].AddDays(7), "09:00")
	b.bank.Misbehave()
	owner.open("/bank")
	owner.sees("There are no open findings.")
}

// broughtAnswer is one that never reached the folder: a person downloads it from the bank and imports it, twice.
func (b *filesSite) broughtAnswer(owner *tab) {
	owner.t.Helper()
	day := debitDays[4].AddDays(-2)
	b.keeps("pain002")
	b.passes(owner, day, "16:40")
	b.keeps("")
	owner.open("/bank")
	owner.sees("A file was not acknowledged")
	b.mu.Lock()
	var file string
	for name, content := range b.kept {
		file = filepath.Join(owner.t.TempDir(), name)
		must(owner.t, os.WriteFile(file, content, 0o600))
	}
	b.mu.Unlock()
	for _, said := range []string{"The file was read.", "This file was imported before"} {
		owner.open("/bank/import")
		owner.looksAt("bank-import")
		owner.do("choose the file", chromedp.SetUploadFiles(`input[type="file"]`, []string{file}, byQuery))
		owner.submit()
		owner.sees(said)
	}
	owner.open("/bank")
	owner.sees("There are no open findings.")
}

// namelessMovements are what the bank books for a debit without saying for which: a person matches both.
func (b *filesSite) namelessMovements(owner *tab, purchase string) {
	owner.t.Helper()
	b.mu.Lock()
	b.hidden = strings.ReplaceAll(b.text(`SELECT id::text FROM collections WHERE purchase_id = $1`, purchase), "-", "")
	b.mu.Unlock()
	b.passes(owner, debitDays[4].AddDays(5), "12:00")
	owner.open("/purchases/" + purchase)
	owner.loses("Paid, provisional") // the money that went out may be of it: silence says nothing
	owner.open("/bank")
	owner.sees("Movements without a debit")
	for range 2 {
		owner.open("/bank/movements?state=unmatched")
		owner.looksAt("bank-unmatched")
		owner.click("Match…")
		owner.looksAt("bank-match")
		owner.goes("choose", chromedp.Click(`main td a.btn`, byQuery, chromedp.NodeVisible))
		owner.submit()
		owner.sees("The movement is matched.")
	}
	owner.open("/bank")
	owner.sees("There are no open findings.")
	b.passes(owner, debitDays[4].AddDays(5), "12:15") // a match by hand is told after ten minutes
	owner.open("/purchases/" + purchase)
	owner.sees("Not enough money")
}

// adds looks at every day of the story: each adds up.
func (b *filesSite) adds(t *testing.T, owner *tab) {
	t.Helper()
	owner.open("/bank/days?from=" + storyBegins.String() + "&to=" + storyEnds.String())
	owner.looksAt("bank-days-all")
	if text := owner.text("main table"); strings.Count(text, "Adds up") < len(debitDays) ||
		strings.Contains(text,
			"Does not add up") || strings.Contains(text, "No statement") || strings.Contains(text, "Too early") {
		t.Errorf("not every day adds up:\n%s", text)
	}
	owner.open("/bank")
	owner.looksAt("bank")
}

// sameBooks compares each debit and refund, and all of them, with the bank's ledger.
func (b *filesSite) sameBooks(t *testing.T) {
	t.Helper()
	atBank, total := map[string]int64{}, int64(0)
	for _, e := range b.bank.Entries() {
		atBank[e.ID] += e.Cents
		total += e.Cents
	}
	rows, err := b.books.db.Query(t.Context(), `SELECT replace(coalesce(refund_id, collection_id)::text, '-', ''),
		sum(amount_cents)::bigint FROM ledger_entries GROUP BY 1`)
	must(t, err)
	var ours, seen int64
	for rows.Next() {
		var id string
		var cents int64
		must(t, rows.Scan(&id, &cents))
		if atBank[id] != cents {
			t.Errorf("%s is %d with us and %d at the bank", id, cents, atBank[id])
		}
		delete(atBank, id)
		ours, seen = ours+cents, seen+1
	}
	must(t, rows.Err())
	for id, cents := range atBank {
		if cents != 0 {
			t.Errorf("%s is %d at the bank and unknown to our books", id, cents)
		}
	}
	if ours != total || total == 0 {
		t.Errorf("our books come to %d, the bank's to %d", ours, total)
	}
	t.Logf("%d debits and refunds come to %d cents in both books", seen, ours)
}
