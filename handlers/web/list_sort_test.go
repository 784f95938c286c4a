package web_test

import (
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"debitdesk/handlers/handlertest"
)

var sortLink = regexp.MustCompile(`<a href="([^"]*)" id="sort-([a-z]+)"`)

// Every head that is a link sorts: its order holds over all pages, the other way round it is the same turned about,
// filters and views keep it, and the file has it too.
func TestListsAreSortedByTheirHeads(t *testing.T) {
	k := fillLists(t)
	k.Deps.Purchases.Exports.PageRows = 7
	for address, orders := range map[string][]string{
		"/purchases":                            {"created", "reference", "client", "amount", "due", "debit"},
		"/purchases?status=created":             {"amount"},
		"/purchases?q=payer&amount_min=10%2C50": {"amount", "client"},
		"/invoices":                             {"number", "amount"},
		"/clients":                              {"created"},
		"/tokens":                               {"created"},
		"/mandates":                             {"created"},
	} {
		page := k.Page(k.A.Staff, "GET", address, nil).Want(http.StatusOK).Body
		for _, order := range orders {
			i := slices.IndexFunc(sortLink.FindAllStringSubmatch(page, -1), func(m []string) bool { return m[2] == order })
			if i < 0 && order != "created" && !strings.Contains(page, "No invoice yet") {
				t.Errorf("%s has no head that sorts by %s", address, order)
				continue
			}
			join := "?"
			if strings.Contains(address, "?") {
				join = "&"
			}
			up, down := listed(k.Server, address+join+"sort="+order), listed(k.Server, address+join+"sort=-"+order)
			slices.Reverse(down)
			if !slices.Equal(up, down) || len(slices.Compact(slices.Sorted(slices.Values(up)))) < min(len(up), 2) {
				t.Errorf("%s by %s: %v one way, %v the other", address, order, up, down)
			}
			sorted := k.Page(k.A.Staff, "GET", address+join+"sort="+order, nil).Body
			link := csvLink.FindStringSubmatch(sorted)
			if link == nil || !strings.HasPrefix(address, "/purchases") {
				continue
			}
			if got := column(
				fileRows(t, k.Page(k.A.Staff, "GET", html.UnescapeString(link[1]), nil)),
				"Reference",
			); !slices.Equal(got, up) {
				t.Errorf("%s by %s exports %q, and shows %q", address, order, got, up)
			}
		}
	}
}

func TestASortedListSaysHow(t *testing.T) {
	k := fillLists(t)
	by := func(address string) handlertest.Answer {
		return k.Page(k.A.Staff, "GET", address, nil).Want(http.StatusOK)
	}
	by(
		"/purchases?sort=-amount",
	).Contains(`aria-sort="descending"`, `href="/purchases?sort=amount" id="sort-amount"`, "R69",
		`name="sort" value="-amount"`, "/purchases?sort=-amount&amp;status=paid", "Next")
	by("/purchases?sort=amount").Contains(`aria-sort="ascending"`, `href="/purchases?sort=-amount" id="sort-amount"`)
	by("/purchases?sort=-colour").Contains("‘-colour’ is not an order of this list. It was ignored.").
		Lacks(`value="-colour"`)
	by("/purchases?sort=amount&after=0195d2d0-0000-7000-8000-000000000001").Contains("That page of the list is not known.")
	k.Page(k.A.Staff, "GET", "/purchases/export?format=csv&sort=colour", nil).Want(http.StatusBadRequest)
}
