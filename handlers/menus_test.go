package handlers_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"debitdesk/handlers"
	"debitdesk/handlers/handlertest"
	"debitdesk/models/actor"
	"debitdesk/models/storetest/thorough"
)

// menuWalk walks the dashboard as one person, from the rail to what the acts of details lead to.
type menuWalk struct {
	s     *street
	who   handlertest.Person
	name  string
	found map[string]string // a complaint, and the page that is its first example
	kinds map[string]int    // pages of one kind that were opened
	seen  map[string]bool
	queue []menuStop
	posts int // forms that were offered
}

type menuStop struct {
	path, from string
	depth      int
}

// samePages is how many pages of one kind are opened within two links, where records
// differ by their state; of lists that are filtered and of what acts lead to, one is enough.
const samePages = 4

func TestNoMenuOffersWhatIsRefused(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	s.API("POST", "/purchases/"+s.paid()+"/refund/", map[string]any{"amount": 40}).Want(200)
	s.paid()
	people := map[string]handlertest.Person{"admin": s.A.Owner, "finance": s.A.Finance, "staff": s.A.Staff,
		"readonly": s.A.Reader}
	taken := actor.Grants{}
	for n, p := range actor.Permissions {
		if !p.Grantable {
			continue
		}
		for role, name := range map[actor.Role]string{actor.Staff: "staff with ", actor.ReadOnly: "readonly with "} {
			if n%2 == 0 == (role == actor.Staff) && !thorough.All() {
				continue // each grant is walked with by one of the two roles
			}
			people[name+string(p.Action)] = s.Member(s.A, string(role)+"-with-"+string(p.Action), role,
				actor.Grants{p.Action: true})
		}
		taken[p.Action] = false
	}
	people["admin without them"] = s.Member(s.A, "admin-without", actor.Admin, taken)
	complaints := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(people)) {
		w := &menuWalk{s: s, who: people[name], name: name, found: map[string]string{}, kinds: map[string]int{},
			seen: map[string]bool{}}
		w.walk()
		if name == "admin" && (len(w.kinds) < 60 || w.posts < 40) {
			t.Errorf("an admin was shown %d kinds of page and %d forms: the walk sees too little", len(w.kinds), w.posts)
		}
		for what, where := range w.found {
			complaints[what] = append(complaints[what], name+" at "+where)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(complaints)) {
		t.Errorf("%s, and it is offered to:\n\t%s", what, strings.Join(complaints[what], "\n\t"))
	}
}

// paid adds a purchase that was paid, so that money can go back.
func (s *street) paid() string {
	s.t.Helper()
	id := s.API("POST", "/purchases/", fmt.Sprintf(
		`{"client_id":%q,"brand_id":%q,"purchase":{"products":[{"name":"m","price":100}]}}`, s.ids["/clients/"],
		s.A.BrandID)).Want(201).Text("id")
	s.API("POST", "/purchases/"+id+"/mark_as_paid/", nil).Want(200)
	return id
}

func (w *menuWalk) walk() {
	w.queue = []menuStop{{path: "/", from: "the rail"}}
	for len(w.queue) > 0 {
		next := w.queue[0]
		w.queue = w.queue[1:]
		w.open(next)
	}
}

// open gets a page and looks at all that it offers.
func (w *menuWalk) open(at menuStop) {
	got := w.s.Page(w.who, http.MethodGet, at.path, nil)
	w.s.unbroken("GET "+at.path+" as "+w.name, got)
	if got.Status == http.StatusForbidden || strings.Contains(got.Body, ">Not allowed</h1>") {
		w.found["GET "+handlers.RouteOf(w.s.App, http.MethodGet, at.path)+" answers "+http.StatusText(got.Status)] = at.from
		return
	}
	if got.Status != http.StatusOK || at.depth > 3 || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") {
		return
	}
	page, err := html.Parse(strings.NewReader(got.Body))
	if err != nil {
		w.s.t.Fatal(err)
	}
	for n := range page.Descendants() {
		w.element(page, n, at)
	}
}

// element holds what one element of a page offers against the table of permits.
func (w *menuWalk) element(page, n *html.Node, at menuStop) {
	switch {
	case n.Type != html.ElementNode:
	case n.Data == "a" && attribute(n, "href") != "":
		w.link(attribute(n, "href"), at)
	case n.Data == "form" && offered(page, n):
		w.form(strings.ToUpper(attribute(n, "method")), attribute(n, "action"), at)
	case n.Data == "button" && attribute(n, "formaction") != "" && !has(n, "disabled"):
		w.form(http.MethodPost, attribute(n, "formaction"), at)
	}
	if n.Type == html.ElementNode && !has(n, "disabled") {
		w.form(http.MethodGet, attribute(n, "hx-get"), at)
		w.form(http.MethodPost, attribute(n, "hx-post"), at)
	}
}

// link is asked of the table, and opened where there are not enough pages of its kind yet.
func (w *menuWalk) link(href string, at menuStop) {
	to := w.ask(http.MethodGet, href, at)
	if to == nil {
		return
	}
	kind := handlers.RouteOf(w.s.App, http.MethodGet, to.Path) + "?" + strings.Join(slices.Sorted(maps.Keys(to.Query())),
		"&")
	if path := to.RequestURI(); !w.seen[path] && at.depth < 3 &&
		(w.kinds[kind] == 0 || at.depth < 2 && to.RawQuery == "" && w.kinds[kind] < samePages) {
		w.seen[path] = true
		w.kinds[kind]++
		w.queue = append(w.queue, menuStop{path, at.path, at.depth + 1})
	}
}

func (w *menuWalk) form(method, action string, at menuStop) {
	if method == "" {
		method = http.MethodGet
	}
	if action != "" && w.ask(method, action, at) != nil && method == http.MethodPost {
		w.posts++
	}
}

// ask is the address that is meant, when it is one of the desk that asks for a permission.
func (w *menuWalk) ask(method, address string, at menuStop) *url.URL {
	base, err := url.Parse(at.path)
	if err != nil {
		w.s.t.Fatal(err)
	}
	to, err := base.Parse(address)
	if err != nil {
		w.s.t.Errorf("%s: %v", at.path, err)
		return nil
	}
	if to.Host != "" || to.Scheme != "" || strings.HasPrefix(to.Path, "/static/") || to.Path == "/logout" ||
		strings.HasPrefix(to.Path, "/manual") { // which speaks to everybody of what each role may do
		return nil
	}
	act, known := w.s.actions.Of(method, handlers.RouteOf(w.s.App, method, to.Path))
	if _, asks := actor.PermissionFor(act); !known {
		w.found[method+" "+to.Path+" is no address"] = at.path
	} else if asks && !w.who.Actor().Can(act) {
		w.found[method+" "+handlers.RouteOf(w.s.App, method, to.Path)+" needs "+string(act)] = at.path
	} else {
		return to
	}
	return nil
}

// offered tells whether a form has a way to be sent: a button that is not disabled, in it or
// beside it, or none at all, where Enter sends it.
func offered(page, form *html.Node) bool {
	buttons := 0
	for n := range page.Descendants() {
		if n.Type != html.ElementNode || n.Data != "button" || attribute(n, "type") == "button" {
			continue
		}
		if !within(form, n) && (attribute(form, "id") == "" || attribute(n, "form") != attribute(form, "id")) {
			continue
		}
		buttons++
		if !has(n, "disabled") && attribute(n, "formaction") == "" {
			return true
		}
	}
	return buttons == 0
}

func within(outer, n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == outer {
			return true
		}
	}
	return false
}

func has(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
