package checkout

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/html"
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
	v := p.subscriptionView(rec, t, s)
	if v.Stop != "" && c.QueryParams().Has("stop") {
		v.Asking, v.Title, v.Text, v.Kind, v.Icon = true, "Stop this subscription?", "“"+t.Name()+"” of "+rec.Brand.Name,
			"wait", "alert"
		v.Means = stopping(rec.Brand.Name)
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
func stopping(brand string) []string {
	return []string{"You will not be asked for any more payments, and nothing more will be debited.",
		"Stopping does not recall a debit that is already planned or with your bank. Ask " + brand + " about it.",
		"Your bank account stays stored with " + brand + " until you ask them to remove it.", "To begin again, ask " + brand +
			"."}
}

func (p *Pages) subscriptionView(rec purchase.Record, t subscription.Template,
	s subscription.Subscriber) checkout.SubscriptionView {
	at := path(rec.ID) + "subscription/"
	v := checkout.SubscriptionView{Title: t.Name(), Text: "Your subscription with " + rec.Brand.Name + ".", Kind: "ok",
		Icon: "repeat", Back: at, AskHref: at + "?stop"}
	price := t.TotalCents
	if s.Override != nil && s.Override.TotalOverrideCents != nil {
		price = *s.Override.TotalOverrideCents
	}
	v.Facts.Items = []components.Fact{{Label: "Amount", Value: money.Format(price, t.Currency)},
		{Label: "How often", Value: rhythm(t.Plan)}}
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
		v.Rules = []string{"A debit that was planned before may still go through.", "To begin again, ask " + rec.Brand.Name +
			"."}
	case s.Status == subscription.Paused, t.Paused:
		v.Kind, v.Icon = "wait", "clock"
		v.Rules = append([]string{rec.Brand.Name + " has paused it for now: nothing is billed until it is resumed."},
			v.Rules...)
	}
	v.Frame = p.frame(rec, v.Title)
	return v
}

// rhythm says how often a plan bills: "every month", "every 2 weeks".
func rhythm(p subscription.Plan) string {
	noun := string(p.Units)
	if p.Period == 1 {
		return "every " + noun[:len(noun)-1]
	}
	return "every " + plural.Of(p.Period, noun[:len(noun)-1])
}
