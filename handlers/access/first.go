package access

import (
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/models/fault"
	"debitdesk/models/installation"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// FirstPage is where the link of an installation without users leads; the token follows.
const FirstPage = "/first/"

// First is the page behind the link with which an installation gets its first business and admin. There is no session
// yet: the link is the proof.
type First struct {
	Installation *installation.Service
	Sessions     *Sessions
	Banner       func() *layout.SandboxBanner
}

// Show serves GET /first/:token.
func (f *First) Show(c echo.Context) error {
	if err := f.Installation.Find(c.Request().Context(), c.Param("token")); err != nil {
		return err
	}
	return f.page(c, url.Values{}, nil)
}

// Open serves POST /first/:token.
func (f *First) Open(c echo.Context) error {
	ctx, token := c.Request().Context(), c.Param("token")
	if err := f.Installation.Find(ctx, token); err != nil { // before the form is looked at
		return err
	}
	form, err := Posted(c)
	if err != nil {
		return err
	}
	u, err := f.Installation.Open(ctx, token, installation.Input{Business: form.Get("business"), Slug: form.Get("slug"),
		Brand: form.Get("brand"), Name: form.Get("name"), Email: form.Get("email"), Password: form.Get("password"),
		IP: c.RealIP(), RequestID: RequestID(c)})
	if fault.Is(err, fault.Invalid) {
		return f.page(c, form, err)
	}
	if err != nil {
		return err
	}
	if err := f.Sessions.Start(c, u); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/")
}

func (f *First) page(c echo.Context, form url.Values, wrong error) error {
	status, problems := http.StatusOK, map[string]string{}
	view := pages.FirstView{Action: c.Request().URL.Path}
	if found, known := fault.From(wrong); known {
		status = http.StatusUnprocessableEntity
		for _, p := range found.Fields {
			problems[p.Leaf()] = p.Message
			view.Problems.Items = append(view.Problems.Items, components.ErrorItem{Field: p.Leaf(), Text: p.Message})
		}
	}
	input := func(name, label, hint string, most int, required bool) components.Field {
		return components.Field{Label: label, Name: name, Value: form.Get(name), Error: problems[name], Hint: hint,
			MaxLength: most, Required: required, Autocomplete: "off"}
	}
	view.Business = input("business", "Name of the business", "", 128, true)
	view.Business.AutoFocus = wrong == nil
	view.Slug = input("slug", "Short name", "Lower-case letters, digits and hyphens, such as kloof-street. "+
		"Commands name the business by it.", 64, true)
	view.Brand = input("brand", "Name of the brand", "What clients see. Leave it empty if it is the name of the business.",
		128, false)
	view.Name = input("name", "Your name", "", 100, false)
	view.Name.Autocomplete = "name"
	view.Email = input("email", "Your e-mail address", "You sign in with it.", 254, true)
	view.Email.Type, view.Email.Autocomplete = "email", "username"
	view.Password = input("password", "Password",
		"At least 12 characters. A few words are easier to remember than symbols.", 256, true)
	view.Password.Type, view.Password.Value, view.Password.Autocomplete = "password", "", "new-password"
	return bare(c, status, "Set up Debitdesk", f.Banner,
		func(p layout.Plain) templ.Component { return pages.First(p, view) })
}
