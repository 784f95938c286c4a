package mandates

import (
	"net/url"
	"strconv"
	"strings"

	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/amendment"
	"debitdesk/models/bank"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// Which account the new details are about, by DebiCheck.
const (
	keepAccount  = "keep"  // the same one, under new terms
	knownAccount = "known" // a new one that staff know
	askedAccount = "ask"   // a new one that the client gives on the hosted page
)

const directDebitAt = "purchase.payment_method_details.direct_debit."

// prefilled is the form as the old mandate fills it in.
func (h *Amendments) prefilled(old token.Entry, m mandate.Mandate) url.Values {
	form := url.Values{
		"method":                {old.Method},
		"account":               {knownAccount},
		"full_name":             {old.HolderName},
		"bank_code":             {old.BankCode},
		"account_type":          {string(old.AccountType)},
		"period_units":          {m.PeriodUnits},
		"deduction_day":         {strconv.Itoa(m.DeductionDay)},
		"value_type":            {string(mandate.Variable)},
		"authentication_type":   {string(usualAsking(h.Purchases, h.Desk.Now()))},
		"allow_date_adjustment": {"yes"},
		"verify_account":        {"yes"},
	}
	switch {
	case m.PeriodUnits == "days":
		form.Del("deduction_day")
	case m.PeriodUnits == "months" && m.DeductionDay == purchase.LastDay:
		form.Set("deduction_day", "last")
	}
	if m.AmountCents > 0 {
		form.Set("price", typed(m.AmountCents))
	}
	if t := m.Terms; t != nil {
		form.Set("value_type", string(t.ValueType))
		form.Set("price", typed(t.PriceCents))
		form.Set("max_amount_cents", typed(t.MaxAmountCents))
		prefillTick(form, "allow_date_adjustment", t.AllowDateAdjustment)
		prefillTick(form, "do_delayed_on_auth_failure", t.DelayedOnFailure)
	}
	if h.Purchases.Bank.NoDebiCheck() != "" {
		form.Set("method", purchase.EFT)
	}
	return form
}

// typed is an amount as a person would type it.
func typed(cents int64) string { return strings.TrimPrefix(money.Format(cents, ""), money.NBSP) }

func prefillTick(form url.Values, name string, on bool) {
	if form.Del(name); on {
		form.Set(name, "yes")
	}
}

// revisionOf reads what staff want instead of the stored account.
func revisionOf(form url.Values) amendment.Revision {
	in := amendment.Revision{Method: form.Get("method"), Name: strings.TrimSpace(form.Get("name")),
		DirectDebit: purchase.DirectDebitInput{PeriodUnits: form.Get("period_units")}}
	if text := form.Get("deduction_day"); text != "" && in.DirectDebit.PeriodUnits != "days" {
		day, err := strconv.Atoi(strings.Replace(strings.ToLower(strings.TrimSpace(text)), "last",
			strconv.Itoa(purchase.LastDay), 1))
		if err != nil {
			in.Problems.Add(directDebitAt+"deduction_day", "invalid", "Enter the day as a number.")
		}
		in.DirectDebit.DeductionDay = &day
	}
	in.FirstCents = centsTyped(&in.Problems, form, "first", "first")
	switch in.Method {
	case purchase.DebiCheck:
		debiCheckOf(form, &in)
	case purchase.EFT:
		in.PriceCents = in.FirstCents
	default:
		in.Problems.Add("method", "required", "Choose how the account is debited from now on.")
		in.Method = purchase.EFT
	}
	return in
}

func debiCheckOf(form url.Values, in *amendment.Revision) {
	in.PriceCents = centsTyped(&in.Problems, form, "price", "price")
	if in.PriceCents == 0 && !in.Problems.Has("price") {
		in.Problems.Add("price", "required", "Enter the usual amount. The client confirms it.")
	}
	ask := mandate.Ask{ValueType: form.Get("value_type"), AuthenticationType: form.Get("authentication_type"),
		DebitSequence:      string(mandate.Recurring),
		AdjustmentCategory: string(mandate.Never), DelayedOnFailure: form.Get("do_delayed_on_auth_failure") != "",
		AllowDateAdjustment: form.Get("allow_date_adjustment") != "", VerifyAccount: form.Get("verify_account") != ""}
	most := centsTyped(&in.Problems, form, "max_amount_cents", directDebitAt+"max_amount_cents")
	if most == 0 && ask.ValueType == string(mandate.Fixed) {
		most = in.PriceCents
	}
	switch {
	case most != 0:
		ask.MaxAmountCents = &most
	case !in.Problems.Has(directDebitAt + "max_amount_cents"):
		in.Problems.Add(directDebitAt+"max_amount_cents", "required", "Enter the largest amount of one debit.")
	}
	in.DirectDebit.Ask = &ask
	switch form.Get("account") {
	case keepAccount:
		in.KeepAccount = true
	case askedAccount:
	default:
		in.Account = &purchase.Account{FullName: form.Get("full_name"), IDNumber: form.Get("id_number"),
			Phone: form.Get("phone"), BankCode: branchTyped(form),
			AccountNumber: form.Get("account_number"), AccountType: bank.AccountType(form.Get("account_type"))}
	}
}

// centsTyped reads an amount; nothing is 0.
func centsTyped(w *fault.Problems, form url.Values, input, path string) int64 {
	text := strings.TrimSpace(form.Get(input))
	if text == "" {
		return 0
	}
	cents, err := money.Parse(text)
	switch {
	case err != nil:
		w.Add(path, "invalid", "%s.", words.Capital(err.Error()))
	case cents < 0:
		w.Add(path, "min_value", "An amount cannot be below 0.")
	}
	return max(cents, 0)
}

func (h *Amendments) formView(old token.Entry, m mandate.Mandate, form url.Values, wrong error) pages.AmendFormView {
	byInput, summary, _ := kit.Problems(wrong)
	field := func(label, name string) components.Field {
		return components.Field{Label: label, Name: name, Value: form.Get(name), Error: byInput[name], Quiet: true,
			Autocomplete: "off"}
	}
	v := pages.AmendFormView{
		Title: "Change debit-order details", Back: components.Link{Text: old.Token.Named(),
			Href: words.TokenPath(old.ID)}, Steps: amendSteps(1, false),
		Action: words.TokenPath(old.ID) + "/amendment", Key: kit.NewFormKey(),
		Problems: components.ErrorSummary{Items: summary}, Now: h.nowFacts(old, m),
		Method: components.RadioCards{Legend: "How is the account debited from now on?", Name: "method",
			Value: form.Get("method"), Error: byInput["method"], Columns: true,
			Options: []components.RadioCard{orWhyNot(components.RadioCard{Value: purchase.DebiCheck, Title: "DebiCheck",
				Text: "The client confirms the new details at their bank.", Icon: "shield"}, h.Purchases.Bank.NoDebiCheck()),
				{Value: purchase.EFT, Title: "EFT debit order", Text: "The client gives the details on a page, or signs a form.",
					Icon: "bank"}}},
		Account: components.RadioCards{Legend: "Which account?", Name: "account", Value: form.Get("account"),
			Error: byInput["account"], Options: []components.RadioCard{
				{Value: knownAccount, Title: "A new account; I have the details",
					Text: "The client’s bank asks the client at once."},
				{Value: askedAccount, Title: "A new account; the client gives the details", Text: "You get a link for the client."},
				{Value: keepAccount, Title: "Still " + old.AccountMask + " at " + words.BankWords(old.BankCode),
					Text: "Only the terms change. The client’s bank asks the client at once."}}},
		Holder: field("Account holder", "full_name"), ID: field("Identity number", "id_number"),
		Phone: field("Phone", "phone"), Number: field("Account number", "account_number"),
		Name: field("Description", "name"), Day: field("Deduction day", "deduction_day"),
		Price: components.MoneyField{Label: "Usual amount", Name: "price", Value: form.Get("price"), Error: byInput["price"],
			Required: true, Hint: "The client confirms it."},
		Most: components.MoneyField{Label: "Maximum", Name: "max_amount_cents", Value: form.Get("max_amount_cents"),
			Error: byInput["max_amount_cents"], Required: true},
		First: components.MoneyField{Label: "Collect now", Name: "first", Value: form.Get("first"), Error: byInput["first"],
			Hint: "Leave it empty to take no money with this change."},
		Fallback: components.Checkbox{Label: "Give the client 48 more hours if there is no answer",
			Name: "do_delayed_on_auth_failure", Checked: form.Get("do_delayed_on_auth_failure") != "",
			Hint: "Debits under such a mandate may be disputed."},
		OtherDays: components.Checkbox{Label: "Debits may run on other days too", Name: "allow_date_adjustment",
			Checked: form.Get("allow_date_adjustment") != "", Hint: "Such a debit may be disputed."},
		Verify: verifyBox(h.Purchases, components.Checkbox{Label: "Ask the bank about the account first",
			Name: "verify_account", Checked: form.Get("verify_account") != "", Error: byInput["verify_account"]}),
	}
	v.ID.Hint, v.Phone.Hint = "Empty: as on the client’s record.", "Empty: as on the client’s record."
	v.Name.Hint, v.Name.MaxLength = "What the client reads, such as “Gym membership”.", 256
	v.Day.Hint = "1 to 30, or “last” for the last day of the month; for weeks 1 (Monday) to 7; none for days."
	v.Day.Width = "s"
	v.Most.Hint = "Fixed: the usual amount. Variable: at most one and a half times the usual amount."
	v.Bank = bankChoice(form, byInput)
	v.Type = accountTypeChoice(form, byInput)
	var values [][2]string
	for _, one := range words.ValueTypes {
		values = append(values, [2]string{string(one.Type), one.Choice})
	}
	v.Value = choices("Amounts", "value_type", form, byInput, values)
	v.Period = choices("Every", "period_units", form, byInput,
		[][2]string{{"months", "month"}, {"weeks", "week"}, {"days", "day"}})
	v.Asking = h.askingChoice(form, byInput)
	return v
}

func (h *Amendments) askingChoice(form url.Values, byInput map[string]string) components.Select {
	s := choices("How the client is asked", "authentication_type", form, byInput,
		[][2]string{{"REALTIME", "Real time: on the phone, " + h.Purchases.Limits.Span(mandate.RealTime)},
			{"DELAYED", "Delayed: by SMS, " + h.Purchases.Limits.Span(mandate.Delayed)}})
	if why := h.Purchases.Bank.NoRealTime(); why != "" {
		s.Options[0].Disabled, s.Options[0].Selected, s.Options[1].Selected, s.Hint = true, false, true, why
		return s
	}
	if now := h.Desk.Now(); !h.Purchases.Window.Open(now) {
		s.Hint = "Real time runs again from " + words.SayMinute(h.Purchases.Window.OpensAt(now), now) +
			" SAST; delayed works at any time."
	}
	return s
}

func choices(label, name string, form url.Values, byInput map[string]string, options [][2]string) components.Select {
	s := components.Select{Label: label, Name: name, Error: byInput[name], Required: true}
	for _, o := range options {
		s.Options = append(s.Options, components.Option{Value: o[0], Text: o[1], Selected: o[0] == form.Get(name)})
	}
	return s
}

func bankChoice(form url.Values, byInput map[string]string) components.Select {
	s := components.Select{Label: "Bank", Name: "bank_code", Error: byInput["bank_code"], Blank: "Choose the bank",
		Quiet: true, Width: "l"}
	for _, b := range bank.Branches() {
		s.Options = append(s.Options, components.Option{Value: b.Code, Text: b.Bank + " · " + b.Code,
			Selected: b.Code == form.Get("bank_code")})
	}
	return s
}

func accountTypeChoice(form url.Values, byInput map[string]string) components.Select {
	s := components.Select{Label: "Account type", Name: "account_type", Error: byInput["account_type"], Quiet: true,
		Width: "m"}
	for _, t := range bank.AccountTypes() {
		s.Options = append(s.Options, components.Option{Value: string(t), Text: t.Label(),
			Selected: string(t) == form.Get("account_type")})
	}
	return s
}

// nowFacts is the account as it is debited today.
func (h *Amendments) nowFacts(old token.Entry, m mandate.Mandate) components.Facts {
	var f components.Facts
	for _, line := range sideLines(amendment.Side{Known: true, Token: old.Token, Mandate: m}, nil) {
		if line.text != "" && line.label != "Account check" {
			f.Items = append(f.Items, components.Fact{Label: line.label, Value: line.text, Mono: line.mono})
		}
	}
	return f
}
