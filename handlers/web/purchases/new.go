package purchases

import (
	"context"
	"net/http"
	"net/url"
	"time"

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
			rec, err := p.create(ctx, c, in, form)
			if err != nil {
				return rec, err
			}
			return rec, access.AddFlash(c, "ok", createdWords(rec, form.Get("way"), p.Desk.Now()))
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

// create makes the purchase with what the form asks for beside it: both, or neither.
func (p *Purchases) create(ctx context.Context, c echo.Context, in purchase.Input,
	form url.Values) (purchase.Record, error) {
	who := access.Actor(c)
	switch form.Get("way") {
	case byCharge:
		day, err := p.anyDays().Typed(form)
		if err != nil {
			return purchase.Record{}, err
		}
		tokenID, err := uuid.Parse(form.Get("recurring_token"))
		if err != nil {
			return purchase.Record{}, fault.At("recurring_token", "required", "Choose the account to debit.")
		}
		rec, err := p.Service.CreateWith(ctx, who, in, purchase.Then{TokenID: tokenID, Day: day})
		return rec, p.sayOfCharge(ctx, who, rec, tokenID, form, day, err)
	case byLink:
		return p.Service.CreateWith(ctx, who, in, purchase.Then{Mail: true})
	}
	return p.Service.Create(ctx, who, in)
}

// createdWords say what was done with a new purchase.
func createdWords(rec purchase.Record, way string, now time.Time) string {
	switch {
	case way == byCharge && rec.Collection != nil:
		return "The debit is scheduled for " + words.SayDay(rec.Collection.ActionDate, now) + "."
	case way == byLink && rec.Payer.Email != "":
		return "The link is on its way to " + rec.Payer.Email + "."
	case way == byLink:
		return "Give the client the link: copy it or show the code."
	}
	return "The purchase is recorded."
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
	brands, err := p.Service.Merchants().Brands(ctx, who.MerchantID)
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
