package mandates

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/amendment"
	"debitdesk/models/bank"
	"debitdesk/models/dryrun"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// review shows what a change of details would do before anything is sent: what is new, whom it goes to, and what
// becomes of planned debits. The request is tried by the code that carries it out.
func (h *Amendments) review(c echo.Context, old token.Entry, m mandate.Mandate, form url.Values,
	in amendment.Revision) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	tried := in
	if ask := tried.DirectDebit.Ask; ask != nil { // the bank is asked about the account once, when this is sent
		unverified := *ask
		unverified.VerifyAccount = false
		tried.DirectDebit.Ask = &unverified
	}
	_, err := h.Service.Amend(dryrun.With(ctx), who, old.ID, tried)
	if _, _, refused := kit.Problems(err); refused {
		return h.form(c, http.StatusUnprocessableEntity, old, m, form, err)
	}
	if f, ok := fault.From(err); ok && f.Code == "amendment_open" {
		return c.Redirect(http.StatusSeeOther, words.TokenPath(old.ID)+"/amendment")
	}
	if err != nil {
		return err
	}
	planned, err := h.Service.PlannedFrom(ctx, who, old.ID)
	if err != nil {
		return err
	}
	view := pages.AmendReviewView{Title: "Review the change", Back: components.Link{Text: old.Token.Named(),
		Href: words.TokenPath(old.ID)}, Steps: amendSteps(1, false), Action: words.TokenPath(old.ID) + "/amendment",
		Fields: sentFields(form), Now: h.nowFacts(old, m), New: newFacts(old, form, in, h.Purchases.Limits),
		What:   whatHappens(old, in),
		Button: "Create the link for the client"}
	if in.Method == purchase.DebiCheck && form.Get("account") != askedAccount {
		view.Button = "Send to the client’s bank"
	}
	for _, rec := range planned {
		view.Planned = append(view.Planned, words.Reference(rec.Purchase)+": "+
			words.Sum(rec.TotalCents, rec.Currency)+" on "+words.SayDay(rec.Collection.ActionDate, h.Desk.Now())+
			". It stays on "+old.AccountMask+" until you confirm that the new details are used; then it moves to them, and "+
			"you see first whether it fits them.")
	}
	return h.Desk.ShowIn(c, http.StatusOK, view.Title, words.TokensSection,
		func(f layout.Frame) templ.Component { return pages.AmendReview(f, view) })
}

// sentFields are what was typed, for the form that sends it or changes it.
func sentFields(form url.Values) (fields []pages.HiddenField) {
	for name, values := range form {
		if name == "review" || name == "change" {
			continue
		}
		for _, value := range values {
			fields = append(fields, pages.HiddenField{Name: name, Value: value})
		}
	}
	slices.SortFunc(fields, func(a, b pages.HiddenField) int { return strings.Compare(a.Name, b.Name) })
	return fields
}

// newFacts are the details as they will be.
func newFacts(old token.Entry, form url.Values, in amendment.Revision, limits mandate.Limits) components.Facts {
	var f components.Facts
	add := func(label, value string) {
		if value != "" {
			f.Items = append(f.Items, components.Fact{Label: label, Value: value})
		}
	}
	method, account := "EFT debit order", "The client gives it"
	if in.Method == purchase.DebiCheck {
		method = "DebiCheck"
		switch {
		case in.KeepAccount:
			account = "Still " + old.AccountMask + " at " + words.BankWords(old.BankCode)
		case in.Account != nil:
			account = in.Account.FullName + ", " + words.BankWords(bank.CleanBranch(in.Account.BankCode)) + " " +
				bank.CleanAccount(in.Account.AccountNumber).String()
		}
	}
	add("Method", method)
	add("Account", account)
	if ask := in.DirectDebit.Ask; ask != nil {
		add("Usual amount", money.Format(in.PriceCents, money.ZAR))
		if ask.MaxAmountCents != nil {
			add("Never more than", money.Format(*ask.MaxAmountCents, money.ZAR)+" a debit")
		}
		how := "By SMS, " + limits.Within(mandate.Delayed)
		if ask.AuthenticationType == string(mandate.RealTime) {
			how = "On the phone, " + limits.Within(mandate.RealTime)
		}
		add("The client is asked", how)
	}
	add("Every", strings.TrimSuffix(form.Get("period_units"), "s"))
	add("Deduction day", form.Get("deduction_day"))
	add("Description", in.Name)
	if in.FirstCents > 0 {
		add("Collected now", money.Format(in.FirstCents, money.ZAR))
	}
	return f
}

// whatHappens says what sending does.
func whatHappens(old token.Entry, in amendment.Revision) []string {
	first := "You get a link for the client, who gives the new account and agrees. You can also record a signed form."
	if in.Method == purchase.DebiCheck && (in.KeepAccount || in.Account != nil) {
		first = "The client’s bank asks the client to confirm at once."
	}
	what := []string{first, "Until the new details work, " + old.AccountMask + " stays in use and nothing moves."}
	if in.FirstCents > 0 {
		what = append(what, money.Format(in.FirstCents, money.ZAR)+" is debited from the new account once the client has "+
			"agreed.")
	}
	return append(what, "Debits that are with the bank already run on "+old.AccountMask+".")
}
