package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/export"
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

var subscriberTabs = []subscription.Status{subscription.Active, subscription.Pending, subscription.Paused, subscription.Inactive}

func subscriberFilter(l *listing) subscription.SubscriberFilter {
	f := subscription.SubscriberFilter{Search: l.query.Get("q")}
	if text := l.query.Get("status"); text != "" {
		f.Status = subscription.Status(text)
		if _, known := subscriberPills[f.Status]; !known {
			l.refuse("‘" + text + "’ is not a status. The filter was ignored.")
			l.query.Del("status")
			f.Status = ""
		}
	}
	return f
}

func (h *Templates) subscribers(c echo.Context, t subscription.Template) (*pages.SubscribersView, error) {
	l := listingOf(c, templateHref(t.ID, ""))
	f := subscriberFilter(l)
	page, err := h.Service.Subscribers(c.Request().Context(), access.Actor(c), t.ID, f, l.ask)
	if err != nil {
		return nil, err
	}
	all := int64(0)
	for _, n := range t.Counts {
		all += n
	}
	v := &pages.SubscribersView{Href: templateHref(t.ID, ""), Notices: l.notices, Pending: f.Status == subscription.Pending,
		Tabs: components.Tabs{Label: "Subscribers by status", Target: "#results", Items: []components.Tab{{Label: "All", Count: grouped(all), Href: l.with("status", ""), Active: f.Status == ""}}}}
	for _, s := range subscriberTabs {
		v.Tabs.Items = append(v.Tabs.Items, components.Tab{Label: subscriberPills[s].Word, Count: grouped(t.Counts[s]), Href: l.with("status", string(s)), Active: f.Status == s})
	}
	v.Filters = components.FilterBar{Action: l.path, Target: "#results", Search: f.Search, SearchLabel: "Search subscribers", Holder: "Name or e-mail", Plain: true}
	if f.Status != "" {
		v.Filters.Keep = []components.Pair{{Name: "status", Value: string(f.Status)}}
	}
	shown := rowsFound{n: all, exact: f.Search == ""}
	if f.Status != "" {
		shown.n = t.Counts[f.Status]
	}
	if f.Search != "" {
		shown.n = 0
	}
	if len(page.Items) > 0 {
		export := *l
		export.path += "/subscribers"
		v.Filters.Export = exportMenu(shown, len(subscriberHeads), export.exportHref)
	}
	for _, s := range page.Items {
		v.Rows = append(v.Rows, h.subscriberRow(t, s))
	}
	v.Pager = pager(l, page, "#results", "more", func(s subscription.Subscriber) uuid.UUID { return s.ID })
	v.Empty = components.Empty{Kind: components.NothingMatches, ClearHref: l.path}
	if all == 0 {
		v.Empty = components.Empty{Icon: "users", Title: "No subscriber yet", Text: "Add one client, or many from a file. Each gets a link to store the bank account, unless one is stored already."}
	}
	return v, nil
}

func (h *Templates) subscriberRow(t subscription.Template, s subscription.Subscriber) pages.SubscriberRow {
	now := h.Desk.Now()
	row := pages.SubscriberRow{Href: subscriberHref(s, ""), Name: or2(s.ClientName, s.ClientEmail), Email: s.ClientEmail, Pill: subscriberPill(s), Passed: grouped(int64(s.Passed)), Age: ageWords(s.CreatedAt, now), Reminded: "never"}
	if !s.RemindedAt.IsZero() {
		row.Reminded = ageWords(s.RemindedAt, now) + " ago"
		if row.Reminded == "today ago" {
			row.Reminded = "today"
		}
	}
	switch {
	case s.Status == subscription.Active && t.Paused:
		row.Note = "the template is paused"
	case s.Held():
		row.Note = "nothing is billed meanwhile"
	case s.Unfunded():
		row.Next, row.Note = dayTime(s.NextOn), "by invoice"
		if !s.Switches.InvoiceOnChargeFailure || s.ClientEmail == "" {
			row.Note = "not debited"
		}
	case s.Status == subscription.Active:
		row.Next = dayTime(s.NextOn)
	case s.Status == subscription.Pending && !s.FirstOn.IsZero():
		row.Note = "wants to begin " + sayDay(s.FirstOn, now)
	default:
		row.Note = lowerFirst(or2(whyWords(s), " "))
	}
	row.Note = strings.TrimSuffix(strings.TrimSpace(row.Note), ".")
	return row
}

func subscriberHref(s subscription.Subscriber, more string) string {
	return templateHref(s.TemplateID, "/subscribers/"+s.ID.String()+more)
}

var subscriberHeads = []export.Head{{Text: "Client", Width: 28}, {Text: "E-mail", Width: 30}, {Text: "Client id", Width: 38}, {Text: "Status", Width: 12}, {Text: "Next billing", Width: 14}, {Text: "Periods billed", Width: 14}, {Text: "Reference", Width: 20},
	{Text: "Added (SAST)", Width: 20}, {Text: "Subscriber id", Width: 38}}

func subscriberCells(s subscription.Subscriber) []export.Cell {
	return []export.Cell{words(s.ClientName), words(s.ClientEmail), words(s.ClientID.String()), words(subscriberPill(s).Word), export.Day(s.NextOn), export.Count(int64(s.Passed)), words(s.Reference), export.Moment(s.CreatedAt), words(s.ID.String())}
}

// Export serves GET /templates/:id/subscribers/export.
func (h *Templates) Export(c echo.Context) error {
	t, err := h.findSubscription(c)
	if err != nil {
		return err
	}
	l, who := exportOf(c, templateHref(t.ID, "/subscribers")), access.Actor(c)
	f := subscriberFilter(l)
	found := rowsFound{n: t.Counts[f.Status], exact: true}
	if f.Status == "" {
		for _, n := range t.Counts {
			found.n += n
		}
	}
	if f.Search != "" {
		found = rowsFound{}
	}
	return send(c, h.Exports, outgoing[subscription.Subscriber]{list: "subscribers", filters: l.query, refused: l.notices, found: found, heads: subscriberHeads, cells: subscriberCells,
		page: func(ctx context.Context, ask paging.Ask) (paging.Page[subscription.Subscriber], error) {
			return h.Service.Subscribers(ctx, who, t.ID, f, ask)
		},
		id: func(s subscription.Subscriber) uuid.UUID { return s.ID }})
}

// NewSubscriber serves GET /templates/:id/subscribers/new.
func (h *Templates) NewSubscriber(c echo.Context) error {
	t, err := h.findSubscription(c)
	if err != nil {
		return err
	}
	form := url.Values{"client_id": {c.QueryParam("client")}, "send_invoice_on_add_subscriber": {"yes"}, "send_invoice_on_charge_failure": {"yes"}, "send_receipt": {"yes"}}
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
	v.Title, v.Action, v.Button = "Add a subscriber", templateHref(t.ID, "/subscribers"), "Add the subscriber"
	v.Text = strings.Join(planWords(t.Plan, calendar.Date{}), " ") + " A client without a stored account gets a link first, and stays pending until the account is given."
	if t.Paused {
		v.Warning = "The template is paused for all subscribers: no one is billed until you resume it."
	}
	h.subscriberFields(&v, form, wrong)
	return h.Desk.show(c, status, v.Title, templatesRoom, func(f layout.Frame) templ.Component { return pages.NewSubscriber(f, v) })
}

// subscriberFields are the inputs that adding and editing have in common.
func (h *Templates) subscriberFields(v *pages.NewSubscriberView, form url.Values, wrong error) {
	byInput, _, _ := problems(wrong)
	v.Subscriber = true
	v.FirstOn = components.DateField{Label: "First billing date", Name: "first_on", Value: form.Get("first_on"), Error: or2(byInput["first_on"], byInput["subscription_billing_scheduled_on"]), Min: dateOf(h.Desk.Now()).String(), Hint: "Leave it empty to follow the plan, from the day the account is stored."}
	v.Price = components.MoneyField{Label: "Own price", Name: "total_override", Value: form.Get("total_override"), Error: byInput["total_override"], Hint: "What this subscriber pays for each period. Leave it empty for the template’s price."}
	v.Method = components.Select{Label: "Payment", Name: "method", Error: byInput["payment_method_whitelist"], Quiet: true, Width: "l", Options: []components.Option{{Value: "", Text: "As the template says"},
		{Value: purchase.EFT, Text: "EFT debit order only", Selected: form.Get("method") == purchase.EFT}, {Value: purchase.DebiCheck, Text: "DebiCheck only", Selected: form.Get("method") == purchase.DebiCheck}}}
	for _, s := range []struct{ name, label string }{{"send_invoice_on_add_subscriber", "Mail the welcome invoice with the link"}, {"send_invoice_on_charge_failure", "Mail a payable invoice when a debit fails"},
		{"send_receipt", "Mail a receipt for each period"}} {
		v.Switches = append(v.Switches, components.Checkbox{Label: s.label, Name: s.name, Checked: form.Get(s.name) != ""})
	}
}

// readSubscriber reads what adding and editing have in common.
func readSubscriber(form url.Values, in *subscription.SubscriberInput) {
	in.Reference = strings.TrimSpace(form.Get("invoice_reference"))
	in.Switches.InvoiceOnAdd, in.Switches.InvoiceOnChargeFailure, in.Switches.Receipt = form.Get("send_invoice_on_add_subscriber") != "", form.Get("send_invoice_on_charge_failure") != "", form.Get("send_receipt") != ""
	in.Whitelist = nil
	if method := form.Get("method"); method != "" {
		in.Whitelist = []string{method}
	}
	text := strings.TrimSpace(form.Get("total_override"))
	if text == "" {
		if in.Override != nil {
			in.Override.TotalOverrideCents = nil
			if bare(*in.Override) {
				in.Override = nil
			}
		}
		return
	}
	cents, err := money.Parse(text)
	switch {
	case err != nil:
		in.Problems.Add("invoice_override.total_override", "invalid", "%s.", capital(err.Error()))
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

func bare(o subscription.Override) bool {
	return o.DebtCents == nil && o.SubtotalOverrideCents == nil && o.TaxOverrideCents == nil && o.DiscountOverrideCents == nil && o.TotalOverrideCents == nil && o.Products == nil
}

func firstOn(form url.Values, w *fault.Problems) calendar.Date {
	text := strings.TrimSpace(form.Get("first_on"))
	if text == "" {
		return calendar.Date{}
	}
	day, err := calendar.ParseDate(text)
	if err != nil {
		w.Add("first_on", "invalid", "Give a date such as 2026-12-01, or leave it empty.")
	}
	return day
}

// Add serves POST /templates/:id/subscribers.
func (h *Templates) Add(c echo.Context) error {
	t, err := h.findSubscription(c)
	if err != nil {
		return err
	}
	form, err := formOf(c)
	if err != nil {
		return err
	}
	if form.Has("find") {
		return h.addForm(c, http.StatusOK, t, form, nil)
	}
	in := subscription.SubscriberInput{}
	readSubscriber(form, &in)
	in.FirstOn = firstOn(form, &in.Problems)
	if in.ClientID, err = uuid.Parse(form.Get("client_id")); err != nil {
		in.Problems.Add("client_id", "required", "Choose the client.")
	}
	if err := in.Problems.Err(); err != nil {
		return h.addForm(c, http.StatusUnprocessableEntity, t, form, err)
	}
	err = once(c, h.Purchases.Replays, h.Desk.Sandbox, form.Get(formKeyName), func(ctx context.Context) (subscription.Added, error) {
		return h.Service.Add(ctx, access.Actor(c), t.ID, in)
	}, func(a subscription.Added) string { return subscriberHref(a.Subscriber, "") })
	if fault.Is(err, fault.Invalid) {
		return h.addForm(c, http.StatusUnprocessableEntity, t, form, err)
	}
	return err
}
