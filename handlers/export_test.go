package handlers

import (
	"github.com/labstack/echo/v4"

	"debitdesk/models/actor"
)

// StackOf is what stands before the JSON API, for an address that a test adds.
func StackOf(d Deps, on *echo.Echo) []echo.MiddlewareFunc {
	e := &edge{Deps: d, echo: on, calls: newLimiters(d.Limits.Calls, nil), failures: newLimiters(d.Limits.Failures, nil)}
	return apiCall.before(e, actor.Read)
}

// RouteOf is the pattern that serves an address.
var RouteOf = routeOf

// Within is the limit of time of a request.
var Within = within

// All calls see with each address and what it asks for. GET stands for HEAD too.
func (t Table) All(see func(method, path string, act actor.Action)) {
	for _, g := range t {
		for _, r := range g.Routes {
			for _, path := range r.paths() {
				see(r.Method, path, g.Action)
			}
		}
	}
}
