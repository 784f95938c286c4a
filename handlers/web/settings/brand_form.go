package settings

import (
	"cmp"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

var languageWords = map[string]string{"en": "English", "af": "Afrikaans", "zu": "isiZulu", "xh": "isiXhosa"}

var brandLabels = map[string]string{
	"name": "Name", "legal_name": "Registered name", "registration_number": "Company registration number",
	"tax_number": "VAT number", "email": "E-mail", "phone": "Telephone",
	"website": "Website", "street_address": "Street address", "city": "City", "zip_code": "Postal code",
	"language": "Language", "reference_prefix": "Reference prefix",
	"invoice_prefix": "Invoice prefix", "shift": "EFT on closed days", "debicheck_shift": "DebiCheck on closed days",
}

// brandForm shows a brand with what was typed; without an id it is a new one.
func (h *Settings) brandForm(c echo.Context, status int, b merchant.Brand, in merchant.BrandInput, wrong error) error {
	byInput, summary, _ := kit.Problems(wrong)
	v := pages.BrandFormView{Title: b.Name, Action: "/settings/brands", Button: "Add brand", New: b.Version == 0,
		Version: strconv.Itoa(b.Version), Summary: summary, Fields: map[string]components.Field{}}
	for _, f := range in.Fields() {
		v.Fields[f.Name] = components.Field{Label: brandLabels[f.Name], Name: f.Name, Value: f.Value, Error: byInput[f.Name]}
	}
	hint := func(name string, change func(*components.Field)) {
		f := v.Fields[name]
		change(&f)
		v.Fields[name] = f
	}
	hint("name", func(f *components.Field) {
		f.Required, f.MaxLength, f.Hint = true, 128, "The name by which clients know you."
	})
	hint("tax_number", func(f *components.Field) {
		f.InputMode, f.Hint = "numeric", "With it, invoices are tax invoices with VAT. Leave it empty if you charge no VAT."
	})
	hint("email", func(f *components.Field) { f.Type = "email" })
	hint("phone", func(f *components.Field) { f.Type = "tel" })
	hint("website", func(f *components.Field) { f.Placeholder = "https://" })
	hint("zip_code", func(f *components.Field) { f.Width, f.InputMode = "s", "numeric" })
	hint("invoice_prefix", func(f *components.Field) {
		f.Required, f.MaxLength, f.Width, f.Hint = true, 8, "m",
			"A series that has begun keeps its prefix until the year ends."
	})
	hint("reference_prefix", func(f *components.Field) {
		f.Required, f.MaxLength, f.Width, f.Hint = true, 8, "m",
			"Begins the references of purchases and, with its first four characters, of mandates."
	})
	v.Language = components.Select{Label: "Language", Name: "language", Error: byInput["language"], Required: true,
		Width: "m", Hint: "What programs read in new purchases. Pages and mails are in English."}
	for _, l := range merchant.Languages {
		v.Language.Options = append(v.Language.Options,
			components.Option{Value: l, Text: languageWords[l], Selected: l == in.Language})
	}
	v.Shift = shiftCards("shift", "EFT debit orders", in.Shift, "Debited earlier, as most EFT mandates say.",
		"Debited later.", byInput)
	v.DebiCheckShift = shiftCards("debicheck_shift", "DebiCheck", in.DebiCheckShift, "Debited earlier.",
		"Debited later, as the banks do by default. Saturdays are open for DebiCheck.", byInput)
	if v.New {
		v.Title = "Add a brand"
		return h.Desk.ShowIn(c, status, v.Title, words.SettingsSection,
			func(f layout.Frame) templ.Component { return pages.BrandForm(f, v) })
	}
	v.Action, v.Button, v.NewProfileHref, v.RemoveHref = words.BrandHref(b.ID), "Save",
		words.BrandHref(b.ID)+"/profiles/new", words.BrandHref(b.ID)+"/removal"
	if f, _ := fault.From(wrong); f != nil && f.Code == "brand_changed" {
		v.Conflict, v.Differs = true, differing(b.Input(), in)
	}
	use, err := h.Brands.Store.BrandUse(c.Request().Context(), b.MerchantID, b.ID)
	if err != nil {
		return err
	}
	if use.Any() {
		v.RemoveWhy = "It has been used: purchases, mandates or invoices name it."
	}
	if v.Series, err = h.series(c, b); err != nil {
		return err
	}
	for _, p := range b.Profiles {
		row, err := h.profileRow(c, b, p)
		if err != nil {
			return err
		}
		v.Profiles = append(v.Profiles, row)
	}
	return h.Desk.ShowIn(c, status, v.Title, words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.BrandForm(f, v) })
}

func shiftCards(name, legend string, value calendar.Shift, before, after string,
	wrong map[string]string) components.RadioCards {
	return components.RadioCards{Legend: legend, Name: name, Value: string(value), Error: wrong[name], Required: true,
		Columns: true, Options: []components.RadioCard{
			{Value: string(calendar.Previous), Title: "The business day before", Text: before},
			{Value: string(calendar.Next), Title: "The business day after", Text: after},
		}}
}

// differing are the values on which two people disagree.
func differing(theirs, yours merchant.BrandInput) (out []pages.BrandDiffers) {
	mine := yours.Fields()
	for i, f := range theirs.Fields() {
		if f.Value != mine[i].Value {
			out = append(out, pages.BrandDiffers{Label: brandLabels[f.Name], Theirs: cmp.Or(f.Value, "–"),
				Yours: cmp.Or(mine[i].Value, "–")})
		}
	}
	return out
}

func (h *Settings) profileRow(c echo.Context, b merchant.Brand, p merchant.Profile) (pages.ProfileRow, error) {
	n, err := h.Brands.Store.ProfileUse(c.Request().Context(), b.MerchantID, b.ID, p)
	href := words.BrandHref(b.ID) + "/profiles/" + p.ID.String()
	row := pages.ProfileRow{Code: p.ProfileCode, Name: p.AbbreviatedName, Account: p.AccountNumber,
		Bank:     words.JoinedWords(" · ", bank.BankName(p.BranchCode), p.BranchCode),
		Mandates: merchant.LiveMandates(n), Default: p.IsDefault, DefaultAction: href + "/default",
		RemoveHref: href + "/removal"}
	switch {
	case n > 0:
		row.Kept = "In use, so it stays."
	case p.IsDefault && len(b.Profiles) > 1:
		row.Kept = "Make another the default to remove it."
	}
	return row, err
}
