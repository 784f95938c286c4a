package handlers

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
)

// exact refuses a method that an address does not have. The router alone would take it for a neighbour: DELETE
// /webhooks/deliveries for the webhook that is called "deliveries", of which there is none.
func (t Table) exact() echo.MiddlewareFunc {
	nearer := t.nearer()
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			for _, a := range nearer[c.Path()] {
				if matches(a.path, r.URL.Path) && !slices.Contains(a.methods, r.Method) {
					c.Response().Header().Set(echo.HeaderAllow, strings.Join(a.methods, ", "))
					return echo.ErrMethodNotAllowed
				}
			}
			return next(c)
		}
	}
}

// address is a path with its methods.
type address struct {
	path    string
	methods []string
}

// nearer are, by path, the addresses that the path would match too, and that are meant when they match.
func (t Table) nearer() map[string][]address {
	methods := map[string][]string{}
	for _, g := range t {
		for _, r := range g.Routes {
			for _, path := range r.paths() {
				if len(methods[path]) == 0 {
					methods[path] = []string{http.MethodOptions}
				}
				methods[path] = append(methods[path], r.Method)
				if r.Method == http.MethodGet {
					methods[path] = append(methods[path], http.MethodHead)
				}
			}
		}
	}
	out := map[string][]address{}
	for path, has := range methods {
		for wider := range methods {
			if wider != path && matches(wider, path) {
				out[wider] = append(out[wider], address{path, has})
			}
		}
	}
	return out
}

// matches tells whether a path fits the pattern of a route, or a pattern a wider one.
func matches(pattern, path string) bool {
	for {
		want, patternRest, more := strings.Cut(pattern, "/")
		got, pathRest, further := strings.Cut(path, "/")
		switch {
		case want == "*":
			return true
		case want != got && (want == "" || want[0] != ':' || got == ""):
			return false
		case more != further:
			return false
		case !more:
			return true
		}
		pattern, path = patternRest, pathRest
	}
}
