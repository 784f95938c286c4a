package mandates

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/clients"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/words"
	"debitdesk/models/bank"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// view is the form with what was typed and what is wrong with it.
func (h *MandateForms) view(c echo.Context, s mandateSetup, wrong error) (pages.NewMandateView, error) {
	byInput, summary, _ := kit.Problems(s.shownErr(wrong))
	v := pages.NewMandateView{Key: s.form.Get(kit.FormKeyName), Strict: s.strict,
		Back: components.Link{Text: "Mandates", Href: "/mandates"}, CancelHref: "/mandates"}
	if v.Key == "" {
		v.Key = kit.NewFormKey()
	}
	if s.payer != nil {
		v.Back = components.Link{Text: s.payer.Name(), Href: words.ClientHref(s.payer.ID)}
		v.CancelHref = v.Back.Href
	}
	if s.strict {
		v.Problems.Items = summary
	}
	v.Stop = h.stop(&s, wrong)
	if v.Stop != nil && len(v.Problems.Items) == 1 {
		v.Problems.Items = nil // the box says it
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	query := s.form
	if s.added {
		query = url.Values{}
	}
	var err error
	if v.Client, err = (&purchases.Purchases{Clients: h.Clients}).ClientPicker(ctx, who, query, s.payer,
		byInput["client_id"]); err != nil {
		return v, err
	}
	v.Client.CreateHref, v.Client.CreateName = "", ""
	v.Fresh = freshFields(s, byInput)
	if len(s.alike) > 0 {
		v.Problems.Items = append(v.Problems.Items,
			components.ErrorItem{Field: "alike", Text: "You may have this client already: choose below who it is."})
	}
	v.Needs = h.needs(&s)
	v.Brand = h.brandBlock(&s, byInput)
	h.methodCards(&v, s, byInput)
	h.productFields(&v, s, byInput)
	termFields(&v, s, byInput)
	h.dayFields(&v, s, byInput)
	if s.payer != nil && h.PayDay != nil {
		found, sure, err := h.PayDay(ctx, who, s.payer.ID)
		if err != nil {
			return v, err
		}
		if sure {
			v.MonthDay.Hint = "This client’s likely pay day is " + words.PayDay(found) + ", from " +
				plural.Of(found.Tries, "debit") + "."
		}
	}
	h.askFields(&v, s, byInput)
	v.Summary = h.calculator(&s, wrong)
	return v, nil
}

func (s *mandateSetup) shownErr(wrong error) error { return s.shown(wrong).Err() }

// stop is the box of a refusal that has a next step of its own.
func (h *MandateForms) stop(s *mandateSetup, wrong error) *pages.StopView {
	switch {
	case !s.strict:
		return nil
	case fault.HasCode(wrong, "debicheck_unavailable"):
		return &pages.StopView{Title: "Real-time requests are not possible now", Text: h.closedWords(),
			Button: components.Button{Label: "Use delayed instead", Name: "use", Value: "delayed"}}
	case fault.HasCode(wrong, "account_verification_failed"):
		stop := &pages.StopView{Title: "The bank does not confirm the account",
			Text: fieldMessage(wrong, "account_verification_failed") +
				" Check the details with the client, correct them, and send this form again."}
		if s.payer != nil {
			stop.More = components.Link{Text: "Correct the details of " + s.payer.Name(), Href: words.ClientHref(s.payer.ID) +
				"/edit"}
			if s.added {
				stop.Text = s.payer.Name() + " is added as a client, but there is no mandate yet. " + stop.Text
			}
		}
		return stop
	}
	return nil
}

func fieldMessage(err error, code string) string {
	f, _ := fault.From(err)
	for _, p := range f.Fields {
		if p.Code == code {
			return p.Message
		}
	}
	return f.Message
}

func (h *MandateForms) methodCards(v *pages.NewMandateView, s mandateSetup, byInput map[string]string) {
	v.Method = components.RadioCards{Legend: "How does the client agree?", Name: "method", Value: s.method, Required: true,
		Columns: true, Error: byInput["method"], Options: []components.RadioCard{
			orWhyNot(components.RadioCard{
				Value: purchase.DebiCheck,
				Title: "DebiCheck",
				Icon:  "shield",
				Text: "The client confirms at their bank. In real time: a prompt on their phone within seconds, " +
					"and " + h.Purchases.Limits.Span(mandate.RealTime) + " to answer. Delayed: an SMS, and " +
					h.Purchases.Limits.Span(mandate.Delayed) + " to answer. Debits within the terms cannot be disputed.",
			},
				h.Purchases.Bank.NoDebiCheck()),
			{
				Value: purchase.EFT,
				Title: "EFT debit order",
				Icon:  "bank",
				Text: "The client signs, or agrees on our page. Works with every account, at any hour. " +
					"The client may dispute a debit within " + h.disputeDays() + ".",
			},
		}}
}

func freshFields(s mandateSetup, byInput map[string]string) pages.FreshClient {
	field := func(name, label, hint, kind string) components.Field {
		return components.Field{Name: name, Label: label, Hint: hint, Type: kind, Value: s.typed(name), Error: byInput[name],
			Autocomplete: "off", Quiet: true}
	}
	f := pages.FreshClient{Chosen: s.fresh != nil,
		Name:     field("full_name", "Full name", "As shown on the bank account.", ""),
		Email:    field("email", "E-mail address", "", "email"),
		Phone:    field("phone", "Phone", "The client is asked on this number.", "tel"),
		IDNumber: field("personal_code", "Identity or passport number", "", ""),
		Number:   field("bank_account", "Account number", "", ""),
		Bank: components.Select{Name: "bank_code", Label: "Bank", Blank: "Not known", Quiet: true,
			Error: byInput["bank_code"]},
		Type: components.Select{Name: "account_type", Label: "Account type", Blank: "Not known", Quiet: true,
			Error: byInput["account_type"]}}
	for _, t := range s.alike {
		f.Alike = append(f.Alike, components.Option{Value: t.ID.String(), Text: clients.AlikeWord(t)})
	}
	f.Other = components.Checkbox{Label: "This is another person: add a new client", Name: clients.EvenSo}
	f.Number.InputMode, f.IDNumber.InputMode = "numeric", "text"
	for _, b := range bank.Branches() {
		f.Bank.Options = append(f.Bank.Options, components.Option{Value: b.Code, Text: b.Bank + " · " + b.Code,
			Selected: s.typed("bank_code") == b.Code})
	}
	for _, t := range bank.AccountTypes() {
		f.Type.Options = append(f.Type.Options, components.Option{Value: string(t), Text: t.Label(),
			Selected: s.typed("account_type") == string(t)})
	}
	return f
}

// typed is what was typed of a new client; once the client is added, nothing is
// left to be typed.
func (s *mandateSetup) typed(name string) string {
	if s.added {
		return ""
	}
	return s.form.Get(name)
}

func (h *MandateForms) needs(s *mandateSetup) pages.NeedsView {
	v := pages.NeedsView{Shown: s.form.Get("client_id"), Missing: s.missing()}
	d, known := s.clientDetails()
	if s.fresh != nil {
		v.Shown += " " + strings.Join(v.Missing, ",") + " " + d.Email
	}
	switch {
	case !known:
	case len(v.Missing) == 0:
		if s.payer != nil {
			v.Ready = "All that DebiCheck needs is on record: " + d.BankAccount.String() + " at " + words.BankWords(d.BankCode) +
				", phone " + words.Glue(words.PhoneWords(d.Phone)) + "."
		}
	case d.Email != "":
		v.Mail = &components.Checkbox{Label: "Send the link to " + d.Email, Name: "mail", Checked: s.form.Get("mail") != "" ||
			s.form.Get("mail_shown") == ""}
	}
	if s.payer != nil && len(v.Missing) > 0 {
		v.Link = components.Link{Text: "Or fill it in yourself", Href: words.ClientHref(s.payer.ID) + "/edit"}
	}
	return v
}

func (h *MandateForms) brandBlock(s *mandateSetup, byInput map[string]string) pages.BrandBlock {
	v := pages.BrandBlock{Brand: purchases.BrandSelect(s.brands, s.brand, byInput["brand_id"]),
		Shown: s.brand.ID.String()}
	if v.Brand != nil {
		v.Brand.Hint = "The client sees this name when the bank asks."
	}
	if len(s.brand.Profiles) > 1 {
		v.Profile = &components.Select{Label: "Registration at the bank", Name: "profile_code", Required: true,
			Error: byInput["profile_code"]}
		for _, p := range s.brand.Profiles {
			v.Profile.Options = append(v.Profile.Options,
				components.Option{Value: p.ID.String(), Text: p.ProfileCode + " · " + p.AbbreviatedName,
					Selected: p.ID == s.profile.ID})
		}
	}
	if len(s.brand.Profiles) == 0 {
		v.Preset = s.brand.Name + " has no registration at the bank yet, so no mandate can be set up for it."
		return v
	}
	if s.form.Get("preset") != "" {
		v.Preset = "The terms below are those of the last mandate of " + s.brand.Name + "."
	}
	v.Facts = components.Facts{Wide: true, Items: []components.Fact{
		{Label: "Profile code", Value: s.profile.ProfileCode, Mono: true},
		{Label: "On the statement", Value: s.profile.AbbreviatedName, Mono: true},
		{Label: "Paid into", Value: clearingWords(s.profile), Mono: true},
	}}
	return v
}

func (h *MandateForms) productFields(v *pages.NewMandateView, s mandateSetup, byInput map[string]string) {
	v.Name = components.Field{Label: "Description", Name: "name", Value: s.form.Get("name"), Error: byInput["name"],
		Required: true, MaxLength: 256,
		Hint: "What the client reads, such as “Gym membership”."}
	v.Price = components.MoneyField{Label: "Price", Name: "price", Value: s.form.Get("price"), Error: byInput["price"],
		Required: true, Hint: "The amount of a usual debit."}
	if h.Purchases.Bank.NoDebiCheck() == "" {
		v.Price.Hint += " With DebiCheck the client confirms it."
	}
}

func termFields(v *pages.NewMandateView, s mandateSetup, byInput map[string]string) {
	f := s.form
	v.Value = components.RadioCards{Legend: "How do the amounts change?", Name: "value_type", Value: f.Get("value_type"),
		Error: byInput["value_type"], Required: true}
	for _, one := range words.ValueTypes {
		v.Value.Options = append(v.Value.Options, components.RadioCard{Value: string(one.Type), Title: one.Card,
			Badge: string(one.Type), Text: one.Text})
	}
	v.Maximum = components.MoneyField{Label: "Maximum of one debit", Name: "max_amount_cents",
		Value: f.Get("max_amount_cents"), Error: byInput["max_amount_cents"], Required: true,
		Hint: "The client’s bank refuses every debit above it."}
	v.Sequence = components.RadioCards{Legend: "How often?", Name: "debit_sequence", Value: f.Get("debit_sequence"),
		Error: byInput["debit_sequence"], Required: true, Columns: true, Options: []components.RadioCard{
			{Value: string(mandate.Recurring), Title: "Recurring", Badge: "RCUR", Text: "Until the mandate is cancelled."},
			{Value: string(mandate.OnceOff), Title: "Once", Badge: "OOFF", Text: "The mandate ends after one debit."}}}
	v.Category = components.Select{Label: "Price and maximum are adjusted", Name: "adjustment_category",
		Error: byInput["adjustment_category"], Required: true, Width: "l",
		Hint: "Without an adjustment a new price needs a new mandate, and a new confirmation by the client."}
	for _, o := range []components.Option{{Value: string(mandate.Never), Text: "Never"},
		{Value: string(mandate.Annually), Text: "Once a year"}, {Value: string(mandate.Biannually), Text: "Every six months"},
		{Value: string(mandate.Quarterly), Text: "Every three months"},
		{Value: string(mandate.Repo), Text: "With the repo rate"}} {
		o.Selected = o.Value == f.Get("adjustment_category")
		v.Category.Options = append(v.Category.Options, o)
	}
	v.Rate = components.Field{Label: "By a rate", Name: "adjustment_rate", Value: f.Get("adjustment_rate"),
		Error: byInput["adjustment_rate"], Suffix: "%", Numeric: true, InputMode: "decimal",
		Autocomplete: "off", Width: "m", MaxLength: 16, Quiet: true,
		Hint: "Such as 6, each time. Enter a rate or an amount, not both."}
	v.Amount = components.MoneyField{Label: "By an amount", Name: "adjustment_amount_cents",
		Value: f.Get("adjustment_amount_cents"), Error: byInput["adjustment_amount_cents"], Required: true,
		Hint: "A minus lowers the price."}
}

func (h *MandateForms) dayFields(v *pages.NewMandateView, s mandateSetup, byInput map[string]string) {
	f := s.form
	option := func(name, value, text string) components.Option {
		return components.Option{Value: value, Text: text, Selected: f.Get(name) == value}
	}
	v.Units = components.Select{Label: "Frequency", Name: "period_units", Error: byInput["period_units"], Required: true,
		Options: []components.Option{option("period_units", "months", "Every month"),
			option("period_units", "weeks", "Every week"), option("period_units", "days", "On agreed days")}}
	v.MonthDay = components.Select{Label: "Deduction day", Name: "deduction_day", Error: byInput["deduction_day"],
		Required: true, Hint: "Most debits succeed right after payday: many salaries come on the 25th or the last day."}
	for day := 1; day <= 30; day++ {
		v.MonthDay.Options = append(v.MonthDay.Options, option("deduction_day", strconv.Itoa(day), strconv.Itoa(day)))
	}
	v.MonthDay.Options = append(v.MonthDay.Options,
		option("deduction_day", strconv.Itoa(mandate.LastDay), "Last day of the month"))
	v.WeekDay = components.Select{Label: "Deduction day", ID: "deduction_weekday", Name: "deduction_weekday",
		Error: byInput["deduction_weekday"], Required: true, Hint: "A Sunday or holiday moves to the next day."}
	for i, name := range []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"} {
		v.WeekDay.Options = append(v.WeekDay.Options, option("deduction_weekday", strconv.Itoa(i+1), name))
	}
	v.AnyDate = components.Checkbox{Label: "Allow debits on other days", Name: "allow_date_adjustment",
		Error: byInput["allow_date_adjustment"], Checked: f.Get("allow_date_adjustment") != "",
		Hint: "Such a debit may be disputed. Without this the bank refuses it."}
	v.First = components.RadioCards{Legend: "First debit", Name: "first", Value: f.Get("first"), Error: byInput["first"],
		Required: true, Columns: true, Options: []components.RadioCard{
			{Value: firstOnDay, Title: "Next deduction day", Text: "The first that the cut-offs allow."},
			{Value: firstSoon, Title: "As early as possible", Text: "Once the client has accepted."},
			{Value: firstOther, Title: "Another day", Text: "You choose it."},
			{Value: firstNone, Title: "Nothing now", Text: "Only store the mandate."}}}
	if v.First.Value == "" {
		v.First.Value = firstOnDay
	}
	d := h.days(s.brand)
	v.Days = d.Picker(f, byInput["due"], nil)
	v.Days.Label = "Day of the first debit"
	v.Other = d.Other(f, byInput["due_other"])
}

func (h *MandateForms) askFields(v *pages.NewMandateView, s mandateSetup, byInput map[string]string) {
	now, w := h.Desk.Now(), h.window()
	v.Window = h.windowView(now)
	realTime := components.RadioCard{
		Value: string(mandate.RealTime),
		Title: "In real time",
		Badge: "REALTIME",
		Text: "A prompt on the phone within seconds (USSD on phones without the app), " +
			"and " + h.Purchases.Limits.Span(mandate.RealTime) + " to answer. Call the client first.",
	}
	v.Asking = components.RadioCards{Legend: "How is the client asked?", Name: "authentication_type",
		Value: s.form.Get("authentication_type"), Error: byInput["authentication_type"], Required: true, Columns: true}
	v.AskShown = "open"
	switch open, never := w.Open(now), h.Purchases.Bank.NoRealTime(); {
	case never != "":
		v.AskShown, v.Asking.Value = "closed", string(mandate.Delayed)
		realTime = orWhyNot(realTime, never)
	case !open && len(s.missing()) > 0:
		v.AskShown = "later"
		v.Window = pages.WindowView{Kind: "info",
			Text: "The client is asked once the details are given. In real time that works from " + w.Opens.String() + " to " +
				w.Closes.String() + "."}
	case !open:
		v.AskShown, v.Asking.Value = "closed", string(mandate.Delayed)
		realTime.Disabled, realTime.Text = true, "Possible again from "+w.Opens.String()+"."
	}
	v.Asking.Options = []components.RadioCard{realTime,
		{Value: string(mandate.Delayed), Title: "Delayed", Badge: "DELAYED",
			Text: "An SMS, " + h.Purchases.Limits.Span(mandate.Delayed) +
				" to answer in the banking app, by USSD, at an ATM or in a branch. At any hour."}}
	v.Fallback = components.Checkbox{Label: "Without an answer, ask again, and then register the mandate anyway",
		Name: "do_delayed_on_auth_failure", Error: byInput["do_delayed_on_auth_failure"],
		Checked: s.form.Get("do_delayed_on_auth_failure") != "",
		Hint:    "Every debit under such a mandate may be disputed. If the client declines, nothing is registered."}
	v.Verify = verifyBox(h.Purchases, components.Checkbox{Label: "Check the account at the bank first",
		Name: "verify_account", Error: byInput["verify_account"], Checked: s.form.Get("verify_account") != "",
		Hint: "Is it open, does it take debits, does the identity number match? If not, the client is not asked."})
}

// switches: the form asks for real time where only delayed is possible.
func (h *MandateForms) switches(s *mandateSetup) bool {
	return s.method == purchase.DebiCheck && s.ask.AuthenticationType == string(mandate.RealTime) &&
		len(s.missing()) == 0 && s.closed(h)
}
