package book_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"debitdesk/models/book"
	"debitdesk/models/database"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

// differs are the columns in which a book that came in again may differ from the one that left, each with its reason.
// Ids differ everywhere and are not compared.
var differs = map[string]map[string]string{
	"clients.csv": {
		"created_at": "the client was added to this business on another day",
		"updated_at": "as created_at",
	},
	"accounts.csv": {
		"created_at":      "the account was stored on another day",
		"last_debit":      "debits stay where they were made; the import keeps the first debit a cycle away",
		"last_success_at": "as last_debit",
		"description":     "a random id of the token",
	},
	"mandates.csv": {
		"wording":      "the business that is left holds the client’s own wording; here stands what is known of it",
		"profile_code": "the debit-order profile is that of the brand into which the book comes",
		"created_at":   "the mandate was recorded on another day",
		"accepted_at":  "as created_at",
		"consent_at":   "the day is kept as signed_on, its time is not",
	},
	"subscriptions.csv": {
		"first_on":     "the first charge here is the next one there",
		"day":          "as first_on",
		"passed":       "periods are counted only against an end; remaining is compared",
		"own_terms":    "a price of its own comes in as one line; amount is compared",
		"activated_at": "it began here when its group was switched on",
		"created_at":   "it was added on another day",
		"last_debit":   "as in accounts.csv",
		"switches":     "no mail is sent of what came in unless a person turns it on",
	},
	"templates.csv":      {"created_at": "the template was made on another day"},
	"template_lines.csv": {},
}

// records reads a file of a book without its ids and the columns that may differ, sorted.
func records(t *testing.T, content []byte, name string) (out []string) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	must(t, err)
	in, err := z.Open(name)
	must(t, err)
	text, err := io.ReadAll(in)
	must(t, err)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(text), "\ufeff"))).ReadAll()
	must(t, err)
	for _, r := range rows[1:] {
		var said []string
		for n, head := range rows[0] {
			if _, may := differs[name][head]; !may && !strings.HasSuffix(head, "_id") {
				said = append(said, head+"="+r[n])
			}
		}
		out = append(out, strings.Join(said, "|"))
	}
	slices.Sort(out)
	return out
}

const severalHeading = "Member No;Name;Email;Cell;Province;Country;Legal name;VAT number;Delivery city;CC;Bank;" +
	"Branch;Acc No;Acc Type;Account holder;Package;Monthly;How often;Next debit;Mandate signed;Last debit;Failures;" +
	"Remaining debits;Paused;Invoice reference;Tags\n"

// several are clients with several accounts and subscriptions, in the ways in which a client can have them.
const several = severalHeading +
	"A1;Thandi Nkosi;thandi@example.com;0821234567;Gauteng;South Africa;;;;book@example.com;FNB;250655;62000001018;" +
	"Cheque;T Nkosi;Gold;649.00;monthly;2026-12-25;2025-01-28;2026-10-25;1;;;;Gold, Cape Town\n" +
	"A1;Thandi Nkosi;;;;;;;;;Standard Bank;051001;10002003000;Savings;Her mother;Gold;649.00;monthly;2026-12-28;" +
	"2025-02-10;none;;;;INV-2;\n" +
	"A1;Thandi Nkosi;;;;;;;;;FNB;250655;62000001018;Cheque;T Nkosi;Locker;50.00;monthly;2026-12-25;2025-01-28;" +
	"2026-10-25;1;7;;;\n" +
	"B2;Anna Botha;anna@example.com;;;;Botha Ltd;4123456789;Paarl;;Capitec;470010;1400000101;Savings;A Botha;Course;" +
	"200.00;monthly;2026-12-15;2025-03-01;none;;5;;;\n" +
	"B2;Anna Botha;;;;;;;;;Capitec;470010;1400000101;Savings;A Botha;Gold;500.00;monthly;2026-12-15;2025-03-01;none;;;" +
	"yes;;\n" +
	"C3;Pule Sithole;pule@example.com;;;;;;;;;;;;;;;;;;;;;;;\n"

// goneOn does an import with the mapping that was guessed and switches all of it on.
func (h *house) goneOn(i book.Import) book.Import {
	h.t.Helper()
	ctx := context.Background()
	h.addsUp(i)
	_, err := h.book.Start(ctx, h.who, i.ID, i.Seal())
	must(h.t, err)
	i = h.work(i)
	h.addsUp(i)
	if i.State != book.Done || i.Counts.Refused+i.Counts.Held > 0 {
		for _, r := range h.rows(i) {
			h.t.Logf("%d %s %s %s %+v", r.N, r.Name, r.Verdict, r.Reasons(), r.Changes)
		}
		h.t.Fatalf("%s %+v", i.State, i.Counts)
	}
	_, err = h.book.SwitchOn(ctx, h.who, i.ID, book.DefaultGroup)
	must(h.t, err)
	return i
}

func (h *house) course() {
	h.t.Helper()
	twelve, ctx := 12, context.Background()
	t, err := h.subs.DraftMovedIn(ctx, h.who, subscription.Input{Title: "Course", IsSubscription: true,
		Plan: subscription.Plan{Period: 1, Units: subscription.Months, DuePeriod: 5, DueUnits: subscription.Days,
			Cycles: &twelve},
		Pattern: purchase.Input{BrandID: h.brand, Details: purchase.Details{Timezone: "Africa/Johannesburg",
			Notes: "Bring your own shoes.", Products: []purchase.Product{
				{Name: "Lessons", PriceCents: 7500, Quantity: decimal.NewFromInt(2), TaxPercent: decimal.NewFromInt(15)},
				{Name: "Hall", PriceCents: 6000, DiscountCents: 1000, Quantity: decimal.NewFromInt(1)}}}}})
	must(h.t, err)
	must(h.t, h.book.InTx(ctx, func(tx *database.Tx) error {
		h.subs.InsertMovedInTemplate(tx, h.who, &t)
		return nil
	}))
}

// movedIn builds a business whose clients have several accounts and subscriptions.
func (h *house) movedIn() book.Import {
	h.t.Helper()
	h.course()
	i := h.rehearsed(several)
	return h.goneOn(h.fix(i, book.CauseTwice, "more"))
}

// A book that comes into an empty business leaves it again as it was: every account, mandate and subscription of each
// client. What may differ is named.
func TestABookIsTheSameWhenItLeavesAgain(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.movedIn()
	left := h.taken(true)
	if n := len(records(t, left, "accounts.csv")); n != 3 {
		t.Fatalf("%d accounts left, want 3", n)
	}
	if n := len(records(t, left, "subscriptions.csv")); n != 5 {
		t.Fatalf("%d subscriptions left, want 5", n)
	}
	h.who, h.brand = h.merchant("next")
	next, err := h.uploaded(left)
	must(t, err)
	h.goneOn(h.rehearse(next))
	back := h.taken(true)
	for name := range differs {
		was, is := records(t, left, name), records(t, back, name)
		if !slices.Equal(was, is) {
			t.Errorf("%s left as\n%s\nand leaves again as\n%s", name, strings.Join(was, "\n"), strings.Join(is, "\n"))
		}
	}
	again, err := h.uploaded(left)
	must(t, err)
	if c := h.rehearse(again).Counts; c.Created+c.Updated+c.Refused+c.Held > 0 {
		t.Errorf("the second time: %+v", c)
	}
}

// Several rows of one client are taken back as if they had never been there, also those that add to a client who was
// there before.
func TestSeveralRowsOfAClientAreUndone(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.course()
	h.goneOn(h.rehearsed(severalHeading + "C3;Pule Sithole;pule@example.com;;;;;;;;;;;;;;;;;;;;;;;\n"))
	before := h.everything()
	i := h.goneOn(h.fix(h.rehearsed(several+
		"C3;Pule Sithole;;;;;;;;;Capitec;470010;1400000101;Savings;P Sithole;Course;200.00;monthly;2026-12-15;2025-03-01;"+
		"none;;5;;;\n"), book.CauseTwice, "more"))
	if c := i.Counts; c.Created != 2 || c.Updated != 4 || c.Unchanged != 1 {
		t.Fatalf("%+v", c)
	}
	_, err := h.book.Undo(context.Background(), h.who, i.ID)
	must(t, err)
	i = h.work(i)
	if i.State != book.Undone || len(i.Kept) > 0 {
		t.Fatalf("%s, kept %+v", i.State, i.Kept)
	}
	if after := h.everything(); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}

// A row that adds to a client goes with the row of the client: left out, it is refused and says why.
func TestARowThatAddsGoesWithItsClient(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.movedIn()
	left := h.taken(true)
	h.who, h.brand = h.merchant("next")
	i, err := h.uploaded(left)
	must(t, err)
	i = h.rehearse(i)
	rows := h.rows(i)
	_, err = h.book.LeaveOut(context.Background(), h.who, i.ID, true, rows[0].N)
	must(t, err)
	i = h.work(i)
	h.addsUp(i)
	if i.Counts.Refused != 2 || h.named(i, book.CauseFirstRow) != 2 {
		t.Errorf("%+v", i.Counts)
	}
}
