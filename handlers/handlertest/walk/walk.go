// Package walk opens the dashboard as a person does who follows every link and tries each filter of every list. Tests
// and the bench find the pages with it that they look at.
package walk

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// Address is one page. Two pages of one kind differ by the record that they show.
type Address struct {
	Path, Kind string
	depth      int
}

// Walk is one walk by one person.
type Walk struct {
	Base   string       // of the server
	Client *http.Client // who is signed in
	Same   int          // pages of one kind that are opened; 0: 3
	Values int          // values of one filter that are tried; 0: all
	OfOne  int          // addresses of one list that are opened; 0: 120
	Start  []string     // besides the first page
	Before func(path string)
	Page   func(path string, page *html.Node) // each page, once it was opened; nil: nobody looks
	Markup func(path, markup string)          // the same, as it was sent
	kinds  map[string]int
	found  []Address
	queue  []Address
	seen   map[string]bool
}

const (
	deepest = 4 // links from the first page
)

// Searched is what a person types into a search: names, part of a name, an address, references, the end of an account
// number, and a word that nothing has.
var Searched = []string{"nkosi", "thandiwe nkosi", "okos", "sipho.smit@example.com", "KSF-1024", "KSF12", "0144",
	"zzzqq"}

// Found are searches for anything, one of each kind of number that it understands.
var Found = []string{
	"/find",
	"/find?q=t",
	"/find?q=INV-2026-0001",
	"/find?q=INV-12",
	"/find?q=R+649",
	"/find?q=1+234.50",
	"/find?q=082",
	"/find?q=%2B27+82+123+4567",
	"/find?q=tomorrow",
	"/find?q=1+Dec",
	"/find?q=failed",
	"/find?q=8501015800085",
	"/find?q=0193",
	"/find?q=01935f3e-7a1b-7c3d-8e4f-9a0b1c2d3e4f",
	"/find?q=01935f3e",
	"/find?q=new+purchase",
}

var anID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// elsewhere are addresses that are no pages, or none of the dashboard.
var elsewhere = regexp.MustCompile(
	`^/(static|manual|logout|login|p/|invite|reset|openapi|metrics|healthz|readyz|sandbox$)|/export|/file$`)

// SignIn gives a browser with the session of a person.
func SignIn(base, email, password string) (*http.Client, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Jar: jar, Timeout: time.Minute}
	form := url.Values{"email": {email}, "password": {password}}
	r, err := http.NewRequest(http.MethodPost, base+"/login", strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	res, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("sign in: %d", res.StatusCode)
	}
	return client, nil
}

// Pages opens what it finds, and gives the addresses that are pages, in their order.
func (w *Walk) Pages() ([]Address, error) {
	w.kinds, w.seen = map[string]int{}, map[string]bool{}
	w.Same, w.OfOne = cmp.Or(w.Same, 3), cmp.Or(w.OfOne, 120)
	for _, path := range append([]string{"/"}, w.Start...) {
		w.add(path, "/", 0)
	}
	for len(w.queue) > 0 {
		next := w.queue[0]
		w.queue = w.queue[1:]
		if err := w.open(next); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(w.found, func(a, b Address) int { return strings.Compare(a.Path, b.Path) })
	return w.found, nil
}

func (w *Walk) open(at Address) error {
	if w.Before != nil {
		w.Before(at.Path)
	}
	res, err := w.Client.Get(w.Base + at.Path)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode >= http.StatusInternalServerError {
		return fmt.Errorf("%s: %s", at.Path, res.Status)
	}
	// A page that leads to another page has none of its own.
	if final := res.Request.URL.RequestURI(); res.StatusCode != http.StatusOK || final != at.Path {
		w.add(final, "/", at.depth)
		_, err := io.Copy(io.Discard, res.Body)
		return err
	}
	w.found = append(w.found, at)
	isPage := strings.HasPrefix(res.Header.Get("Content-Type"), "text/html")
	if !isPage || at.depth >= deepest && w.Page == nil && w.Markup == nil {
		return nil
	}
	markup, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if w.Markup != nil {
		w.Markup(at.Path, string(markup))
	}
	page, err := html.Parse(bytes.NewReader(markup))
	if err != nil {
		return err
	}
	if w.Page != nil {
		w.Page(at.Path, page)
	}
	if at.depth >= deepest {
		return nil
	}
	for n := range page.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if to := attribute(n, "hx-get"); to != "" {
			w.add(to, at.Path, at.depth+1)
		}
		if to := attribute(n, "href"); to != "" && n.Data == "a" {
			w.add(to, at.Path, at.depth+1)
		}
		if n.Data == "form" && strings.EqualFold(attribute(n, "method"), "get") {
			w.filters(n, at)
		}
	}
	return nil
}

// add takes an address where there are not enough of its kind yet. What is filtered twice is left out: the filters
// stand on every page of a list.
func (w *Walk) add(to, from string, depth int) {
	at, err := url.Parse(from)
	if err == nil {
		at, err = at.Parse(to)
	}
	if err != nil || at.Host != "" || at.Scheme != "" || elsewhere.MatchString(at.Path) {
		return
	}
	path, kind := at.RequestURI(), kindOf(at)
	if w.seen[path] || w.kinds[kind] >= w.Same {
		return
	}
	if at.RawQuery != "" {
		filtered := strings.Contains(from, "?") && !at.Query().Has("after")
		if filtered || w.kinds[kind] > 0 || w.kinds[at.Path+"?"] >= w.OfOne {
			return
		}
		w.kinds[at.Path+"?"]++
	}
	w.seen[path] = true
	w.kinds[kind]++
	w.queue = append(w.queue, Address{path, kind, depth})
}

// kindOf leaves out which record a page shows; what a list is filtered by stays.
func kindOf(at *url.URL) string {
	q := at.Query()
	for _, name := range []string{"after", "before"} {
		if q.Has(name) {
			q.Set(name, "…")
		}
	}
	query, err := url.QueryUnescape(q.Encode())
	if err != nil {
		query = q.Encode()
	}
	return strings.TrimSuffix(anID.ReplaceAllString(at.Path+"?"+query, ":id"), "?")
}

// filters tries each choice of each control of a form, one at a time.
func (w *Walk) filters(form *html.Node, at Address) {
	if strings.Contains(at.Path, "?") {
		return
	}
	action := attribute(form, "action")
	if action == "" {
		action = at.Path
	}
	kept, choices := url.Values{}, map[string][]string{}
	for n := range form.Descendants() {
		name := attribute(n, "name")
		switch {
		case n.Type != html.ElementNode || name == "":
		case n.Data == "select":
			for o := range n.Descendants() {
				if o.Type == html.ElementNode && o.Data == "option" && attribute(o, "value") != "" {
					choices[name] = append(choices[name], attribute(o, "value"))
				}
			}
		case n.Data == "input" && attribute(n, "type") == "hidden":
			kept.Set(name, attribute(n, "value"))
		case n.Data == "input":
			choices[name] = append(choices[name], tried(n)...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(choices)) {
		values := choices[name]
		if w.Values > 0 && len(values) > w.Values && !slices.Equal(values, Searched) {
			values = values[:w.Values]
		}
		for _, value := range values {
			q := maps.Clone(kept)
			q.Set(name, value)
			w.add(action+"?"+q.Encode(), at.Path, at.depth+1)
		}
	}
}

// tried is what is given to an input of a form.
func tried(n *html.Node) []string {
	switch name := attribute(n, "name"); {
	case attribute(n, "type") == "checkbox" || attribute(n, "type") == "radio":
		return []string{attribute(n, "value")}
	case attribute(n, "type") == "date":
		now := time.Now()
		return []string{now.AddDate(0, 0, -20).Format(time.DateOnly), now.AddDate(-1, 0, 0).Format(time.DateOnly)}
	case name == "q" || strings.HasSuffix(name, "_q") || attribute(n, "type") == "search":
		return Searched
	}
	return nil
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
