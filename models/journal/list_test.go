package journal_test

import (
	"testing"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/journal"
)

// all goes through every page of a list.
func (h *house) all(f journal.Filter) (out []journal.Listed, l journal.List) {
	h.Helper()
	var after journal.Place
	for {
		var err error
		l, err = h.books.Entries(h.Context(), h.who, f, after)
		must(h.T, err)
		if out = append(out, l.Entries...); l.Next == (journal.Place{}) {
			return out, l
		}
		after = l.Next
	}
}

// Each figure of the books and of the sheet of VAT is the sum of the entries that its list shows.
func TestEveryFigureOpensTheEntriesThatItIsMadeOf(t *testing.T) {
	t.Parallel()
	h := open(t)
	for i := range 70 {
		p := h.purchase(int64(1000 + i))
		h.document("invoice", p, int64(1000+i))
		h.moved("collected", p, int64(1000+i))
		if i == 30 {
			h.goOn(calendar.On(2026, time.October, 6))
		}
		if i%9 == 0 {
			h.moved("returned", p, -int64(1000+i))
			_, err := h.books.WriteOff(t.Context(), h.who, p, "They cannot pay.")
			must(t, err)
		}
	}
	october := journal.Month{Year: 2026, Mon: time.October}
	h.opensEach(october)
	_, err := h.store.Pool.Exec(t.Context(), "SELECT fold_figures(1000)") // the sums that are kept are read now
	must(t, err)
	h.opensEach(october)
	sheet, err := h.books.VAT(t.Context(), h.who, october, 2)
	must(t, err)
	for _, b := range journal.Boxes {
		found, l := h.all(journal.Filter{From: sheet.From, To: sheet.To, Box: b})
		h.addsUp("field "+string(b), found, l, sheet.Cents[b])
	}
	if sheet.Cents[journal.BoxStandard] == 0 || sheet.Cents[journal.BoxBad] == 0 {
		t.Errorf("the sheet has %v", sheet.Cents)
	}
}

// opensEach lists what each role and kind comes to in a month, until its end, and in days that cut months in two.
func (h *house) opensEach(m journal.Month) {
	h.Helper()
	sums, err := h.books.Sums(h.Context(), h.who, m)
	must(h.T, err)
	cut := journal.Filter{From: m.First().AddDays(-30), To: m.First().AddDays(7)}
	entries := h.book(cut.From, cut.To, false).Entries
	for _, r := range journal.Roles {
		found, l := h.all(journal.Filter{From: m.First(), To: m.Last(), Role: r})
		h.addsUp(string(r), found, l, sums[0].Posted.Of(r))
		found, l = h.all(journal.Filter{To: m.Last(), Role: r})
		h.addsUp(string(r)+" of all time", found, l, sums[0].Balance.Of(r))
		for _, k := range journal.Kinds {
			cut.Role, cut.Kind = r, k
			var want int64
			for _, e := range entries {
				if e.Kind == k {
					want += e.Cents.Of(r)
				}
			}
			found, l = h.all(cut)
			h.addsUp(string(r)+" of "+string(k), found, l, want)
		}
	}
}

func (h *house) addsUp(what string, found []journal.Listed, l journal.List, want int64) {
	h.Helper()
	var sum int64
	seen := map[int64]bool{}
	for _, e := range found {
		sum, seen[e.N] = sum+e.Figure, true
	}
	if sum != want || l.Sum != want || l.Total != int64(len(found)) || len(seen) != len(found) {
		h.Errorf("%s: %d entries come to %d, the list says %d of %d, want %d", what, len(found), sum, l.Total, l.Sum, want)
	}
}

func TestADifferenceLeadsToTheEntryThatMakesIt(t *testing.T) {
	t.Parallel()
	h := open(t)
	var ids []string
	for _, cents := range []int64{64900, 32450, 12345} {
		p := h.purchase(cents)
		h.document("invoice", p, cents)
		ids = append(ids, p.String())
	}
	for name, c := range map[string]struct {
		f    journal.Filter
		want []string
	}{
		"its amount, and half of it": {journal.Filter{Cents: 64900}, []string{ids[1], ids[0]}},
		"an odd amount":              {journal.Filter{Cents: 12345}, []string{ids[2]}},
		"the VAT of one":             {journal.Filter{Cents: 8465}, []string{ids[0]}},
		"a reference":                {journal.Filter{About: "ksf-1"}, []string{ids[0]}},
		"a document":                 {journal.Filter{About: "INV-4"}, []string{ids[1]}},
		"a kind":                     {journal.Filter{Kind: journal.Collected}, nil},
	} {
		found, _ := h.all(c.f)
		var got []string
		for _, e := range found {
			got = append(got, e.PurchaseID.String())
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
	}
	if _, err := h.books.Entries(t.Context(), h.who, journal.Filter{Role: "cash; DROP", Kind: "x", Box: "99"},
		journal.Place{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("what there is not was asked for: %v", err)
	}
	stranger := h.who
	stranger.MerchantID = h.store.NewID()
	if l, err := h.books.Entries(t.Context(), stranger, journal.Filter{}, journal.Place{}); err != nil || l.Total != 0 {
		t.Errorf("a stranger sees %d entries: %v", l.Total, err)
	}
}
