package checkout

import (
	"net/http"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/papers"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/models/weblink"
	"debitdesk/views/checkout"
	"debitdesk/views/components"
)

// Subscription serves GET /p/:id/subscription; ?stop asks whether to stop it.
func (p *Pages) Subscription(c echo.Context) error {
	rec, t, s, err := p.subscription(c)
	if err != nil {
		return err
	}
	stop, err := p.Subscriptions.StopWould(c.Request().Context(), s)
	if err != nil {
		return err
	}
	r, err := p.Purchases.Recurs(c.Request().Context(), rec.Purchase)
	if err != nil {
		return err
	}
	return p.send(c, http.StatusOK, rec, func(w locale.Words, languages []components.LanguageLink) templ.Component {
		v := p.subscriptionView(w, rec, t, s, r, stop)
		v.Frame.Languages = languages
		if v.Stop != "" && c.QueryParams().Has("stop") {
			v.Asking, v.Title, v.Kind, v.Icon = true, w.Say("sub.ask"), "wait", "alert"
			v.Text = w.Say("sub.named", "what", t.Name(), "business", rec.Brand.Name)
			v.Means = stopping(w, rec.Brand.Name, stop)
		}
		return checkout.Subscription(v)
	})
}

// StopSubscription serves POST /p/:id/subscription.
func (p *Pages) StopSubscription(c echo.Context) error {
	rec, _, s, err := p.subscription(c)
	if err != nil {
		return err
	}
	at := weblink.Payer(rec.ID) + "subscription/"
	if c.FormValue("confirm") != "yes" {
		return c.Redirect(http.StatusSeeOther, at+"?stop")
	}
	if stoppable(s) {
		if _, err := p.Subscriptions.CancelByClient(c.Request().Context(), p.payer(c, rec, ""), rec.ID); err != nil {
			return err
		}
	}
	return c.Redirect(http.StatusSeeOther, at)
}

func (p *Pages) subscription(c echo.Context) (purchase.Record, subscription.Template, subscription.Subscriber, error) {
	rec, err := p.open(c)
	if err != nil {
		return rec, subscription.Template{}, subscription.Subscriber{}, err
	}
	t, s, found, err := p.Subscriptions.SubscriptionOf(c.Request().Context(), rec.ID)
	if err == nil && !found {
		err = fault.Missing()
	}
	return rec, t, s, err
}

// stoppable: what has not begun, is stopped by the payer or over cannot be stopped.
func stoppable(s subscription.Subscriber) bool {
	return s.Status == subscription.Active || s.Status == subscription.Paused && s.Why != byPayer
}

// byPayer is why a subscriber is paused whom the payer stopped.
const byPayer = "payer"

// stopping says in plain words what stopping means.
func stopping(w locale.Words, brand string, stop purchase.Stop) []string {
	means := append([]string{w.Say("sub.means.bills")}, papers.StopLines(w, stop, brand, false)...)
	return append(means, w.Say("sub.means.account", "business", brand), w.Say("sub.again", "business", brand))
}

// afterStop says what is still debited after a subscription was stopped.
func afterStop(w locale.Words, brand string, stop purchase.Stop) (rules []string) {
	for _, rec := range stop.Withdrawn { // planned anew since
		rules = append(rules, w.Say("sub.planned", "amount", w.Money(rec.TotalCents, rec.Currency), "date",
			w.Day(rec.Collection.ActionDate), "business", brand))
	}
	stop.Withdrawn = nil
	if len(rules) == 0 || len(stop.Running) > 0 {
		rules = append(papers.StopLines(w, stop, brand, true), rules...)
	}
	return append(rules, w.Say("sub.again", "business", brand))
}

func (p *Pages) subscriptionView(w locale.Words, rec purchase.Record, t subscription.Template,
	s subscription.Subscriber, r purchase.Recurrence, stop purchase.Stop) checkout.SubscriptionView {
	at := weblink.Payer(rec.ID) + "subscription/"
	v := checkout.SubscriptionView{Title: t.Name(), Text: w.Say("sub.text", "business", rec.Brand.Name), Kind: "ok",
		Icon: "repeat", Back: at, AskHref: at + "?stop", MeansTitle: w.Say("sub.means"), Yes: w.Say("sub.yes"),
		No: w.Say("sub.no"), StopText: w.Say("sub.stop")}
	v.Facts.Items = []components.Fact{{Label: w.Say("pay.amount"), Value: w.Money(r.AmountCents, r.Currency)},
		{Label: w.Say("sub.how_often"), Value: papers.Every(w, r)}}
	if !s.NextOn.IsZero() && s.Status == subscription.Active && !t.Paused {
		v.Facts.Items = append(v.Facts.Items, components.Fact{Label: w.Say("sub.next"), Value: w.Day(s.NextOn)},
			components.Fact{Label: w.Say("sub.by"), Value: w.Day(t.Plan.DueOn(s.NextOn))})
	}
	if t.Plan.Cycles != nil {
		v.Rules = append(v.Rules, w.Count("sub.cycles", *t.Plan.Cycles, "passed", strconv.Itoa(s.Passed)))
	} else if stoppable(s) {
		v.Rules = append(v.Rules, w.Say("sub.until", "business", rec.Brand.Name))
	}
	if stoppable(s) {
		v.Stop = at
	}
	over := w.Say("sub.no_more", "what", t.Name(), "business", rec.Brand.Name)
	switch {
	case s.Status == subscription.Pending:
		v.Kind, v.Icon, v.Rules = "wait", "clock", append([]string{w.Say("sub.begins")}, v.Rules...)
	case s.Status == subscription.Inactive:
		v.Kind, v.Icon, v.Title, v.Text, v.Rules = "wait", "done", w.Say("sub.ended"), over, nil
	case s.Status == subscription.Paused && s.Why == byPayer:
		v.Kind, v.Icon, v.Title, v.Text = "wait", "x", w.Say("sub.stopped"), over
		v.Rules = afterStop(w, rec.Brand.Name, stop)
	case s.Status == subscription.Paused, t.Paused:
		v.Kind, v.Icon = "wait", "clock"
		v.Rules = append([]string{w.Say("sub.paused", "business", rec.Brand.Name)}, v.Rules...)
	}
	v.Frame = p.frame(w, rec, v.Title)
	return v
}

// recurring says what a subscription debits, how often, from when on and for how long.
func recurring(w locale.Words, r purchase.Recurrence) []components.Fact {
	if r.None() {
		return nil
	}
	first, ends := w.Say("sub.first_soon"), w.Say("sub.ends_stop")
	if !r.First.IsZero() {
		first = w.LongDay(r.First)
	}
	if r.Cycles > 0 {
		ends = w.Count("sub.ends_after", r.Cycles)
	}
	return []components.Fact{{Label: w.Say("sub.title"), Value: r.Title},
		{Label: w.Say("sub.you_pay"), Value: w.Say("sub.amount_every", "amount", w.Money(r.AmountCents, r.Currency),
			"every", papers.Every(w, r))},
		{Label: w.Say("sub.first"), Value: first}, {Label: w.Say("sub.ends"), Value: ends}}
}
