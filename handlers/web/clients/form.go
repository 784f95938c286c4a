package clients

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/bank"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// New serves GET /clients/new. Values in the address fill the form, so that
// other pages can lead here with what they know.
func (h *Clients) New(c echo.Context) error {
	form := url.Values{"country": {"ZA"}, kit.FormKeyName: {kit.FormKeyOf(c)}}
	for _, name := range []string{"full_name", "email", "phone", BackTo} {
		form.Set(name, c.QueryParam(name))
	}
	return h.form(c, http.StatusOK, clientForm{form: form})
}

// Create serves POST /clients.
func (h *Clients) Create(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	in := client.Input{How: client.ForDebit}
	in.Details, in.Problems = DetailsOf(form, client.Details{})
	if len(in.Problems) == 0 {
		alike, err := AlikeClients(c, h.Service, h.Desk, form, form.Get(kit.FormKeyName), in.Details)
		if err != nil {
			return err
		}
		if len(alike) > 0 {
			return h.form(c, http.StatusConflict, clientForm{form: form, alike: alike})
		}
	}
	err = kit.Once(c, h.Desk, form.Get(kit.FormKeyName),
		func(ctx context.Context) (client.Client, error) {
			made, err := h.Service.Create(ctx, access.Actor(c), in)
			if err != nil {
				return made, err
			}
			return made, access.AddFlash(c, "ok", made.Name()+" added.")
		}, func(made client.Client) string { return afterClient(form.Get(BackTo), made.ID) })
	if _, _, ok := kit.Problems(err); ok {
		return h.form(c, http.StatusUnprocessableEntity, clientForm{form: form, wrong: err})
	}
	return err
}

const (
	EvenSo = "even_so" // the client is another one, though there is one alike
	BackTo = "back"    // the name of a form that waits for the client
)

// afterClient is where a client that was added leads: to the form that waits for it,
// or to the client.
func afterClient(form string, id uuid.UUID) string {
	if form == "" {
		return words.ClientHref(id)
	}
	return access.FormPage + "?" + url.Values{"kept": {form}, "client": {id.String()}}.Encode()
}

// AlikeClients finds clients who may be the one that a form adds, unless the person has said that it is another one. A
// client that this very form has made already is not one alike: the form leads to it again.
func AlikeClients(c echo.Context, clients *client.Service, desk *kit.Desk, form url.Values,
	formKey string, d client.Details) ([]client.Twin, error) {
	if form.Get(EvenSo) != "" {
		return nil, nil
	}
	alike, err := clients.Alike(c.Request().Context(), access.Actor(c), d)
	if err != nil || len(alike) == 0 {
		return nil, err
	}
	key, ok := kit.FormReplay(c, desk, formKey)
	if !ok {
		return alike, nil
	}
	to, err := kit.SentBefore(c.Request().Context(), desk.Replays, key)
	switch {
	case fault.HasCode(err, "form_sent") || err == nil && to != "":
		return nil, nil
	case err != nil:
		return nil, err
	}
	return alike, nil
}

// AlikeWord names a client that is alike, with what is the same.
func AlikeWord(t client.Twin) string {
	return t.Name() + " (the same " + strings.Join(t.Same, " and ") + ")"
}

// alikeWords name the clients that have the same e-mail address, phone or identity
// number, with what is the same.
func alikeWords(alike []client.Twin) (links []components.Link) {
	for _, t := range alike {
		links = append(links, components.Link{Text: AlikeWord(t), Href: words.ClientHref(t.ID)})
	}
	return links
}

// Edit serves GET /clients/:id/edit.
func (h *Clients) Edit(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	if one.Erased() {
		return c.Redirect(http.StatusSeeOther, words.ClientHref(one.ID))
	}
	return h.form(c, http.StatusOK, clientForm{form: formOfClient(one), stored: &one})
}

// Update serves POST /clients/:id.
func (h *Clients) Update(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	micros, _ := strconv.ParseInt(form.Get("version"), 10, 64)
	change := client.Change{How: client.ForDebit, Version: time.UnixMicro(micros).UTC(),
		Apply: func(now client.Details) (client.Details, fault.Problems) { return DetailsOf(form, now) }}
	changed, err := h.Service.Update(c.Request().Context(), access.Actor(c), one.ID, change)
	if fault.HasCode(err, "client_changed") {
		return h.conflict(c, form)
	}
	if _, _, ok := kit.Problems(err); ok {
		return h.form(c, http.StatusUnprocessableEntity, clientForm{form: form, wrong: err, stored: &one})
	}
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, "ok", "The details of "+changed.Name()+" are saved.", words.ClientHref(one.ID))
}

// conflict shows what was typed beside what somebody else stored meanwhile.
// Saving again overwrites.
func (h *Clients) conflict(c echo.Context, form url.Values) error {
	now, err := h.find(c)
	if err != nil {
		return err
	}
	stored := formOfClient(now)
	var differs []string
	for _, f := range clientInputs {
		if form.Get(f.name) != stored.Get(f.name) {
			differs = append(differs, f.label+": now stored is “"+stored.Get(f.name)+"”, you typed “"+form.Get(f.name)+"”.")
		}
	}
	form.Set("version", stored.Get("version"))
	return h.form(c, http.StatusConflict, clientForm{form: form, stored: &now, differs: differs, conflict: true})
}

// DetailsOf puts the form over the details. Every input of the form is sent, so
// what is empty was emptied.
func DetailsOf(form url.Values, d client.Details) (client.Details, fault.Problems) {
	var wrong fault.Problems
	text := func(name string) string {
		value := form.Get(name)
		if strings.ContainsRune(value, 0) || !utf8.ValidString(value) {
			wrong.Add(name, "invalid", "This text contains characters that cannot be stored.")
			return ""
		}
		return strings.TrimSpace(value)
	}
	for _, f := range client.TextFields() {
		*f.At(&d) = text(f.Name)
	}
	d.PersonalCode = bank.IDNumber(text("personal_code"))
	d.BankAccount = bank.AccountNumber(text("bank_account"))
	d.AccountType = bank.AccountType(text("account_type"))
	d.CC, d.BCC = addresses(text("cc")), addresses(text("bcc"))
	if form.Has("tags") { // not every form that adds a client has them
		d.Tags = client.TagsIn(text("tags"))
	}
	if form.Has("language") {
		d.Language = text("language")
	}
	if form.Has("electronic_address") {
		d.ElectronicAddress = text("electronic_address")
	}
	return d, wrong
}

// addresses splits what people write between e-mail addresses.
func addresses(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return r == ',' || r == ';' || r == ' ' || r == '\n' ||
			r == '\r'
	})
}

// formOfClient fills the form from what is stored, with the numbers masked.
func formOfClient(c client.Client) url.Values {
	form := url.Values{"version": {strconv.FormatInt(c.UpdatedAt.UnixMicro(), 10)}}
	for _, f := range client.TextFields() {
		form.Set(f.Name, *f.At(&c.Details))
	}
	form.Set("phone", words.PhoneWords(c.Phone))
	form.Set("personal_code", c.PersonalCode.String())
	form.Set("bank_account", c.BankAccount.String())
	form.Set("account_type", string(c.AccountType))
	form.Set("cc", strings.Join(c.CC, ", "))
	form.Set("bcc", strings.Join(c.BCC, ", "))
	form.Set("language", c.Language)
	form.Set("electronic_address", c.ElectronicAddress)
	form.Set("tags", client.TagsText(c.Tags))
	return form
}

// clientForm is the form as it stands: what was typed, what is wrong with it.
type clientForm struct {
	form     url.Values
	wrong    error
	stored   *client.Client // nil for a new client
	conflict bool
	alike    []client.Twin // clients that may be the same
	differs  []string
}

type clientInput struct {
	section, name, label, hint, kind, autocomplete, width string
}

// clientInputs are the inputs in the order of the form, section by section.
var clientInputs = []clientInput{
	{section: "who", name: "full_name", label: "Full name", hint: "As shown on the bank account.", autocomplete: "off"},
	{section: "who", name: "email", label: "E-mail address", kind: "email", hint: "Invoices and links go here."},
	{section: "who", name: "phone", label: "Phone", kind: "tel", hint: "For example 082 123 4567.", width: "m"},
	{section: "who", name: "personal_code", label: "Identity or passport number", width: "m"},
	{section: "who", name: "tags", label: "Tags",
		hint: "Words of your own, such as Gold or Cape Town, separated by commas. " +
			"The search finds clients by them."},
	{section: "account", name: "bank_account", label: "Account number", width: "m"},
	{name: "bank_code", label: "Branch code", hint: "Six digits, such as 632005 for Absa.", width: "m"},
	{section: "address", name: "street_address", label: "Street address"},
	{section: "address", name: "city", label: "City", width: "l"},
	{section: "address", name: "state", label: "Province", width: "l"},
	{section: "address", name: "zip_code", label: "Postal code", width: "s"},
	{section: "delivery", name: "shipping_street_address", label: "Delivery street address"},
	{section: "delivery", name: "shipping_city", label: "Delivery city", width: "l"},
	{section: "delivery", name: "shipping_state", label: "Delivery province", width: "l"},
	{section: "delivery", name: "shipping_zip_code", label: "Delivery postal code", width: "s"},
	{section: "business", name: "legal_name", label: "Legal name"},
	{section: "business", name: "brand_name", label: "Trading name"},
	{section: "business", name: "registration_number", label: "Registration number", width: "m"},
	{section: "business", name: "tax_number", label: "VAT number", width: "m"},
	{section: "business", name: "electronic_address", label: "Electronic address", width: "m",
		hint: "Where structured invoices reach the client, such as 0088:6001234567899."},
	{section: "copies", name: "cc", label: "Copies to", hint: "E-mail addresses, separated by commas."},
	{section: "copies", name: "bcc", label: "Hidden copies to", hint: "E-mail addresses, separated by commas."},
}

// languageSelect asks in which language the client reads. What the client chose itself comes first.
func languageSelect(f clientForm, wrong string) components.Select {
	s := components.Select{Name: "language", Label: "Language", Blank: "That of the purchase", Width: "m", Quiet: true,
		Error: wrong, Hint: "For pages and mails, where the brand offers it; else they are in English."}
	if f.stored != nil && f.stored.ChosenLanguage != "" {
		s.Hint = "The client chose " + languageName(f.stored.ChosenLanguage) +
			" on its own page. That choice counts."
	}
	for _, l := range locale.Languages {
		s.Options = append(s.Options, components.Option{Value: string(l), Text: l.Name(),
			Selected: f.form.Get("language") == string(l)})
	}
	return s
}

// languageName is what the speakers of a language call it; empty for none.
func languageName(code string) string {
	if l, known := locale.Parse(code); known {
		return l.Name()
	}
	return ""
}

func (h *Clients) form(c echo.Context, status int, f clientForm) error {
	byInput, summary, _ := kit.Problems(f.wrong)
	view := pages.ClientFormView{Title: "New client", Action: "/clients", CancelHref: "/clients", Button: "Add client",
		Summary: summary, Fields: map[string]components.Field{}, Sections: map[string][]string{}, Conflict: f.conflict,
		Differs: f.differs}
	for _, in := range clientInputs {
		view.Sections[in.section] = append(view.Sections[in.section], in.name)
		view.Fields[in.name] = components.Field{Name: in.name, Label: in.label, Hint: in.hint, Type: in.kind, Width: in.width,
			Value: f.form.Get(in.name), Error: byInput[in.name], Autocomplete: "off", Quiet: true}
	}
	view.AccountType = components.Select{Name: "account_type", Label: "Account type", Blank: "Not known", Width: "m",
		Quiet: true, Error: byInput["account_type"]}
	for _, t := range bank.AccountTypes() {
		view.AccountType.Options = append(view.AccountType.Options,
			components.Option{Value: string(t), Text: t.Label(), Selected: f.form.Get("account_type") == string(t)})
	}
	view.Language = languageSelect(f, byInput["language"])
	view.Country = kit.CountrySelect("country", "Country", f.form.Get("country"), byInput["country"])
	view.ShippingCountry = kit.CountrySelect("shipping_country", "Delivery country", f.form.Get("shipping_country"),
		byInput["shipping_country"])
	for _, b := range bank.Branches() {
		view.Branches = append(view.Branches, components.Option{Value: b.Code, Text: b.Bank})
	}
	if f.stored != nil {
		view.Title, view.Button = "Edit "+f.stored.Name(), "Save changes"
		view.Action, view.CancelHref = words.ClientHref(f.stored.ID), words.ClientHref(f.stored.ID)
		view.Hidden = []components.Pair{{Name: "version", Value: f.form.Get("version")}}
		for _, name := range []string{"bank_account", "personal_code"} {
			field := view.Fields[name]
			if field.Value != "" {
				field.Hint = "Leave it as it is to keep the stored number."
				view.Fields[name] = field
			}
		}
	} else {
		view.Hidden = []components.Pair{{Name: kit.FormKeyName, Value: f.form.Get(kit.FormKeyName)},
			{Name: BackTo, Value: f.form.Get(BackTo)}}
		if view.Alike = alikeWords(f.alike); len(view.Alike) > 0 {
			view.Hidden = append(view.Hidden, components.Pair{Name: EvenSo, Value: "yes"})
			view.Button = "Add client anyway"
		}
		if name := f.form.Get(BackTo); name != "" {
			view.CancelHref = access.FormPage + "?" + url.Values{"kept": {name}}.Encode()
		}
	}
	return h.Desk.ShowIn(c, status, view.Title, clientsSection,
		func(fr layout.Frame) templ.Component { return pages.ClientForm(fr, view) })
}
