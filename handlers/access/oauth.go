package access

import (
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"debitdesk/models/actor"
	"debitdesk/models/credential"
	"debitdesk/models/fault"
)

type tokenAnswer struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int64  `json:"expires_in"` // seconds
	Scope       string `json:"scope"`
}

// oauthError has the form of RFC 6749, unlike every other error of the API.
type oauthError struct {
	Code        string `json:"error"`
	Description string `json:"error_description,omitempty"`
}

// TokenEndpoint serves POST /oauth/token: client credentials against a bearer
// credential of 24 hours.
func TokenEndpoint(clients *credential.Service) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set(echo.HeaderCacheControl, "no-store")
		h.Set("Pragma", "no-cache")
		request, wrong := tokenRequest(c.Request())
		if wrong != nil {
			return c.JSON(http.StatusBadRequest, wrong)
		}
		request.IP, request.RequestID = c.RealIP(), RequestID(c)
		out, err := clients.Exchange(c.Request().Context(), request)
		switch {
		case fault.Is(err, fault.Unauthenticated):
			if _, _, basic := c.Request().BasicAuth(); basic {
				h.Set(echo.HeaderWWWAuthenticate, `Basic realm="debitdesk"`)
			}
			return c.JSON(http.StatusUnauthorized, oauthError{"invalid_client", err.Error()})
		case fault.HasCode(err, credential.ErrScope):
			return c.JSON(http.StatusBadRequest, oauthError{credential.ErrScope, err.Error()})
		case err != nil:
			return err
		}
		Set(c, actor.Actor{Kind: actor.Credential, ID: out.ParentID, Name: out.Name, MerchantID: out.MerchantID,
			Scopes: out.Scopes})
		return c.JSON(http.StatusOK, tokenAnswer{AccessToken: out.Token, TokenType: "Bearer",
			ExpiresIn: out.ExpiresAt.Unix() - out.CreatedAt.Unix(), Scope: credential.Spaced(out.Scopes, " ")})
	}
}

// TokenProblem is the body of what is refused before or behind the exchange itself:
// a method, a body that is too large, too many attempts, an outage. Programs read every
// answer of this address as OAuth 2.0 (API contract 1.2).
func TokenProblem(f *fault.Fault) any {
	out := oauthError{"invalid_request", f.Message}
	switch f.Kind {
	case fault.TooMany, fault.Unavailable:
		out.Code = "temporarily_unavailable"
	case fault.Internal:
		out.Code = "server_error"
	case fault.Invalid, fault.NotFound, fault.Conflict, fault.Forbidden, fault.Unauthenticated, fault.TooLarge,
		fault.Provider:
	}
	return out
}

func tokenRequest(r *http.Request) (credential.Request, *oauthError) {
	var out credential.Request
	if kind, _, err := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType)); err != nil ||
		kind != echo.MIMEApplicationForm {
		return out, &oauthError{"invalid_request", "Send a form: application/x-www-form-urlencoded."}
	}
	if err := r.ParseForm(); err != nil {
		return out, &oauthError{"invalid_request", "The form could not be read."}
	}
	for name, values := range r.PostForm {
		if len(values) > 1 {
			return out, &oauthError{"invalid_request", "A parameter was sent twice: " + name + "."}
		}
	}
	switch r.PostForm.Get("grant_type") {
	case "client_credentials":
	case "":
		return out, &oauthError{"invalid_request", "grant_type is missing."}
	default:
		return out, &oauthError{"unsupported_grant_type", "Only client_credentials is offered."}
	}
	out.ClientID, out.Secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	if id, secret, ok := r.BasicAuth(); ok {
		if out.Secret != "" {
			return out, &oauthError{"invalid_request", "Give the client's secret once: in the form or as HTTP Basic."}
		}
		out.ClientID, out.Secret = formDecoded(id), formDecoded(secret)
	}
	for _, s := range strings.Fields(r.PostForm.Get("scope")) {
		out.Scopes = append(out.Scopes, actor.Scope(s))
	}
	return out, nil
}

// formDecoded reads a part of HTTP Basic as OAuth encodes it (RFC 6749, 2.3.1).
func formDecoded(part string) string {
	if text, err := url.QueryUnescape(part); err == nil {
		return text
	}
	return part
}
