// Package checkout serves the payer's hosted pages: it opens a purchase by its
// link, reads the form and puts what came of it into plain words. It must not
// know rules.
package checkout

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/models/weblink"
	"debitdesk/views/checkout"
	"debitdesk/views/components"
	"debitdesk/views/layout"
)

// Pages serves /p/{id}/ and what stands below it. Knowing the id is the
// permission: there is no session and no cookie.
type Pages struct {
	Purchases *purchase.Service
	Billing   *billing.Service
	Sandbox   bool
	OtherBank bool   // in the sandbox, another than the sandbox bank collects
	BaseURL   string // public address, without a slash at the end
	// Subscriptions tells which subscription a purchase belongs to.
	Subscriptions *subscription.Service
	limit         limiter
}

// Show serves GET /p/:id.
func (p *Pages) Show(c echo.Context) error {
	rec, err := p.open(c)
	if err != nil {
		return err
	}
	if wantsJSON(c) {
		return p.answerStatus(c, rec)
	}
	if rec, err = p.view(c, rec); err != nil {
		return err
	}
	return p.page(c, http.StatusOK, rec, form{}, nil)
}

// Give serves POST /p/:id.
func (p *Pages) Give(c echo.Context) error {
	if wait := p.limit.wait(c.Param("id")+" "+c.RealIP(), time.Now()); wait > 0 {
		f := fault.New(fault.TooMany, "too_many_requests",
			"There were too many attempts in a short time. Please wait a minute and try again.")
		f.RetryAfterSeconds = wait
		return f
	}
	rec, err := p.open(c)
	if err != nil {
		return err
	}
	in, err := formOf(c)
	if err != nil {
		return err
	}
	done, err := p.give(c, rec, in)
	switch {
	case wantsJSON(c) && err == nil:
		return p.answerStatus(c, done)
	case wantsJSON(c):
		return err
	case err != nil:
		return p.refused(c, rec, in, err)
	}
	if to := abroad(done.Options.SuccessRedirect); to != nil && !unanswered(done) {
		return c.Redirect(http.StatusSeeOther, to.String())
	}
	return c.Redirect(http.StatusSeeOther, weblink.Payer(done.ID))
}

// unanswered tells that the payer's bank has yet to ask: the page then waits here.
func unanswered(rec purchase.Record) bool {
	return rec.Method == purchase.DebiCheck && rec.Status == purchase.PendingExecute && rec.Collection == nil
}

func (p *Pages) give(c echo.Context, rec purchase.Record, in form) (purchase.Record, error) {
	ctx := c.Request().Context()
	if !in.usesStored() {
		return p.Purchases.GiveAccount(ctx, p.payer(c, rec, in.name), rec.ID, in.account(c, rec))
	}
	token, err := uuid.Parse(in.stored)
	if err != nil {
		token = uuid.Nil // no such account, and said so
	}
	return p.Purchases.UseStored(ctx, p.payer(c, rec, ""), rec.ID, token)
}

// refused shows the form again with what is wrong, or how the purchase stands
// when nothing can be given any more.
func (p *Pages) refused(c echo.Context, rec purchase.Record, in form, err error) error {
	f, known := fault.From(err)
	if !known || f.Kind != fault.Invalid && f.Kind != fault.Conflict {
		return err
	}
	now, failed := p.Purchases.Open(c.Request().Context(), rec.ID)
	if failed != nil {
		return failed
	}
	status := http.StatusConflict
	if f.Kind == fault.Invalid || f.Code == "invalid_recurring_token" {
		status = http.StatusUnprocessableEntity
	}
	return p.page(c, status, now, in, f)
}

// open finds the purchase of the link.
func (p *Pages) open(c echo.Context) (purchase.Record, error) {
	c.Response().Header().Set("X-Robots-Tag", "noindex, nofollow")
	id, err := uuid.Parse(c.Param("id"))
	if err != nil || len(c.Param("id")) != 36 {
		return purchase.Record{}, fault.Missing()
	}
	return p.Purchases.Open(c.Request().Context(), id)
}

// view notes that a person looked. A browser that fetches ahead is no person,
// nor is a HEAD request; and who looks from the dashboard (?preview) is no payer.
func (p *Pages) view(c echo.Context, rec purchase.Record) (purchase.Record, error) {
	r := c.Request()
	if r.Method != http.MethodGet || strings.Contains(r.Header.Get("Sec-Purpose"), "prefetch") ||
		c.QueryParams().Has("preview") {
		return rec, nil
	}
	return p.Purchases.View(r.Context(), p.payer(c, rec, ""), rec)
}

// payer is who acts: the person that the link was made for, as far as known.
func (p *Pages) payer(c echo.Context, rec purchase.Record, name string) actor.Actor {
	for _, known := range []string{strings.Join(strings.Fields(strings.ToValidUTF8(name, "")), " "), rec.Payer.FullName,
		rec.Payer.Email, "Client"} {
		if known != "" {
			return actor.PayerOf(rec.MerchantID, shortened(known, 128), c.RealIP(), access.RequestID(c))
		}
	}
	return actor.Actor{}
}

func (p *Pages) frame(w locale.Words, rec purchase.Record, title string) layout.PayerFrame {
	return p.Frame(w, rec.Brand, title, reference(rec))
}

// Frame is that of every page for clients: who asks for the money, and whom to ask. Subject is that of a mail to them.
func (p *Pages) Frame(w locale.Words, b merchant.Brand, title, subject string) layout.PayerFrame {
	f := layout.PayerFrame{Title: title + " · " + b.Name, Payee: b.Name,
		Initials: initials(b.Name), Sandbox: p.banner(), Contact: contact(w, b, subject), Words: frameWords(w),
		Sheet: sheetOf(b), Logo: LogoOf(b.Picture())}
	if b.LegalName != b.Name {
		f.PayeeNote = b.LegalName
	}
	return f
}

func (p *Pages) banner() *layout.SandboxBanner {
	if !p.Sandbox {
		return nil
	}
	now := p.Purchases.Now().In(calendar.SAST)
	return &layout.SandboxBanner{Now: now.Format("2 Jan 2006, 15:04"), ISO: now.Format(time.RFC3339),
		OtherBank: p.OtherBank}
}

// ErrorPage is a refusal in the payer's frame, in the language that was chosen in this browser: whose page it would
// have been is not known here. The message is known in English alone, so that other languages say what the status does.
func (p *Pages) ErrorPage(c echo.Context, status int, message, requestID string) templ.Component {
	return locale.Whole(ChosenHere(c), func(w locale.Words) templ.Component {
		kind, icon, key := "bad", "alert", "page.failed."
		switch status {
		case http.StatusNotFound:
			kind, icon, key, requestID = "wait", "info", "page.missing.", ""
			if message != fault.Missing().Message {
				key = "page.no_file."
			}
		case http.StatusTooManyRequests:
			key = "page.too_many."
		case http.StatusServiceUnavailable:
			key = "page.away."
		case http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusBadRequest:
			key = "page.refused."
		}
		v := checkout.ErrorView{Kind: kind, Icon: icon, Title: w.Say(key + "title"), Text: w.Say(key + "text")}
		if key != "page.missing." {
			v.Text = orElse(w, message, key+"text")
		}
		if requestID != "" {
			v.Request = w.Say("page.request", "number", requestID)
		}
		if status >= http.StatusInternalServerError || status == http.StatusTooManyRequests {
			v.Again = w.Say("pay.again")
		}
		return checkout.Error(layout.PayerFrame{Title: v.Title, Sandbox: p.banner(), Words: frameWords(w)}, v)
	})
}

// contentPolicy is the house's, but that the form may lead on to the page that
// the merchant named: browsers hold a redirect after a form against form-action.
func contentPolicy(c echo.Context, rec purchase.Record) {
	to := abroad(rec.Options.SuccessRedirect)
	if to == nil {
		return
	}
	h := c.Response().Header()
	h.Set("Content-Security-Policy", strings.Replace(h.Get("Content-Security-Policy"), "form-action 'self'",
		"form-action 'self' "+to.Scheme+"://"+to.Host, 1))
}

// abroad reads an address of the merchant's own site; nil when there is none
// that could stand in a header.
func abroad(link string) *url.URL {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || strings.ContainsFunc(u.Host, notOfHost) {
		return nil
	}
	return u
}

func notOfHost(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(".-:[]", r))
}

func wantsJSON(c echo.Context) bool {
	accept := c.Request().Header.Get("Accept")
	return strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/html")
}

func note(kind, title, text string) *components.Note {
	return &components.Note{Kind: kind, Title: title, Text: text}
}
