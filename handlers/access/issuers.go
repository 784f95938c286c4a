package access

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/models/database/seal"
	"debitdesk/models/fault"
	"debitdesk/models/issuer"
	"debitdesk/models/user"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Issuers signs people in through OpenID Connect, and out when an issuer says so.
type Issuers struct {
	Service  *issuer.Service
	Sessions *Sessions
	Second   *Second
	Box      seal.Own
	Banner   func() *layout.SandboxBanner
	Log      *slog.Logger
}

const (
	startIssuer = "/oidc/start/"
	proofIssuer = "/account/proof/issuer"
	mostNext    = 1000 // bytes of an address to go on to
)

// StartIssuer is where signing in with an issuer begins.
func StartIssuer(id uuid.UUID, next string) string {
	return startIssuer + id.String() + "?next=" + url.QueryEscape(next)
}

// Start serves GET /oidc/start/:id.
func (h *Issuers) Start(c echo.Context) error {
	id, err := ID(c, "id")
	if err != nil {
		return err
	}
	return h.begin(c, issuer.Flow{Issuer: id, Next: LocalPath(c.QueryParam("next"))})
}

// Prove serves GET /account/proof/issuer: the person signs in again where the session began.
func (h *Issuers) Prove(c echo.Context) error {
	in, _ := Session(c)
	next := LocalPath(c.QueryParam("next"))
	if in.IssuerID == uuid.Nil {
		return c.Redirect(http.StatusSeeOther, proofPage+"?next="+url.QueryEscape(next))
	}
	return h.begin(c, issuer.Flow{Issuer: in.IssuerID, Next: next, Person: in.User.ID, Kept: c.QueryParam("kept")})
}

func (h *Issuers) begin(c echo.Context, f issuer.Flow) error {
	if len(f.Next) > mostNext || len(f.Kept) > 100 {
		f.Next, f.Kept = "/", ""
	}
	f, at, err := h.Service.Begin(c.Request().Context(), f)
	if err != nil {
		return h.refused(c, f, err)
	}
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	value := base64.RawURLEncoding.EncodeToString(h.Box.SealBytes(f.Issuer, text))
	h.cookie(c, f.State, value, int(issuer.FlowLasts/time.Second))
	return c.Redirect(http.StatusFound, at)
}

// cookie keeps a sign-in under way in the browser that began it, so that no other can finish it. Each has its own, for
// people with several tabs.
func (h *Issuers) cookie(c echo.Context, state, value string, age int) {
	//nolint:gosec // Secure where the product is served by https, as the session's own cookie
	http.SetCookie(c.Response(), &http.Cookie{Name: h.cookieName(state), Value: value, Path: "/", MaxAge: age,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: h.Sessions.opts.Secure})
}

func (h *Issuers) cookieName(state string) string {
	sum := sha256.Sum256([]byte(state))
	return h.Sessions.name + "-oidc-" + hex.EncodeToString(sum[:4])
}

// flow is the sign-in that this browser began with that state; a zero one fits nothing.
func (h *Issuers) flow(c echo.Context, id uuid.UUID, state string) (f issuer.Flow) {
	cookie, err := c.Cookie(h.cookieName(state))
	if err != nil {
		return f
	}
	sealed, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return f
	}
	text, err := h.Box.OpenBytes(id, sealed)
	if err != nil || json.Unmarshal(text, &f) != nil {
		return issuer.Flow{}
	}
	return f
}

// Arrive serves GET /oidc/callback/:id.
func (h *Issuers) Arrive(c echo.Context) error {
	id, err := ID(c, "id")
	if err != nil {
		return err
	}
	q := c.QueryParams()
	f := h.flow(c, id, q.Get("state"))
	h.cookie(c, q.Get("state"), "", -1)
	in := issuer.Callback{Issuer: id, State: q.Get("state"), Code: q.Get("code"), Says: q.Get("iss"),
		Error: q.Get("error"), IP: c.RealIP(), RequestID: RequestID(c)}
	if f.Proof() {
		return h.proved(c, f, in)
	}
	a, err := h.Service.Arrive(c.Request().Context(), f, in)
	if err != nil {
		return h.refused(c, f, err)
	}
	if err := h.Sessions.StartAt(c, a); err != nil {
		return err
	}
	if _, waits, err := h.Sessions.Half(c); err != nil || waits {
		if err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, factorPage+"?next="+url.QueryEscape(f.Next))
	}
	return c.Redirect(http.StatusSeeOther, f.Next)
}

// StartAt signs a person in whom an issuer knows. More than one factor that was shown there counts, at the moment of
// it.
func (s *Sessions) StartAt(c echo.Context, a issuer.Arrival) error {
	from := user.Session{IssuerID: a.Issuer.ID, IssuerSubject: a.Subject, IssuerSID: a.SID, EndsAt: a.Until,
		ProvenAt: a.AuthTime}
	if now := s.now(); from.ProvenAt.After(now) { // the issuer's clock is ahead
		from.ProvenAt = now
	}
	if a.Multi {
		from.Factor = user.Issuer
	}
	return s.start(c, a.User, from)
}

// proved goes on with what asked for the proof.
func (h *Issuers) proved(c echo.Context, f issuer.Flow, in issuer.Callback) error {
	who, found, err := h.Sessions.Authenticate(c)
	if err != nil {
		return err
	}
	if !found {
		return c.Redirect(http.StatusSeeOther, "/login?next="+url.QueryEscape(f.Next))
	}
	Set(c, who)
	now, _ := Session(c)
	a, err := h.Service.Proved(c.Request().Context(), f, in, Actor(c), now.IssuerSubject)
	switch {
	case err != nil:
		return h.refused(c, f, err)
	case now.HasFactor && !a.Multi:
		return c.Redirect(http.StatusSeeOther, proofPage+"?next="+url.QueryEscape(f.Next)+"&kept="+url.QueryEscape(f.Kept))
	}
	shown := now.Factor
	if a.Multi {
		shown = user.Issuer
	}
	if err := h.Sessions.prove(c, shown); err != nil {
		return err
	}
	return h.Second.goOn(c, f.Next, f.Kept)
}

// SignedOut serves POST /oidc/logout/:id, where an issuer tells that somebody signed out there (back-channel logout).
func (h *Issuers) SignedOut(c echo.Context) error {
	id, err := ID(c, "id")
	if err != nil {
		return err
	}
	form, err := Posted(c)
	if err != nil {
		return err
	}
	err = h.Service.SignedOut(c.Request().Context(), id, form.Get("logout_token"), c.RealIP(), RequestID(c))
	if f, known := fault.From(err); known && f.Kind != fault.NotFound && f.Kind != fault.Internal {
		h.log(c, err)
		return c.JSON(http.StatusBadRequest, map[string]string{"error": "invalid_request", "error_description": f.Message})
	}
	if err != nil {
		return err
	}
	return c.NoContent(http.StatusOK)
}

// refused is a page for people, with a way back.
func (h *Issuers) refused(c echo.Context, f issuer.Flow, err error) error {
	known, is := fault.From(err)
	if !is || known.Kind == fault.Internal || known.Kind == fault.NotFound {
		return err
	}
	h.log(c, err)
	status := http.StatusBadRequest
	switch known.Kind {
	case fault.Forbidden:
		status = http.StatusForbidden
	case fault.Conflict:
		status = http.StatusConflict
	default:
	}
	view := pages.IssuerView{Title: "You are not signed in", Text: known.Message,
		Back: components.Link{Text: "Back to sign-in", Href: "/login?next=" + url.QueryEscape(LocalPath(f.Next))}}
	if f.Proof() {
		view.Title = "It was not confirmed that it is you"
		view.Back = components.Link{Text: "Go back", Href: LocalPath(f.Next)}
	}
	return bare(c, status, view.Title, h.Banner, func(p layout.Plain) templ.Component { return pages.Issuer(p, view) })
}

// log keeps the cause for the operator; it holds no token and no secret.
func (h *Issuers) log(c echo.Context, err error) {
	f, _ := fault.From(err)
	h.Log.WarnContext(c.Request().Context(), "sign-in by an issuer refused", "code", f.Code, "error", err,
		"request_id", RequestID(c))
}

// Links are the buttons of the sign-in page.
func (h *Issuers) Links(c echo.Context, next string) (out []components.Link, err error) {
	if h == nil {
		return nil, nil
	}
	shown, err := h.Service.Shown(c.Request().Context())
	for _, i := range shown {
		out = append(out, components.Link{Text: "Sign in with " + i.Name, Href: StartIssuer(i.ID, next)})
	}
	return out, err
}

// leave answers a person who signed out here and can sign out at the issuer, too; false when there is no such way. It
// is a page that leads on, since the answer to a form may not lead to another site.
func (h *Issuers) leave(c echo.Context, id uuid.UUID) (bool, error) {
	if h == nil || id == uuid.Nil {
		return false, nil
	}
	name, at := h.Service.Leave(c.Request().Context(), id)
	if at == "" {
		return false, nil
	}
	c.Response().Header().Set("Refresh", "0; url="+at)
	view := pages.IssuerView{Title: "You are signed out", Text: "You are now led to " + name + ", to sign out there, too.",
		Back: components.Link{Text: "Sign out at " + name, Href: at}}
	return true, bare(c, http.StatusOK, view.Title, h.Banner,
		func(p layout.Plain) templ.Component { return pages.Issuer(p, view) })
}
