package checkout

import (
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/papers"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/models/weblink"
	"debitdesk/views/checkout"
	"debitdesk/views/components"
)

const (
	linesShown  = 6  // of the products; the rest stands on the invoice
	storedShown = 10 // of the stored accounts
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
	again := rec.Method == purchase.DebiCheck && rec.Status == purchase.Failed && offer.Account &&
		!in.sent // declined or not answered, and still payable
	var told *story
	if !offer.Open() || again {
		s, err := p.known(c, rec, offer)
		if err != nil {
			return err
		}
		told = &s
	}
	var recurs purchase.Recurrence
	if offer.Open() {
		contentPolicy(c, rec)
		if recurs, err = p.Purchases.Recurs(c.Request().Context(), rec.Purchase); err != nil {
			return err
		}
	}
	return p.send(c, status, rec, func(w locale.Words, languages []components.LanguageLink) templ.Component {
		v := rights(w, rec)
		if told != nil {
			o := told.in(w).outcome()
			v.Outcome, v.Frame = &o, p.frame(w, rec, o.Title)
		}
		if !offer.Open() {
			if refusal != nil {
				v.Notice = note("info", "", w.Say("pay.nothing_changed"))
			}
			v.Frame.Languages = languages
			return checkout.Page(v)
		}
		p.offered(w, &v, rec, offer, recurs, in, again, refusal)
		v.Frame.Languages = languages
		return checkout.Page(v)
	})
}

// offered adds what can be given now.
func (p *Pages) offered(w locale.Words, v *checkout.PageView, rec purchase.Record, offer purchase.Offer,
	recurs purchase.Recurrence, in form, again bool, refusal *fault.Fault) {
	if !again {
		v.Subscription = subscriptionLink(w, rec)
	}
	v.Ask, v.Notice = ask(w, rec, offer, recurs), standing(w, rec)
	v.Cancel = components.Link{Text: w.Say("pay.not_now"), Href: safeLink(rec.Options.CancelRedirect)}
	v.Closed, v.Ask.Under = closed(w, offer), again && len(offer.Stored) == 0
	if !again {
		v.Frame = p.frame(w, rec, v.Ask.Title)
	} else {
		v.Notice = nil
	}
	v.Stored = storedForm(w, rec, offer, in)
	if offer.Account {
		v.Account = p.accountForm(w, rec, offer, in, refusal)
		v.Account.Fold = w.Say("pay.other_account")
		v.Account.Beside = v.Stored != nil && in.sent && !in.usesStored()
		v.Account.Folded = (v.Stored != nil || again) && !v.Account.Beside
		if again && v.Stored == nil {
			v.Account.Fold = w.Say("pay.again")
		}
	}
	say(w, v, in, offer, refusal)
}

// say puts a refusal at the top of the page.
func say(w locale.Words, v *checkout.PageView, in form, offer purchase.Offer, refusal *fault.Fault) {
	if refusal == nil {
		return
	}
	switch {
	case refusal.Code == "invalid_recurring_token",
		in.usesStored() && (refusal.Kind == fault.Invalid || refusal.Code == "purchase_charge_error"): // said for staff
		item := components.ErrorItem{Text: w.Say("pay.unusable")}
		if v.Stored != nil {
			item.Field, v.Stored.Choices.Error = "recurring_token", item.Text
		}
		v.Problems.Items = append(v.Problems.Items, item)
	case refusal.Code == "terms_changed":
		v.Notice = note("warn", w.Say("pay.changed.title"), w.Say("pay.changed.text"))
	case refusal.Kind == fault.Invalid:
		_, v.Problems.Items = in.wrong(w, refusal)
		v.Problems.Items = append(notNow(w, refusal, offer), v.Problems.Items...)
		if len(v.Problems.Items) == 0 {
			v.Notice = note("bad", "", orElse(w, refusal.Message, "pay.refused"))
		}
		if fault.HasCode(refusal, "debicheck_unavailable") {
			v.Closed = nil // said once
		}
	default:
		v.Notice = note("bad", "", orElse(w, refusal.Message, "pay.refused"))
	}
	if len(v.Problems.Items) > 0 {
		v.Frame.Title = w.Say("page.error_title", "title", v.Frame.Title)
	}
}

// orElse is a reason that is known in English alone, or in another language a text that says less.
func orElse(w locale.Words, english, key string) string {
	if w.Language == locale.English {
		return english
	}
	return w.Say(key)
}

// standing says what came before, when it can be tried again.
func standing(w locale.Words, rec purchase.Record) *components.Note {
	switch {
	case rec.PastDue() && rec.Status != purchase.Overdue:
		return note("warn", "", w.Say("pay.overdue", "date", w.Day(calendar.DateOf(rec.Due))))
	case rec.NothingFailed():
		return nil
	case rec.Status == purchase.Failed && rec.Collection != nil && withdrawn(rec.Collection.State):
		return note("info", w.Say("pay.withdrawn.title"), w.Say("pay.withdrawn.text"))
	case rec.Status == purchase.Failed, rec.Collection != nil && rec.Collection.State == collection.Unpaid:
		return note("warn", w.Say("pay.failed.title"),
			w.Say("pay.failed.text", "reason", papers.Reason(w, rec.Collection)))
	case rec.Status == purchase.Overdue:
		return note("warn", "", w.Say("pay.overdue", "date", w.Day(calendar.DateOf(rec.Due))))
	default:
		return nil
	}
}

// withdrawn tells that a debit was taken back before it ran.
func withdrawn(s collection.State) bool { return s == collection.Cancelled || s == collection.Recalled }

func ask(w locale.Words, rec purchase.Record, o purchase.Offer, r purchase.Recurrence) *checkout.Ask {
	a := &checkout.Ask{Title: w.Say("pay.ask.title"), Text: w.Say("pay.ask.text", "business", rec.Brand.Name),
		Label: w.Say("pay.ask.first"), Amount: w.Money(rec.OpenCents(), rec.Currency), For: w.Say("pay.for"),
		AmountHead: w.Say("pay.amount")}
	switch {
	case o.FirstDebit.IsZero():
		a.Label, a.Amount = w.Say("pay.ask.now"), w.Money(0, rec.Currency)
		a.When = w.Say("pay.ask.stored")
	case o.Asking.Terms == nil && rec.Method == "":
		a.Title, a.Text = w.Say("pay.ask.pay", "business", rec.Brand.Name), w.Say("pay.ask.pay_text")
		a.Label, a.When = w.Say("pay.ask.to_pay"), w.Say("pay.ask.debited_on", "date", w.LongDay(o.FirstDebit))
	default:
		a.When = w.Say("pay.ask.on", "date", w.LongDay(o.FirstDebit))
	}
	if o.Moved != "" {
		a.When += ". " + orElse(w, o.Moved, "pay.ask.moved")
	}
	a.Lines = linesOf(rec)
	if more := len(a.Lines) - linesShown; more > 0 {
		a.Lines, a.More, a.MoreHref = a.Lines[:linesShown], w.Count("pay.ask.more", more), weblink.Payer(rec.ID)+"invoice/"
	}
	if o.Asking.Terms != nil {
		askAtBank(w, a, rec, o)
	}
	if rec.Options.ForceRecurring { // the page begins the subscription
		a.Facts.Items = append(a.Facts.Items, recurring(w, r)...)
	}
	a.Facts.Items = append(a.Facts.Items, components.Fact{Label: w.Say("pay.reference"), Value: reference(rec)})
	if rec.DueGiven && calendar.DateOf(rec.Due) != o.FirstDebit {
		a.Facts.Items = append(a.Facts.Items, components.Fact{Label: w.Say("pay.due"),
			Value: w.Day(calendar.DateOf(rec.Due))})
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

func storedForm(w locale.Words, rec purchase.Record, o purchase.Offer, in form) *checkout.StoredForm {
	if len(o.Stored) == 0 {
		return nil
	}
	shown := o.Stored[:min(len(o.Stored), storedShown)]
	f := &checkout.StoredForm{Action: weblink.Payer(rec.ID),
		Button: w.Say("pay.stored.button", "amount", w.Money(rec.OpenCents(), rec.Currency)),
		Choices: components.RadioCards{Legend: w.Say("pay.stored.legend"), Name: "recurring_token",
			Value: shown[0].Token.ID.String(), Required: true}}
	oneDay := !slices.ContainsFunc(shown, func(d purchase.Forecast) bool {
		return d.Plan.ActionDate != shown[0].Plan.ActionDate
	})
	if oneDay {
		f.When = debitedOn(w, shown[0])
	}
	for _, d := range shown {
		id, text := d.Token.ID.String(), d.Token.HolderName
		if id == in.stored {
			f.Choices.Value = in.stored
		}
		if !oneDay {
			text += ". " + debitedOn(w, d)
		}
		f.Choices.Options = append(f.Choices.Options, components.RadioCard{Value: id, Title: bankWords(w, d.Token),
			Text: text, Icon: "bank"})
	}
	return f
}

func debitedOn(w locale.Words, d purchase.Forecast) string {
	return w.Say("pay.debited", "date", w.LongDay(d.Plan.ActionDate))
}

// bankWords names an account without giving it away: "Capitec •••• 7890".
func bankWords(w locale.Words, t token.Token) string {
	name := bankName(w, t.BankCode)
	return name + " " + strings.ReplaceAll(t.AccountMask, " ", money.NBSP)
}

func (p *Pages) accountForm(w locale.Words, rec purchase.Record, o purchase.Offer, in form,
	refusal *fault.Fault) *checkout.AccountForm {
	known := rec.Payer
	if !in.sent || in.usesStored() {
		in = form{name: known.FullName, phone: papers.Phone(known.Phone), bank: known.BankCode,
			kind: string(known.AccountType)}
	}
	wrong, _ := in.wrong(w, refusal)
	listed, branch := in.bank, in.branch
	if in.other() {
		listed = otherBank
	}
	options := banks(w, listed)
	if len(options) > 0 && options[len(options)-1].Selected && branch == "" && in.bank != otherBank {
		branch = in.bank // a branch that is not in the list
	}
	f := &checkout.AccountForm{Action: weblink.Payer(rec.ID), Title: w.Say("pay.form.title"), Version: o.Version,
		Name: components.Field{Label: w.Say("pay.form.holder"), Name: "full_name", Value: in.name, Error: wrong["full_name"],
			Autocomplete: "name", MaxLength: 128, Required: true,
			Hint: w.Say("pay.form.holder_hint")},
		Bank: components.Select{Label: w.Say("pay.form.bank"), Name: "bank_code", Error: wrong["bank_code"],
			Blank:   w.Say("pay.form.choose_bank"),
			Options: options, Required: true},
		Branch: components.Field{Label: w.Say("pay.form.branch"), Name: "branch_code", Value: branch,
			Error:     wrong["branch_code"],
			InputMode: "numeric", Autocomplete: "off", MaxLength: 12,
			Quiet: true, Hint: w.Say("pay.form.branch_hint")},
		Number: components.Field{Label: w.Say("pay.form.number"), Name: "account_number", Value: in.number,
			Error: wrong["account_number"], InputMode: "numeric", Autocomplete: "off",
			MaxLength: 34, Required: true},
		Kind: components.Select{Label: w.Say("pay.form.kind"), Name: "account_type", Error: wrong["account_type"],
			Blank: w.Say("pay.form.choose_kind"), Options: kinds(w, in.kind), Required: true},
		IDNumber: components.Field{Label: w.Say("pay.form.id"), Name: "id_number", Value: in.id, Error: wrong["id_number"],
			Autocomplete: "off", MaxLength: 30},
		Phone: components.Field{Label: w.Say("pay.form.phone"), Name: "phone", Value: in.phone, Error: wrong["phone"],
			Type: "tel", Autocomplete: "tel", MaxLength: 32},
		Consent: components.Checkbox{Label: "I agree to this debit order, and the account is mine or I may sign for it.",
			Name: "consent", Error: wrong["consent"],
			Checked: in.consent && (refusal == nil || refusal.Code != "terms_changed"), Required: true},
	}
	if known.BankAccount != "" {
		f.Number.Hint = w.Say("pay.form.number_hint", "account",
			strings.ReplaceAll(known.BankAccount.String(), " ", money.NBSP))
	}
	if known.PersonalCode != "" {
		f.IDNumber.Hint = w.Say("pay.form.id_hint")
	}
	f.Terms = strings.Split(p.Purchases.MandateText(rec, purchase.Account{FullName: in.name}), "\n")
	f.Agreement = w.Say("pay.form.agreement")
	if w.Language != locale.English { // what the client agrees to is in English on every page: it is the evidence
		f.Lang, f.Note = locale.English.Tag(), w.Say("pay.form.english", "business", rec.Brand.Name)
		f.Consent.Lang = f.Lang
	}
	f.Button, f.When = w.Say("pay.form.agree_store"), w.Say("pay.form.nothing_now")
	if !o.FirstDebit.IsZero() {
		f.Button = w.Say("pay.form.agree_pay", "amount", w.Money(rec.OpenCents(), rec.Currency))
		f.When = w.Say("pay.debited", "date", w.LongDay(o.FirstDebit))
	}
	if o.Asking.Terms != nil {
		f.IDNumber.Required, f.Phone.Required = known.PersonalCode == "", true
		f.Phone.Hint = w.Say("pay.dc.phone_hint")
		f.Button, f.When = w.Say("pay.dc.agree"), before(w, o.Asking.Terms)
	}
	if o.MayStore {
		f.Store = &components.Checkbox{Label: "Also store this account for later debits", Name: "store", Checked: in.store,
			Lang: f.Lang,
			Hint: "This is optional. If you tick this, you also agree to this: " + p.Purchases.LaterDebits(rec) + " Otherwise " +
				rec.Brand.Name + " debits the account once and does not keep it."}
	}
	return f
}
