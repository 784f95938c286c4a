package mandates

import (
	"context"
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/clients"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/client"
	"debitdesk/models/estimate"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// MandateForms serves the form that sets up a mandate.
type MandateForms struct {
	Desk      *kit.Desk
	Purchases *purchase.Service
	Clients   *client.Service
	// PayDay is the day on which a client probably has money; false where it cannot be said.
	PayDay func(ctx context.Context, who actor.Actor, clientID uuid.UUID) (estimate.PayDay, bool, error)
}

// New serves GET /mandates/new and GET /clients/:id/mandates/new. The address may
// name the client, the brand, the method, the amount and what it is for. The rest
// is as in the last mandate of the brand.
func (h *MandateForms) New(c echo.Context) error {
	who := access.Actor(c)
	form := h.blank(c.QueryParams())
	if c.Param("id") != "" {
		id, err := kit.ID(c, "id")
		if err != nil {
			return err
		}
		if _, err := h.Clients.Get(c.Request().Context(), who, id); err != nil {
			return err
		}
		form.Set("client_id", id.String())
	}
	s, err := h.read(c, form)
	if err != nil {
		return err
	}
	if err := h.preset(c.Request().Context(), who, s.brand, form); err != nil {
		return err
	}
	if s, err = h.read(c, form); err != nil {
		return err
	}
	return h.ShowIn(c, http.StatusOK, s, nil)
}

// blank is the form before anybody has typed, with what most mandates have.
func (h *MandateForms) blank(query url.Values) url.Values {
	form := url.Values{"client_id": {query.Get("client")}, "method": {query.Get("method")}, "price": {query.Get("amount")},
		"name": {query.Get("name")}, "brand_id": {query.Get("brand_id")},
		"value_type": {string(mandate.Variable)}, "debit_sequence": {string(mandate.Recurring)},
		"adjustment_category": {string(mandate.Never)},
		"period_units":        {"months"}, "deduction_day": {"25"}, "deduction_weekday": {"5"}, "first": {firstOnDay},
		"verify_account": {"yes"}, "mail": {"yes"}, "authentication_type": {string(h.Purchases.AsksBy())}}
	if form.Get("method") != purchase.EFT {
		form.Set("method", usualMethod(h.Purchases))
	}
	return form
}

// Preview serves POST /mandates/preview: the calculator, with what follows from
// another client or brand, or from a window that opened or closed meanwhile.
func (h *MandateForms) Preview(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	s, err := h.read(c, form)
	if err != nil {
		return err
	}
	if h.switches(&s) { // the window closed while the form was open
		form.Set("authentication_type", string(mandate.Delayed))
		if s, err = h.read(c, form); err != nil {
			return err
		}
	}
	wrong := s.check(c.Request().Context(), access.Actor(c), h)
	if _, ok := fault.From(wrong); wrong != nil && !ok || fault.Is(wrong, fault.Forbidden) {
		return wrong
	}
	view, err := h.view(c, s, wrong)
	if err != nil {
		return err
	}
	return html.Send(c, http.StatusOK, pages.MandatePreview(view, form.Get("send_shown") != view.Summary.Button,
		form.Get("client_shown") != view.Needs.Shown,
		form.Get("brand_shown") != view.Brand.Shown, form.Get("window_shown") != view.AskShown))
}

// Create serves POST /mandates. Buttons that only look, such as the one that
// searches a client or checks the terms, come here too when scripts do not run.
func (h *MandateForms) Create(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	if form.Get("use") == "delayed" {
		form.Set("authentication_type", string(mandate.Delayed))
	}
	s, err := h.read(c, form)
	if err != nil {
		return err
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	wrong := s.check(ctx, who, h)
	switch {
	case form.Has("find"):
		return h.ShowIn(c, http.StatusOK, s, nil)
	case form.Has("check") && (wrong == nil || fault.Is(wrong, fault.Invalid)):
		s.strict = true
		return h.ShowIn(c, http.StatusOK, s, wrong)
	case wrong != nil:
		return h.refuse(c, s, wrong)
	}
	if s.fresh != nil {
		if s.alike, err = clients.AlikeClients(c, h.Clients, h.Desk, form, freshKey(form),
			*s.fresh); err != nil {
			return err
		}
		if len(s.alike) > 0 {
			return h.ShowIn(c, http.StatusConflict, s, nil)
		}
	}
	if err := h.addClient(ctx, c, &s); err != nil {
		return h.refuse(c, s, err)
	}
	if s.method == purchase.EFT {
		return c.Redirect(http.StatusSeeOther, s.accountForm())
	}
	err = kit.Once(c, h.Desk, form.Get(kit.FormKeyName),
		func(ctx context.Context) (purchase.Record, error) {
			rec, err := h.Purchases.Create(ctx, who, s.in)
			if err != nil {
				return rec, err
			}
			return rec, h.tell(c, rec, form)
		}, mandateMade)
	if _, _, ok := kit.Problems(err); ok {
		return h.refuse(c, s, err)
	}
	return err
}

// mandateMade is where a new mandate is watched, or where the client's link is.
func mandateMade(rec purchase.Record) string {
	if rec.Status == purchase.Created {
		return words.PurchasePath(rec.ID) + "#link"
	}
	return words.MandatePath(rec.ID)
}

// tell mails the link where the client has to give something, and says how it goes on.
func (h *MandateForms) tell(c echo.Context, rec purchase.Record, form url.Values) error {
	if rec.Status != purchase.Created {
		return access.AddFlash(c, "ok", "The client is being asked.")
	}
	return (&Accounts{Purchases: h.Purchases}).mail(c, rec, form)
}

// freshKey is the key under which the client that a form adds is made once.
func freshKey(form url.Values) string { return "client:" + form.Get(kit.FormKeyName) }

// addClient adds the client that was typed into the form; from then on the form
// has it chosen, whatever becomes of the mandate. Sent twice, it adds one.
func (h *MandateForms) addClient(ctx context.Context, c echo.Context, s *mandateSetup) error {
	if s.fresh == nil {
		return nil
	}
	made := ""
	err := kit.OnceAs(c, h.Desk, freshKey(s.form), func(ctx context.Context) (client.Client, error) {
		return h.Clients.Create(ctx, access.Actor(c), client.Input{Details: *s.fresh, How: client.ForDebit})
	}, func(one client.Client) string { return one.ID.String() }, &made)
	if err != nil {
		return err
	}
	id, err := uuid.Parse(made)
	if err != nil {
		return err
	}
	one, err := h.Clients.Get(ctx, access.Actor(c), id)
	if err != nil {
		return err
	}
	s.payer, s.fresh, s.added = &one, nil, true
	s.in.ClientID = id
	s.form.Set("client_id", id.String())
	return nil
}

func (h *MandateForms) refuse(c echo.Context, s mandateSetup, wrong error) error {
	if _, _, ok := kit.Problems(wrong); !ok {
		return wrong
	}
	s.strict = true
	return h.ShowIn(c, http.StatusUnprocessableEntity, s, wrong)
}

func (h *MandateForms) ShowIn(c echo.Context, status int, s mandateSetup, wrong error) error {
	view, err := h.view(c, s, wrong)
	if err != nil {
		return err
	}
	return h.Desk.ShowIn(c, status, "Set up a mandate", mandatesSection,
		func(f layout.Frame) templ.Component { return pages.NewMandate(f, view) })
}
