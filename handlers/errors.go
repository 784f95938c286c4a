package handlers

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/api"
	"debitdesk/handlers/html"
	"debitdesk/models/fault"
	"debitdesk/views/pages"
)

// clientGone is the status in logs when the caller left before the answer.
const clientGone = 499

// apiStatus is the one place where kinds of refusal become statuses of the API.
// Source: state conflicts are 400 there (API contract 1.5).
func apiStatus(kind fault.Kind) int {
	switch kind {
	case fault.Invalid, fault.Conflict, fault.Provider:
		return http.StatusBadRequest
	default:
		return pageStatus(kind)
	}
}

// pageStatus is the same for pages.
func pageStatus(kind fault.Kind) int {
	switch kind {
	case fault.Invalid, fault.Provider:
		return http.StatusUnprocessableEntity
	case fault.NotFound:
		return http.StatusNotFound
	case fault.Conflict:
		return http.StatusConflict
	case fault.Forbidden:
		return http.StatusForbidden
	case fault.Unauthenticated:
		return http.StatusUnauthorized
	case fault.TooMany:
		return http.StatusTooManyRequests
	case fault.TooLarge:
		return http.StatusRequestEntityTooLarge
	case fault.Unavailable:
		return http.StatusServiceUnavailable
	case fault.Internal:
		return http.StatusInternalServerError
	}
	return http.StatusInternalServerError
}

// answerError is echo's error handler: every refusal and every defect ends here.
func (e *edge) answerError(err error, c echo.Context) {
	if errors.Is(c.Request().Context().Err(), context.Canceled) &&
		(errors.Is(err, context.Canceled) || e.Unavailable != nil && e.Unavailable(err)) {
		c.Response().Status = clientGone
		return
	}
	f, status := e.refusal(err, c)
	if c.Response().Committed {
		return
	}
	if f.RetryAfterSeconds > 0 {
		c.Response().Header().Set("Retry-After", strconv.Itoa(f.RetryAfterSeconds))
	}
	if status == http.StatusUnauthorized && isAPI(c.Request().URL.Path) { // RFC 6750: which credential is asked for
		c.Response().Header().Set(echo.HeaderWWWAuthenticate, "Bearer")
	}
	var failed error
	switch {
	case c.Request().Method == http.MethodHead:
		failed = c.NoContent(status)
	case c.Request().URL.Path == tokenAddress:
		failed = api.JSON(c, status, access.TokenProblem(f))
	case wantsJSON(c):
		failed = api.JSON(c, status, api.ProblemBody(f))
	default:
		failed = e.errorPage(c, f, status)
	}
	if failed != nil {
		e.Log.WarnContext(c.Request().Context(), "error answer not sent", "error", failed, "request_id", access.RequestID(c))
	}
}

// refusal finds the fault and the status. What is no fault is a defect or an
// outage: it is logged here, once, and shown as one neutral sentence.
func (e *edge) refusal(err error, c echo.Context) (*fault.Fault, int) {
	var (
		sent  *echo.HTTPError
		large *http.MaxBytesError
	)
	f, known := fault.From(err)
	switch {
	case known && f.Kind != fault.Internal:
	case e.Unavailable != nil && e.Unavailable(err):
		f = awhile(err)
		e.Log.WarnContext(c.Request().Context(), "the database is away", "error", err, "method", c.Request().Method,
			"route", c.Path(), "request_id", access.RequestID(c))
	case errors.As(err, &large):
		f, _ = fault.From(tooLarge(large.Limit))
	case errors.As(err, &sent) && sent.Code == http.StatusMethodNotAllowed:
		return fault.New(fault.Invalid, "method_not_allowed", "Method %q not allowed.", c.Request().Method), sent.Code
	case errors.As(err, &sent) && sent.Code == http.StatusNotFound:
		f = fault.Missing()
	case errors.As(err, &sent) && sent.Code < http.StatusInternalServerError:
		return fault.New(fault.Invalid, "invalid", "The request could not be read."), sent.Code
	default:
		e.Log.ErrorContext(c.Request().Context(), "request failed", "error", err, "method", c.Request().Method,
			"route", c.Path(), "request_id", access.RequestID(c))
		f = fault.New(fault.Internal, "internal_error", "Something went wrong on our side. The request id is %s.",
			access.RequestID(c))
	}
	if wantsJSON(c) {
		return f, apiStatus(f.Kind)
	}
	return f, pageStatus(f.Kind)
}

// comeBack is when a caller may ask again, in seconds, while the database is away.
const comeBack = 5

// awhile is the refusal while the database is away. Nothing of the request was done,
// unless the connection broke at its very end; the same request is safe to repeat
// under its Idempotency-Key.
func awhile(because error) *fault.Fault {
	f := fault.New(fault.Unavailable, "unavailable",
		"This is not available at the moment. Please try again in a few seconds.")
	f.RetryAfterSeconds = comeBack
	return f.Because(because)
}

// wantsJSON tells programs from people: by address and credential, else by what
// they accept. The sandbox serves both, and programs often say nothing.
func wantsJSON(c echo.Context) bool {
	r := c.Request()
	if isAPI(r.URL.Path) || r.Header.Get("Authorization") != "" {
		return true
	}
	accept := r.Header.Get("Accept")
	if strings.Contains(accept, "text/html") || r.Header.Get("HX-Request") != "" {
		return false
	}
	return strings.Contains(accept, "application/json") || strings.HasPrefix(r.URL.Path, "/sandbox/") ||
		strings.HasPrefix(r.URL.Path, "/sms/")
}

// tokenAddress is where client credentials become a bearer; its errors have a form of their own.
const tokenAddress = "/oauth/token" //nolint:gosec // an address

// isAPI tells the addresses of the JSON API, the copies at the root included.
func isAPI(path string) bool {
	switch {
	case path == "/api/v1" || strings.HasPrefix(path, "/api/"), path == tokenAddress, path == "/billing",
		path == "/openapi.json":
		return true
	case path == "/billing_templates" || strings.HasPrefix(path, "/billing_templates/"):
		return true
	}
	return strings.HasPrefix(path, "/purchases/") && strings.HasSuffix(path, "/delete_recurring_token")
}

func (e *edge) errorPage(c echo.Context, f *fault.Fault, status int) error {
	fragment := c.Request().Header.Get("HX-Request") == "true"
	if f.Kind == fault.Unauthenticated {
		return e.toSignIn(c, fragment)
	}
	if mustSetUp(f) {
		return toSetUp(c, fragment)
	}
	view := pages.ErrorView{Status: status, Title: errorTitle(status), Sentence: f.Message, RequestID: access.RequestID(c),
		Retry: status >= 500}
	for _, p := range f.Fields {
		view.Problems = append(view.Problems, p.Message)
	}
	if !fragment && view.Sentence == view.Title+"." {
		view.Sentence = "There is no page at this address. The address may be wrong, or the page has been removed."
	}
	switch {
	case forClients(c.Request().URL.Path):
		return html.Send(c, status, e.Payers.ErrorPage(c, status, f.Message, view.RequestID))
	case fragment:
		return html.Send(c, status, pages.ErrorBox(view))
	}
	return html.Send(c, status, e.ErrorPage(c, view))
}

// toSignIn sends a person to the sign-in page, and back afterwards: to the page that
// was asked for, or to the form that was sent, with what was typed into it.
func (e *edge) toSignIn(c echo.Context, fragment bool) error {
	r := c.Request()
	next := "/login"
	kept, err := e.KeptForms.KeepForSignIn(c)
	if err != nil { // the form is lost; signing in is not
		e.Log.WarnContext(r.Context(), "form not kept", "error", err, "request_id", access.RequestID(c))
	}
	switch {
	case kept != "":
		next += "?next=" + url.QueryEscape(kept)
	case fragment && r.Header.Get("HX-Current-URL") != "":
		if u, err := url.Parse(r.Header.Get("HX-Current-URL")); err == nil {
			next += "?next=" + url.QueryEscape(u.RequestURI())
		}
	case r.Method == http.MethodGet && r.URL.Path != "/":
		next += "?next=" + url.QueryEscape(r.URL.RequestURI())
	}
	if fragment {
		c.Response().Header().Set("HX-Redirect", next)
		return c.NoContent(http.StatusUnauthorized)
	}
	return c.Redirect(http.StatusSeeOther, next)
}

func errorTitle(status int) string {
	switch status {
	case http.StatusNotFound:
		return "Not found"
	case http.StatusMethodNotAllowed:
		return "That is not possible here"
	case http.StatusForbidden:
		return "Not allowed"
	case http.StatusConflict, http.StatusUnprocessableEntity, http.StatusBadRequest:
		return "That did not work"
	case http.StatusRequestEntityTooLarge:
		return "Too large"
	case http.StatusTooManyRequests:
		return "Too many attempts"
	case http.StatusServiceUnavailable:
		return "Not available right now"
	}
	return "Something went wrong"
}

// toSetUp sends a person who must set up a second factor first to where that is done.
func toSetUp(c echo.Context, fragment bool) error {
	if fragment {
		c.Response().Header().Set("HX-Redirect", access.SecurityPage)
		return c.NoContent(http.StatusForbidden)
	}
	return c.Redirect(http.StatusSeeOther, access.SecurityPage)
}

func mustSetUp(f *fault.Fault) bool { return f.Kind == fault.Forbidden && f.Code == access.SetUpFirst }
