package mandates

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"github.com/shopspring/decimal"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/words"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Accounts serves the ways to store a client's bank account.
type Accounts struct {
	Desk      *kit.Desk
	Purchases *purchase.Service
	Clients   *client.Service
}

// Choose serves GET /tokens/new: whose account is it?
func (h *Accounts) Choose(c echo.Context) error {
	query := c.QueryParams()
	if id, err := uuid.Parse(query.Get("client_id")); err == nil && query.Get("find") == "" {
		return c.Redirect(http.StatusSeeOther, words.ClientHref(id)+"/accounts/new")
	}
	wrong := ""
	if query.Has("client_id_q") && query.Get("find") == "" {
		wrong = "Choose the client."
	}
	finder := &purchases.Purchases{Clients: h.Clients}
	picker, err := finder.ClientPicker(c.Request().Context(), access.Actor(c), query, nil, wrong)
	if err != nil {
		return err
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Store a bank account", words.TokensSection,
		func(f layout.Frame) templ.Component { return pages.ChooseClient(f, picker) })
}

// New serves GET /clients/:id/accounts/new. The address may say what the account is
// for and what is debited first.
func (h *Accounts) New(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	return h.form(c, one, http.StatusOK, url.Values{"full_name": {one.FullName}, "bank_code": {one.BankCode},
		"account_type": {string(one.AccountType)},
		"name":         {c.QueryParam("name")}, "amount": {c.QueryParam("amount")}}, nil, "")
}

func (h *Accounts) find(c echo.Context) (client.Client, error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return client.Client{}, err
	}
	return h.Clients.Get(c.Request().Context(), access.Actor(c), id)
}

// SendLink serves POST /clients/:id/accounts/link: a purchase that asks the client
// for the account, and its link.
func (h *Accounts) SendLink(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	in, err := h.storingInput(c, one)
	if err != nil {
		return err
	}
	h.firstAmount(form, &in)
	err = kit.Once(c, h.Desk, form.Get(kit.FormKeyName),
		func(ctx context.Context) (purchase.Record, error) {
			rec, err := h.Purchases.Create(ctx, access.Actor(c), in)
			if err != nil {
				return rec, err
			}
			return rec, h.mail(c, rec, form)
		}, func(rec purchase.Record) string { return words.PurchasePath(rec.ID) + "#link" })
	return h.refused(c, one, form, err, "link")
}

func (h *Accounts) mail(c echo.Context, rec purchase.Record, form url.Values) error {
	if form.Get("mail") == "" || rec.Payer.Email == "" {
		return access.AddFlash(c, "ok", "The link is ready: copy it, or show the code to the client.")
	}
	if _, err := h.Purchases.ResendInvoice(c.Request().Context(), access.Actor(c), rec.ID); err != nil {
		if f, ok := fault.From(err); ok {
			return access.AddFlash(c, "bad", "The link is ready, but the mail was not sent: "+f.Message)
		}
		return err
	}
	return access.AddFlash(c, "ok", "The link is on its way to "+rec.Payer.Email+".")
}

// linkDays is how long a client may take to store an account before the request
// counts as overdue.
const linkDays = 30

// storingInput asks for an account without taking money.
func (h *Accounts) storingInput(c echo.Context, one client.Client) (purchase.Input, error) {
	who := access.Actor(c)
	brands, err := h.Purchases.Merchants().Brands(c.Request().Context(), who.MerchantID)
	in := purchase.Input{ClientID: one.ID, BrandID: purchases.BrandChosen(brands, "").ID, UserID: who.ID,
		Options: purchase.Options{ForceRecurring: true, Whitelist: []string{purchase.EFT}, Platform: "web",
			Source: "web_office"},
		Details: purchase.Details{Timezone: "Africa/Johannesburg",
			Products: []purchase.Product{{Name: "Storing the bank account", Quantity: decimal.NewFromInt(1)}}}}
	due := h.Desk.Now().AddDate(0, 0, linkDays)
	in.Due = &due
	return in, err
}

// firstAmount makes the first collection part of what the client agrees to.
func (h *Accounts) firstAmount(form url.Values, in *purchase.Input) {
	if text := strings.TrimSpace(form.Get("amount")); text != "" {
		cents, err := money.Parse(text)
		switch {
		case err != nil:
			in.Problems.Add("amount", "invalid", "%s.", words.Capital(err.Error()))
		case cents < 0:
			in.Problems.Add("amount", "min_value", "An amount cannot be below 0.")
		case cents > 0:
			in.Details.Products[0] = purchase.Product{Name: "First payment", PriceCents: cents,
				Quantity: decimal.NewFromInt(1)}
			in.Due = nil // collected as early as the cut-offs allow
		}
	}
	if name := strings.TrimSpace(form.Get("name")); name != "" {
		in.Details.Products[0].Name = name
	}
}

// Capture serves POST /clients/:id/accounts: an account from a signed mandate.
func (h *Accounts) Capture(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	if err := readScanForm(c); err != nil {
		return h.refused(c, one, url.Values{}, err, "paper")
	}
	form := kit.Written(c.Request().PostForm)
	in, err := h.storingInput(c, one)
	if err != nil {
		return err
	}
	account := purchase.Account{FullName: form.Get("full_name"), BankCode: branchTyped(form),
		AccountNumber: form.Get("account_number"),
		AccountType:   bank.AccountType(form.Get("account_type")), Consented: form.Get("consent") == "yes"}
	if !account.Consented {
		account.Problems.Add("consent", "required", "Confirm that the client signed the mandate.")
	}
	if account.Evidence, err = scanOf(c.Request().MultipartForm); err != nil {
		f, ok := fault.From(err)
		if !ok {
			return err
		}
		in.Problems = append(in.Problems, f.Fields...)
	}
	var signed calendar.Date
	if text := form.Get("signed_on"); text != "" {
		if signed, err = calendar.ParseDate(text); err != nil {
			in.Problems.Add("signed_on", "invalid", "Enter the day as a date.")
		}
	}
	err = kit.Once(c, h.Desk, form.Get(kit.FormKeyName),
		func(ctx context.Context) (purchase.Record, error) {
			rec, err := h.Purchases.Capture(ctx, access.Actor(c), in, account, signed)
			if err != nil {
				return rec, err
			}
			return rec, access.AddFlash(c, "ok", "The account is stored and can be charged.")
		}, func(rec purchase.Record) string { return words.TokenPath(rec.ID) })
	return h.refused(c, one, form, err, "paper")
}

func branchTyped(form url.Values) string {
	if code := strings.TrimSpace(form.Get("other_branch")); code != "" {
		return code
	}
	return form.Get("bank_code")
}

func (h *Accounts) refused(c echo.Context, one client.Client, form url.Values, err error, part string) error {
	if _, _, ok := kit.Problems(err); ok {
		return h.form(c, one, http.StatusUnprocessableEntity, form, err, part)
	}
	return err
}

func (h *Accounts) form(c echo.Context, one client.Client, status int, form url.Values, wrong error,
	part string) error {
	byInput, summary, _ := kit.Problems(wrong)
	view := pages.StoreAccountView{
		Client: one.Name(), Back: components.Link{Text: one.Name(), Href: words.ClientHref(one.ID)},
		Problems:   components.ErrorSummary{Items: summary},
		LinkAction: words.ClientHref(one.ID) + "/accounts/link", PaperAction: words.ClientHref(one.ID) +
			"/accounts", Key: kit.NewFormKey(), PaperKey: kit.NewFormKey(),
		Email: one.Email, OnPaper: part == "paper",
		Name: components.Field{Label: "Description", Name: "name", Value: form.Get("name"), Error: byInput["name"],
			MaxLength: 256, Width: "l", Hint: "What the client reads, such as “Gym membership”."},
		Amount: components.MoneyField{Label: "First amount", Name: "amount", Value: form.Get("amount"),
			Error: byInput["amount"],
			Hint:  "Leave it empty to store the account without taking money."},
		Mail: components.Checkbox{Label: "Send the link to " + one.Email, Name: "mail", Checked: part != "link" ||
			form.Get("mail") != ""},
	}
	h.paperFields(&view, form, byInput)
	return h.Desk.ShowIn(c, status, "Store a bank account", words.TokensSection,
		func(f layout.Frame) templ.Component { return pages.StoreAccount(f, view) })
}

func (h *Accounts) paperFields(v *pages.StoreAccountView, form url.Values, byInput map[string]string) {
	today := calendar.DateOf(h.Desk.Now()).String()
	v.Holder = components.Field{Label: "Account holder", Name: "full_name", Value: form.Get("full_name"),
		Error: byInput["full_name"], Required: true, MaxLength: 128, Width: "l", Autocomplete: "off"}
	v.Bank = components.Select{Label: "Bank", Name: "bank_code", Error: byInput["bank_code"], Blank: "Choose the bank",
		Required: true, Width: "l", Hint: "The bank’s universal branch code is used."}
	for _, b := range bank.Branches() {
		v.Bank.Options = append(v.Bank.Options, components.Option{Value: b.Code, Text: b.Bank + " · " + b.Code,
			Selected: b.Code == form.Get("bank_code")})
	}
	v.Branch = components.Field{Label: "Other branch code", Name: "other_branch", Value: form.Get("other_branch"),
		MaxLength: 6, Width: "s", InputMode: "numeric", Autocomplete: "off",
		Hint: "Six digits, only if the bank is not in the list."}
	v.Number = components.Field{Label: "Account number", Name: "account_number", Value: form.Get("account_number"),
		Error: byInput["account_number"], Required: true, MaxLength: 24, Width: "m",
		InputMode: "numeric", Autocomplete: "off"}
	v.Type = components.Select{Label: "Account type", Name: "account_type", Error: byInput["account_type"], Required: true,
		Width: "m"}
	for _, t := range bank.AccountTypes() {
		v.Type.Options = append(v.Type.Options, components.Option{Value: string(t), Text: t.Label(),
			Selected: string(t) == form.Get("account_type")})
	}
	v.Signed = components.DateField{Label: "Signed on", Name: "signed_on", Value: form.Get("signed_on"),
		Error: byInput["signed_on"], Max: today, Required: true}
	v.Scan = scanInput(byInput["scan"])
	if v.OnPaper && v.Scan.Error == "" {
		v.Scan.Hint += " Please choose the file again."
	}
	v.Consent = components.Checkbox{Label: "The client signed this mandate, and I have seen it", Name: "consent",
		Error: byInput["consent"], Checked: form.Get("consent") != "", Required: true}
}
