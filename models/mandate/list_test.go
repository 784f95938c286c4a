package mandate_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/mandate"
	"debitdesk/models/paging"
	"debitdesk/models/storetest"
	"debitdesk/models/upkeep"
)

// seed fills a database with mandates of one brand: ids grow with their number.
func seed(t *testing.T, s storetest.Rows, merchant uuid.UUID, kind mandate.Kind, state mandate.State, holder string,
	from, to int) {
	t.Helper()
	s.Run(
		`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, $2, 'M', true, now(), now())
			ON CONFLICT DO NOTHING`,
		merchant,
		merchant.String(),
	)
	s.Run(
		`INSERT INTO brands (id, merchant_id, name, created_at, updated_at) VALUES ($1, $1, 'B', now(), now())
			ON CONFLICT DO NOTHING`,
		merchant,
	)
	for n := from; n <= to; n++ {
		s.Run(
			`INSERT INTO mandates (id, merchant_id, brand_id, kind, state, contract_reference, profile_code, abbreviated_name,
				clearing_account, period_units,
				deduction_day, amount_cents, holder_name, account_mask, bank_code, account_type, consent_text, consent_at,
				consent_channel, created_at, updated_at)
			VALUES ($1, $2, $2, $3, $4, $5, '', '', '', 'months', 1, 0, $6, '', '', '', '', now(), 'api', now(), now())`,
			mandateID(merchant, n),
			merchant,
			string(kind),
			string(state),
			fmt.Sprintf("REF%06d", n),
			holder,
		)
	}
}

func mandateID(merchant uuid.UUID, n int) uuid.UUID {
	id := merchant
	id[0], id[1], id[2] = 1, byte(n>>8), byte(n) //nolint:gosec // small numbers
	return id
}

func TestCountsOfMandatesFollowEveryChange(t *testing.T) {
	s := storetest.Open(t)
	one, other := uuid.New(), uuid.New()
	seed(t, s, one, mandate.EFT, mandate.ActiveState, "A", 1, 3)
	seed(t, s, one, mandate.DebiCheck, mandate.Pending, "A", 4, 5)
	seed(t, s, other, mandate.DebiCheck, mandate.Pending, "A", 1, 1)
	check := func(when string, kind mandate.Kind, want map[mandate.State]int64) {
		t.Helper()
		got, err := mandate.Store{DB: s.DB}.MandateCounts(t.Context(), one, kind)
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v (%v)", when, got, want, err)
		}
	}
	check("all", "", map[mandate.State]int64{mandate.ActiveState: 3, mandate.Pending: 2})
	check("one kind", mandate.EFT, map[mandate.State]int64{mandate.ActiveState: 3})
	if n, err := (upkeep.Store{DB: s.DB}).FoldCounts(t.Context()); n != 6 || err != nil {
		t.Errorf("folded %d, %v", n, err)
	}
	s.Run(`UPDATE mandates SET state = 'active' WHERE id = $1`, mandateID(one, 4))
	s.Run(`UPDATE mandates SET holder_name = 'C' WHERE merchant_id = $1`, one)
	check("half folded", "", map[mandate.State]int64{mandate.ActiveState: 4, mandate.Pending: 1})
	if n, err := (upkeep.Store{DB: s.DB}).FoldCounts(t.Context()); n != 2 || err != nil {
		t.Errorf("folded %d, %v; a change of another column is none", n, err)
	}
	s.Run(`DELETE FROM mandates WHERE id = $1`, mandateID(one, 5))
	check("one is gone", "", map[mandate.State]int64{mandate.ActiveState: 4})
	check("one kind, folded", mandate.DebiCheck, map[mandate.State]int64{mandate.ActiveState: 1})
}

func TestMandatesAreWalkedInPagesUnderEveryFilter(t *testing.T) {
	s := storetest.Open(t)
	one, other := uuid.New(), uuid.New()
	seed(t, s, one, mandate.EFT, mandate.ActiveState, "Thandi Nkosi", 1, 4)
	seed(t, s, one, mandate.DebiCheck, mandate.NoResponse, "Zoë d'Araújo", 5, 7)
	seed(t, s, one, mandate.DebiCheck, mandate.FailedAtBank, "Thandi Mokoena", 8, 8)
	seed(t, s, other, mandate.EFT, mandate.ActiveState, "Thandi Nkosi", 1, 2)
	for name, row := range map[string]struct {
		filter mandate.Filter
		want   []int
	}{
		"all":     {mandate.Filter{}, []int{8, 7, 6, 5, 4, 3, 2, 1}},
		"a state": {mandate.Filter{States: []mandate.State{mandate.NoResponse}}, []int{7, 6, 5}},
		"two states": {mandate.Filter{States: []mandate.State{mandate.NoResponse, mandate.FailedAtBank}},
			[]int{8, 7, 6, 5}},
		"a kind": {mandate.Filter{Kind: mandate.EFT}, []int{4, 3, 2, 1}},
		"a name": {mandate.Filter{Search: "THANDI"}, []int{8, 4, 3, 2, 1}},
		"a name and a state": {mandate.Filter{Search: "thandi", States: []mandate.State{mandate.ActiveState}},
			[]int{4, 3, 2, 1}},
		"an odd name":         {mandate.Filter{Search: "d'ara"}, []int{7, 6, 5}},
		"a reference":         {mandate.Filter{Search: "ref000003"}, []int{3}},
		"a reference’s start": {mandate.Filter{Search: "REF00000", Kind: mandate.DebiCheck}, []int{8, 7, 6, 5}},
		"nobody":              {mandate.Filter{Search: "nobody"}, nil},
		"another’s client":    {mandate.Filter{ClientID: other}, nil},
	} {
		var older, newer []int
		ask := paging.Ask{Limit: 2}
		for {
			page, err := mandate.Store{DB: s.DB}.Mandates(t.Context(), one, row.filter, ask)
			if err != nil {
				t.Fatal(name, err)
			}
			for _, e := range page.Items {
				older = append(older, int(e.ID[2]))
			}
			if !page.Older {
				break
			}
			ask.From = page.Items[len(page.Items)-1].ID
		}
		if fmt.Sprint(older) != fmt.Sprint(row.want) {
			t.Errorf("%s: %v, want %v", name, older, row.want)
		}
		if len(row.want) < 3 {
			continue
		}
		ask = paging.Ask{Limit: 2, From: mandateID(one, row.want[2]), Newer: true}
		read, err := mandate.Store{DB: s.DB}.Mandates(t.Context(), one, row.filter, ask)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, e := range read.Items {
			newer = append(newer, int(e.ID[2]))
		}
		if fmt.Sprint(newer) != fmt.Sprint(row.want[:2]) {
			t.Errorf("%s, back: %v, want %v", name, newer, row.want[:2])
		}
		total := int64(0)
		counts, err := mandate.Store{DB: s.DB}.CountMandates(t.Context(), one, row.filter, 100)
		if err != nil {
			t.Fatal(name, err)
		}
		for state, n := range counts {
			for _, asked := range row.filter.States {
				if asked == state {
					total += n
				}
			}
			if len(row.filter.States) == 0 {
				total += n
			}
		}
		if total != int64(len(row.want)) {
			t.Errorf("%s: counted %d, want %d", name, total, len(row.want))
		}
	}
}

func TestASearchThatFindsVeryManyIsWalkedFromTheNewest(t *testing.T) {
	s := storetest.Open(t)
	one := uuid.New()
	seed(t, s, one, mandate.EFT, mandate.ActiveState, "Rare Nkosi", 1, 2)
	s.Run(
		`INSERT INTO mandates (id, merchant_id, brand_id, kind, state, contract_reference, profile_code, abbreviated_name,
			clearing_account, period_units,
			deduction_day, amount_cents, holder_name, account_mask, bank_code, account_type, consent_text, consent_at,
			consent_channel, created_at, updated_at)
		SELECT ('02000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, merchant_id, brand_id, kind, CASE n
		WHEN 7 THEN 'cancelled' ELSE 'active' END, 'N' || n, '', '', '', 'months',
			1, 0, 'Common Name', '', '', '', '', now(), 'api', now(), now()
		FROM mandates, generate_series(1, 10001) n WHERE contract_reference = 'REF000001'`,
	)
	page := func(f mandate.Filter, ask paging.Ask) string {
		t.Helper()
		read, err := mandate.Store{DB: s.DB}.Mandates(t.Context(), one, f, ask)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, e := range read.Items {
			out = append(out, e.ContractReference)
		}
		return fmt.Sprint(out)
	}
	third := uuid.MustParse("02000000-0000-7000-8000-000000009999")
	common := mandate.Filter{Search: "common"}
	for want, got := range map[string]string{
		"[N10001 N10000]": page(common, paging.Ask{Limit: 2}),
		"[N9998 N9997]":   page(common, paging.Ask{Limit: 2, From: third}),
		"[N10001 N10000 N9999]": page(common, paging.Ask{Limit: 3,
			From: uuid.MustParse("02000000-0000-7000-8000-000000009998"), Newer: true}),
		"[N7]": page(mandate.Filter{Search: "common", States: []mandate.State{mandate.Cancelled}},
			paging.Ask{Limit: 2}),
		"[REF000002 REF000001]": page(mandate.Filter{Search: "rare"}, paging.Ask{Limit: 2}),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	counts, err := mandate.Store{DB: s.DB}.CountMandates(t.Context(), one, common, mandate.CountLimit+1)
	if err != nil || counts != nil {
		t.Errorf("so many are not counted: %v, %v", counts, err)
	}
}
