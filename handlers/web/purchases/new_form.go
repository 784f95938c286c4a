package purchases

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/client"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

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
	brands, err := p.Service.Merchants().Brands(ctx, who.MerchantID)
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
		view.StoreHref = words.ClientHref(payer.ID) + "/accounts/new"
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
