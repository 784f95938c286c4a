package settings

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/approval"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/merchant"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// brandInputOf is one input of the form of a brand.
type brandInputOf struct {
	section string // of the form; empty: it is shown otherwise
	components.Field
}

// brandInputs are the values of a brand in the order of the form, section by section.
var brandInputs = []brandInputOf{
	{"law", components.Field{Name: "name", Label: "Name", Required: true, MaxLength: 128,
		Hint: "The name by which clients know you."}},
	{"law", components.Field{Name: "legal_name", Label: "Registered name"}},
	{"law", components.Field{Name: "registration_number", Label: "Company registration number"}},
	{"law", components.Field{Name: "tax_number", Label: "VAT number", InputMode: "numeric",
		Hint: "With it, invoices are tax invoices with VAT. Leave it empty if you charge no VAT."}},
	{"contact", components.Field{Name: "email", Label: "E-mail", Type: "email"}},
	{"contact", components.Field{Name: "phone", Label: "Telephone", Type: "tel"}},
	{"contact", components.Field{Name: "website", Label: "Website", Placeholder: "https://"}},
	{"contact", components.Field{Name: "street_address", Label: "Street address"}},
	{"contact", components.Field{Name: "city", Label: "City"}},
	{"contact", components.Field{Name: "zip_code", Label: "Postal code", Width: "s", InputMode: "numeric"}},
	{"numbers", components.Field{Name: "invoice_prefix", Label: "Invoice prefix", Required: true, MaxLength: 8, Width: "m",
		Hint: "A series that has begun keeps its prefix until the year ends."}},
	{"numbers", components.Field{Name: "reference_prefix", Label: "Reference prefix", Required: true, MaxLength: 8,
		Width: "m", Hint: "Begins the references of purchases and, with its first four characters, of mandates."}},
	{"", components.Field{Name: "structured_invoices", Label: "Structured invoices"}},
	{"structured", components.Field{Name: "electronic_address", Label: "Electronic address", Width: "m",
		Hint: "Where your own structured mail arrives, such as 0088:6001234567899. " +
			"Without one, your e-mail address is named."}},
	{"look", components.Field{Name: "colour", Label: "Colour", Width: "m", MaxLength: 7, Placeholder: "#2350c8",
		Hint: "# and six digits or letters. Leave it empty for the blue of Debitdesk."}},
	{"", components.Field{Name: logoInput, Label: "Logo"}},
	{"", components.Field{Name: "language", Label: "Language"}},
	{"", components.Field{Name: "offered_languages", Label: "Languages for clients"}},
	{"", components.Field{Name: "shift", Label: "EFT on closed days"}},
	{"", components.Field{Name: "debicheck_shift", Label: "DebiCheck on closed days"}},
}

// brandForm shows a brand with what was typed; without an id it is a new one.
func (h *Settings) brandForm(c echo.Context, status int, b merchant.Brand, in merchant.BrandInput, wrong error) error {
	byInput, summary, _ := kit.Problems(wrong)
	v := pages.BrandFormView{Title: b.Name, Action: "/settings/brands", Button: "Add brand", New: b.Version == 0,
		Version: strconv.Itoa(b.Version), Summary: summary, Sections: map[string][]components.Field{}}
	values := map[string]string{}
	for _, f := range in.Fields() {
		values[f.Name] = f.Value
	}
	for _, one := range brandInputs {
		one.Value, one.Error = values[one.Name], byInput[one.Name]
		v.Sections[one.section] = append(v.Sections[one.section], one.Field)
	}
	v.Sections["look"][0].Attrs = lookAttrs(b)
	v.Look = lookOf(in.Colour)
	v.Logo = logoView(in, byInput[logoInput])
	v.Language = components.Select{Label: "Language", Name: "language", Error: byInput["language"], Required: true,
		Width: "m", Hint: "That of new purchases, where nothing else is said."}
	for _, l := range locale.Languages {
		v.Language.Options = append(v.Language.Options,
			components.Option{Value: string(l), Text: l.Name(), Selected: string(l) == in.Language})
	}
	v.Structured = structuredTick(in, byInput["structured_invoices"])
	v.Offered = offeredTicks(in, byInput["offered_languages"])
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
	v.ClientPageHref, v.MessagesHref = words.BrandHref(b.ID)+"/page", words.BrandHref(b.ID)+"/messages"
	if f, _ := fault.From(wrong); f != nil && f.Code == "brand_changed" {
		v.Conflict, v.Differs = true, differing(b.BrandInput, in)
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
	if v.Pending, err = kit.PendingSettings(c.Request().Context(), h.Approvals, access.Actor(c),
		func(t approval.Setting) bool { return t.Brand == b.ID }); err != nil {
		return err
	}
	return h.Desk.ShowIn(c, status, v.Title, words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.BrandForm(f, v) })
}

// offeredTicks are the languages that a brand can offer its clients, each with whether a native reader read its texts.
func offeredTicks(in merchant.BrandInput, wrong string) (ticks []components.Checkbox) {
	for _, l := range locale.Languages[1:] {
		reviewed := "Reviewed by a native reader: no."
		if reader := locale.Reader(l); reader != "" {
			reviewed = "Reviewed by a native reader: " + reader + "."
		}
		ticks = append(ticks, components.Checkbox{ID: "offered_" + string(l), Name: "offered_languages", Value: string(l),
			Label: l.Name(), Hint: reviewed, Checked: slices.Contains(in.Offered(), l), Error: wrong})
		wrong = "" // said once
	}
	ticks[0].ID = "offered_languages" // an error leads there
	return ticks
}

// structuredTick switches structured invoices on; before, it says what they would lack.
func structuredTick(in merchant.BrandInput, wrong string) components.Checkbox {
	tick := components.Checkbox{ID: "structured_invoices", Name: "structured_invoices", Value: merchant.UBL,
		Label: "Write a UBL file beside the PDF of each invoice and credit note", Checked: in.Structured(), Error: wrong}
	var lacks []string
	for _, f := range in.StructuredLacks() {
		lacks = append(lacks, lackOf[f.Path])
	}
	if len(lacks) > 0 && !in.Structured() {
		tick.Hint = "Missing so far: " + strings.Join(lacks, ", ") + "."
	}
	return tick
}

var lackOf = map[string]string{"registration_number": "a VAT number or a company registration number",
	"street_address": "a street address", "city": "a city",
	"electronic_address": "an electronic address or an e-mail address"}

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
	labels := map[string]string{}
	for _, one := range brandInputs {
		labels[one.Name] = one.Label
	}
	mine := yours.Fields()
	for i, f := range theirs.Fields() {
		if f.Value == mine[i].Value {
			continue
		}
		if f.Name == logoInput {
			f.Value, mine[i].Value = logoWords(f.Value), logoWords(mine[i].Value)
		}
		out = append(out, pages.BrandDiffers{Label: labels[f.Name], Theirs: cmp.Or(f.Value, "–"),
			Yours: cmp.Or(mine[i].Value, "–")})
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
