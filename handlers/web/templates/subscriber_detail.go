package templates

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/subscription"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

func (h *Templates) findSubscriber(c echo.Context) (subscription.Template, subscription.Subscriber, error) {
	t, err := h.find(c)
	if err != nil {
		return t, subscription.Subscriber{}, err
	}
	id, err := kit.ID(c, "sid")
	if err != nil {
		return t, subscription.Subscriber{}, err
	}
	s, err := h.Service.Subscriber(c.Request().Context(), access.Actor(c), t.ID, id)
	return t, s, err
}

// Subscriber serves GET /templates/:id/subscribers/:sid.
func (h *Templates) Subscriber(c echo.Context) error {
	t, s, err := h.findSubscriber(c)
	if err != nil {
		return err
	}
	view, err := h.subscriberView(c, t, s)
	if err != nil {
		return err
	}
	return h.Desk.ShowIn(c, http.StatusOK, view.Name, templatesSection,
		func(f layout.Frame) templ.Component { return pages.Subscriber(f, view) })
}

func (h *Templates) subscriberView(c echo.Context, t subscription.Template,
	s subscription.Subscriber) (pages.SubscriberView, error) {
	now := h.Desk.Now()
	v := pages.SubscriberView{Name: or2(s.ClientName, s.ClientEmail), For: t.Name(),
		Back: components.Link{Text: t.Name(), Href: words.TemplateHref(t.ID, "")},
		ID:   components.IDChip{ID: s.ID.String(), What: "subscriber"},
		Pill: subscriberPill(s), Next: nextOfSubscriber(t, s, h), Href: subscriberHref(s, ""),
		MayWrite: access.Actor(c).Can(templateAct), Status: string(s.Status)}
	if t.Paused {
		v.TemplatePaused = "The template is paused for all subscribers, so this one is not billed either."
	}
	price := t.TotalCents
	v.Amount = words.Sum(price, t.Currency)
	if s.Override != nil && s.Override.TotalOverrideCents != nil {
		price = *s.Override.TotalOverrideCents
		v.Amount, v.Own = words.Sum(price, t.Currency), "Own price; the template’s is "+words.Sum(t.TotalCents, t.Currency)+
			"."
	}
	v.Facts = components.Facts{Items: []components.Fact{{Label: "Client", Value: v.Name,
		Href: words.ClientHref(s.ClientID)}, {Label: "E-mail", Value: s.ClientEmail},
		{Label: "Template", Value: t.Name(), Href: words.TemplateHref(t.ID, "")},
		{Label: "Billed", Value: words.EveryWords(t.Plan, s.Anchor)},
		{Label: "Periods billed", Value: periodsWords(t.Plan, s)},
		{Label: "Added", Part: components.When(words.Ago(s.CreatedAt, now))}}}
	add := func(f components.Fact) { v.Facts.Items = append(v.Facts.Items, f) }
	if !s.NextOn.IsZero() {
		add(components.Fact{Label: "Next date", Part: components.When(words.DayTime(s.NextOn))})
	}
	if s.Reference != "" {
		add(components.Fact{Label: "Reference", Value: s.Reference})
	}
	if s.TokenID != uuid.Nil {
		add(components.Fact{Label: "Token", Value: "Show the token", Href: words.TokenPath(s.TokenID)})
	}
	if s.FirstPurchaseID != uuid.Nil {
		add(components.Fact{Label: "First purchase", Value: "Show the purchase", Href: words.PurchasePath(s.FirstPurchaseID)})
	}
	if len(s.Whitelist) > 0 {
		add(components.Fact{Label: "Payment", Value: payWords[s.Whitelist[0]]})
	}
	v.Facts.Items = append(v.Facts.Items, ownFacts(s, t.Currency)...)
	if s.Unfit != "" {
		v.Unfit = "The next period cannot be debited. " + s.Unfit
	}
	for _, one := range []struct {
		label string
		on    bool
	}{{"Welcome invoice", s.Switches.InvoiceOnAdd}, {"Invoice when a debit fails", s.Switches.InvoiceOnChargeFailure},
		{"Receipts", s.Switches.Receipt}} {
		v.Mails = append(v.Mails, components.Fact{Label: one.label, Value: yesNo(one.on)})
	}
	if s.AsksForAccount() {
		v.Link = h.Purchases.PayerURL(s.FirstPurchaseID)
		v.Waiting = "Waiting for " + ageWords(s.CreatedAt, now)
		if !s.RemindedAt.IsZero() {
			v.Waiting += "; reminded on " + words.SayDay(calendar.DateOf(s.RemindedAt), now)
		}
	}
	return v, h.periods(c, t, s, &v)
}

func (h *Templates) periods(c echo.Context, t subscription.Template, s subscription.Subscriber,
	v *pages.SubscriberView) error {
	all, err := h.Service.Periods(c.Request().Context(), access.Actor(c), s.ID)
	if err != nil {
		return err
	}
	for _, p := range all {
		row := pages.PeriodRow{Starts: words.DayTime(p.StartsOn), Billed: words.DayTime(p.BilledOn),
			Words: skippedWords(p.Skipped), Pill: components.Pill{Kind: "draft", Word: "Skipped"}}
		if p.PurchaseID != uuid.Nil {
			row.Href, row.Words, row.Pill = words.PurchasePath(p.PurchaseID), "Show the purchase",
				components.Pill{Kind: "done", Word: "Billed"}
		}
		v.Periods = append(v.Periods, row)
	}
	if s.Status == subscription.Active && !s.NextOn.IsZero() && !s.Unfunded() && !s.Held() {
		brand, from, err := h.debited(c, t, s)
		if err != nil {
			return err
		}
		for _, day := range t.Plan.Upcoming(s, datesShown) {
			v.Coming = append(v.Coming, h.billingDay(brand, from, t.Plan, day))
		}
	}
	return nil
}

// debited is the account that a subscriber's periods are debited from, and the brand that does it.
func (h *Templates) debited(c echo.Context, t subscription.Template,
	s subscription.Subscriber) (b merchant.Brand, from purchases.Account, err error) {
	ctx, of := c.Request().Context(), h.Purchases.Service
	if b, err = of.Merchants().Brand(ctx, t.MerchantID, t.BrandID); err != nil || s.TokenID == uuid.Nil {
		return b, purchases.Account{Token: token.Token{Method: methodOf(t.Options)}}, err
	}
	if from.Token, err = of.Tokens().Token(ctx, t.MerchantID, s.TokenID); err == nil {
		from.Mandate, err = of.Mandates().Mandate(ctx, t.MerchantID, from.MandateID)
	}
	if fault.Is(err, fault.NotFound) {
		err = nil
	}
	return b, from, err
}

func periodsWords(p subscription.Plan, s subscription.Subscriber) string {
	out := words.Grouped(int64(s.Passed))
	if p.Cycles != nil {
		out += " of " + words.Grouped(int64(*p.Cycles))
	}
	if skipped := s.Cycle - s.Passed; skipped > 0 {
		out += ", " + words.Grouped(int64(skipped)) + " skipped"
	}
	return out
}

func nextOfSubscriber(t subscription.Template, s subscription.Subscriber, h *Templates) string {
	now := h.Desk.Now()
	if s.Held() {
		return "Its token is being deleted. Nothing is billed until the deletion is undone or complete; " +
			"then what was chosen with the deletion happens."
	}
	switch s.Status {
	case subscription.Pending:
		return "Waiting until the client has paid or stored a bank account. Nothing is billed before that."
	case subscription.Paused:
		if s.Why == subscription.WhyAsked {
			return "Its token was deleted, and the client was asked by mail for a new account. " +
				"Billing continues once the client has given it; the periods until then are not billed."
		}
		return or2(whyWords(s)+" ", "") + "Only this subscriber is paused: periods pass and are not billed, now or later."
	case subscription.Inactive:
		return or2(whyWords(s), "It has ended.") + " Nothing more is billed."
	case subscription.Active:
	}
	if s.NextOn.IsZero() {
		return "There is no further billing date."
	}
	if s.Unfunded() {
		return unfundedWords(s) + " The next period begins on " + words.SayDay(s.NextOn, now) + "."
	}
	return "Billed next on " + words.SayDay(s.NextOn, now) + "; due " + lengthWords(t.Plan.DuePeriod, t.Plan.DueUnits) +
		" later."
}

// EditSubscriber serves GET /templates/:id/subscribers/:sid/edit.
func (h *Templates) EditSubscriber(c echo.Context) error {
	t, s, err := h.findSubscriber(c)
	if err != nil {
		return err
	}
	form := url.Values{"invoice_reference": {s.Reference}}
	for name, on := range map[string]bool{"send_invoice_on_add_subscriber": s.Switches.InvoiceOnAdd,
		"send_invoice_on_charge_failure": s.Switches.InvoiceOnChargeFailure, "send_receipt": s.Switches.Receipt} {
		if on {
			form.Set(name, "yes")
		}
	}
	if len(s.Whitelist) == 1 {
		form.Set("method", s.Whitelist[0])
	}
	if s.Override != nil && s.Override.TotalOverrideCents != nil {
		form.Set("total_override", money.Amount(*s.Override.TotalOverrideCents))
	}
	termForm(form, s)
	return h.editForm(c, http.StatusOK, t, s, form, nil)
}

func (h *Templates) editForm(c echo.Context, status int, t subscription.Template, s subscription.Subscriber,
	form url.Values, wrong error) error {
	form.Set("client_id", s.ClientID.String())
	v, err := h.chooseClient(c, t, form, wrong)
	if err != nil {
		return err
	}
	name := or2(s.ClientName, s.ClientEmail)
	v.Title, v.Action, v.Button, v.Edit = "Edit "+name, subscriberHref(s, "/edit"), "Save", true
	v.Back = components.Link{Text: name, Href: subscriberHref(s, "")}
	v.Text = "Changes apply from the next period. The client and the billing dates stay as they are."
	h.subscriberFields(&v, form, wrong)
	return h.Desk.ShowIn(c, status, v.Title, templatesSection,
		func(f layout.Frame) templ.Component { return pages.NewSubscriber(f, v) })
}

// ChangeSubscriber serves POST /templates/:id/subscribers/:sid/edit.
func (h *Templates) ChangeSubscriber(c echo.Context) error {
	t, s, err := h.findSubscriber(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	_, err = h.Service.Change(c.Request().Context(), access.Actor(c), t.ID, s.ID,
		func(in *subscription.SubscriberInput) { readSubscriber(form, t, in) })
	if fault.Is(err, fault.Invalid) {
		return h.editForm(c, http.StatusUnprocessableEntity, t, s, form, err)
	}
	if err != nil {
		return err
	}
	return h.done(c, "Saved. It applies from the next period.", subscriberHref(s, ""))
}

// PauseSubscriber serves POST /templates/:id/subscribers/:sid/pause: paused is yes or no.
func (h *Templates) PauseSubscriber(c echo.Context) error {
	_, s, err := h.findSubscriber(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	paused, said := form.Get("paused") == "yes", "Resumed. The next date stays; missed periods are not billed."
	if paused {
		said = "Only this subscriber is paused."
	}
	if _, err := h.Service.SetSubscriberPaused(c.Request().Context(), access.Actor(c), s.ID, paused); err != nil {
		return err
	}
	return h.done(c, said, subscriberHref(s, ""))
}

// Remind serves POST /templates/:id/subscribers/:sid/reminder.
func (h *Templates) Remind(c echo.Context) error {
	t, s, err := h.findSubscriber(c)
	if err != nil {
		return err
	}
	if _, err := h.Service.Remind(c.Request().Context(), access.Actor(c), s.ID); err != nil {
		return err
	}
	return h.done(c, "The link is on its way to "+or2(s.ClientEmail, s.ClientName)+".", h.backTo(c, t, s))
}

// backTo is the list when the act was asked for there.
func (h *Templates) backTo(c echo.Context, t subscription.Template, s subscription.Subscriber) string {
	if c.FormValue("from") == "list" {
		return words.TemplateHref(t.ID, "?status="+string(subscription.Pending))
	}
	return subscriberHref(s, "")
}

// AskRemove serves GET /templates/:id/subscribers/:sid/removal.
func (h *Templates) AskRemove(c echo.Context) error {
	t, s, err := h.findSubscriber(c)
	if err != nil {
		return err
	}
	ask := components.Confirm{ID: "remove", Title: "Remove " + or2(s.ClientName, s.ClientEmail) + " from “" + t.Name() +
		"”?", Text: "This cannot be undone: to subscribe again, the client must be added again.",
		Breaks: []string{"No further period is billed.",
			"A first purchase that is not paid yet is cancelled, and its link ends.",
			"Periods that were billed stay, with their debits. The token stays, too."},
		Action: subscriberHref(s, "/removal"), Button: "Remove the subscriber", CancelHref: subscriberHref(s, "")}
	if from := c.QueryParam("from"); from == "list" {
		ask.Fields = []components.Pair{{Name: "from", Value: from}}
	}
	return h.ask(c, http.StatusOK, ask)
}

// Remove serves POST /templates/:id/subscribers/:sid/removal.
func (h *Templates) Remove(c echo.Context) error {
	t, s, err := h.findSubscriber(c)
	if err != nil {
		return err
	}
	if _, err := h.Service.Remove(c.Request().Context(), access.Actor(c), s.ID); err != nil {
		return err
	}
	return h.done(c, strings.TrimSpace(or2(s.ClientName, s.ClientEmail))+" was removed.", h.backTo(c, t, s))
}
