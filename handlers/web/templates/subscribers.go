package templates

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/export"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// subscribers are those of one template. Those who are pending have columns of their own on the page.
func (h *Templates) subscribers(who actor.Actor, t subscription.Template, pending bool) kit.Shown {
	list := subscriberList(h, t)
	list.Path, list.File, list.Card = words.TemplateHref(t.ID, ""), words.TemplateHref(t.ID, "/subscribers/export"),
		components.Card{Title: "Subscribers"}
	list.SourceArg, list.Choose = t.ID.String(), h.chooseSubscribers(SubscriberList)
	list.Query = func(ctx context.Context, who actor.Actor, f subscription.SubscriberFilter,
		ask paging.Ask) (paging.Page[subscription.Subscriber], error) {
		return h.Service.Subscribers(ctx, who, t.ID, f, ask)
	}
	list.By = "status"
	for _, s := range []subscription.Status{subscription.Active, subscription.Pending, subscription.Paused,
		subscription.Inactive} {
		list.Views = append(list.Views, kit.ViewOf(subscriberPills[s].Word, "status", s))
	}
	list.Filters = []kit.Filter[subscription.SubscriberFilter]{kit.StateFilter("status", "a status",
		slices.Collect(maps.Keys(subscriberPills)),
		func(f *subscription.SubscriberFilter) *subscription.Status { return &f.Status })}
	list.Count = func(_ context.Context, _ actor.Actor, f subscription.SubscriberFilter) (kit.Tally, error) {
		tally := kit.TallyOf(t.Counts, kit.Split[subscription.Status](string(f.Status)), false, 0)
		if f.Search != "" {
			tally.Found = kit.RowsFound{} // nobody counts them
		}
		return tally, nil
	}
	list.Empty = components.Empty{
		Icon:  "users",
		Title: "No subscriber yet",
		Text: "Add one client, or many from a file. Each gets a link to store the bank account, " +
			"unless one is stored already.",
	}
	if pending {
		for i := range list.Columns {
			list.Columns[i].Cell = nil
		}
		list.Columns = slices.Concat(pendingColumns(h, who.Can(templateAct)), list.Columns)
		list.Around = func(_ echo.Context, _ *kit.Listing, v *pages.ListView) error {
			if who.Can(templateAct) {
				v.Acts = pages.PendingActs(list.Path)
			}
			return nil
		}
	}
	return list
}

// subscriberList is what all lists of subscribers have in common. t is the template of them all, if there is one.
func subscriberList(h *Templates, t subscription.Template) *kit.List[subscription.Subscriber,
	subscription.SubscriberFilter] {
	return &kit.List[subscription.Subscriber, subscription.SubscriberFilter]{
		Desk: h.Desk, Exports: h.Exports, Active: templatesSection, One: "subscriber",
		ID: func(s subscription.Subscriber) uuid.UUID { return s.ID },
		Search: kit.Search[subscription.SubscriberFilter]{Label: "Search subscribers", Holder: "Name or e-mail",
			Set: func(f *subscription.SubscriberFilter, text string) { f.Search = text }},
		Columns: []kit.Column[subscription.Subscriber]{
			kit.ColumnOf("Client", subscriberCell).FileText("Client", 28,
				func(s subscription.Subscriber) string { return s.ClientName }).
				FileText("E-mail", 30, func(s subscription.Subscriber) string { return s.ClientEmail }).
				FileText("Client id", 38, func(s subscription.Subscriber) string { return s.ClientID.String() }),
			kit.PillColumn("Status", 12, subscriberPill),
			kit.ColumnOf("Next billing", func(s subscription.Subscriber) components.Cell {
				next, note := h.nextBilling(t, s)
				return components.Cell{Time: next, Blank: note}
			}).InFile("Next billing", 14, func(s subscription.Subscriber) export.Cell { return export.Day(s.NextOn) }),
			kit.ColumnOf("Billed", func(s subscription.Subscriber) components.Cell {
				return components.Cell{Text: words.Grouped(int64(s.Passed))}
			}).Number().InFile("Periods billed", 14, func(s subscription.Subscriber) export.Cell {
				return export.Count(int64(s.Passed))
			}),
			kit.FileColumns[subscription.Subscriber]().
				FileText("Reference", 20, func(s subscription.Subscriber) string { return s.Reference }).
				InFile("Added (SAST)", 20, func(s subscription.Subscriber) export.Cell { return export.Moment(s.CreatedAt) }).
				FileText("Subscriber id", 38, func(s subscription.Subscriber) string { return s.ID.String() }),
		},
	}
}

func subscriberCell(s subscription.Subscriber) components.Cell {
	return components.Cell{Text: cmp.Or(s.ClientName, s.ClientEmail), Href: subscriberHref(s, ""), Second: s.ClientEmail}
}

func pendingColumns(h *Templates, mayWrite bool) []kit.Column[subscription.Subscriber] {
	now := h.Desk.Now()
	acts := kit.Column[subscription.Subscriber]{Head: components.Head{Label: "Acts", Hidden: true}}
	if mayWrite {
		acts.Cell = func(s subscription.Subscriber) components.Cell {
			return components.Cell{Part: pages.PendingRowActs(subscriberHref(s, ""), cmp.Or(s.ClientName, s.ClientEmail))}
		}
	}
	return []kit.Column[subscription.Subscriber]{
		kit.ColumnOf("Client", subscriberCell),
		kit.TextColumn("Pending for", 0, func(s subscription.Subscriber) string {
			return ageWords(s.CreatedAt,
				now)
		}).InOneLine().OnPageAlone(),
		kit.TextColumn("Last reminder", 0, func(s subscription.Subscriber) string {
			if s.RemindedAt.IsZero() {
				return "never"
			}
			return strings.Replace(ageWords(s.RemindedAt, now)+" ago", "today ago", "today", 1)
		}).InOneLine().OnPageAlone(),
		acts,
	}
}

// nextBilling is the day on which a subscriber is billed next, or why there is none.
func (h *Templates) nextBilling(t subscription.Template,
	s subscription.Subscriber) (next components.Time, note string) {
	switch {
	case s.Status == subscription.Active && t.Paused:
		return next, "the template is paused"
	case s.Held():
		return next, "nothing is billed in the meantime"
	case s.Unfunded(), s.Status == subscription.Active:
		return words.DayTime(s.NextOn), ""
	case s.Status == subscription.Pending && !s.FirstOn.IsZero():
		return next, "wants to begin " + words.SayDay(s.FirstOn, h.Desk.Now())
	}
	return next, strings.TrimSuffix(strings.TrimSpace(words.LowerFirst(cmp.Or(whyWords(s), " "))), ".")
}

func subscriberHref(s subscription.Subscriber, more string) string {
	return words.TemplateHref(s.TemplateID, "/subscribers/"+s.ID.String()+more)
}

// Export serves GET /templates/:id/subscribers/export.
func (h *Templates) Export(c echo.Context) error {
	t, err := h.findSubscription(c)
	if err != nil {
		return err
	}
	return h.subscribers(access.Actor(c), t, false).Export(c)
}

// Exported is the list of one template's subscribers for exports in the background.
func (h *Templates) Exported(ctx context.Context, who actor.Actor, template string) (kit.Exportable, error) {
	id, err := uuid.Parse(template)
	if err != nil {
		return nil, fault.Missing()
	}
	t, err := h.Service.Get(ctx, who, id)
	if err == nil && !t.IsSubscription {
		err = fault.Missing()
	}
	if err != nil {
		return nil, err
	}
	return h.subscribers(who, t, false), nil
}

// NewSubscriber serves GET /templates/:id/subscribers/new.
func (h *Templates) NewSubscriber(c echo.Context) error {
	t, err := h.findSubscription(c)
	if err != nil {
		return err
	}
	form := url.Values{"client_id": {c.QueryParam("client")}, "send_invoice_on_add_subscriber": {"yes"},
		"send_invoice_on_charge_failure": {"yes"}, "send_receipt": {"yes"}}
	return h.addForm(c, http.StatusOK, t, form, nil)
}

func (h *Templates) addForm(c echo.Context, status int, t subscription.Template, form url.Values, wrong error) error {
	if err := access.Actor(c).May(templateAct); err != nil {
		return err
	}
	v, err := h.chooseClient(c, t, form, wrong)
	if err != nil {
		return err
	}
	v.Title, v.Action, v.Button = "Add a subscriber", words.TemplateHref(t.ID, "/subscribers"), "Add the subscriber"
	v.Text = strings.Join(planWords(t.Plan, calendar.Date{}), " ") +
		" A client without a token gets a link first, and stays pending until they have given their bank account."
	if t.Paused {
		v.Warning = "The template is paused for all subscribers: no one is billed until you resume it."
	}
	h.subscriberFields(&v, form, wrong)
	return h.Desk.ShowIn(c, status, v.Title, templatesSection,
		func(f layout.Frame) templ.Component { return pages.NewSubscriber(f, v) })
}

// subscriberFields are the inputs that adding and editing have in common.
func (h *Templates) subscriberFields(v *pages.NewSubscriberView, form url.Values, wrong error) {
	byInput, _, _ := kit.Problems(wrong)
	v.Subscriber = true
	v.FirstOn = components.DateField{Label: "First billing date", Name: "first_on", Value: form.Get("first_on"),
		Error: or2(byInput["first_on"], byInput["subscription_billing_scheduled_on"]),
		Min:   calendar.DateOf(h.Desk.Now()).String(),
		Hint:  "Leave it empty to follow the plan, from the day the account is stored."}
	v.Price = components.MoneyField{Label: "Own price", Name: "total_override", Value: form.Get("total_override"),
		Error: byInput["total_override"],
		Hint:  "What this subscriber pays for each period. Leave it empty for the template’s price."}
	termFields(v, form, byInput)
	v.Method = components.Select{Label: "Payment", Name: "method", Error: byInput["payment_method_whitelist"], Quiet: true,
		Width: "l", Options: []components.Option{{Value: "", Text: "As the template says"},
			{Value: purchase.EFT, Text: "EFT debit order only", Selected: form.Get("method") == purchase.EFT},
			{Value: purchase.DebiCheck, Text: "DebiCheck only", Selected: form.Get("method") == purchase.DebiCheck}}}
	if why := h.Purchases.Service.Bank.NoDebiCheck(); why != "" {
		v.Method.Options[2].Disabled, v.Method.Hint = true, why
	}
	for _, s := range []struct{ name, label string }{
		{"send_invoice_on_add_subscriber", "Mail the welcome invoice with the link"},
		{"send_invoice_on_charge_failure", "Mail a payable invoice when a debit fails"},
		{"send_receipt", "Mail a receipt for each period"}} {
		v.Switches = append(v.Switches, components.Checkbox{Label: s.label, Name: s.name, Checked: form.Get(s.name) != ""})
	}
}

// readSubscriber reads what adding and editing have in common.
func readSubscriber(form url.Values, t subscription.Template, in *subscription.SubscriberInput) {
	readTerms(form, t, in)
	in.Reference = strings.TrimSpace(form.Get("invoice_reference"))
	in.Switches.InvoiceOnAdd, in.Switches.InvoiceOnChargeFailure, in.Switches.Receipt = form.Get(
		"send_invoice_on_add_subscriber") != "",
		form.Get("send_invoice_on_charge_failure") != "", form.Get("send_receipt") != ""
	in.Whitelist = nil
	if method := form.Get("method"); method != "" {
		in.Whitelist = []string{method}
	}
	text := strings.TrimSpace(form.Get("total_override"))
	if text == "" {
		if in.Override != nil {
			plain := *in.Override
			plain.TotalOverrideCents = nil
			in.Override = plain.Every()
		}
		return
	}
	cents, err := money.Parse(text)
	switch {
	case err != nil:
		in.Problems.Add("invoice_override.total_override", "invalid", "%s.", words.Capital(err.Error()))
		return
	case cents <= 0:
		in.Problems.Add("invoice_override.total_override", "min_value", "Enter an amount above 0.")
		return
	}
	override := subscription.Override{}
	if in.Override != nil {
		override = *in.Override
	}
	override.TotalOverrideCents = &cents
	in.Override = &override
}

func firstOn(form url.Values, w *fault.Problems) calendar.Date {
	text := strings.TrimSpace(form.Get("first_on"))
	if text == "" {
		return calendar.Date{}
	}
	day, err := calendar.ParseDate(text)
	if err != nil {
		w.Add("first_on", "invalid", "Enter a date such as 2026-12-01, or leave it empty.")
	}
	return day
}

// Add serves POST /templates/:id/subscribers.
func (h *Templates) Add(c echo.Context) error {
	t, err := h.findSubscription(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	if form.Has("find") {
		return h.addForm(c, http.StatusOK, t, form, nil)
	}
	in := subscription.SubscriberInput{}
	readSubscriber(form, t, &in)
	in.FirstOn = firstOn(form, &in.Problems)
	if in.ClientID, err = uuid.Parse(form.Get("client_id")); err != nil {
		in.Problems.Add("client_id", "required", "Choose the client.")
	}
	if err := in.Problems.Err(); err != nil {
		return h.addForm(c, http.StatusUnprocessableEntity, t, form, err)
	}
	err = kit.Once(c, h.Desk, form.Get(kit.FormKeyName),
		func(ctx context.Context) (subscription.Added, error) {
			return h.Service.Add(ctx, access.Actor(c), t.ID, in)
		}, func(a subscription.Added) string { return subscriberHref(a.Subscriber, "") })
	if fault.Is(err, fault.Invalid) {
		return h.addForm(c, http.StatusUnprocessableEntity, t, form, err)
	}
	return err
}
