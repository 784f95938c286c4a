package checkout

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/html"
	"debitdesk/handlers/papers"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
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
	v := p.subscriptionView(rec, t, s, r, stop)
	if v.Stop != "" && c.QueryParams().Has("stop") {
		v.Asking, v.Title, v.Text, v.Kind, v.Icon = true, "Stop this subscription?", "“"+t.Name()+"” of "+rec.Brand.Name,
			"wait", "alert"
		v.Means = stopping(rec.Brand.Name, stop)
	}
	return html.Send(c, http.StatusOK, checkout.Subscription(v))
}

// StopSubscription serves POST /p/:id/subscription.
func (p *Pages) StopSubscription(c echo.Context) error {
	rec, _, s, err := p.subscription(c)
	if err != nil {
		return err
	}
	at := path(rec.ID) + "subscription/"
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
func stopping(brand string, stop purchase.Stop) []string {
	means := append([]string{"You will not be billed for any further payments."}, papers.StopLines(stop, brand, false)...)
	return append(means, "Your bank account stays stored with "+brand+" until you ask them to remove it.",
		"To begin again, ask "+brand+".")
}

// afterStop says what is still debited after a subscription was stopped.
func afterStop(brand string, stop purchase.Stop) (rules []string) {
	for _, rec := range stop.Withdrawn { // planned anew since
		rules = append(rules, "A debit of "+money.Format(rec.TotalCents, rec.Currency)+" is planned for "+
			rec.Collection.ActionDate.Format(day)+". Ask "+brand+" about it.")
	}
	stop.Withdrawn = nil
	if len(rules) == 0 || len(stop.Running) > 0 {
		rules = append(papers.StopLines(stop, brand, true), rules...)
	}
	return append(rules, "To begin again, ask "+brand+".")
}

func (p *Pages) subscriptionView(rec purchase.Record, t subscription.Template,
	s subscription.Subscriber, r purchase.Recurrence, stop purchase.Stop) checkout.SubscriptionView {
	at := path(rec.ID) + "subscription/"
	v := checkout.SubscriptionView{Title: t.Name(), Text: "Your subscription with " + rec.Brand.Name + ".", Kind: "ok",
		Icon: "repeat", Back: at, AskHref: at + "?stop"}
	v.Facts.Items = []components.Fact{{Label: "Amount", Value: money.Format(r.AmountCents, r.Currency)},
		{Label: "How often", Value: r.Every}}
	if !s.NextOn.IsZero() && s.Status == subscription.Active && !t.Paused {
		v.Facts.Items = append(v.Facts.Items, components.Fact{Label: "Next bill", Value: s.NextOn.Format(day)},
			components.Fact{Label: "To be paid by", Value: t.Plan.DueOn(s.NextOn).Format(day)})
	}
	if t.Plan.Cycles != nil {
		v.Rules = append(v.Rules, "It ends after "+plural.Of(*t.Plan.Cycles, "payment")+"; "+
			plural.Of(s.Passed, "payment")+" so far.")
	} else if stoppable(s) {
		v.Rules = append(v.Rules, "It continues until you or "+rec.Brand.Name+" stop it.")
	}
	if stoppable(s) {
		v.Stop = at
	}
	switch {
	case s.Status == subscription.Pending:
		v.Kind, v.Icon, v.Rules = "wait", "clock", append(
			[]string{"It begins when you have paid or given your bank account. If you do neither, nothing is debited."},
			v.Rules...)
	case s.Status == subscription.Inactive:
		v.Kind, v.Icon, v.Title, v.Text, v.Rules = "wait", "done", "This subscription has ended",
			"“"+t.Name()+"” of "+rec.Brand.Name+". Nothing more is billed.", nil
	case s.Status == subscription.Paused && s.Why == byPayer:
		v.Kind, v.Icon, v.Title, v.Text = "wait", "x", "This subscription is stopped", "“"+t.Name()+"” of "+rec.Brand.Name+
			". Nothing more is billed."
		v.Rules = afterStop(rec.Brand.Name, stop)
	case s.Status == subscription.Paused, t.Paused:
		v.Kind, v.Icon = "wait", "clock"
		v.Rules = append([]string{rec.Brand.Name + " has paused it for now: nothing is billed until it is resumed."},
			v.Rules...)
	}
	v.Frame = p.frame(rec, v.Title)
	return v
}

// recurring says what a subscription debits, how often, from when on and for how long.
func recurring(r purchase.Recurrence) []components.Fact {
	if r.None() {
		return nil
	}
	first := "As soon after you agree as the banks allow"
	if !r.First.IsZero() {
		first = r.First.Format(longDay)
	}
	ends := "When you or the business stop it"
	if r.Cycles > 0 {
		ends = "After " + plural.Of(r.Cycles, "payment")
	}
	return []components.Fact{{Label: "Subscription", Value: r.Title},
		{Label: "You pay", Value: money.Format(r.AmountCents, r.Currency) + " " + r.Every},
		{Label: "First debit", Value: first}, {Label: "Ends", Value: ends}}
}
