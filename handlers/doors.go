package handlers

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
)

// doors are where somebody without a session can try things out: each form that is
// sent there, and each page with a secret in its address, counts for the address of
// the caller. They are named here and not at the routes, so that a page added below
// them is guarded too.
var doors = []string{"/login", "/reset", "/invite", "/first", "/oidc", "/my/link", "/my/ask"}

// payersPages is where the client's links lead, and clientsPages is the client's own page.
const payersPages, clientsPages = "/p/", "/my"

// forClients tells the pages for clients from those for staff.
func forClients(path string) bool {
	return strings.HasPrefix(path, payersPages) || path == clientsPages || strings.HasPrefix(path, clientsPages+"/")
}

// atDoors slows down an address that tries too often. It stands before the routes.
// How many connections one address may hold open is the proxy's business.
func (e *edge) atDoors(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		guard := e.guardOf(c.Request())
		if guard == nil || guard.rate.Burst == 0 {
			return next(c)
		}
		if now := guard.take(network(c.RealIP()), 1); !now.allowed {
			return tooOften(now, "There were too many attempts in a short time. Please try again in %s.")
		}
		return next(c)
	}
}

func (e *edge) guardOf(r *http.Request) *limiters {
	path := r.URL.Path
	if !slices.ContainsFunc(doors, func(door string) bool { return path == door || strings.HasPrefix(path, door+"/") }) {
		if forClients(path) {
			return e.atPayers
		}
		return nil
	}
	if r.Method == http.MethodPost || slices.ContainsFunc(doors[1:],
		func(door string) bool { return strings.HasPrefix(path, door+"/") }) {
		return e.atEntrance
	}
	return nil
}

// network is what counts as one caller: an IPv4 address, or the IPv6 network that a
// household gets, whose addresses are without number.
func network(ip string) string {
	at, err := netip.ParseAddr(ip)
	if err != nil {
		return ip
	}
	at = at.Unmap().WithZone("")
	if at.Is4() {
		return at.String()
	}
	net64, err := at.Prefix(64)
	if err != nil {
		return ip
	}
	return net64.String()
}
