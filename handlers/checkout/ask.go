package checkout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/html"
	"debitdesk/handlers/papers"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/views/checkout"
	"debitdesk/views/components"
)

const (
	linesShown  = 6  // of the products; the rest stands on the invoice
	storedShown = 10 // of the stored accounts
	longDay     = "Monday 2 January 2006"
	day         = "2 January 2006"
)

// page answers with what can be given now, or with what came of it.
func (p *Pages) page(c echo.Context, status int, rec purchase.Record, in form, refusal *fault.Fault) error {
	asked, err := p.asked(c, rec)
	if err != nil {
		return err
	}
	if asked != nil {
		return p.wait(c, status, rec, *asked, refusal)
	}
	offer, err := p.Purchases.Offer(c.Request().Context(), rec)
	if err != nil {
		return err
	}
	v := checkout.PageView{}
	again := rec.Method == purchase.DebiCheck && rec.Status == purchase.Failed && offer.Account &&
		!in.sent // declined or not answered, and still payable
	if !offer.Open() || again {
		o, err := p.outcome(c, rec, offer)
		if err != nil {
			return err
		}
		v.Outcome, v.Frame = &o, p.frame(rec, o.Title)
	}
	if !offer.Open() {
		if refusal != nil {
			v.Notice = note("info", "", "Nothing was changed: this was already done.")
		}
		return html.Send(c, status, checkout.Page(v))
	}
	if !again {
		v.Subscription = subscriptionLink(rec)
	}
	contentPolicy(c, rec)
	recurs, err := p.Purchases.Recurs(c.Request().Context(), rec.Purchase)
	if err != nil {
		return err
	}
	v.Ask, v.Notice, v.Cancel = ask(rec, offer, recurs), standing(rec), safeLink(rec.Options.CancelRedirect)
	v.Closed, v.Ask.Under = closed(offer), again && len(offer.Stored) == 0
	if !again {
		v.Frame = p.frame(rec, v.Ask.Title)
	} else {
		v.Notice = nil
	}
	v.Stored = storedForm(rec, offer, in)
	if offer.Account {
		v.Account = p.accountForm(rec, offer, in, refusal)
		v.Account.Fold = "Use another account"
		v.Account.Beside = v.Stored != nil && in.sent && !in.usesStored()
		v.Account.Folded = (v.Stored != nil || again) && !v.Account.Beside
		if again && v.Stored == nil {
			v.Account.Fold = "Try again"
		}
	}
	say(&v, in, offer, refusal)
	return html.Send(c, status, checkout.Page(v))
}

// say puts a refusal at the top of the page.
func say(v *checkout.PageView, in form, offer purchase.Offer, refusal *fault.Fault) {
	if refusal == nil {
		return
	}
	switch {
	case refusal.Code == "invalid_recurring_token",
		in.usesStored() && (refusal.Kind == fault.Invalid || refusal.Code == "purchase_charge_error"): // said for staff
		const text = "This account cannot be used. Choose another one, or give the details of an account."
		item := components.ErrorItem{Text: text}
		if v.Stored != nil {
			item.Field, v.Stored.Choices.Error = "recurring_token", text
		}
		v.Problems.Items = append(v.Problems.Items, item)
	case refusal.Code == "terms_changed":
		v.Notice = note("warn", "The agreement has changed", refusal.Message)
	case refusal.Kind == fault.Invalid:
		_, v.Problems.Items = in.wrong(refusal)
		v.Problems.Items = append(notNow(refusal, offer), v.Problems.Items...)
		if len(v.Problems.Items) == 0 {
			v.Notice = note("bad", "", refusal.Message)
		}
		if fault.HasCode(refusal, "debicheck_unavailable") {
			v.Closed = nil // said once
		}
	default:
		v.Notice = note("bad", "", refusal.Message)
	}
	if len(v.Problems.Items) > 0 {
		v.Frame.Title = "Error: " + v.Frame.Title
	}
}

// standing says what came before, when it can be tried again.
func standing(rec purchase.Record) *components.Note {
	switch {
	case rec.Status == purchase.Failed && rec.Collection != nil && withdrawn(rec.Collection.State):
		return note("info", "The debit was withdrawn", "You can pay it here, from the same account or from another one.")
	case rec.Status == purchase.Failed, rec.Collection != nil && rec.Collection.State == collection.Unpaid:
		return note("warn", "The last debit was not paid", reason(rec)+
			" You can pay it again here, from the same account or from another one.")
	case rec.Status == purchase.Overdue:
		return note("warn", "", fmt.Sprintf("This was due on %s. You can still pay it.",
			calendar.DateOf(rec.Due).Format(day)))
	default:
		return nil
	}
}

// withdrawn tells that a debit was taken back before it ran.
func withdrawn(s collection.State) bool { return s == collection.Cancelled || s == collection.Recalled }

func ask(rec purchase.Record, o purchase.Offer, r purchase.Recurrence) *checkout.Ask {
	a := &checkout.Ask{Title: "Set up your debit order",
		Text:  rec.Brand.Name + " asks for your permission to debit your bank account.",
		Label: "First debit", Amount: money.Format(rec.OpenCents(), rec.Currency), When: "on " + o.FirstDebit.Format(longDay)}
	switch {
	case o.FirstDebit.IsZero():
		a.Label, a.Amount = "To pay now", money.Format(0, rec.Currency)
		a.When = "Your account is stored for later debits. Nothing is debited now."
	case o.Asking.Terms != nil:
	case rec.Method == "":
		a.Title, a.Text, a.Label = "Pay "+rec.Brand.Name, "You pay by debit order from your bank account.", "Amount to pay"
		a.When = "debited " + a.When
	}
	if o.Moved != "" {
		a.When += ". " + o.Moved
	}
	a.Lines = linesOf(rec)
	if more := len(a.Lines) - linesShown; more > 0 {
		a.Lines, a.More, a.MoreHref = a.Lines[:linesShown], fmt.Sprintf("and %d more: see all", more), path(rec.ID)+"invoice/"
	}
	if o.Asking.Terms != nil {
		askAtBank(a, rec, o)
	}
	if rec.Options.ForceRecurring { // the page begins the subscription
		a.Facts.Items = append(a.Facts.Items, recurring(r)...)
	}
	a.Facts.Items = append(a.Facts.Items, components.Fact{Label: "Reference", Value: reference(rec)})
	if rec.DueGiven && calendar.DateOf(rec.Due) != o.FirstDebit {
		a.Facts.Items = append(a.Facts.Items, components.Fact{Label: "Due", Value: calendar.DateOf(rec.Due).Format(day)})
	}
	return a
}

func linesOf(rec purchase.Record) []checkout.Line {
	lines := make([]checkout.Line, len(rec.Details.Products))
	for i, pr := range rec.Details.Products {
		cents, _ := pr.LineCents() // it was added up when the purchase was made
		lines[i] = checkout.Line{Name: pr.Name, Amount: money.Format(cents, rec.Currency)}
		if q := pr.Quantity.String(); q != "1" {
			lines[i].Quantity = strings.Replace(q, ".", ",", 1)
		}
	}
	return lines
}

func storedForm(rec purchase.Record, o purchase.Offer, in form) *checkout.StoredForm {
	if len(o.Stored) == 0 {
		return nil
	}
	shown := o.Stored[:min(len(o.Stored), storedShown)]
	f := &checkout.StoredForm{Action: path(rec.ID), Button: "Pay " + money.Format(rec.OpenCents(), rec.Currency),
		Choices: components.RadioCards{Legend: "Pay from a bank account you have stored", Name: "recurring_token",
			Value: shown[0].Token.ID.String(), Required: true}}
	oneDay := !slices.ContainsFunc(shown, func(d purchase.Forecast) bool {
		return d.Plan.ActionDate != shown[0].Plan.ActionDate
	})
	if oneDay {
		f.When = debitedOn(shown[0]) + "."
	}
	for _, d := range shown {
		id, text := d.Token.ID.String(), d.Token.HolderName
		if id == in.stored {
			f.Choices.Value = in.stored
		}
		if !oneDay {
			text += ". " + debitedOn(d) + "."
		}
		f.Choices.Options = append(f.Choices.Options, components.RadioCard{Value: id, Title: bankWords(d.Token),
			Text: text, Icon: "bank"})
	}
	return f
}

func debitedOn(d purchase.Forecast) string { return "Debited on " + d.Plan.ActionDate.Format(longDay) }

// bankWords names an account without giving it away: "Capitec •••• 7890".
func bankWords(t token.Token) string {
	name := bankName(t.BankCode)
	return name + " " + strings.ReplaceAll(t.AccountMask, " ", money.NBSP)
}

func (p *Pages) accountForm(rec purchase.Record, o purchase.Offer, in form,
	refusal *fault.Fault) *checkout.AccountForm {
	known := rec.Payer
	if !in.sent || in.usesStored() {
		in = form{name: known.FullName, phone: papers.Phone(known.Phone), bank: known.BankCode,
			kind: string(known.AccountType)}
	}
	wrong, _ := in.wrong(refusal)
	listed, branch := in.bank, in.branch
	if in.other() {
		listed = otherBank
	}
	options := banks(listed)
	if len(options) > 0 && options[len(options)-1].Selected && branch == "" && in.bank != otherBank {
		branch = in.bank // a branch that is not in the list
	}
	f := &checkout.AccountForm{Action: path(rec.ID), Title: "Your bank account", Version: o.Version,
		Name: components.Field{Label: "Account holder", Name: "full_name", Value: in.name, Error: wrong["full_name"],
			Autocomplete: "name", MaxLength: 128, Required: true,
			Hint: "The name your bank has for the account."},
		Bank: components.Select{Label: "Bank", Name: "bank_code", Error: wrong["bank_code"], Blank: "Choose your bank",
			Options: options, Required: true},
		Branch: components.Field{Label: "Branch code", Name: "branch_code", Value: branch, Error: wrong["branch_code"],
			InputMode: "numeric", Autocomplete: "off", MaxLength: 12,
			Quiet: true, Hint: "Six digits; only if your bank is not in the list."},
		Number: components.Field{Label: "Account number", Name: "account_number", Value: in.number,
			Error: wrong["account_number"], InputMode: "numeric", Autocomplete: "off",
			MaxLength: 34, Required: true},
		Kind: components.Select{Label: "Account type", Name: "account_type", Error: wrong["account_type"],
			Blank: "Choose the type", Options: kinds(in.kind), Required: true},
		IDNumber: components.Field{Label: "ID or passport number", Name: "id_number", Value: in.id, Error: wrong["id_number"],
			Autocomplete: "off", MaxLength: 30},
		Phone: components.Field{Label: "Cellphone number", Name: "phone", Value: in.phone, Error: wrong["phone"],
			Type: "tel", Autocomplete: "tel", MaxLength: 32},
		Consent: components.Checkbox{Label: "I agree to this debit order, and the account is mine or I may sign for it.",
			Name: "consent", Error: wrong["consent"],
			Checked: in.consent && (refusal == nil || refusal.Code != "terms_changed"), Required: true},
	}
	if known.BankAccount != "" {
		f.Number.Hint = "On record: " + strings.ReplaceAll(known.BankAccount.String(), " ", money.NBSP) +
			". Type the whole number to confirm it."
	}
	if known.PersonalCode != "" {
		f.IDNumber.Hint = "We have it on record; leave this empty to keep it."
	}
	f.Terms = strings.Split(p.Purchases.MandateText(rec, purchase.Account{FullName: in.name}), "\n")
	f.Button, f.When = "Agree and store my account", "Nothing is debited now."
	if !o.FirstDebit.IsZero() {
		f.Button, f.When = "Agree and pay "+money.Format(rec.OpenCents(), rec.Currency),
			"Debited on "+o.FirstDebit.Format(longDay)+"."
	}
	if o.Asking.Terms != nil {
		f.IDNumber.Required, f.Phone.Required = known.PersonalCode == "", true
		f.Phone.Hint = "Your bank asks you to confirm on this number."
		f.Button, f.When = "Agree and let my bank ask me", before(o.Asking.Terms)
	}
	if o.MayStore {
		f.Store = &components.Checkbox{Label: "Also store this account for later debits", Name: "store", Checked: in.store,
			Hint: "This is optional. If you tick this, you also agree to this: " + p.Purchases.LaterDebits(rec) + " Otherwise " +
				rec.Brand.Name + " debits the account once and does not keep it."}
	}
	return f
}
