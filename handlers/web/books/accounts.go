package books

import (
	"net/url"
	"strconv"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/journal"
	"debitdesk/models/merchant"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Accounts serves GET /books/accounts.
func (h *Books) Accounts(c echo.Context) error { return h.accounts(c, nil, nil) }

func (h *Books) accounts(c echo.Context, form url.Values, refused error) error {
	who := access.Actor(c)
	mapped, err := h.Journal.Map(c.Request().Context(), who)
	if err != nil {
		return err
	}
	brands, err := h.brandsOf(c, who.MerchantID)
	if err != nil {
		return err
	}
	wrong, summary, _ := kit.Problems(refused)
	value := func(name, otherwise string) string {
		if form != nil {
			return form.Get(name)
		}
		return otherwise
	}
	year := mapped.YearStarts
	if form != nil {
		year, _ = strconv.Atoi(form.Get("year_starts")) // what is no number chooses none
	}
	v := pages.BookAccountsView{Problems: components.ErrorSummary{Items: summary},
		YearStarts: components.Select{Label: "Financial year begins in", Name: "year_starts", Options: monthNames(year),
			Error: wrong["year_starts"], Required: true, Width: "m", Hint: "Pastel counts its periods from there."},
		TaxRate: components.Field{Label: "Tax rate of lines without tax", Name: "tax_rate",
			Value: value("tax_rate", mapped.TaxRate), Error: wrong["tax_rate"], Required: true, MaxLength: 50,
			Hint: "As Xero shows it. In journals VAT has lines of its own."},
		SalesTax: components.Field{Label: "Tax rate of sales", Name: "sales_tax", Value: value("sales_tax", mapped.SalesTax),
			Error: wrong["sales_tax"], Required: true, MaxLength: 50,
			Hint: "The standard rate as Xero shows it, for sales invoices."}}
	row := func(title, what, at string, a journal.Account, required bool) pages.BookAccount {
		return pages.BookAccount{Title: title, What: what,
			Code: components.Field{Label: "Code", Name: "code-" + at, Value: value("code-"+at, a.Code), Error: wrong["code-"+at],
				Required: required, MaxLength: 10},
			Name: components.Field{Label: "Name", Name: "name-" + at, Value: value("name-"+at, a.Name), Error: wrong["name-"+at],
				Required: required, MaxLength: 100}}
	}
	for _, r := range journal.Used {
		v.Accounts = append(v.Accounts, row(r.Word(), r.What(), string(r), mapped.Accounts.Of(r, journal.EveryBrand), true))
		if r != journal.Revenue {
			continue
		}
		for _, b := range brands {
			own, _ := mapped.Accounts.Own(r, b.ID)
			v.Accounts = append(v.Accounts, row(r.Word()+" of "+b.Name, "Leave both empty to use the account of all brands.",
				string(r)+"-"+b.ID.String(), own, false))
		}
	}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), "Accounts of the books", section,
		func(f layout.Frame) templ.Component { return pages.BookAccounts(f, v) })
}

// Choose serves POST /books/accounts.
func (h *Books) Choose(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	who := access.Actor(c)
	brands, err := h.brandsOf(c, who.MerchantID)
	if err != nil {
		return err
	}
	year, _ := strconv.Atoi(form.Get("year_starts")) // the service says what is wrong with 0
	err = h.Journal.Choose(c.Request().Context(), who, journal.Settings{YearStarts: year, TaxRate: form.Get("tax_rate"),
		SalesTax: form.Get("sales_tax")}, chosen(form, brands))
	if kit.MayShow(err) {
		return h.accounts(c, form, err)
	}
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", "The accounts were saved.", "/books")
}

func chosen(form url.Values, brands []merchant.Brand) (out []journal.Chosen) {
	take := func(r journal.Role, brand uuid.UUID, at string) {
		out = append(out, journal.Chosen{Role: r, BrandID: brand, Code: form.Get("code-" + at), Name: form.Get("name-" + at)})
	}
	for _, r := range journal.Used {
		take(r, journal.EveryBrand, string(r))
	}
	for _, b := range brands {
		take(journal.Revenue, b.ID, string(journal.Revenue)+"-"+b.ID.String())
	}
	return out
}
