package settings

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/mandates"
	"debitdesk/handlers/web/words"
	"debitdesk/models/approval"
	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// NewProfile serves GET /settings/brands/:id/profiles/new.
func (h *Settings) NewProfile(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	return h.profileForm(c, http.StatusOK, b, merchant.ProfileInput{}, nil)
}

// AddProfile serves POST /settings/brands/:id/profiles: it adds the profile, or shows the
// statement line of what is typed so far.
func (h *Settings) AddProfile(c echo.Context) error {
	b, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	in := merchant.ProfileInput{ProfileCode: form.Get("profile_code"), AbbreviatedName: form.Get("abbreviated_name"),
		AccountNumber: form.Get("account_number"), BranchCode: form.Get("branch_code")}
	if form.Get("save") == "" {
		if kit.FragmentFor(c, "line") {
			return html.Send(c, http.StatusOK, pages.ProfileLine(profileLine(b, in.AbbreviatedName)))
		}
		return h.profileForm(c, http.StatusOK, b, in, nil)
	}
	p, err := h.Brands.AddProfile(c.Request().Context(), access.Actor(c), b.ID, in)
	if fault.HasCode(err, "approval_needed") {
		err = h.askSecond(c, b, approval.Setting{Do: approval.AddProfile, Brand: b.ID, Profile: &in}, form)
		if err == nil {
			return nil
		}
	}
	if _, _, ok := kit.Problems(err); ok {
		return h.profileForm(c, http.StatusUnprocessableEntity, b, in, err)
	}
	if err != nil {
		return err
	}
	return h.to(c, words.BrandHref(b.ID), "Profile "+p.Called()+" was added.")
}

// DefaultProfile serves POST /settings/brands/:id/profiles/:profile/default.
func (h *Settings) DefaultProfile(c echo.Context) error {
	b, p, err := h.findProfile(c)
	if err != nil {
		return err
	}
	p, err = h.Brands.DefaultTo(c.Request().Context(), access.Actor(c), b.ID, p.ID)
	if fault.HasCode(err, "approval_needed") {
		return h.askSecondOf(c, b, approval.DefaultProfile)
	}
	if err != nil {
		return err
	}
	return h.to(c, words.BrandHref(b.ID), p.Called()+" is the default of "+b.Name+".")
}

// AskRemoveProfile serves GET /settings/brands/:id/profiles/:profile/removal.
func (h *Settings) AskRemoveProfile(c echo.Context) error {
	b, p, err := h.findProfile(c)
	if err != nil {
		return err
	}
	n, err := h.Brands.Store.ProfileUse(c.Request().Context(), b.MerchantID, b.ID, p)
	if err != nil {
		return err
	}
	if n > 0 {
		return fault.New(fault.Conflict, "profile_in_use", "%s", merchant.InUse(n))
	}
	ask := components.Confirm{ID: "removal", Title: "Remove profile " + p.Called() + "?",
		Text:   "No live mandate was given for it. New mandates can no longer name it.",
		Action: words.BrandHref(b.ID) + "/profiles/" + p.ID.String() + "/removal", Button: "Remove profile",
		CancelHref: words.BrandHref(b.ID)}
	return h.Desk.ShowIn(c, http.StatusOK, ask.Title, words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.Ask(f, ask) })
}

// RemoveProfile serves POST /settings/brands/:id/profiles/:profile/removal.
func (h *Settings) RemoveProfile(c echo.Context) error {
	b, p, err := h.findProfile(c)
	if err != nil {
		return err
	}
	p, err = h.Brands.RemoveProfile(c.Request().Context(), access.Actor(c), b.ID, p.ID)
	if fault.HasCode(err, "approval_needed") {
		return h.askSecondOf(c, b, approval.RemoveProfile)
	}
	if err != nil {
		return err
	}
	return h.to(c, words.BrandHref(b.ID), "Profile "+p.Called()+" was removed.")
}

// askSecond asks a second approver for a change of the profiles of a brand.
func (h *Settings) askSecond(c echo.Context, b merchant.Brand, t approval.Setting, form url.Values) error {
	return h.Desk.AskSetting(c, h.Approvals, t, form, words.SettingsSection,
		components.Link{Text: b.Name, Href: words.BrandHref(b.ID)})
}

// askSecondOf is askSecond for the profile of the address.
func (h *Settings) askSecondOf(c echo.Context, b merchant.Brand, do approval.SettingDo) error {
	id, err := kit.ID(c, "profile")
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	return h.askSecond(c, b, approval.Setting{Do: do, Brand: b.ID, ID: id}, form)
}

func (h *Settings) findProfile(c echo.Context) (merchant.Brand, merchant.Profile, error) {
	b, err := h.find(c)
	if err != nil {
		return b, merchant.Profile{}, err
	}
	id, err := kit.ID(c, "profile")
	if err != nil {
		return b, merchant.Profile{}, err
	}
	for _, p := range b.Profiles {
		if p.ID == id {
			return b, p, nil
		}
	}
	return b, merchant.Profile{}, fault.Missing()
}

func (h *Settings) profileForm(c echo.Context, status int, b merchant.Brand, in merchant.ProfileInput,
	wrong error) error {
	byInput, summary, _ := kit.Problems(wrong)
	v := pages.ProfileFormView{Brand: b.Name, BackHref: words.BrandHref(b.ID), Action: words.BrandHref(b.ID) + "/profiles",
		Summary: summary, Line: profileLine(b, in.AbbreviatedName),
		Code: components.Field{Label: "Profile code", Name: "profile_code", Value: in.ProfileCode,
			Error: byInput["profile_code"], Required: true, MaxLength: 10, Width: "m",
			Hint: "The code that your bank gave this registration."},
		Short: components.Field{Label: "Abbreviated name", Name: "abbreviated_name", Value: in.AbbreviatedName,
			Error: byInput["abbreviated_name"], Required: true, MaxLength: collection.ShortNameWidth, Width: "m",
			Hint: "At most 10 characters. Clients see it on their bank statement."},
		Branch: components.Field{Label: "Branch code", Name: "branch_code", Value: in.BranchCode,
			Error: byInput["branch_code"], Required: true, Width: "m", InputMode: "numeric",
			Hint: "The universal branch code of your bank.", Attrs: templ.Attributes{"list": "branches"}},
		Account: components.Field{Label: "Clearing account number", Name: "account_number", Value: in.AccountNumber,
			Error: byInput["account_number"], Required: true, Width: "m", InputMode: "numeric",
			Hint: "Your account, into which the bank pays collected money."},
	}
	for _, one := range bank.Branches() {
		v.Branches = append(v.Branches, components.Option{Value: one.Code, Text: one.Bank})
	}
	return h.Desk.ShowIn(c, status, "Add a debit-order profile", words.SettingsSection,
		func(f layout.Frame) templ.Component { return pages.ProfileForm(f, v) })
}

// profileLine is the statement line with a name that is being typed.
func profileLine(b merchant.Brand, typed string) pages.ProfileLineView {
	if strings.TrimSpace(typed) == "" {
		return pages.ProfileLineView{Hint: "Enter the abbreviated name to see the line."}
	}
	short, ok := collection.ShortName(typed)
	if !ok {
		return pages.ProfileLineView{Hint: "That name does not fit: 1 to 10 letters, digits, spaces, &, . and -."}
	}
	line, err := collection.StatementLine(short, mandates.ReferenceShape(b), "YYMMDD")
	if err != nil {
		return pages.ProfileLineView{Hint: "That name does not fit: " + err.Error() + "."}
	}
	const name, reference = collection.ShortNameWidth, collection.ShortNameWidth + collection.ReferenceWidth
	return pages.ProfileLineView{
		Hint: "30 characters. The # marks stand for a number that each mandate gets; YYMMDD is the debit day.",
		Parts: []pages.StatementPart{{Text: line[:name], Label: "short name"},
			{Text: line[name:reference], Label: "contract reference"}, {Text: line[reference:], Label: "debit day"}}}
}
