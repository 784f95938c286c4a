package templates

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/bulk"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/approval"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/subscription"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// AskPrice serves GET /templates/:id/price: another price from a date on.
func (h *Templates) AskPrice(c echo.Context) error {
	t, err := h.findSubscription(c)
	if err != nil {
		return err
	}
	return h.askPrice(c, t, nil, nil, nil)
}

// ChangePrice serves POST /templates/:id/price: it shows what would happen, and with save does it.
func (h *Templates) ChangePrice(c echo.Context) error {
	t, err := h.findSubscription(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	ctx, who, in := c.Request().Context(), access.Actor(c), priceInput(form, t)
	if form.Get("save") != "" {
		plan, err := h.Service.ChangePrice(ctx, who, t.ID, in, form.Get("seen"))
		if fault.HasCode(err, "approval_needed") {
			var a approval.Approval
			if a, err = h.askForPrice(c, t, in, form.Get("reason")); err == nil {
				return kit.ToRequest(c, a)
			}
			if kit.MayShow(err) {
				return h.askPrice(c, t, form, &plan, err)
			}
		}
		switch {
		case err == nil:
			return access.RedirectWithFlash(c, "ok", priceDone(plan), words.TemplateHref(t.ID, ""))
		case !fault.HasCode(err, "stakes_grew") && kit.MayShow(err):
			return h.askPrice(c, t, form, nil, err)
		case !fault.HasCode(err, "stakes_grew"):
			return err
		}
		fresh, wrong := h.Service.PlanPrice(ctx, who, t.ID, in)
		if wrong != nil {
			return wrong
		}
		return h.askPrice(c, t, form, &fresh, err)
	}
	plan, err := h.Service.PlanPrice(ctx, who, t.ID, in)
	switch {
	case kit.MayShow(err):
		return h.askPrice(c, t, form, nil, err)
	case err != nil:
		return err
	}
	return h.askPrice(c, t, form, &plan, nil)
}

func priceDone(p subscription.PricePlan) string {
	if p.Stays {
		return "The price stays as it is. " + plural.Of(p.Clients, "client") + " " + plural.Pick(p.Clients, "gets", "get") +
			" a mail."
	}
	return "From " + p.Change.From.Format("Mon 2 Jan 2006") + " on, “" + p.Template.Name() + "” is " +
		words.Sum(p.Change.Cents, p.Template.Currency) + ". " + plural.Of(p.Clients, "client") + " " +
		plural.Pick(p.Clients, "gets", "get") + " a mail."
}

// priceInput reads the day, and the price of each line.
func priceInput(form url.Values, t subscription.Template) (in subscription.PriceInput) {
	day, err := calendar.ParseDate(strings.TrimSpace(form.Get(subscription.AtFrom)))
	if err != nil {
		in.Problems.Add(subscription.AtFrom, "invalid", "Enter the day from which the new price is billed.")
	}
	in.From = day
	for i := range t.Details.Products {
		at := subscription.AtPrice(i)
		cents, err := money.Parse(form.Get(at))
		if err != nil {
			in.Problems.Add(at, "invalid", "Enter an amount, such as 499,00.")
		}
		in.Prices = append(in.Prices, cents)
	}
	return in
}

func (h *Templates) askPrice(c echo.Context, t subscription.Template, form url.Values, plan *subscription.PricePlan,
	refused error) error {
	byInput, summary, byField := kit.Problems(refused)
	now := h.Desk.Now()
	view := pages.PriceView{Title: "Change the price of “" + t.Name() + "”", Action: words.TemplateHref(t.ID, "/price"),
		Back:     components.Link{Text: t.Name(), Href: words.TemplateHref(t.ID, "")},
		Problems: components.ErrorSummary{Items: summary},
		From: components.DateField{Label: "Billed from", Name: subscription.AtFrom, Value: form.Get(subscription.AtFrom),
			Error: byInput[subscription.AtFrom], Required: true, Min: calendar.DateOf(now).AddDays(1).String(),
			Hint: "Periods that are billed from this day on have the new price; earlier ones the present price."}}
	if refused != nil && !byField {
		view.Problems.Items = []components.ErrorItem{{Text: refused.Error()}}
	}
	for i, p := range t.Details.Products {
		at := subscription.AtPrice(i)
		field := components.MoneyField{Label: "New price of " + p.Name, Name: at, Currency: "R", Error: byInput[at],
			Required: true, Width: "m", Hint: "Now " + words.Sum(p.PriceCents, t.Currency) + "."}
		if field.Value = money.Amount(p.PriceCents); form != nil {
			field.Value = form.Get(at)
		}
		view.Prices = append(view.Prices, field)
	}
	if coming := t.Coming(); coming != nil {
		view.Coming = "Planned already: " + words.Sum(coming.Cents, t.Currency) + " from " +
			words.SayDay(coming.From, now) + " on. Another price takes its place; the present price withdraws it."
	}
	if plan != nil {
		h.pricePreview(&view, *plan, form)
		if plan.Second != nil {
			view.Second, view.Reason = bulk.SecondWords, kit.ReasonField(form.Get("reason"), byInput["reason"])
			view.Button = "Ask for approval: " + words.LowerFirst(view.Button)
		}
	}
	status := http.StatusOK
	if refused != nil {
		status = kit.StatusOf(refused)
	}
	return h.Desk.ShowIn(c, status, view.Title, templatesSection,
		func(f layout.Frame) templ.Component { return pages.TemplatePrice(f, view) })
}

// priceShown is how many subscribers a list names.
const priceShown = 100

func (h *Templates) pricePreview(v *pages.PriceView, p subscription.PricePlan, form url.Values) {
	t := p.Template
	v.Planned, v.Lines = true, h.priceLines(p)
	v.Fixed = h.priceGroup("FIXED DebiCheck mandates that the client has to confirm anew",
		"Nothing can be debited at the new price before that. Replace each mandate on the token’s page.", p.Fixed(), t)
	v.Below = h.priceGroup("Own terms below the new price",
		"These cannot be debited at the new price as they stand.", p.Below(), t)
	for _, name := range append([]string{subscription.AtFrom}, priceNames(t)...) {
		v.Fields = append(v.Fields, components.Pair{Name: name, Value: form.Get(name)})
	}
	v.Fields = append(v.Fields, components.Pair{Name: "seen", Value: p.Digest()},
		components.Pair{Name: "save", Value: "yes"})
	v.Button = "Change the price and tell " + plural.Of(p.Clients, "client")
	if p.Stays {
		v.Button = "Keep the price and tell " + plural.Of(p.Clients, "client")
	}
}

// priceLines say what another price does.
func (h *Templates) priceLines(p subscription.PricePlan) []string {
	t := p.Template
	lines := []string{
		plural.Of(len(p.Changed), "subscriber") + ": " + words.Sum(t.TotalCents, t.Currency) + " → " +
			words.Sum(p.Change.Cents, t.Currency) + " " + t.Plan.Every() + ", billed from " +
			words.SayDay(p.Change.From, h.Desk.Now()) + " on.",
		plural.Of(p.Clients, "client") + " " + plural.Pick(p.Clients, "gets", "get") + " one mail about it.",
	}
	if p.Stays {
		lines[0] = "The price stays " + words.Sum(t.TotalCents, t.Currency) + ", and what was planned is withdrawn."
	}
	if p.NoMail > 0 {
		lines = append(lines, plural.Of(p.NoMail, "client")+" "+plural.Pick(p.NoMail, "has", "have")+
			" no e-mail address: tell them yourself.")
	}
	if n := len(p.Own); n > 0 {
		lines = append(lines, plural.Of(n, "subscriber")+" "+plural.Pick(n, "has a price of its own, which stays.",
			"have prices of their own, which stay."))
	}
	return lines
}

func priceNames(t subscription.Template) (names []string) {
	for i := range t.Details.Products {
		names = append(names, subscription.AtPrice(i))
	}
	return names
}

func (h *Templates) priceGroup(title, text string, of []subscription.Repriced,
	t subscription.Template) pages.PriceGroup {
	g := pages.PriceGroup{Title: title, Text: text}
	for i, r := range of {
		if i == priceShown {
			g.More = "And " + words.Grouped(int64(len(of)-i)) + " more."
			break
		}
		line := pages.PriceLine{Name: r.ClientName, Href: words.TemplateHref(t.ID, "/subscribers/"+r.ID.String()),
			Text: words.Sum(r.Was, t.Currency) + " → " + words.Sum(r.Is, t.Currency) + ". " + r.Why}
		if !r.FirstOn.IsZero() {
			line.Text += " First billed " + words.SayDay(r.FirstOn, h.Desk.Now()) + "."
		}
		g.Lines = append(g.Lines, line)
	}
	return g
}
