package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/views/components"
)

// Table is every address of the product. The router serves what is in it and nothing
// else; the menus and buttons ask it what a person may open; the settings show its
// sentences; the tests walk it with every role and scope.
type Table []Group

// Group is some addresses that ask the same of who calls.
type Group struct {
	Action actor.Action
	Opens  string // in words, for the settings
	Routes []Route
}

// Route is one address: what stands before it, its method, its path without a slash at
// the end, and who answers. Both forms of the path are served, and GET stands for HEAD
// too. A path that begins with [/api/v1] is served below /api/v1 and at the root.
type Route struct {
	Guard   guard
	Method  string
	Path    string
	Handler echo.HandlerFunc
}

// What a group asks for where it is no action of the matrix of roles. None of these is
// in actor.Permissions, so that nothing grants them by mistake.
const (
	anybody   actor.Action = "anybody"     // no proof of who calls
	payerLink actor.Action = "payer"       // the unguessable link is the proof
	oneself   actor.Action = "own account" // whoever is signed in, for their own things
)

// table is the whole table. Within an action, the settings show the sentences in this order.
func (e *edge) table() Table {
	return slices.Concat(
		e.accessRoutes(),
		e.homeRoutes(), e.clientRoutes(), e.accountRoutes(), e.purchaseRoutes(),
		e.batchRoutes(), e.importRoutes(), e.templateRoutes(), e.bankRoutes(),
		e.reportRoutes(), e.sandboxRoutes(),
		e.developerRoutes(), e.settingsRoutes(),
	)
}

// Routes is the table of addresses over those parts.
func Routes(d Deps) Table { return (&edge{Deps: d}).table() }

// paths are the addresses that a route has.
func (r Route) paths() []string {
	if root, both := strings.CutPrefix(r.Path, "[/api/v1]"); both {
		return []string{"/api/v1" + root, root}
	}
	return []string{r.Path}
}

// Opens says in words what each action opens, in the order of the table.
func (t Table) Opens() map[actor.Action][]string {
	out := map[actor.Action][]string{}
	for _, g := range t {
		out[g.Action] = append(out[g.Action], g.Opens)
	}
	return out
}

// Actions is what each address asks for.
type Actions map[string]actor.Action

// Actions reads the table by address. It refuses a table with a route that nobody
// answers, that stands in it twice, or whose guard does not ask for its action.
func (t Table) Actions() (Actions, error) {
	out := Actions{}
	for _, g := range t {
		for _, r := range g.Routes {
			for _, path := range r.paths() {
				key := r.Method + " " + path
				if _, twice := out[key]; twice {
					return nil, fmt.Errorf("the table of routes names %s twice", key)
				}
				if err := g.fits(r); err != nil {
					return nil, fmt.Errorf("the table of routes: %s %w", key, err)
				}
				out[key] = g.Action
			}
		}
	}
	return out, nil
}

func (g Group) fits(r Route) error {
	open := g.Action == anybody || g.Action == payerLink
	switch {
	case !open && g.Action != oneself && !isAction(g.Action):
		return fmt.Errorf("asks for %q, which is not an action", g.Action)
	case g.Opens == "":
		return fmt.Errorf("has no words for the settings")
	case r.Guard.before == nil || r.Handler == nil:
		return fmt.Errorf("has no guard or no handler")
	case r.Guard.asks == open:
		return fmt.Errorf("has a guard that does not fit the action %q", g.Action)
	}
	return nil
}

// Of is what an address asks for; false for an address that is not in the table.
func (a Actions) Of(method, route string) (actor.Action, bool) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	act, known := a[method+" "+route]
	return act, known
}

// isAction tells the actions that a role or a scope grants from the three that
// are no question of roles.
func isAction(act actor.Action) bool {
	_, granted := actor.PermissionFor(act)
	return granted
}

// serve gives the router every address of the table.
func (e *edge) serve(t Table) {
	for _, g := range t {
		for _, r := range g.Routes {
			if r.Guard.sandbox && !e.Sandbox {
				continue
			}
			before := r.Guard.before(e, g.Action)
			for _, path := range r.paths() {
				e.echo.Add(r.Method, path, r.Handler, before...)
				if r.Method == http.MethodGet {
					e.echo.Add(http.MethodHead, path, r.Handler, before...)
				}
			}
		}
	}
}

// permitted refuses who may not do what an address is for, before its handler
// looks at anything: it answers 403 whatever the address names. The use cases ask
// again, for those who reach them another way.
func permitted(act actor.Action) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		if act == oneself {
			return next
		}
		return func(c echo.Context) error {
			if err := access.Actor(c).May(act); err != nil {
				return err
			}
			return next(c)
		}
	}
}

// offering lets pages ask the same table before they offer what it would refuse.
func offering(actions Actions) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			open := func(method, address string) bool {
				who := access.Actor(c)
				act, known := actions.Of(method, routeOf(c.Echo(), method, address))
				return who.Kind != actor.User || !known || !isAction(act) || who.Can(act)
			}
			c.SetRequest(c.Request().WithContext(components.WithPermits(c.Request().Context(), open)))
			return next(c)
		}
	}
}

// routeOf is the pattern that an address is served by; empty for one that is not of the product.
func routeOf(app *echo.Echo, method, address string) string {
	at, err := url.Parse(address)
	if err != nil || at.Host != "" || !strings.HasPrefix(at.Path, "/") {
		return ""
	}
	c := app.NewContext(nil, nil)
	app.Router().Find(method, "/"+strings.Trim(at.Path, "/"), c)
	return c.Path()
}
