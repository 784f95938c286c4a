package merging_test

import (
	"fmt"
	"strings"
	"testing"

	"debitdesk/models/audit/trail"
	"debitdesk/models/bank"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/merging"
	"debitdesk/models/paging"
)

func TestTheTimeLineOfTheKeptOneShowsBoth(t *testing.T) {
	h := open(t)
	keep, gone := h.two()
	h.merge(keep, gone, nil)
	of, err := h.merging.Gone(t.Context(), h.who, keep.ID)
	must(t, err)
	for subject, want := range map[*trail.Subject]string{
		{ClientID: keep.ID, Merged: of}: "client.merged client.created client.created",
		{ClientID: gone.ID}:             "client.merged_away client.created"} {
		page, err := trail.Store{DB: h.store}.Timeline(t.Context(), h.who.MerchantID, *subject, paging.Ask{Limit: 9})
		must(t, err)
		var got []string
		for _, e := range page.Items {
			got = append(got, e.Action)
			if text := fmt.Sprint(e.Before, e.After); strings.Contains(text, "4055123456") ||
				strings.Contains(text, "8001015009087") {
				t.Errorf("numbers in full: %s", text)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
}

func TestAnErasureTakesTheMergedRecordsToo(t *testing.T) {
	h := open(t)
	first, second := h.two()
	third := h.add(client.Details{FullName: "T Nkosi", Email: "third@example.com"})
	h.merge(second, first, nil)
	h.merge(third, second, nil)
	if _, err := h.clients.Erase(t.Context(), h.who, first.ID); !fault.HasCode(err, "client_merged") {
		t.Errorf("alone: %v", err)
	}
	_, err := h.clients.Erase(t.Context(), h.who, third.ID)
	must(t, err)
	if n := h.count(`SELECT count(*) FROM clients WHERE erased_at IS NOT NULL AND email = '' AND phone = ''
		AND bank_account_sealed IS NULL AND personal_code_sealed IS NULL`); n != 3 {
		t.Errorf("%d of 3 were erased", n)
	}
	if n := h.count(`SELECT count(*) FROM client_merges WHERE before_sealed IS NULL AND gone_name !~ 'Nkosi'`); n != 2 {
		t.Errorf("%d of 2 merges were emptied", n)
	}
}

func TestDuplicatesAreFoundAndPaged(t *testing.T) {
	h := open(t)
	var want int
	for i := range merging.PairsOnPage + 5 {
		for range 2 {
			h.add(client.Details{FullName: fmt.Sprint("Client ", i), Email: fmt.Sprintf("c%d@example.com", i),
				BankAccount: bank.AccountNumber(fmt.Sprint(6200000000 + i)), BankCode: "250655"})
		}
		want++
	}
	h.add(client.Details{FullName: "Somebody else", Email: "c1@example.com"})
	var place merging.Place
	var got int
	for pages := 0; ; pages++ {
		pairs, older, err := h.merging.Duplicates(t.Context(), h.who, place)
		must(t, err)
		for _, p := range pairs {
			if p.First.FullName != p.Later.FullName || len(p.Same) != 2 {
				t.Errorf("%s and %s: %v", p.First.FullName, p.Later.FullName, p.Same)
			}
		}
		if got += len(pairs); !older || pages > 3 {
			break
		}
		last := pairs[len(pairs)-1]
		place = merging.Place{First: last.First.ID, Later: last.Later.ID}
	}
	if got != want {
		t.Errorf("%d pairs, want %d", got, want)
	}
}
