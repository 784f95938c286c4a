package settings

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// find gives the brand of the address to who may manage.
func (h *Settings) find(c echo.Context) (merchant.Brand, error) {
	who := access.Actor(c)
	id, err := kit.ID(c, "id")
	if err != nil {
		return merchant.Brand{}, err
	}
	brands, err := h.Brands.Store.Brands(c.Request().Context(),
		who.MerchantID) // as they are now, not as they were kept a moment ago
	if err != nil {
		return merchant.Brand{}, err
	}
	for _, b := range brands {
		if b.ID == id {
			return b, nil
		}
	}
	return merchant.Brand{}, fault.Missing()
}

// NewBrand serves GET /settings/brands/new.
func (h *Settings) NewBrand(c echo.Context) error {
	if asked, err := showLook(c); asked {
		return err
	}
	brands, err := h.Brands.Store.Brands(c.Request().Context(), access.Actor(c).MerchantID)
	if err != nil {
		return err
	}
	return h.brandForm(c, http.StatusOK, merchant.Brand{}, merchant.NewBrand(brands...), nil)
}

// AddBrand serves POST /settings/brands.
func (h *Settings) AddBrand(c echo.Context) error {
	_, in, file, err := brandPosted(c)
	if err != nil {
		return err
	}
	b, err := h.Brands.AddBrand(c.Request().Context(), access.Actor(c), in)
	if _, _, ok := kit.Problems(err); ok {
		return h.askAgain(c, http.StatusUnprocessableEntity, merchant.Brand{}, in, file, err)
	}
	if err != nil {
		return err
	}
	return h.to(c, words.BrandHref(b.ID), b.Name+" was added. Give it a debit-order profile next.")
}

// Brand serves GET /settings/brands/:id.
func (h *Settings) Brand(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	if asked, err := showLook(c); asked {
		return err
	}
	return h.brandForm(c, http.StatusOK, b, b.BrandInput, nil)
}

// ChangeBrand serves POST /settings/brands/:id.
func (h *Settings) ChangeBrand(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	form, in, file, err := brandPosted(c)
	if err != nil {
		return err
	}
	version, _ := strconv.Atoi(form.Get("version")) // what is no number is no version that there is
	b, err := h.Brands.ChangeBrand(c.Request().Context(), access.Actor(c), id, version, in)
	_, _, invalid := kit.Problems(err)
	switch f, _ := fault.From(err); {
	case invalid:
		b.Version = version
		return h.askAgain(c, http.StatusUnprocessableEntity, b, in, file, err)
	case f != nil && f.Code == "brand_changed":
		return h.askAgain(c, http.StatusConflict, b, in, file, err)
	case err != nil:
		return err
	}
	return h.to(c, words.BrandHref(id), b.Name+" is saved and takes effect within seconds.")
}

// AskRemoveBrand serves GET /settings/brands/:id/removal.
func (h *Settings) AskRemoveBrand(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	use, err := h.Brands.Store.BrandUse(c.Request().Context(), b.MerchantID, b.ID)
	if err != nil {
		return err
	}
	if use.Any() {
		return fault.New(fault.Conflict, "brand_in_use",
			"This brand has been used: purchases, mandates and invoices name it, and they are kept.")
	}
	ask := components.Confirm{ID: "removal", Title: "Remove " + b.Name + "?",
		Text:   "It has not been used yet, so only its details are lost.",
		Action: words.BrandHref(b.ID) + "/removal", Button: "Remove brand", CancelHref: words.BrandHref(b.ID)}
	return h.Desk.ShowIn(c, http.StatusOK, ask.Title, words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.Ask(f, ask) })
}

// RemoveBrand serves POST /settings/brands/:id/removal.
func (h *Settings) RemoveBrand(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	b, err := h.Brands.RemoveBrand(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	return h.to(c, "/settings/business", b.Name+" was removed.")
}

func (h *Settings) to(c echo.Context, href, said string) error {
	return access.RedirectWithFlash(c, "ok", said, href)
}

func brandInput(form url.Values) (in merchant.BrandInput) {
	for _, t := range merchant.BrandTexts() {
		*t.At(&in) = form.Get(t.Name)
	}
	in.OfferedLanguages = strings.Join(form["offered_languages"], ",")
	in.Shift, in.DebiCheckShift = calendar.Shift(form.Get("shift")), calendar.Shift(form.Get("debicheck_shift"))
	return in
}

// series says what the next numbers look like.
func (h *Settings) series(c echo.Context, b merchant.Brand) (facts []components.Fact, err error) {
	year := calendar.DateOf(h.Desk.Now()).Year
	prefix, next, err := h.Brands.Store.NextInvoice(c.Request().Context(), b, year)
	if err != nil {
		return nil, err
	}
	facts = []components.Fact{{Label: "Next invoice", Value: billing.Invoiced.Number(prefix, year, next), Mono: true},
		{Label: "First invoice of " + strconv.Itoa(year+1), Value: billing.Invoiced.Number(b.InvoicePrefix, year+1, 1),
			Mono: true}}
	if prefix != b.InvoicePrefix {
		facts = append(facts, components.Fact{Label: "Why they differ", Value: "The series of " + strconv.Itoa(year) +
			" began with " + prefix + " and keeps it until the year ends, so that the numbering has no break."})
	}
	return facts, nil
}
