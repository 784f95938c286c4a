package web_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"debitdesk/handlers/handlertest"
)

// debited sets how the newest debit of a purchase went.
func debited(t *testing.T, h *handlertest.Server, reference, state, code string) {
	t.Helper()
	_, err := h.Store.Pool.Exec(
		t.Context(),
		`UPDATE collections SET state = $2, result_code = $3, result_at = now() WHERE purchase_id =
		(SELECT id FROM purchases WHERE reference = $1)`,
		reference,
		state,
		code,
	)
	if err != nil {
		t.Fatal(err)
	}
}

// Lists are narrowed by what stands beside their records: the page, the count, every order and the file agree.
func TestListsAreNarrowedByWhatStandsBesideTheirRecords(t *testing.T) {
	k := fillLists(t)
	k.Deps.Purchases.Exports.PageRows = 7
	for _, reference := range []string{"POOR", "POORER", "GOOD", "BAD"} {
		k.made(t, "reference", reference)
	}
	debited(t, k.Server, "POOR", "unpaid", "02")
	debited(t, k.Server, "POORER", "unpaid", "02")
	debited(t, k.Server, "GOOD", "final", "00")
	debited(t, k.Server, "BAD", "disputed", "30")
	if _, err := k.Store.Pool.Exec(
		t.Context(),
		`WITH again AS (UPDATE purchases SET collection_count = 2 WHERE reference = 'POORER' RETURNING id)
		INSERT INTO collections (id, merchant_id, brand_id, client_id, purchase_id, attempt, token_id,
		mandate_id, method, state, amount_cents,
			currency, action_date, original_date, submit_at, execute_at, service, statement_line, result_code,
			result_at, created_at, updated_at)
		SELECT gen_random_uuid(), merchant_id, brand_id, client_id, purchase_id, 2, token_id, mandate_id,
		method, 'unpaid', amount_cents,
			currency, action_date + 40, original_date, submit_at, execute_at, service, statement_line, '04',
			now(), created_at, updated_at
		FROM collections WHERE purchase_id = (SELECT id FROM again)`,
	); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Store.Pool.Exec(t.Context(), `UPDATE tokens SET failures = 2, last_used_at = now()`); err != nil {
		t.Fatal(err)
	}
	all := listed(k.Server, "/purchases")
	byProgram := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !strings.HasPrefix(name, "R") })
	scheduled := []string{"INV-7"}
	debits := []string{"BAD", "GOOD", "POORER", "POOR", "INV-7"}
	for narrow, want := range map[string][]string{
		"answer=failed": {"POORER", "POOR"}, "answer=02": {"POOR"}, "answer=04": {"POORER"}, "answer=collected": {"GOOD"},
		"answer=disputed": {"BAD"}, "answer=waiting": scheduled, "answer=never": byProgram,
		"failed_again=on": {"POORER"}, "method=eft": debits, "method=debicheck": nil,
		"bank=632005": debits, "bank=250655": nil,
		"health=failing": debits, "health=blocked": nil, "made_by=programs": byProgram, "made_by=people": debits,
		"made_by=" + k.A.Staff.ID.String(): debits, "made_by=" + k.A.Owner.ID.String(): nil, "made_by=batches": nil,
		"made_by=subscriptions": nil,
		"debit_from=" + k.day.String() + "&debit_to=" + k.day.String(): {"BAD", "GOOD", "POOR", "INV-7"},
		"debit=over-30-days-ago":               nil,
		"debit=next-30-days":                   {"BAD", "GOOD", "POOR", "INV-7"},
		"answer=failed&amount_min=2000":        {"POORER", "POOR"},
		"answer=failed&amount_max=2000":        nil,
		"answer=failed&q=thandi":               {"POORER", "POOR"},
		"answer=failed&client=" + k.client:     {"POORER", "POOR"},
		"answer=failed&token=" + k.token:       {"POORER", "POOR"},
		"answer=waiting&status=pending_charge": scheduled,
		"answer=never&debit=today":             nil,
	} {
		address := "/purchases?" + narrow
		if got := listed(k.Server, address); !slices.Equal(got, want) {
			t.Errorf("%s shows %q, want %q", narrow, got, want)
			continue
		}
		page := k.Page(k.A.Staff, "GET", address, nil).Want(http.StatusOK)
		if noun := "purchases"; len(want) > 0 {
			if len(want) == 1 {
				noun = "purchase"
			}
			page.Contains(fmt.Sprintf(`role="status">%d %s<`, len(want), noun))
			link := csvLink.FindStringSubmatch(page.Body)
			if got := column(
				fileRows(t, k.Page(k.A.Staff, "GET", html.UnescapeString(link[1]), nil)),
				"Reference",
			); !slices.Equal(got, want) {
				t.Errorf("%s exports %q, and shows %q", narrow, got, want)
			}
		}
		for _, order := range []string{"created", "amount", "-due", "reference", "-debit", "client"} {
			if got := listed(k.Server, address+"&sort="+order); !sameRows(got, want) {
				t.Errorf("%s by %s shows %q, want %q", narrow, order, got, want)
			}
		}
	}
	k.Page(k.A.Staff, "GET", "/purchases?answer=failed", nil).Contains("Last bank answer: failed, for any reason",
		`<option value="02">Not enough money (02)</option>`, `<option value="04">`, k.A.Staff.Name).
		Lacks("Account closed (12)")
	k.Page(k.A.Staff, "GET", "/purchases?answer=12&method=cash&made_by=elves&health=fine", nil).
		Contains(`<option value="12" selected>`, "‘cash’ is not a method.", "‘elves’ is not an id.",
			"‘fine’ is not a token health.")
	k.Page(k.A.Staff, "GET", "/purchases?answer=soon", nil).Contains("‘soon’ is not an answer of a bank.")
}

func sameRows(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// Tokens, mandates and clients are narrowed by the same, which belongs to the account.
func TestAccountsAreNarrowedByTheirDebits(t *testing.T) {
	k := fillLists(t)
	k.made(t)
	for _, set := range []struct{ failures, state, code string }{{"0", "final", "00"}, {"2", "unpaid", "02"}} {
		if _, err := k.Store.Pool.Exec(
			t.Context(),
			`UPDATE tokens SET last_used_at = now(), last_success_at = now(), failures = `+set.failures,
		); err != nil {
			t.Fatal(err)
		}
		if _, err := k.Store.Pool.Exec(t.Context(), `UPDATE collections SET state = $1, result_code = $2, result_at = now()
			WHERE id = (SELECT id FROM collections ORDER BY id LIMIT 1)`, set.state, set.code); err != nil {
			t.Fatal(err)
		}
		failed := set.failures != "0"
		for narrow, want := range map[string]bool{"health=sound": !failed, "health=failing": failed,
			"failed_again=on":  failed,
			"answer=collected": !failed, "answer=02": failed, "answer=failed": failed,
			"answer=waiting": true, "answer=never": false,
			"bank=632005": true, "bank=250655": false, "method=eft": true, "method=debicheck": false,
			"debit_from=" + k.day.String(): true, "debit=yesterday": false, "debit=next-30-days": true} {
			for _, list := range []string{"/tokens", "/mandates", "/clients", "/tokens?client=" + k.client,
				"/mandates?state=active",
				"/clients?sort=name", "/clients?q=thandi", "/tokens?q=thandi", "/mandates?q=thandi", "/mandates?method=eft"} {
				address := list + "?" + narrow
				if strings.Contains(list, "?") {
					address = list + "&" + narrow
				}
				rows := listed(k.Server, address)
				if got := slices.Equal(rows, []string{"Thandi Nkosi"}); got != want || !want && len(rows) > 0 {
					if strings.Contains(address, "method=debicheck&") || strings.Contains(address, "&method=debicheck") {
						continue // asked for twice
					}
					t.Errorf("%s shows %q, want it: %v", address, rows, want)
				}
			}
		}
	}
	for address, want := range map[string]int{"/tokens?made_by=" + k.A.Staff.ID.String(): 1, "/tokens?made_by=programs": 0,
		"/mandates?made_by=people": 1, "/tokens?stored=today": 1, "/tokens?stored=yesterday": 0,
		"/mandates?created=last-7-days": 1,
		"/mandates?created=last-month":  0, "/clients?added=today": 71, "/clients?added=yesterday&sort=name": 0,
		"/clients?added=today&sort=-name": 71} {
		if got := listed(k.Server, address); len(got) != want {
			t.Errorf("%s shows %d rows, want %d", address, len(got), want)
		}
	}
	for list, want := range map[string]string{"/clients": "", "/clients?health=failing&columns=phone": "1 client",
		"/clients?added=today&sort=-name": "71 clients", "/clients?q=payer&account=without": "Without an account"} {
		k.billed(t, list, want)
	}
	back := k.Page(k.A.Owner, "POST", "/selections", url.Values{"list": {"clients"}, "query": {"added=today"},
		"all": {"yes"}, "act": {"bill"}}).Want(http.StatusSeeOther).Header.Get("Location")
	if !strings.HasPrefix(back, "/batches/new?clients=selection") {
		t.Errorf("what is selected is billed at %s", back)
	}
	k.Page(k.A.Owner, "GET", back, nil).Want(http.StatusOK).Contains("71 clients", "(selected)")
	k.Page(k.A.Owner, "GET", "/batches/new?clients=selection%3D"+uuid.NewString(), nil).Want(http.StatusOK).
		Contains("This selection is over")
	names := listed(k.Server, "/clients?sort=name")
	if !slices.IsSortedFunc(
		names,
		func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) },
	) ||
		len(names) != 71 {
		t.Errorf("clients by name: %q", names)
	}
}

// billed makes a batch of the clients that a list shows, by the button under it, and compares the two.
func (k cast) billed(t *testing.T, list, count string) {
	t.Helper()
	shown := listed(k.Server, list)
	before, _, offered := strings.Cut(k.Page(k.A.Owner, "GET", list, nil).Want(http.StatusOK).Body, "Bill these clients")
	if !offered {
		t.Fatalf("%s does not offer to bill its clients", list)
	}
	href, _, _ := strings.Cut(before[strings.LastIndex(before, `href="/batches`)+len(`href="`):], `"`)
	form := k.Page(k.A.Owner, "GET", html.UnescapeString(href), nil).Want(http.StatusOK)
	if !strings.Contains(form.Body, count) {
		_, told, _ := strings.Cut(form.Body, `name="clients"`)
		t.Errorf("%s leads to a form that does not say %q: %.400s", list, count, told)
	}
	in := url.Values{"amount": {"150,00"}, "due": {k.day.AddDays(60).String()}, "description": {"Levy"},
		"brand_id": {k.A.BrandID.String()}, "form_key": {uuid.NewString()}}
	if of := regexp.MustCompile(`name="clients" value="([^"]*)"`).FindStringSubmatch(form.Body); of != nil {
		in.Set("clients", html.UnescapeString(of[1]))
	}
	sent := k.Page(k.A.Owner, "POST", "/batches/clients", in)
	if len(shown) == 0 {
		sent.Want(http.StatusUnprocessableEntity).Contains("No client matches")
		return
	}
	id := strings.Split(sent.Want(http.StatusSeeOther).Header.Get("Location"), "/")[2]
	if n := k.Count(`SELECT total_rows FROM batches WHERE id = $1`, id); n != len(shown) {
		t.Errorf("%s shows %d clients, the batch has %d", list, len(shown), n)
	}
}
