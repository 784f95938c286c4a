package mandates

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/amendment"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Amendments serves the three steps in which new details take the place of a
// stored account.
type Amendments struct {
	Desk      *kit.Desk
	Service   *amendment.Service
	Purchases *purchase.Service
	Register  *token.Service
	Mandates  *mandate.Service
	// LivePanel draws how the client’s answer is coming on, as on the mandate's page; nil draws nothing.
	LivePanel func(context.Context, actor.Actor, mandate.Sheet) (templ.Component, error)
}

// New serves GET /tokens/:id/amendment: step 1, or where the amendment stands that
// is open already.
func (h *Amendments) New(c echo.Context) error {
	old, m, err := h.old(c)
	if err != nil {
		return err
	}
	return h.form(c, http.StatusOK, old, m, h.prefilled(old, m), nil)
}

// old finds the token of the address, and sends on to an amendment of it.
func (h *Amendments) old(c echo.Context) (token.Entry, mandate.Mandate, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return token.Entry{}, mandate.Mandate{}, err
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	old, err := h.Register.Get(ctx, who, id)
	if err != nil {
		return old, mandate.Mandate{}, err
	}
	m, _, err := h.Mandates.Proof(ctx, who, old.MandateID)
	return old, m, err
}

// begun finds the amendment that the page of a token leads to instead of a form.
func (h *Amendments) begun(c echo.Context, old token.Entry) (uuid.UUID, bool, error) {
	a, err := h.Service.AmendmentOf(c.Request().Context(), access.Actor(c), old.ID)
	if fault.Is(err, fault.NotFound) {
		return uuid.Nil, false, nil
	}
	return a.ID, a.State == amendment.AmendmentOpen || a.State == amendment.AmendmentDone && !old.Live(), err
}

// Begin serves POST /tokens/:id/amendment.
func (h *Amendments) Begin(c echo.Context) error {
	old, m, err := h.old(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	in := revisionOf(form)
	in.UserID = access.Actor(c).ID
	switch {
	case form.Get("change") != "":
		return h.form(c, http.StatusOK, old, m, form, nil)
	case form.Get("review") != "":
		return h.review(c, old, m, form, in)
	}
	err = kit.Once(c, h.Desk, form.Get(kit.FormKeyName),
		func(ctx context.Context) (amendment.Amendment, error) {
			return h.Service.Amend(ctx, access.Actor(c), old.ID, in)
		}, func(a amendment.Amendment) string { return words.AmendmentPath(a.ID, "") })
	if _, _, refused := kit.Problems(err); refused {
		return h.form(c, http.StatusUnprocessableEntity, old, m, form, err)
	}
	if f, ok := fault.From(err); ok && f.Code == "amendment_open" {
		return c.Redirect(http.StatusSeeOther, words.TokenPath(old.ID)+"/amendment")
	}
	return err
}

// Show serves GET /amendments/:id: the step it stands at. Asked again with the
// stage that is on the page, it answers with the state alone, or has the page
// loaded anew when another step has come.
func (h *Amendments) Show(c echo.Context) error {
	a, err := h.find(c)
	if err != nil {
		return err
	}
	if seen := c.QueryParam("seen"); seen != "" && c.Request().Header.Get("HX-Request") != "" {
		if seen != string(stageOf(a)) {
			c.Response().Header().Set("HX-Refresh", "true")
			return c.NoContent(http.StatusOK)
		}
		state, err := h.state(c, a)
		if err != nil {
			return err
		}
		return html.Send(c, http.StatusOK, pages.AmendmentState(state))
	}
	return h.page(c, http.StatusOK, a, nil, nil)
}

func (h *Amendments) find(c echo.Context) (amendment.AmendmentSheet, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return amendment.AmendmentSheet{}, err
	}
	return h.Service.Amendment(c.Request().Context(), access.Actor(c), id)
}

// Give serves POST /amendments/:id/account: new EFT details from a signed mandate.
func (h *Amendments) Give(c echo.Context) error {
	a, err := h.find(c)
	if err != nil {
		return err
	}
	form, account, err := signedAccount(c)
	if err != nil {
		return err
	}
	if a.State != amendment.AmendmentOpen || a.Source.Method != purchase.EFT {
		return fault.New(fault.Conflict, "amendment_closed", "This change is not waiting for a signed mandate.")
	}
	if _, err := h.Purchases.GiveAccount(c.Request().Context(), access.Actor(c), a.NewID, account); err != nil {
		if _, _, refused := kit.Problems(err); refused {
			return h.page(c, http.StatusUnprocessableEntity, a, form, err)
		}
		return err
	}
	return h.to(c, a, "The new details are stored. Nothing has changed for the old account yet.")
}

// TakeOver serves POST /amendments/:id/takeover.
func (h *Amendments) TakeOver(c echo.Context) error {
	a, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	var agreed amendment.Agreed
	agreed.Given = form.Get("consent") == "yes"
	agreed.Count, _ = strconv.Atoi(form.Get("count"))
	agreed.Cents, _ = strconv.ParseInt(form.Get("cents"), 10, 64)
	done, err := h.Service.TakeOver(c.Request().Context(), access.Actor(c), a.ID, agreed)
	if f, ok := fault.From(err); ok && (f.Kind == fault.Invalid || f.Code == "amendment_stopped" ||
		f.Code == "amendment_not_ready") {
		if a, err = h.find(c); err != nil { // as it stands now
			return err
		}
		return h.page(c, http.StatusUnprocessableEntity, a, url.Values{}, f)
	}
	if err != nil {
		return err
	}
	text := "The new details are in use. Nothing was waiting on the old account."
	if done.Moved > 0 {
		text = "The new details are in use, and " + plural.Of(done.Moved, "purchase") + " moved to them."
	}
	return h.to(c, a, text)
}

// Abandon serves POST /amendments/:id/abandonment.
func (h *Amendments) Abandon(c echo.Context) error {
	a, err := h.find(c)
	if err != nil {
		return err
	}
	if a, err = h.Service.Abandon(c.Request().Context(), access.Actor(c), a.ID); err != nil {
		return err
	}
	return h.to(c, a, "The change was abandoned. The token stays in use as it was.")
}

func (h *Amendments) to(c echo.Context, a amendment.AmendmentSheet, text string) error {
	return access.RedirectWithFlash(c, "ok", text, words.AmendmentPath(a.ID, ""))
}

// signedAccount reads the form of a signed mandate.
func signedAccount(c echo.Context) (url.Values, purchase.Account, error) {
	if err := c.Request().ParseMultipartForm(maxScan + 1<<20); err != nil {
		return nil, purchase.Account{}, fault.New(fault.Invalid, "invalid",
			"The form could not be read. A scan can be at most 5 MB.").Because(err)
	}
	form := kit.Written(c.Request().PostForm)
	account := purchase.Account{FullName: form.Get("full_name"), BankCode: branchTyped(form),
		AccountNumber: form.Get("account_number"),
		AccountType:   bank.AccountType(form.Get("account_type")), Consented: form.Get("consent") == "yes",
		Channel: mandate.SignedPaper}
	if !account.Consented {
		account.Problems.Add("consent", "required", "Confirm that the client signed the mandate.")
	}
	var err error
	if account.SignedOn, err = calendar.ParseDate(form.Get("signed_on")); err != nil {
		account.Problems.Add("signed_on", "required", "Enter the day on which the mandate was signed.")
	}
	files, err := scanOf(c.Request().MultipartForm)
	f, refused := fault.From(err)
	switch {
	case refused:
		account.Problems = append(account.Problems, f.Fields...)
	case err != nil:
		return form, account, err
	case len(files) == 0:
		account.Problems.Add("scan", "required",
			"Add the scan of the signed mandate; it is the proof when the client disputes a debit.")
	}
	account.Evidence = files
	return form, account, nil
}

func (h *Amendments) form(c echo.Context, status int, old token.Entry, m mandate.Mandate, form url.Values,
	wrong error) error {
	to, found, err := h.begun(c, old)
	if err != nil {
		return err
	}
	if found {
		return c.Redirect(http.StatusSeeOther, words.AmendmentPath(to, ""))
	}
	if !old.Live() {
		return fault.New(fault.Conflict, "amendment_wrong_state",
			"This token is no longer in use; there is nothing to replace.")
	}
	view := h.formView(old, m, form, wrong)
	return h.Desk.ShowIn(c, status, view.Title, words.TokensSection,
		func(f layout.Frame) templ.Component { return pages.AmendForm(f, view) })
}
