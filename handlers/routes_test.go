package handlers_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers"
	"debitdesk/handlers/handlertest"
	"debitdesk/models/actor"
	"debitdesk/models/credential"
)

// caller is somebody of the matrix: a person with a role and grants, or a program
// with scopes.
type caller struct {
	name  string
	who   actor.Actor
	calls func(method, path string) handlertest.Answer
}

var grantsWalked = map[string]struct {
	role   actor.Role
	grants actor.Grants
}{
	"admin": {role: actor.Admin}, "finance": {role: actor.Finance}, "staff": {role: actor.Staff},
	"readonly": {role: actor.ReadOnly},
	"granted": {actor.Staff, actor.Grants{actor.DeleteTokens: true, actor.Reveal: true, actor.Refund: true,
		actor.Bill: true, actor.Approve: true}},
	"taken": {actor.Admin, actor.Grants{actor.DeleteTokens: false, actor.Reveal: false, actor.Refund: false,
		actor.Bill: false, actor.Approve: false}},
	"pretends": {actor.ReadOnly, actor.Grants{actor.Manage: true, actor.Write: true,
		actor.MoveClock: true}}, // what cannot be granted
}

var scopesWalked = [][]actor.Scope{{actor.ScopeRead}, {actor.ScopeWrite}, {actor.ScopeTokensDelete},
	{actor.ScopeBilling}, {actor.ScopeNumbers}, actor.AllScopes}

func (s *street) people(m handlertest.Merchant) (out []caller) {
	s.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(grantsWalked)) {
		g := grantsWalked[name]
		p := s.Member(m, m.ID.String()[30:]+name, g.role, g.grants)
		out = append(out, caller{name, p.User.Actor(),
			func(method, path string) handlertest.Answer { return s.Page(p, method, path, nil) }})
	}
	return out
}

func (s *street) programs(m handlertest.Merchant) (out []caller) {
	s.t.Helper()
	for _, scopes := range scopesWalked {
		issued, err := s.credentials.Issue(s.t.Context(), m.Actor,
			credential.Input{Name: "walk", Lifetime: time.Hour, Scopes: scopes})
		if err != nil {
			s.t.Fatal(err)
		}
		out = append(out, caller{"a program for " + credential.Spaced(scopes, " "),
			actor.Actor{Kind: actor.Credential, Scopes: scopes},
			func(method, path string) handlertest.Answer {
				return s.Call(method, path, nil, "Authorization: Bearer "+issued.Token, "Accept: application/json")
			}})
	}
	return out
}

// readsToRefuse are addresses that look a record up before they refuse a request
// without a body: a program that only writes is refused there for that.
var readsToRefuse = map[string]bool{
	"/api/v1/purchases/:id/charge": true, "/api/v1/purchases/:id/capture": true, "/api/v1/purchases/:id/release": true,
	"/api/v1/company_statements":            true,
	"/sandbox/collections/:purchase/result": true, "/sandbox/mandates/:purchase/answer": true,
}

// bodyFirst say what is wrong with a request before they look for what it names.
var bodyFirst = map[string]bool{"/api/v1/webhooks/:id/resend": true}

// forPrograms are the addresses that a credential opens.
func forPrograms(route string) bool {
	return isAPI(route) || strings.HasPrefix(route, "/sandbox") || strings.HasSuffix(route, "/delete_recurring_token")
}

// The matrix: every route × every role, with grants given and taken × every scope ×
// the stranger's merchant, from the table that the router and the settings read.
func TestEveryRouteAsksForItsActionOfEveryRoleAndScope(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	people, strangers := s.people(s.A), s.people(s.B)
	programs, foreign := s.programs(s.A), s.programs(s.B)
	before := s.Count(`SELECT count(*) FROM audit_entries`)
	skip := ""
	walk := func(callers []caller, refused bool, check func(c caller, route, what string, got handlertest.Answer)) {
		s.each(func(method, route string) {
			act, known := s.actions.Of(method, route)
			if _, isOne := actor.PermissionFor(act); !known || !isOne {
				return
			}
			if method == http.MethodHead && !refused || skip == http.MethodGet && method == skip || skip == http.MethodPost &&
				method != http.MethodGet {
				return // GET stands for HEAD
			}
			for _, c := range callers {
				if strings.HasPrefix(route, "/api/v1/webhooks") && c.who.Kind == actor.User && !refused &&
					method != http.MethodGet {
					continue // the use case asks people for more
				}
				if strings.HasSuffix(route, "/clients/:id/deletion") && !refused && !c.who.Can(actor.DeleteTokens) {
					continue // the use case refuses who may not delete the tokens that the client still has
				}
				if route == "/settings/book/numbers" && !refused && !c.who.Can(actor.Reveal) {
					continue // the use case refuses who may not see full numbers
				}
				if c.who.Kind == actor.Credential && !forPrograms(route) || c.who.Can(act) == refused ||
					!refused && readsToRefuse[route] && !c.who.Can(actor.Read) {
					continue
				}
				got := c.calls(method, s.address(route, s.id))
				what := method + " " + route + " (" + string(act) + ") as " + c.name
				s.unbroken(what, got)
				check(c, route, what, got)
			}
		})
	}
	for _, callers := range [][]caller{people, strangers, programs, foreign} {
		walk(callers, true, func(_ caller, _, what string, got handlertest.Answer) {
			if got.Status != http.StatusForbidden {
				t.Errorf("%s: %d, want 403: %.200s", what, got.Status, got.Body)
			}
		})
	}
	if after := s.Count(`SELECT count(*) FROM audit_entries`); after != before {
		t.Errorf("%d entries were written for people who may not", after-before)
	}
	for _, callers := range [][]caller{strangers, foreign} {
		walk(callers, false, func(_ caller, route, what string, got handlertest.Answer) {
			if strings.Contains(route, ":") && !bodyFirst[route] && got.Status != http.StatusNotFound {
				t.Errorf("%s of the stranger's merchant: %d, want 404: %.200s", what, got.Status, got.Body)
			}
		})
	}
	if after := s.Count(`SELECT count(*) FROM audit_entries WHERE merchant_id = $1`, s.A.ID); after > before {
		t.Error("a stranger changed something")
	}
	for _, skip = range []string{http.MethodPost, http.MethodGet} { // what reads comes first, while everything is there
		for _, callers := range [][]caller{people, programs} {
			walk(callers, false, func(_ caller, _, what string, got handlertest.Answer) {
				if got.Status == http.StatusForbidden || got.Status == http.StatusUnauthorized {
					t.Errorf("%s: %d, and it may: %.200s", what, got.Status, got.Body)
				}
			})
		}
	}
}

func TestTheTableAndTheRouterKnowTheSameAddresses(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	table := handlers.Routes(s.Deps)
	served, named := map[string]bool{}, map[string]bool{}
	for _, r := range s.App.Routes() {
		if strings.HasPrefix(r.Method, "echo_") { // echo's own answer to what is not there
			continue
		}
		served[r.Method+" "+r.Path] = true
		if _, known := s.actions.Of(r.Method, r.Path); !known {
			t.Errorf("%s %s is served and not in the table", r.Method, r.Path)
		}
	}
	table.All(func(method, path string, _ actor.Action) {
		named[method+" "+path] = true
		if !served[method+" "+path] {
			t.Errorf("the table names %s %s, which is nowhere", method, path)
		}
		if method == http.MethodGet && !served["HEAD "+path] {
			t.Errorf("HEAD %s is nowhere", path)
		}
	})
	if len(named) < 300 {
		t.Errorf("only %d addresses", len(named))
	}
	for _, p := range actor.Permissions {
		if len(table.Opens()[p.Action]) == 0 && p.Action != actor.Approve {
			t.Errorf("nothing asks for %s", p.Action)
		}
	}
	if _, known := s.actions.Of("DELETE", "/clients"); known {
		t.Error("the table knows an address that is none")
	}
}

// TestAFormAsksForWhatItsAnswerAsksFor: a person who may not send a form learns it before they fill it in.
func TestAFormAsksForWhatItsAnswerAsksFor(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	pagesToRead := map[string]bool{
		"/imports/:id/confirm": true, // it lists the mandates, without a form for those who may not ask
		"/imports/:id/map":     true, // as the next
		"/batches/:id/map":     true, // it shows the columns, without a form for those who may not change them
		"/clients/:id/sms":     true, // what was sent and answered, without a form for those who may not write
		"/clients/:id/notes":   true, "/purchases/:id/notes": true, "/mandates/:id/notes": true, "/tokens/:id/notes": true}
	forms := 0
	s.each(func(method, route string) {
		if method != http.MethodGet || isAPI(route) || pagesToRead[route] || !strings.Contains(route, "/:id/") &&
			!strings.HasSuffix(route, "/deletion") {
			return
		}
		needs, posted := s.actions.Of(http.MethodPost, route)
		if act, _ := s.actions.Of(method, route); posted && act != needs {
			t.Errorf("GET %s asks for %q and its form for %q", route, act, needs)
		}
		if _, granted := actor.PermissionFor(needs); posted && granted {
			forms++
			if got := s.Page(s.A.Reader, method, s.address(route, s.id), nil); got.Status != http.StatusForbidden ||
				!strings.Contains(got.Body, "Not allowed") {
				t.Errorf("GET %s for a person who only reads: %d", route, got.Status)
			}
		}
	})
	if forms < 25 {
		t.Errorf("only %d forms", forms)
	}
}

func TestATableWithARouteThatIsNotCompleteStopsTheRouter(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	table := handlers.Routes(s.Deps)
	if _, err := table.Actions(); err != nil {
		t.Fatal(err)
	}
	at := map[string]handlers.Route{}
	for _, g := range table {
		for _, r := range g.Routes {
			at[r.Path] = r
		}
	}
	page, open := at["/audit/:id"], at["/healthz"]
	page.Path, open.Path = "/forgotten", "/forgotten"
	bare, mute := page, page
	bare.Guard, mute.Handler = handlers.Route{}.Guard, nil
	for name, bad := range map[string]handlers.Group{
		"no action":                {"", "Words", []handlers.Route{page}},
		"an action that is none":   {"dance", "Words", []handlers.Route{page}},
		"no words":                 {actor.Read, "", []handlers.Route{page}},
		"no guard":                 {actor.Read, "Words", []handlers.Route{bare}},
		"no handler":               {actor.Read, "Words", []handlers.Route{mute}},
		"an open guard":            {actor.Read, "Words", []handlers.Route{open}},
		"an open guard, one's own": {"own account", "Words", []handlers.Route{open}},
		"a guard without action":   {"anybody", "Words", []handlers.Route{page}},
		"the same address twice":   {actor.Read, "Words", []handlers.Route{page, page}},
	} {
		if _, err := slices.Concat(table, handlers.Table{bad}).Actions(); err == nil ||
			!strings.Contains(err.Error(), "GET /forgotten") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
