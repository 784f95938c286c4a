package web_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"debitdesk/handlers/handlertest"
	"debitdesk/models/calendar"
)

var (
	mainLink = regexp.MustCompile(`<a class="main-link"[^>]*>\s*([^<]*?)\s*</a>`)
	csvLink  = regexp.MustCompile(`href="([^"]*/export\?[^"]*format=csv[^"]*)"`)
	older    = regexp.MustCompile(`href="([^"]*\?[^"]*after=[^"]+)"`)
	nextRows = regexp.MustCompile(`rel="next"`)
)

// listed are the names of the rows that a list shows, page after page.
func listed(h *handlertest.Server, address string) (names []string) {
	for {
		page := h.Page(h.A.Staff, "GET", address, nil).Want(http.StatusOK).Body
		for _, m := range mainLink.FindAllStringSubmatch(page, -1) {
			names = append(names, html.UnescapeString(m[1]))
		}
		if !nextRows.MatchString(page) {
			return names
		}
		address = html.UnescapeString(older.FindStringSubmatch(page)[1])
	}
}

// fileRows are the rows of an exported CSV file, its heads first.
func fileRows(t *testing.T, a handlertest.Answer) [][]string {
	t.Helper()
	a.Want(http.StatusOK)
	if got := a.Header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
		t.Errorf("sent as %s", got)
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(a.Body, "\ufeff"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func column(rows [][]string, head string) (out []string) {
	at := slices.Index(rows[0], head)
	for _, row := range rows[1:] {
		out = append(out, row[at])
	}
	return out
}

// fillLists adds 70 clients with a purchase each, more than a page shows, beside
// one client with a stored account and a scheduled debit.
func fillLists(t *testing.T) cast {
	t.Helper()
	k := withAccount(t)
	k.made(t)
	for i := range 70 {
		id := k.API("POST", "/clients/", map[string]any{"email": fmt.Sprintf("p%02d@example.com", i),
			"full_name": fmt.Sprintf("Payer %02d", i)}).Want(http.StatusCreated).Text("id")
		k.API("POST", "/purchases/",
			fmt.Sprintf(
				`{"client_id": %q, "brand_id": %q, "reference": "R%02d", "purchase": {"products": [{"name": "Dues", "price": %d}]}}`,
				id,
				k.A.BrandID,
				i,
				1000+i,
			)).Want(http.StatusCreated)
	}
	return k
}

func TestAnExportHoldsWhatTheListShowsInItsOrder(t *testing.T) {
	k := fillLists(t)
	k.Deps.Purchases.Exports.PageRows = 7 // many pages
	for address, head := range map[string]string{
		"/purchases": "Reference", "/purchases?status=created": "Reference",
		"/purchases?q=payer&amount_min=10,50": "Reference", "/purchases?client=" + k.client: "Reference",
		"/purchases?status=pending_charge&due_from=" + k.day.String(): "Reference",
		"/clients": "Client", "/clients?q=payer": "Client", "/clients?account=with": "Client",
		"/clients?q=thandi%40example.com": "Client",
		"/tokens":                         "Client", "/tokens?state=active": "Client", "/mandates": "Client",
		"/mandates?method=eft": "Client",
	} {
		shown := listed(k.Server, address)
		link := csvLink.FindStringSubmatch(k.Page(k.A.Staff, "GET", address, nil).Body)
		if len(shown) == 0 || link == nil {
			t.Errorf("%s shows %d rows, and the link %v", address, len(shown), link)
			continue
		}
		if got := column(fileRows(t, k.Page(k.A.Staff, "GET", html.UnescapeString(link[1]), nil)), head); !slices.Equal(got,
			shown) {
			t.Errorf("%s exports %q, and shows %q", address, got, shown)
		}
	}
}

// A program that reads a file by its heads would take one of two columns with the same name.
func TestNoExportHasTwoColumnsOfOneName(t *testing.T) {
	k := withAccount(t)
	k.made(t)
	for _, list := range []string{"clients", "tokens", "mandates", "purchases", "purchases/debits", "invoices", "promises",
		"messages", "books/entries", "reports/movements", "audit", "developers/events", "calendar/promises",
		"calendar/subscriptions"} {
		for _, columns := range []string{"", "&columns=all"} {
			heads := fileRows(t, k.Page(k.A.Owner, "GET", "/"+list+"/export?format=csv"+columns, nil))[0]
			sorted := slices.Sorted(slices.Values(heads))
			if once := slices.Compact(slices.Clone(sorted)); len(once) != len(heads) {
				t.Errorf("%s%s has the heads %q", list, columns, heads)
			}
		}
	}
}

func TestBothFormatsHoldTheSame(t *testing.T) {
	k := fillLists(t)
	for _, list := range []string{"purchases", "clients", "tokens", "mandates"} {
		rows := fileRows(t, k.Page(k.A.Staff, "GET", "/"+list+"/export?format=csv", nil))
		answer := k.Page(k.A.Staff, "GET", "/"+list+"/export?format=xlsx", nil).Want(http.StatusOK)
		book, err := excelize.OpenReader(bytes.NewReader([]byte(answer.Body)))
		if err != nil {
			t.Fatal(err)
		}
		sheet, err := book.GetRows(strings.ToUpper(list[:1]) + list[1:])
		if err != nil || len(sheet) != len(rows) {
			t.Fatalf("%s: %d rows in the sheet, %d in the CSV file, %v", list, len(sheet), len(rows), err)
		}
		for i, row := range rows {
			for j, want := range row {
				got := ""
				if j < len(sheet[i]) { // blanks at the end are left out
					got = sheet[i][j]
				}
				if strings.HasPrefix(rows[0][j], "Amount") {
					got = strings.ReplaceAll(got, ",", "")
				}
				if got != want {
					t.Errorf("%s, row %d, %s: %q in the sheet, %q in the CSV file", list, i, rows[0][j], got, want)
				}
			}
		}
	}
}

func TestAnExportSaysItsTypesAndItsZone(t *testing.T) {
	k := withAccount(t)
	k.made(t)
	rows := fileRows(t, k.Page(k.A.Staff, "GET", "/purchases/export?format=csv&status=pending_charge", nil))
	if want := []string{"Reference", "For", "Client", "E-mail", "Amount", "Currency", "Status", "Result", "Due (SAST)",
		"Debit on"}; !slices.Equal(rows[0], want) {
		t.Errorf("heads %q", rows[0])
	}
	if want := []string{"INV-7", "Gym membership", "Thandi Nkosi", "thandi@example.com", "2469.00", "ZAR", "Scheduled",
		"Scheduled", k.day.String(), k.day.String()}; !slices.Equal(rows[1], want) {
		t.Errorf("row %q", rows[1])
	}
	if added := column(fileRows(t, k.Page(k.A.Staff, "GET", "/clients/export?format=csv", nil)),
		"Added (SAST)")[0]; !regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$`).MatchString(added) {
		t.Errorf("added %q", added)
	}
	at := k.Store.Now().In(calendar.SAST)
	name := k.Page(k.A.Staff, "GET", "/purchases/export?format=xlsx", nil).Header.Get("Content-Disposition")
	if !strings.HasPrefix(name, "attachment; filename=purchases-"+at.Format("2006-01-")) ||
		!strings.HasSuffix(name, ".xlsx") {
		t.Errorf("sent as %s", name)
	}
}

func TestAccountsAreMaskedInEveryExport(t *testing.T) {
	k := withAccount(t)
	k.made(t)
	for _, list := range []string{"clients", "tokens", "mandates", "purchases"} {
		for _, who := range []handlertest.Person{k.A.Staff, k.A.Owner} {
			k.Page(who, "GET", "/"+list+"/export?format=csv", nil).Want(http.StatusOK).Contains("Thandi Nkosi").Lacks(
				"4055123456", "8001015009087", "800101")
		}
	}
	if got := column(fileRows(t, k.Page(k.A.Staff, "GET", "/clients/export?format=csv", nil)),
		"Account"); !slices.Equal(got, []string{"•••• 3456"}) {
		t.Errorf("accounts %q", got)
	}
}

func TestANameThatIsAFormulaDoesNotRun(t *testing.T) {
	h := handlertest.New(t)
	add(h, with(thandi(), "full_name", `=cmd|' /C calc'!A0`))
	if got := column(fileRows(t, h.Page(h.A.Staff, "GET", "/clients/export?format=csv", nil)),
		"Client")[0]; got != `'=cmd|' /C calc'!A0` {
		t.Errorf("exported as %q", got)
	}
}

func TestAWrongAddressExportsNothing(t *testing.T) {
	k := withAccount(t)
	for _, address := range []string{"/purchases/export", "/purchases/export?format=", "/clients/export?format=pdf",
		"/tokens/export?format=CSV", "/mandates/export?format=xls"} {
		k.Page(k.A.Staff, "GET", address, nil).Want(http.StatusBadRequest).Contains("<html", "Nothing was exported",
			"as CSV or XLSX")
	}
	for _, query := range []string{"/purchases/export?format=csv&status=odd", "/purchases/export?format=csv&amount_min=x",
		"/clients/export?format=csv&account=odd", "/tokens/export?format=csv&bank=1",
		"/mandates/export?format=csv&state=odd"} {
		k.Page(k.A.Staff, "GET", query, nil).Want(http.StatusBadRequest).Contains("Nothing was exported", "not understood")
	}
	if n := k.Count(`SELECT count(*) FROM audit_entries WHERE action = 'list.exported'`); n != 0 {
		t.Errorf("%d exports were recorded", n)
	}
	// A place in the list means nothing to a file.
	if rows := fileRows(
		t,
		k.Page(k.A.Staff, "GET", "/purchases/export?format=csv&kind=all&after=odd&before="+k.token, nil),
	); len(rows) != 2 {
		t.Errorf("%d rows", len(rows)-1)
	}
}

func TestAnExportIsForPeopleAndTheirOwnRows(t *testing.T) {
	k := withAccount(t)
	for _, list := range []string{"clients", "tokens", "mandates", "purchases"} {
		path := "/" + list + "/export?format=csv"
		if rows := fileRows(t, k.Page(k.B.Owner, "GET", path, nil)); len(rows) != 1 {
			t.Errorf("the stranger exports %d %s", len(rows)-1, list)
		}
		k.Call("GET", path, nil, "Authorization: Bearer "+k.A.Token).Want(http.StatusUnauthorized)
		k.Call("GET", "/api/v1"+path, nil, "Authorization: Bearer "+k.A.Token).Want(http.StatusNotFound)
		k.Call("GET", path, nil, "Accept: text/html").Want(http.StatusSeeOther)
	}
}

func TestAnExportIsRecordedWithoutTheNumbersThatWereSought(t *testing.T) {
	k := withAccount(t)
	k.Page(k.A.Finance, "GET", "/clients/export?format=xlsx&account=with&q=800101+5009+087", nil).Want(http.StatusOK)
	k.Page(k.A.Finance, "GET", "/purchases/export?format=csv&kind=accounts", nil).Want(http.StatusOK)
	for list, want := range map[string]string{
		"clients":   `{"list": "clients", "rows": 1, "format": "xlsx", "columns": 6, "filters": {"q": "•••• 9087", "account": "with"}}`,
		"purchases": `{"list": "purchases", "rows": 1, "format": "csv", "columns": 10, "filters": {"kind": "accounts"}}`,
	} {
		if n := k.Count(
			`SELECT count(*) FROM audit_entries WHERE action = 'list.exported' AND merchant_id = $1 AND actor_id = $2
				AND after::jsonb = $3::jsonb`,
			k.A.ID,
			k.A.Finance.ID,
			want,
		); n != 1 {
			t.Errorf("%s: %d entries like %s", list, n, want)
		}
	}
	head := k.Page(k.A.Staff, "HEAD", "/purchases/export?format=csv", nil).Want(http.StatusOK)
	if n := k.Count(`SELECT count(*) FROM audit_entries WHERE action = 'list.exported'`); n != 2 || head.Body != "" ||
		head.Header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Errorf("the head alone was recorded (%d) or has a body", n)
	}
}

func TestTheMenuSaysWhatAnExportWillHold(t *testing.T) {
	k := withAccount(t)
	k.made(t)
	k.Page(k.A.Staff, "GET", "/purchases", nil).Contains("Export 1\u00a0row, 10\u00a0columns, SAST",
		`href="/purchases/export?format=csv"`, `href="/purchases/export?format=xlsx"`)
	k.made(t)
	k.Page(k.A.Staff, "GET", "/purchases", nil).Contains("Export 2\u00a0rows, 10\u00a0columns, SAST")
	k.Page(k.A.Staff, "GET", "/purchases?kind=accounts", nil, "HX-Request: true", "HX-Target: results").
		Contains("Export 1\u00a0row, 10\u00a0columns, SAST", `href="/purchases/export?format=csv&amp;kind=accounts"`)
	k.Page(k.A.Staff, "GET", "/purchases?q=nobody", nil).Lacks("/purchases/export")
	k.Page(k.A.Staff, "GET", "/clients?account=with&q=tha", nil).Contains("Export 1\u00a0row, 6\u00a0columns, SAST",
		`href="/clients/export?account=with&amp;format=csv&amp;q=tha"`)
	k.Page(k.A.Staff, "GET", "/tokens?state=active", nil).Contains("Export 1\u00a0row, 10\u00a0columns, SAST",
		`href="/tokens/export?format=xlsx&amp;state=active"`)
	k.Page(k.A.Staff, "GET", "/mandates", nil).Contains("Export 1\u00a0row, 11\u00a0columns, SAST",
		`href="/mandates/export?format=csv"`)
}

func TestAFileThatIsFullSaysSo(t *testing.T) {
	h := handlertest.New(t)
	for i := range 5 {
		add(h, url.Values{"full_name": {fmt.Sprintf("Payer %d", i)}, "email": {fmt.Sprintf("p%d@example.com", i)}})
	}
	exports := h.Deps.Clients.Exports
	names := func(pageRows, maxRows int) []string {
		exports.PageRows, exports.MaxRows = pageRows, maxRows
		return column(fileRows(t, h.Page(h.A.Staff, "GET", "/clients/export?format=csv", nil)), "Client")
	}
	all := []string{"Payer 4", "Payer 3", "Payer 2", "Payer 1", "Payer 0"}
	full := "Not everything is here: a file ends after 4 rows. Narrow the filters to export the rest."
	for _, pageRows := range []int{1, 2, 4, 5, 100} {
		if got := names(pageRows, 5); !slices.Equal(got, all) {
			t.Errorf("%d a page, five fit: %q", pageRows, got)
		}
		if got := names(pageRows, 4); !slices.Equal(got, append(slices.Clone(all[:4]), full)) {
			t.Errorf("%d a page, four fit: %q", pageRows, got)
		}
	}
}

func TestEveryRowHasACellUnderEachHead(t *testing.T) {
	k := withAccount(t)
	lengths := map[int]bool{}
	for _, list := range []string{"clients", "tokens", "mandates", "purchases"} {
		for _, row := range fileRows(t, k.Page(k.A.Staff, "GET", "/"+list+"/export?format=csv", nil))[1:] {
			lengths[len(row)] = row[len(row)-1] != "" || list == "purchases" // the result of no debit is blank
		}
	}
	if !maps.Equal(lengths, map[int]bool{6: true, 10: true, 11: true}) {
		t.Errorf("rows %v", lengths)
	}
}
