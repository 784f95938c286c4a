package purchases

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/clients"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/layout"
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
	return kit.Render(c, http.StatusOK, pages.PurchasePreview(view, form.Get("send_shown") != view.Summary.Button,
		form.Get("client_shown") != form.Get("client_id"), form.Get("days_shown") != view.DaysOf))
}

// Reshaped changes the form as a button asks: another line, one line less, or a
// search for clients.
func Reshaped(form url.Values) bool {
	if form.Has("add") {
		form["name"], form["price"], form["quantity"] = append(form["name"], ""), append(form["price"], ""),
			append(form["quantity"], "1")
		return true
	}
	if at, err := strconv.Atoi(form.Get("remove")); err == nil && len(form["name"]) > 1 {
		for _, column := range []string{"name", "price", "quantity"} {
			if at >= 0 && at < len(form[column]) {
				form[column] = slices.Delete(form[column], at, at+1)
			}
		}
		return true
	}
	return form.Has("find") || form.Has("show") || form.Has("remove")
}

func (p *Purchases) newForm(c echo.Context, status int, form url.Values, wrong error) error {
	if _, _, ok := kit.Problems(wrong); wrong != nil && !ok {
		return wrong
	}
	view, err := p.newView(c, form, wrong)
	if err != nil {
		return err
	}
	return p.Desk.ShowIn(c, status, "New purchase", words.Purchases,
		func(f layout.Frame) templ.Component { return pages.NewPurchase(f, view) })
}

func (p *Purchases) newView(c echo.Context, form url.Values, wrong error) (pages.NewPurchaseView, error) {
	ctx, who := c.Request().Context(), access.Actor(c)
	byInput, summary := LineProblems(wrong)
	key := form.Get(kit.FormKeyName)
	if key == "" {
		key = kit.FormKeyOf(c)
	}
	view := pages.NewPurchaseView{Problems: components.ErrorSummary{Items: summary}, Key: key}
	brands, err := p.Service.Read.Brands(ctx, who.MerchantID)
	if err != nil {
		return view, err
	}
	brand := BrandChosen(brands, form.Get("brand_id"))
	view.Brand = BrandSelect(brands, brand, byInput["brand_id"])
	payer, err := p.ClientChosen(ctx, who, form.Get("client_id"))
	if err != nil {
		return view, err
	}
	if view.Client, err = p.ClientPicker(ctx, who, form, payer, byInput["client_id"]); err != nil {
		return view, err
	}
	var usable []token.Token
	if payer != nil {
		view.ClientShown = payer.ID.String()
		whose := purchase.Record{Purchase: purchase.Purchase{MerchantID: who.MerchantID, ClientID: payer.ID,
			BrandID: brand.ID}}
		if usable, err = p.Service.StoredFor(ctx, whose); err != nil {
			return view, err
		}
	}
	view.Lines = LineForms(form, byInput)
	view.Reference = components.Field{Label: "Your reference", Name: "reference", Value: form.Get("reference"),
		Error: byInput["reference"], MaxLength: 128, Width: "l",
		Hint: "Such as your invoice number. If you leave it empty, a number is given."}
	view.Notes = components.Textarea{Label: "Notes", Name: "notes", Value: form.Get("notes"), Error: byInput["notes"],
		Rows: 2, MaxLength: 10000}
	view.Ways, view.Way = ways(form, payer, usable, byInput["way"])
	view.Client.CreateName = newClient
	view.Tokens = tokenCards(usable, form.Get("recurring_token"), byInput["recurring_token"])
	if payer != nil && len(usable) == 0 {
		view.StoreHref = "/clients/" + payer.ID.String() + "/accounts/new"
	}
	var from Account
	if view.Way == byCharge {
		if from, err = p.chosenAccount(ctx, who, usable, form); err != nil {
			return view, err
		}
	}
	d := p.Days(brand, from)
	view.Days = d.Picker(form, byInput["due"], nil)
	view.Days.Label, view.DaysOf = "Due", d.String()
	view.Other = d.Other(form, byInput["due_other"])
	view.Summary, err = p.summary(c, form, payer, from, d, brand, view.Way)
	return view, err
}

func BrandChosen(brands []merchant.Brand, id string) merchant.Brand {
	for _, b := range brands {
		if b.ID.String() == id {
			return b
		}
	}
	if len(brands) == 0 {
		return merchant.Brand{}
	}
	return brands[0]
}

// BrandSelect is nil for a business with one brand.
func BrandSelect(brands []merchant.Brand, chosen merchant.Brand, wrong string) *components.Select {
	if len(brands) < 2 {
		return nil
	}
	s := &components.Select{Label: "Brand", Name: "brand_id", Error: wrong, Required: true, Width: "l"}
	for _, b := range brands {
		s.Options = append(s.Options, components.Option{Value: b.ID.String(), Text: b.Name, Selected: b.ID == chosen.ID})
	}
	return s
}

const (
	recentClients = 5
	FoundClients  = 8
)

// ways are the choices of how it is paid, and the one that is taken.
func ways(form url.Values, payer *client.Client, usable []token.Token, wrong string) (components.RadioCards, string) {
	charge := components.RadioCard{Value: byCharge, Title: "Charge a token",
		Text: "The bank debits the account on the day you choose.", Icon: "bank"}
	link := components.RadioCard{Value: byLink, Title: "Send the client a link",
		Text: "The client gives the bank details and agrees to the debit order.", Icon: "link"}
	switch {
	case payer == nil:
		charge.Disabled, charge.Text = true, "Choose the client first."
	case len(usable) == 0:
		charge.Disabled, charge.Text = true, "This client has no token that can be charged."
	case payer.Email == "":
		link.Text += " The client has no e-mail address: copy the link or show the code."
	}
	cards := components.RadioCards{Legend: "How is it paid?", Name: "way", Value: form.Get("way"), Error: wrong,
		Required: true, Options: []components.RadioCard{
			charge, link, {Value: byNobody, Title: "Only record it", Text: "Charge it later, or mark it as paid.",
				Icon: "note"}}}
	firstChoice := form.Has("client_shown") && form.Get("client_shown") == "" // the client was chosen just now
	if cards.Value == "" || cards.Value == byCharge && charge.Disabled || cards.Value == byLink && firstChoice {
		cards.Value = byLink
		if !charge.Disabled {
			cards.Value = byCharge
		}
	}
	return cards, cards.Value
}
