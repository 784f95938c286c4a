// Package access knows who is calling: a person with a cookie session or a
// program with a bearer credential. It must not know what they ask for.
package access

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/views/components"
)

const actorKey = "access.actor"

// Set says who is calling. The address and the request id are filled in from
// the request when the actor does not carry them yet.
func Set(c echo.Context, who actor.Actor) {
	if who.IP == "" {
		who.IP = c.RealIP()
	}
	if who.RequestID == "" {
		who.RequestID = RequestID(c)
	}
	c.Set(actorKey, who)
}

// Actor is who is calling; the zero actor, which may do nothing, when nobody
// has proved who they are.
func Actor(c echo.Context) actor.Actor {
	who, _ := c.Get(actorKey).(actor.Actor)
	return who
}

// Known tells whether the caller has proved who they are.
func Known(c echo.Context) bool {
	_, ok := c.Get(actorKey).(actor.Actor)
	return ok
}

// RequestID names this request in answers, logs and audit entries.
func RequestID(c echo.Context) string {
	return c.Response().Header().Get(echo.HeaderXRequestID)
}

// Authenticator looks for one sort of proof on a request. Found is false when
// the request carries none of that sort; the error is for a proof that is wrong.
type Authenticator func(c echo.Context) (who actor.Actor, found bool, err error)

// RequireAPI lets a request pass when the first authenticator that finds a proof
// accepts it. A person's session counts only when the page that calls is ours,
// because a browser sends the cookie by itself.
func RequireAPI(accepted ...Authenticator) echo.MiddlewareFunc {
	sameOrigin := http.NewCrossOriginProtection()
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			for _, authenticate := range accepted {
				who, found, err := authenticate(c)
				if err != nil {
					return err
				}
				if !found {
					continue
				}
				if who.Kind == actor.User {
					if err := sameOrigin.Check(c.Request()); err != nil {
						return fault.New(fault.Forbidden, "permission_denied",
							"This request came from another site.").Because(err)
					}
					if err := looking(c, who); err != nil {
						return err
					}
				}
				Set(c, who)
				return next(c)
			}
			return fault.New(fault.Unauthenticated, "authentication_failed", "Authorization header missing")
		}
	}
}

const ownMatter = "access.own_matter"

// OwnMatter stands before what whoever looks only may send, too: it is about themselves, or asks for what it needs.
func OwnMatter(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Set(ownMatter, true)
		return next(c)
	}
}

// looking refuses what a person sends who changes nothing of the business, but for own matters, and has pages drawn
// without what leads to a change.
func looking(c echo.Context, who actor.Actor) error {
	r := c.Request()
	switch {
	case who.Changes():
		return nil
	case r.Method != http.MethodGet && r.Method != http.MethodHead && c.Get(ownMatter) == nil:
		return actor.LooksOnly()
	}
	c.SetRequest(r.WithContext(components.LookOnly(r.Context())))
	return nil
}

// RequirePage lets a person with a session pass. Anybody else is sent to sign
// in, by the error page.
func RequirePage(session Authenticator) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if session != nil {
				who, found, err := session(c)
				if err != nil {
					return err
				}
				if found {
					Set(c, who)
					if err := looking(c, who); err != nil {
						return err
					}
					return next(c)
				}
			}
			return fault.New(fault.Unauthenticated, "authentication_failed", "Please sign in.")
		}
	}
}

// Perhaps takes notice of a session where there is one, before pages that are open
// to everybody.
func Perhaps(session Authenticator) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if session == nil {
				return next(c)
			}
			who, found, err := session(c)
			if err == nil && found {
				Set(c, who)
			}
			return next(c)
		}
	}
}
