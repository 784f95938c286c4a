package checkout

import (
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"debitdesk/models/bank"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
)

// otherBank is the choice of the list of banks that asks for the branch code.
const otherBank = "other"

// form is what the payer sent. Sent is false on a fresh page.
type form struct {
	sent                  bool
	stored                string
	name, id, phone       string
	bank, branch          string
	number, kind          string
	kindLeftOpen, consent bool
	store                 bool
	phoneLeftOpen         bool
	terms                 string
}

func formOf(c echo.Context) (form, error) {
	r := c.Request()
	if err := r.ParseForm(); err != nil {
		return form{}, fault.New(fault.Invalid, "invalid", "The form could not be read.").Because(err)
	}
	get := r.PostForm.Get
	return form{sent: true, stored: strings.TrimSpace(get("recurring_token")), name: get("full_name"),
		id: get("id_number"), phone: get("phone"),
		bank: strings.TrimSpace(get("bank_code")), branch: strings.TrimSpace(get("branch_code")),
		number: get("account_number"), kind: get("account_type"),
		kindLeftOpen: r.PostForm.Has("account_type") && get("account_type") == "", phoneLeftOpen: r.PostForm.Has("phone") &&
			strings.TrimSpace(get("phone")) == "", consent: get("consent") == "yes", store: get("store") == "yes",
		terms: get("terms")}, nil
}

func (f form) usesStored() bool { return f.stored != "" }

// other tells that the branch code was typed, not chosen from the list.
func (f form) other() bool { return f.bank == otherBank || f.bank == "" && f.branch != "" }

func (f form) branchCode() string {
	if f.other() {
		return f.branch
	}
	return f.bank
}

func (f form) account(c echo.Context, rec purchase.Record) purchase.Account {
	a := purchase.Account{FullName: f.name, IDNumber: f.id, Phone: f.phone, BankCode: f.branchCode(),
		AccountNumber: f.number,
		AccountType:   bank.AccountType(f.kind), Consented: f.consent, Store: f.store, TermsVersion: f.terms,
		Agent: shortened(strings.ToValidUTF8(c.Request().UserAgent(), ""), 512), Channel: mandate.PayPage}
	if f.kindLeftOpen {
		a.Problems.Add("account_type", "required", "Choose the type of account.")
	}
	if f.phoneLeftOpen && rec.StoresBy() == purchase.DebiCheck {
		a.Problems.Add("phone", "required", "Enter your cellphone number: your bank will ask you there.")
	}
	if f.bank == "" && f.branch == "" {
		a.Problems.Add("bank_code", "required", "Choose your bank.")
	}
	return a
}

// wrong are the problems beside their inputs, and all of them for the summary.
func (f form) wrong(w locale.Words, refusal *fault.Fault) (beside map[string]string, all []components.ErrorItem) {
	beside = map[string]string{}
	if refusal == nil {
		return beside, nil
	}
	for _, p := range refusal.Fields {
		name := p.Leaf()
		message := p.Message
		switch {
		case name == "bank_code" && f.other():
			name = "branch_code"
		case name == "verify_account": // the bank's word on the account (API contract 1.5)
			name, message = "account_number", message+" Please correct them, or use another account."
		}
		if beside[name] == "" && slices.Contains(inOrder, name) {
			beside[name] = wrongWords(w, name, p.Code, message)
		}
	}
	for _, name := range inOrder {
		if text := beside[name]; text != "" {
			all = append(all, components.ErrorItem{Field: name, Text: text})
		}
	}
	return beside, all
}

// wrongWords says what is wrong with an input: in English as the rule says it, in other languages in fewer words.
func wrongWords(w locale.Words, name, code, english string) string {
	label := map[string]string{"full_name": "pay.form.holder", "bank_code": "pay.form.bank",
		"branch_code": "pay.form.branch", "account_number": "pay.form.number", "account_type": "pay.form.kind",
		"id_number": "pay.form.id", "phone": "pay.form.phone", "consent": "pay.form.agreement"}[name]
	switch {
	case w.Language == locale.English:
		return english
	case code == "required":
		return w.Say("pay.wrong.required", "field", w.Say(label))
	}
	return w.Say("pay.wrong.invalid", "field", w.Say(label))
}

// inOrder are the inputs from top to bottom.
var inOrder = []string{"full_name", "bank_code", "branch_code", "account_number", "account_type", "id_number", "phone",
	"consent"}

// banks lists the banks by name. Two codes of one bank tell themselves apart.
func banks(w locale.Words, chosen string) []components.Option {
	names := map[string]int{}
	for _, b := range bank.Branches() {
		names[b.Bank]++
	}
	var list []components.Option
	found := chosen == ""
	for _, b := range bank.Branches() {
		text := b.Bank
		if names[b.Bank] > 1 {
			text += " (" + b.Code + ")"
		}
		list = append(list, components.Option{Value: b.Code, Text: text, Selected: b.Code == chosen})
		found = found || b.Code == chosen
	}
	return append(list, components.Option{Value: otherBank, Text: w.Say("pay.form.other_bank"), Selected: !found})
}

// kinds lists the account types as people call them.
func kinds(w locale.Words, chosen string) []components.Option {
	words := map[bank.AccountType]string{bank.Current: w.Say("pay.kind.current"),
		bank.Savings: w.Say("pay.kind.savings"), bank.Transmission: w.Say("pay.kind.transmission")}
	var list []components.Option
	for _, t := range bank.AccountTypes() {
		list = append(list, components.Option{Value: string(t), Text: words[t], Selected: string(t) == chosen})
	}
	return list
}

func shortened(text string, runes int) string {
	if r := []rune(text); len(r) > runes {
		return string(r[:runes])
	}
	return text
}
