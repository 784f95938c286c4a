package purchases

import (
	"context"
	"net/http"
	"net/url"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/clients"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/views/pages"
)

// The ways in which a new purchase is to be paid.
const (
	byCharge = "charge"
	byLink   = "link"
	byNobody = "record"
)

// New serves GET /purchases/new.
func (p *Purchases) New(c echo.Context) error {
	form := url.Values{"client_id": {c.QueryParam("client")}, "name": {""}, "price": {""}, "quantity": {"1"}}
	return p.newForm(c, http.StatusOK, form, nil)
}

// Create serves POST /purchases. Buttons that only change the form, such as one
// that adds a line, come here too when scripts do not run.
func (p *Purchases) Create(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	if form.Has(newClient) {
		return p.addClient(c, form)
	}
	if Reshaped(form) {
		return p.newForm(c, http.StatusOK, form, nil)
	}
	in, w := p.purchaseInput(c, form)
	p.anyDays().check(form, form.Get("way"), &w)
	if err := p.checkCharge(c, form, in, &w); err != nil {
		return err
	}
	in.Problems = w
	if len(w) > 0 { // everything that is wrong, at once
		_, err = p.Service.Preview(c.Request().Context(), access.Actor(c), in)
		return p.newForm(c, http.StatusUnprocessableEntity, form, err)
	}
	err = kit.Once(c, p.Desk, form.Get(kit.FormKeyName),
		func(ctx context.Context) (purchase.Record, error) {
			rec, err := p.Service.Create(ctx, access.Actor(c), in)
			if err != nil {
				return rec, err
			}
			return rec, p.follow(c, rec, form)
		}, func(rec purchase.Record) string { return words.PurchasePath(rec.ID) })
	if _, _, ok := kit.Problems(err); ok {
		return p.newForm(c, http.StatusUnprocessableEntity, form, err)
	}
	return err
}

// newClient is the button that leads to the form of a client; what was typed into the
// form of the purchase waits meanwhile.
const newClient = "new_client"

func (p *Purchases) addClient(c echo.Context, form url.Values) error {
	form.Del(newClient)
	name, err := p.Desk.KeptForms.Put(c, access.KeptForm{Path: "/purchases", From: "/purchases/new", Form: form,
		Why: access.AwaitsClient})
	if err != nil {
		return err
	}
	to := "/clients/new"
	if name != "" {
		to += "?" + url.Values{clients.BackTo: {name}}.Encode()
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// follow does what the form asks for beside making the purchase. What is refused
// then is said on the page of the purchase, which exists by now.
func (p *Purchases) follow(c echo.Context, rec purchase.Record, form url.Values) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	done := "The purchase is recorded."
	var err error
	switch form.Get("way") {
	case byCharge:
		var charged purchase.Record
		if charged, err = p.charge(ctx, c, rec.ID, form); err == nil {
			done = "The debit is scheduled for " + words.SayDay(charged.Collection.ActionDate, p.Desk.Now()) + "."
		}
	case byLink:
		done = "Give the client the link: copy it or show the code."
		if rec.Payer.Email != "" {
			_, err = p.Service.ResendInvoice(ctx, who, rec.ID)
			done = "The link is on its way to " + rec.Payer.Email + "."
		}
	}
	if f, ok := fault.From(err); ok {
		return access.AddFlash(c, "bad", "The purchase is recorded, but: "+f.Message)
	}
	if err != nil {
		return err
	}
	return access.AddFlash(c, "ok", done)
}

// check asks for what the chosen way needs.
func (d Days) check(form url.Values, way string, w *fault.Problems) {
	day, err := d.Typed(form)
	if f, ok := fault.From(err); ok {
		*w = append(*w, f.Fields...)
	}
	switch way {
	case byCharge:
		if day.IsZero() && err == nil {
			w.Add("due", "required", "Choose the day of the debit.")
		}
		if _, err := uuid.Parse(form.Get("recurring_token")); err != nil {
			w.Add("recurring_token", "required", "Choose the account to debit.")
		}
	case byLink, byNobody:
		if !day.IsZero() && !d.DueOn(day).After(d.Now) {
			w.Add(dueInput(form), "due_not_greater_than_now", "That day is over.")
		}
	default:
		w.Add("way", "required", "Choose how it is paid.")
	}
}

// checkCharge holds a purchase that is to be charged at once against the account, before it is made.
func (p *Purchases) checkCharge(c echo.Context, form url.Values, in purchase.Input, w *fault.Problems) error {
	day, err := p.anyDays().Typed(form)
	tokenID, wrong := uuid.Parse(form.Get("recurring_token"))
	if form.Get("way") != byCharge || err != nil || wrong != nil || day.IsZero() {
		return nil //nolint:nilerr // check says so
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	brands, err := p.Service.Read.Brands(ctx, who.MerchantID)
	if err != nil {
		return err
	}
	brand := BrandChosen(brands, in.BrandID.String())
	cents, bad := in.Details.TotalCents()
	f, err := p.Service.Forecast(ctx, purchase.Wish{Purchase: p.draft(c, in, brand, day, cents), TokenID: tokenID})
	if err != nil {
		return err
	}
	d := DaysOf(p.Service, brand, Account{Token: f.Token}.method(), p.Desk.Now())
	for _, problem := range d.problems(f.Problems, form, day) {
		if problem.Path == fault.All && problem.Code == "purchase_charge_error" {
			if len(bad) > 0 || cents == 0 || w.Has("purchase.products[0/1].price") {
				continue // said of the price itself
			}
			problem.Path = "purchase.products[0/1].price"
		}
		*w = append(*w, problem)
	}
	return nil
}

// Preview serves POST /purchases/preview: the summary of what the form would do,
// and the ways to pay when another client was chosen.
func (p *Purchases) Preview(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	view, err := p.newView(c, form, nil)
	if err != nil {
		return err
	}
	return html.Send(c, http.StatusOK, pages.PurchasePreview(view, form.Get("send_shown") != view.Summary.Button,
		form.Get("client_shown") != form.Get("client_id"), form.Get("days_shown") != view.DaysOf))
}
