package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"debitdesk/handlers/handlertest/walk"
	"debitdesk/models/demo"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

// unopened are figures that lead nowhere, by their labels, each with its reason.
var unopened = map[string]string{
	"Available":       "the balance less the two figures beside it, which open",
	"Left":            "rows of a batch that are not sent yet have no list; the grid of its check shows them",
	"Failed":          "the rows of a batch that failed stand below on the same page",
	"Left out":        "the result file of the batch has the rows that were left out",
	"Voided":          "part of the invoices that the figure Sent opens",
	"Rows":            "the grid of the check shows them below",
	"Ready":           "the grid of the check shows them below",
	"With problems":   "the grid of the check shows them below",
	"With warnings":   "the grid of the check shows them below",
	"Unusual amounts": "the grid of the check shows them below",
	"New clients":     "the grid of the check shows them below",
	"Debits":          "the grid of the check shows them below",
	"Sent already":    "the invoices that the result of the batch opens",
}

// figure is a figure of a page that says what it leads to.
type figure struct{ text, href, count, cents string }

// found is a figure, the page it stands on, and the address of the rows that it was made of.
type found struct {
	figure
	page, rows string
}

// foot is what a list says of all its rows, and the file of those rows.
type foot struct {
	figure
	file  string
	added bool // held against the rows of the file
}

// Every figure of the demo opens the rows it was made of: their number and their sum stand at the foot of the
// list, after any step that the clock takes.
func TestEveryFigureOpensTheRowsItWasMadeOf(t *testing.T) {
	t.Parallel()
	env := demoOn(t, 8)
	on := serving(t, env)
	client, err := walk.SignIn(on.url, "admin@kloofstreet.example", demo.Password)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, base: on.url, client: client, feet: map[string]*foot{}}
	var figures []found
	w := walk.Walk{Base: on.url, Client: client, Same: 1, Values: 1, Start: []string{"/calendar?view=week"},
		Page: func(path string, page *html.Node) {
			d.feet[path] = footOf(path, page)
			figures = append(figures, d.figuresOf(path, page)...)
		}}
	pages, err := w.Pages()
	if err != nil {
		t.Fatal(err)
	}
	d.compares(figures)
	if d.opened < 150 {
		t.Errorf("only %d figures were opened on %d pages", d.opened, len(pages))
	}
	t.Logf("%d figures of %d pages", d.opened, len(pages))
	if n := d.summed; n < 60 {
		t.Errorf("only %d feet with a sum were compared with their rows", n)
	}
	d.opensLists()
	for _, step := range []string{"4h", "1d", "3d", "9d"} {
		d.moves(step)
		for _, path := range []string{"/", "/attention", "/reports", "/calendar", "/calendar?view=week", "/purchases",
			"/purchases/debits"} {
			d.opensFigures(path)
		}
	}
}

// desk is a person who opens figures.
type desk struct {
	t      *testing.T
	base   string
	client *http.Client
	feet   map[string]*foot // of lists that were opened since the clock moved
	opened int
	summed int // feet with a sum
}

func (d *desk) page(path string) *html.Node {
	d.t.Helper()
	res, err := d.client.Get(d.base + path)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") || res.StatusCode != http.StatusOK {
		_, _ = io.Copy(io.Discard, res.Body)
		return nil
	}
	page, err := html.Parse(res.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return page
}

// moves lets the clock of the sandbox run.
func (d *desk) moves(by string) {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), http.MethodPost, d.base+"/sandbox/clock",
		strings.NewReader(url.Values{"advance": {by}}.Encode()))
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	res, err := d.client.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		d.t.Fatalf("move the clock: %s", res.Status)
	}
	clear(d.feet)
}

// opensFigures opens each figure of a page, and names those that cannot be opened.
func (d *desk) opensFigures(path string) {
	d.t.Helper()
	if page := d.page(path); page != nil {
		d.compares(d.figuresOf(path, page))
	}
}

// figuresOf are the figures of a page that lead somewhere. It names those that do not.
func (d *desk) figuresOf(path string, page *html.Node) (all []found) {
	d.t.Helper()
	at, err := url.Parse(path)
	if err != nil {
		d.t.Fatal(err)
	}
	for n := range page.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if hasClass(n, "stat") && find(n, func(n *html.Node) bool { return n.Data == "a" }) == nil {
			label := text(find(n, func(n *html.Node) bool { return hasClass(n, "label") }))
			if unopened[label] == "" {
				d.t.Errorf("%s: the figure %q leads nowhere", path, label)
			}
		}
		if n.Data != "a" {
			continue
		}
		f := figure{text(n), value(n, "href"), value(n, "data-count"), value(n, "data-cents")}
		if f.count == "" && hasClass(n.Parent, "tabs") {
			f.count = tabCount(n)
		}
		if f.count+f.cents == "" {
			continue
		}
		to, err := at.Parse(f.href)
		if err != nil {
			d.t.Fatal(err)
		}
		all = append(all, found{f, path, to.RequestURI()})
	}
	return all
}

// footOf is the foot of a list; empty when the page has none.
func footOf(path string, page *html.Node) *foot {
	if p := find(page, func(n *html.Node) bool { return value(n, "id") == "list-foot" }); p != nil {
		file := find(page, func(n *html.Node) bool {
			return n.Data == "a" && strings.Contains(value(n, "href"), "format=csv")
		})
		return &foot{figure: figure{text(p), path, value(p, "data-count"), value(p, "data-cents")}, file: value(file, "href")}
	}
	if find(page, func(n *html.Node) bool { return hasClass(n, "empty") }) != nil {
		return &foot{figure: figure{"nothing", path, "0", "0"}}
	}
	return &foot{}
}

// compares opens the lists of figures, and remembers their feet.
func (d *desk) compares(all []found) {
	d.t.Helper()
	for _, f := range all {
		d.compare(f.page, f.rows, f.figure)
	}
}

func (d *desk) compare(path, href string, f figure) {
	d.t.Helper()
	if d.feet[href] == nil {
		d.feet[href] = &foot{}
		if page := d.page(href); page != nil {
			d.feet[href] = footOf(href, page)
		}
	}
	list := d.feet[href]
	d.addsUp(list)
	d.opened++
	if f.count != "" && list.count != f.count || f.cents != "" && list.cents != f.cents {
		d.t.Errorf("%s: %q (%s rows, %s cents) opens %s with %q (%s rows, %s cents)", path, strings.TrimSpace(f.text),
			f.count, f.cents, href, list.text, list.count, list.cents)
	}
}

// otherSums are lists whose sum is not that of the column of amounts, each with its reason.
var otherSums = map[string]string{
	"attention=refund": "of a refund that waits it is the refund that is summed",
}

// columnOf names the column of a file that the foot of its list sums up.
func columnOf(list string) string {
	switch {
	case strings.HasPrefix(list, "/invoices"):
		return "Total"
	case strings.Contains(list, "/account?") && strings.Contains(list, "open=yes"):
		return "Still to be paid"
	case strings.Contains(list, "/account?"):
		return "Billed"
	}
	return "Amount"
}

// addsUp compares the foot of a list with the rows of its file, once.
func (d *desk) addsUp(list *foot) {
	d.t.Helper()
	if list.file == "" || list.count == "" || list.added {
		return
	}
	list.added = true
	res, err := d.client.Get(d.base + list.file)
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	rows, err := csv.NewReader(res.Body).ReadAll()
	if err != nil || len(rows) == 0 {
		d.t.Fatalf("%s: %d rows, %v", list.file, len(rows), err)
	}
	if n := strconv.Itoa(len(rows) - 1); n != list.count {
		d.t.Errorf("%s: the foot says %q, and the file has %s rows", list.href, list.text, n)
	}
	for words := range otherSums {
		if strings.Contains(list.href, words) {
			return
		}
	}
	if list.cents == "" {
		return
	}
	d.summed++
	amount, sum := slices.IndexFunc(
		rows[0],
		func(head string) bool { return strings.HasPrefix(head, columnOf(list.href)) },
	), int64(0)
	if amount < 0 {
		d.t.Errorf("%s: the foot has a sum, and the file no amounts: %v", list.href, rows[0])
		return
	}
	for _, row := range rows[1:] {
		cents, err := money.Parse(strings.TrimPrefix(row[amount], "-"))
		if err != nil {
			d.t.Fatalf("%s: %q: %v", list.href, row[amount], err)
		}
		if strings.HasPrefix(row[amount], "-") {
			cents = -cents
		}
		sum += cents
	}
	if strconv.FormatInt(sum, 10) != list.cents {
		d.t.Errorf("%s: the foot says %q (%s cents), and the rows come to %d", list.href, list.text, list.cents, sum)
	}
}

// opensLists opens the lists with sums under each of their filters, so that each foot is compared with its rows.
func (d *desk) opensLists() {
	d.t.Helper()
	var lists []string
	for _, filter := range []string{"", "kind=accounts", "kind=all", "due_from=2026-11-01",
		"due_to=2026-11-10", "due=this-month",
		"amount_min=500", "amount_max=649", "amount_min=500&status=paid", "kind=all&amount_max=649",
		"kind=accounts&due_from=2026-01-01",
		"q=nkosi", "q=nkosi&status=paid", "q=nkosi&kind=all", "attention=failed&amount_min=500", "attention=failed&q=a",
		"attention=failed&status=error", "due=this-month&status=paid,error&sort=-amount"} {
		lists = append(lists, "/purchases?"+filter)
	}
	for _, s := range purchase.Statuses {
		lists = append(lists, "/purchases?status="+string(s), "/purchases?kind=all&status="+string(s))
	}
	for _, c := range purchase.Concerns {
		lists = append(lists, "/purchases?attention="+string(c))
	}
	lists = append(lists, "/tokens?attention=blocked&state=blocked", "/tokens?attention=replaced",
		"/mandates?attention=suspended&state=suspended", "/mandates?attention=idle", "/templates/without-account",
		"/templates/not-allowed")
	of := map[string]bool{}
	for n := range d.page("/purchases?status=paid").Descendants() {
		if href := value(n, "href"); n.Data == "a" && len(of) < 2 && strings.HasPrefix(href, "/purchases/0") {
			of[href] = true
		}
	}
	for href := range of {
		for n := range d.page(href).Descendants() {
			for list, name := range map[string]string{"/clients/": "client", "/tokens/": "token"} {
				if at, id, _ := strings.Cut(value(n, "href"), list); at == "" && len(id) == 36 {
					lists = append(lists, "/purchases?"+name+"="+id, "/purchases?kind=all&"+name+"="+id)
				}
			}
		}
	}
	for _, list := range lists {
		d.compare("by hand", list, figure{})
	}
}

var wholeNumber = regexp.MustCompile(`^[0-9]+$`)

// tabCount is the number in a tab, where everything was counted.
func tabCount(tab *html.Node) string {
	n := find(tab, func(n *html.Node) bool { return hasClass(n, "count") })
	if n == nil {
		return ""
	}
	digits := strings.Join(
		strings.FieldsFunc(text(n), func(r rune) bool { return r == ' ' || r == '\u00a0' || r == '\u202f' }),
		"",
	)
	if !wholeNumber.MatchString(digits) {
		return ""
	}
	return digits
}

func find(in *html.Node, fits func(*html.Node) bool) *html.Node {
	for n := range in.Descendants() {
		if n.Type == html.ElementNode && fits(n) {
			return n
		}
	}
	return nil
}

func hasClass(n *html.Node, class string) bool {
	return n != nil && strings.Contains(" "+value(n, "class")+" ", " "+class+" ")
}

func value(n *html.Node, name string) string {
	if n == nil {
		return ""
	}
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func text(in *html.Node) string {
	if in == nil {
		return ""
	}
	var out strings.Builder
	for n := range in.Descendants() {
		if n.Type == html.TextNode {
			fmt.Fprint(&out, n.Data)
		}
	}
	return strings.TrimSpace(out.String())
}
