package access

import (
	"context"
	"strings"

	"github.com/labstack/echo/v4"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
)

// Verifier tells whose bearer credential it is.
type Verifier interface {
	Verify(ctx context.Context, token string) (actor.Actor, error)
}

// Bearer looks for a program's credential in the Authorization header.
func Bearer(v Verifier) Authenticator {
	return func(c echo.Context) (actor.Actor, bool, error) {
		header := c.Request().Header.Get(echo.HeaderAuthorization)
		if header == "" {
			return actor.Actor{}, false, nil
		}
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return actor.Actor{}, true, fault.New(fault.Unauthenticated, "authentication_failed", "Authorization header is no bearer credential")
		}
		who, err := v.Verify(c.Request().Context(), strings.TrimSpace(token))
		if err != nil {
			return actor.Actor{}, true, err
		}
		return who, true, nil
	}
}
