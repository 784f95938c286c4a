package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// What only stored an account is left out of the list of purchases, of its counts, its tabs and its file, until a
// person asks for it; what needs attention is shown whatever its amount.
func TestStoringAnAccountDoesNotFillPurchases(t *testing.T) {
	k := withAccount(t) // stores an account without an amount
	page := k.made(t)
	stored, owed := `href="/purchases/`+k.token+`"`, `href="`+page+`"`
	shows := func(query string, wants, lacks []string) {
		t.Helper()
		got := k.Page(k.A.Staff, "GET", "/purchases"+query, nil).Want(http.StatusOK)
		got.Contains(wants...)
		got.Lacks(lacks...)
	}
	accounts := "Accounts"
	shows("", []string{owed, accounts, "1\u00a0row, 10"}, []string{stored, "Account stored"})
	shows("?kind=accounts", []string{stored, "Account stored", "1\u00a0row, 10"}, []string{owed})
	shows("?kind=all", []string{stored, owed, "2\u00a0rows, 10"}, nil)
	shows("?status=preauthorized", nil, []string{stored, owed})
	shows("?status=preauthorized&kind=all", []string{stored, "1\u00a0row, 10"}, []string{owed})
	shows("?client="+k.client, []string{owed}, []string{stored})
	shows("?kind=riddle", []string{owed, "is not a kind of purchase"}, []string{stored})
	shows("?q="+url.QueryEscape("thandi"), []string{owed}, []string{stored})

	for query, want := range map[string]int{"": 1, "?kind=accounts": 1, "?kind=all": 2} {
		format := "?format=csv"
		if query != "" {
			format = query + "&format=csv"
		}
		file := k.Page(k.A.Staff, "GET", "/purchases/export"+format, nil).Want(http.StatusOK).Body
		if got := strings.Count(strings.TrimSpace(file), "\n"); got != want {
			t.Errorf("the file of %q has %d rows, want %d:\n%s", query, got, want, file)
		}
	}
	// A mandate that was not confirmed asks for attention without an amount.
	k.exec(t, `UPDATE purchases SET status = 'error' WHERE id = $1`, k.token)
	shows("", nil, []string{stored})
	k.Page(k.A.Staff, "GET", "/purchases?status=error", nil).Lacks(stored)
}
