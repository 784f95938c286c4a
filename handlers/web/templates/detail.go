package templates

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Show serves GET /templates/:id.
func (h *Templates) Show(c echo.Context) error {
	t, err := h.find(c)
	if err != nil {
		return err
	}
	brand, err := h.Purchases.Service.Merchants().Brand(c.Request().Context(), t.MerchantID, t.BrandID)
	if err != nil {
		return err
	}
	view := h.templateView(t, brand)
	view.MayWrite = access.Actor(c).Can(templateAct)
	if t.IsSubscription {
		told, err := h.Service.ToldOf(c.Request().Context(), t)
		if err != nil {
			return err
		}
		if told.Left() || told.Of > 0 && t.Coming() != nil {
			view.Facts.Items = append(view.Facts.Items, toldFact(told))
		}
		list, err := h.subscribers(access.Actor(c), t, c.QueryParam("status") == string(subscription.Pending)).View(c)
		if err != nil {
			return err
		}
		if view.Subscribers = &list; kit.FragmentFor(c, "results") {
			return html.Send(c, http.StatusOK, pages.ListResults(list))
		}
	}
	return h.Desk.ShowIn(c, http.StatusOK, t.Name(), templatesSection,
		func(f layout.Frame) templ.Component { return pages.Template(f, view) })
}

func (h *Templates) templateView(t subscription.Template, brand merchant.Brand) pages.TemplateView {
	v := pages.TemplateView{Title: t.Name(), ID: components.IDChip{ID: t.ID.String(), What: "template"},
		Href: words.TemplateHref(t.ID, ""), Pill: templatePill(t), Subscription: t.IsSubscription, Paused: t.Paused,
		Total: words.Sum(t.TotalCents, t.Currency), Facts: h.templateFacts(t)}
	v.Lines, _ = purchases.LineRows(purchase.Record{Purchase: purchase.Purchase{Details: t.Details, Currency: t.Currency,
		TotalCents: t.TotalCents}})
	if t.IsSubscription {
		start := calendar.DateOf(h.Desk.Now())
		v.Plan = pages.PreviewView{Words: planWords(t.Plan, calendar.Date{}),
			Days: h.dates(brand, t.Plan, start, methodOf(t.Options)), From: words.SayDay(start, h.Desk.Now()),
			Locked: t.Locked()}
		v.Next = "No one is billed yet: billing begins when a subscriber has stored an account or paid."
		switch {
		case t.Paused:
			v.Next = "Paused for all subscribers: periods pass without being billed, and missed dates are not billed later."
		case !t.NextOn.IsZero():
			v.Next = "The next billing date of a subscriber is " + words.SayDay(t.NextOn, h.Desk.Now()) + "."
		case t.HasActive:
			v.Next = "Subscribers are billed on their own days."
		}
		return v
	}
	v.Next = "Due " + words.SayDay(calendar.DateOf(t.Due), h.Desk.Now()) + ". Send it to a client whenever you need it."
	if !t.Due.After(h.Desk.Now()) {
		v.Next = "Its due date has passed. Edit the template and give a later one before you send it."
	}
	return v
}

func methodOf(o purchase.Options) string {
	if len(o.Whitelist) == 1 {
		return o.Whitelist[0]
	}
	return anyMethod
}

var payWords = map[string]string{anyMethod: "Any debit order", purchase.EFT: "EFT debit order only",
	purchase.DebiCheck: "DebiCheck only"}

func yesNo(is bool) string {
	if is {
		return "Yes"
	}
	return "No"
}

func (h *Templates) templateFacts(t subscription.Template) components.Facts {
	f := components.Facts{Items: []components.Fact{{Label: "Kind", Value: "Invoice template"},
		{Label: "Amount", Value: words.Sum(t.TotalCents, t.Currency)},
		{Label: "Payment", Value: payWords[methodOf(t.Options)]},
		{Label: "Account stored", Value: yesNo(t.Options.ForceRecurring)}}}
	if d := t.Details.DirectDebit; d != nil && d.ProfileCode != "" {
		f.Items = append(f.Items, components.Fact{Label: "Registration", Value: d.ProfileCode + ", " + d.AbbreviatedName})
	}
	if t.IsSubscription {
		f.Items[0].Value = "Subscription"
		ends := "No end date"
		if t.Plan.Cycles != nil {
			ends = plural.Of(*t.Plan.Cycles, "period")
		}
		f.Items = append(f.Items, components.Fact{Label: "Billed", Value: words.EveryWords(t.Plan, calendar.Date{})},
			components.Fact{Label: "Due after", Value: lengthWords(t.Plan.DuePeriod, t.Plan.DueUnits)},
			components.Fact{Label: "Free periods", Value: plural.Of(t.Plan.TrialPeriods, "period")},
			components.Fact{Label: "Runs", Value: ends})
	} else {
		f.Items = append(f.Items, components.Fact{Label: "Due", Part: components.When(words.DayOf(t.Due))},
			components.Fact{Label: "Receipts", Value: yesNo(t.Options.SendReceipt)})
	}
	if coming := t.Coming(); coming != nil {
		f.Items = append(f.Items, components.Fact{Label: "From " + words.SayDay(coming.From, h.Desk.Now()),
			Value: words.Sum(coming.Cents, t.Currency)})
	}
	f.Items = append(f.Items, components.Fact{Label: "Created",
		Part: components.When(words.Ago(t.CreatedAt, h.Desk.Now()))})
	return f
}

// toldFact says how far the letters about a price are.
func toldFact(n subscription.Told) components.Fact {
	return components.Fact{Label: "Told of the price", Value: words.Grouped(int64(n.Told)) + " of " +
		words.Grouped(int64(n.Of)) + " " + plural.Pick(n.Of, "client", "clients")}
}

// AskPause serves GET /templates/:id/pause.
func (h *Templates) AskPause(c echo.Context) error {
	t, err := h.findSubscription(c)
	if err != nil {
		return err
	}
	ask := components.Confirm{ID: "pause", Title: "Pause “" + t.Name() + "” for all subscribers?",
		Text: "To pause one subscriber only, use the subscriber’s page.",
		Breaks: []string{plural.Of(t.Counts[subscription.Active], "active subscriber") +
			" will not be billed while it lasts.", "Periods pass: missed dates are not billed later.",
			"Purchases that exist already stay, and so do their debits."},
		Action: words.TemplateHref(t.ID, "/pause"), Fields: []components.Pair{{Name: "paused", Value: "yes"}},
		Button: "Pause for all subscribers", CancelHref: words.TemplateHref(t.ID, "")}
	return h.ask(c, http.StatusOK, ask)
}

func (h *Templates) ask(c echo.Context, status int, ask components.Confirm) error {
	return h.Desk.ShowIn(c, status, ask.Title, templatesSection,
		func(f layout.Frame) templ.Component { return pages.Ask(f, ask) })
}

// Pause serves POST /templates/:id/pause: paused is yes or no.
func (h *Templates) Pause(c echo.Context) error {
	t, err := h.findSubscription(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	paused, said := form.Get("paused") == "yes",
		"The template is resumed. Subscribers are billed again from their next date."
	if paused {
		said = "The template is paused for all subscribers."
	}
	if _, err := h.Service.SetPaused(c.Request().Context(), access.Actor(c), t.ID, paused); err != nil {
		return err
	}
	return h.done(c, said, words.TemplateHref(t.ID, ""))
}

// done says what was done, on the page where it shows.
func (h *Templates) done(c echo.Context, said, to string) error {
	return access.RedirectWithFlash(c, "ok", said, to)
}

// AskDelete serves GET /templates/:id/deletion.
func (h *Templates) AskDelete(c echo.Context) error {
	t, err := h.find(c)
	if err != nil {
		return err
	}
	return h.askDelete(c, http.StatusOK, t, "")
}

func (h *Templates) askDelete(c echo.Context, status int, t subscription.Template, wrong string) error {
	ask := components.Confirm{ID: "delete", Title: "Delete “" + t.Name() + "”?",
		Text: "This cannot be undone. The template disappears from all lists.", Action: words.TemplateHref(t.ID, "/deletion"),
		Button:     "Delete template",
		CancelHref: words.TemplateHref(t.ID, ""), Breaks: []string{"Its purchases stay, with their debits."},
		TypeError: wrong}
	if n := running(t); n > 0 {
		ask.Breaks = append([]string{plural.Of(n, "subscriber") + " will no longer be billed: " + countsWords(t) + ".",
			"Links for storing a bank account stop working."}, ask.Breaks...)
		ask.TypeLabel = "Type " + words.Grouped(n) + ", the number of subscribers, to confirm"
	}
	return h.ask(c, status, ask)
}

// running counts the subscribers that a deletion ends.
func running(t subscription.Template) int64 {
	return t.Counts[subscription.Active] + t.Counts[subscription.Pending] + t.Counts[subscription.Paused]
}

func countsWords(t subscription.Template) string {
	var parts []string
	for _, s := range []subscription.Status{subscription.Active, subscription.Pending, subscription.Paused} {
		if n := t.Counts[s]; n > 0 {
			parts = append(parts, words.Grouped(n)+" "+strings.ToLower(subscriberPills[s].Word))
		}
	}
	return strings.Join(parts, ", ")
}

// Delete serves POST /templates/:id/deletion.
func (h *Templates) Delete(c echo.Context) error {
	t, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	if n := running(t); n > 0 && words.Glued(form.Get("confirm")) != words.Glued(words.Grouped(n)) {
		return h.askDelete(c, http.StatusUnprocessableEntity, t, "Type "+words.Grouped(n)+", the number of subscribers.")
	}
	if err := h.Service.Delete(c.Request().Context(), access.Actor(c), t.ID); err != nil {
		return err
	}
	return h.done(c, "“"+t.Name()+"” is deleted.", "/templates")
}

// AskInvoice serves GET /templates/:id/invoice.
func (h *Templates) AskInvoice(c echo.Context) error {
	t, err := h.find(c)
	if err != nil {
		return err
	}
	return h.invoiceForm(c, http.StatusOK, t, url.Values{"client_id": {c.QueryParam("client")}}, nil)
}

func (h *Templates) invoiceForm(c echo.Context, status int, t subscription.Template, form url.Values,
	wrong error) error {
	if t.IsSubscription {
		return fault.New(fault.Conflict, "is_subscription",
			"“%s” is a subscription: add a subscriber instead of sending one invoice.", t.Name())
	}
	v, err := h.chooseClient(c, t, form, wrong)
	if err != nil {
		return err
	}
	v.Title, v.Action, v.Button = "Send an invoice", words.TemplateHref(t.ID, "/invoice"),
		"Send the invoice, "+words.Sum(t.TotalCents, t.Currency)
	v.Text = "The client gets this invoice by mail, with a link to pay. It is due " + words.SayDay(calendar.DateOf(t.Due),
		h.Desk.Now()) + "."
	return h.Desk.ShowIn(c, status, v.Title, templatesSection,
		func(f layout.Frame) templ.Component { return pages.NewSubscriber(f, v) })
}

// chooseClient is the part of a form that asks which client.
func (h *Templates) chooseClient(c echo.Context, t subscription.Template, form url.Values,
	wrong error) (pages.NewSubscriberView, error) {
	ctx, who := c.Request().Context(), access.Actor(c)
	byInput, summary, _ := kit.Problems(wrong)
	if f, ok := fault.From(wrong); ok && len(summary) == 0 {
		summary = []components.ErrorItem{{Text: f.Message}}
	}
	v := pages.NewSubscriberView{Back: components.Link{Text: t.Name(), Href: words.TemplateHref(t.ID, "")},
		Key: form.Get(kit.FormKeyName), Problems: components.ErrorSummary{Items: summary},
		For: t.Name() + ", " + words.Sum(t.TotalCents, t.Currency)}
	if v.Key == "" {
		v.Key = kit.NewFormKey()
	}
	chosen, err := h.Purchases.ClientChosen(ctx, who, form.Get("client_id"))
	if err != nil {
		return v, err
	}
	v.Client, err = h.Purchases.ClientPicker(ctx, who, form, chosen, byInput["client_id"])
	v.Client.Required = true
	v.Reference = components.Field{Label: "Reference", Name: "invoice_reference", Value: form.Get("invoice_reference"),
		Error: or2(byInput["invoice_reference"], byInput["reference"]), MaxLength: 128, Width: "l",
		Hint: "Shown on every bill. If you leave it empty, each purchase gets its own number."}
	return v, err
}

// Invoice serves POST /templates/:id/invoice.
func (h *Templates) Invoice(c echo.Context) error {
	t, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	if form.Has("find") {
		return h.invoiceForm(c, http.StatusOK, t, form, nil)
	}
	in := subscription.SubscriberInput{Reference: strings.TrimSpace(form.Get("invoice_reference")),
		Switches: subscription.Switches{InvoiceOnAdd: true, InvoiceOnChargeFailure: true, Receipt: true}}
	if in.ClientID, err = uuid.Parse(form.Get("client_id")); err != nil {
		return h.invoiceForm(c, http.StatusUnprocessableEntity, t, form,
			fault.At("client_id", "required", "Choose the client."))
	}
	err = kit.Once(c, h.Desk, form.Get(kit.FormKeyName),
		func(ctx context.Context) (purchase.Record, error) {
			return h.Service.SendInvoice(ctx, access.Actor(c), t.ID, in)
		}, func(rec purchase.Record) string { return words.PurchasePath(rec.ID) })
	if fault.Is(err, fault.Invalid) {
		return h.invoiceForm(c, http.StatusUnprocessableEntity, t, form, err)
	}
	return err
}
