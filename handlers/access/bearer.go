package access

import (
	"strings"

	"github.com/labstack/echo/v4"

	"debitdesk/models/actor"
	"debitdesk/models/credential"
	"debitdesk/models/fault"
)

// Bearer looks for a program's credential in the Authorization header.
func Bearer(credentials *credential.Service) Authenticator {
	return func(c echo.Context) (actor.Actor, bool, error) {
		header := c.Request().Header.Get(echo.HeaderAuthorization)
		if header == "" {
			return actor.Actor{}, false, nil
		}
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return actor.Actor{}, true, fault.New(fault.Unauthenticated, "authentication_failed",
				"Authorization header is not a bearer credential")
		}
		who, err := credentials.Verify(c.Request().Context(), strings.TrimSpace(token))
		if err != nil {
			return actor.Actor{}, true, err
		}
		return who, true, nil
	}
}
