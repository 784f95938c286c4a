package purchases

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// AskCharge serves GET /purchases/:id/charge.
func (p *Purchases) AskCharge(c echo.Context) error {
	rec, err := p.find(c)
	if err != nil {
		return err
	}
	typed := url.Values{}
	if id := c.QueryParam("recurring_token"); id != "" {
		typed.Set("recurring_token", id)
	}
	if rec.DueGiven && !p.Service.Timetable.TooSoon(rec.Due, p.Desk.Now()) {
		typed.Set("due", calendar.DateOf(rec.Due).String())
	}
	again, err := p.Service.Again(c.Request().Context(), rec)
	if err != nil {
		return err
	}
	if day, err := calendar.ParseDate(typed.Get("due")); again.May() && (err != nil || day.Before(again.From)) {
		typed.Set("due", again.From.String())
		typed.Del("due_other")
		if again.From.After(p.Days(rec.Brand, Account{Token: again.Account}).shownUntil()) {
			typed.Set("due_other", again.From.String())
		}
	}
	return p.chargeForm(c, rec, http.StatusOK, typed, nil)
}

// PlanCharge serves GET /purchases/:id/charge/plan: what follows from a day and an account.
func (p *Purchases) PlanCharge(c echo.Context) error {
	rec, err := p.find(c)
	if err != nil {
		return err
	}
	typed := c.QueryParams()
	if c.Request().Header.Get("HX-Request") == "" { // what is a part of a page is a page too
		return p.chargeForm(c, rec, http.StatusOK, typed, nil)
	}
	usable, err := p.Service.StoredFor(c.Request().Context(), rec)
	if err != nil {
		return err
	}
	view, err := p.chargeDays(c, rec, usable, typed, nil)
	if err != nil {
		return err
	}
	return html.Send(c, http.StatusOK, pages.ChargePlan(view, typed.Get("days_shown") != view.DaysOf))
}

// chargeDays is what the form shows of days: those that can be picked, and what the chosen one means.
func (p *Purchases) chargeDays(c echo.Context, rec purchase.Record, usable []token.Token, typed url.Values,
	byInput map[string]string) (v pages.ChargeView, err error) {
	ctx := c.Request().Context()
	from, err := p.chosenAccount(ctx, access.Actor(c), usable, typed)
	if err != nil {
		return v, err
	}
	d := p.Days(rec.Brand, from)
	day, wrong := d.Typed(typed)
	if typed.Get("due_other") == "" && !day.IsZero() && !d.Choose(day, d.Now).Possible {
		typed.Set("due_other", typed.Get("due")) // a closed day: taken, and moved
	}
	attrs := planAttrs(rec.ID)
	v.Days, v.Other, v.DaysOf = d.Picker(typed, byInput["due"], attrs), d.Other(typed, byInput["due_other"]), d.String()
	v.Other.Attrs = attrs
	switch {
	case wrong != nil:
		v.Plan.Problems = []string{sayFault(wrong)}
	case !day.IsZero() && from.ID != uuid.Nil:
		f, err := p.Service.Forecast(ctx, purchase.Wish{Purchase: p.Service.On(rec.Purchase, day), TokenID: from.ID})
		if err != nil {
			return v, err
		}
		v.Plan = d.Forecast(f, true)
	}
	return v, nil
}

// planAttrs lets what is chosen change the plan where scripts run.
func planAttrs(id uuid.UUID) templ.Attributes {
	return templ.Attributes{"hx-get": words.PurchasePath(id, "charge", "plan"), "hx-target": "#plan",
		"hx-swap": "outerHTML", "hx-trigger": "change", "hx-include": "closest form"}
}

func (p *Purchases) chargeForm(c echo.Context, rec purchase.Record, status int, typed url.Values, wrong error) error {
	usable, err := p.Service.StoredFor(c.Request().Context(), rec)
	if err != nil {
		return err
	}
	back := components.Link{Text: "Purchase " + words.Reference(rec.Purchase), Href: words.PurchasePath(rec.ID)}
	if why := whyNotCharge(rec, usable, p.Desk.Now()); why != "" {
		view := pages.ActView{Title: "Charge " + words.Sum(rec.TotalCents, rec.Currency), Back: back, Blocked: why}
		return p.Desk.ShowIn(c, status, view.Title, words.Purchases,
			func(f layout.Frame) templ.Component { return pages.AskAct(f, view) })
	}
	again, err := p.Service.Again(c.Request().Context(), rec)
	if err != nil {
		return err
	}
	byInput, summary, _ := kit.Problems(wrong)
	key := typed.Get(kit.FormKeyName)
	if key == "" {
		key = kit.NewFormKey()
	}
	view, err := p.chargeDays(c, rec, usable, typed, byInput)
	if err != nil {
		return err
	}
	view.Problems, view.Back, view.Action, view.Key = components.ErrorSummary{Items: summary}, back,
		words.PurchasePath(rec.ID, "charge"), key
	view.Sum, view.For, view.Button = words.Sum(rec.OpenCents(), rec.Currency), words.PayerName(rec.Purchase)+" · "+
		lineWords(rec.Details), "Charge "+words.Sum(rec.OpenCents(), rec.Currency)
	view.Tokens = tokenCards(usable, typed.Get("recurring_token"), byInput["recurring_token"])
	view.Tokens.Attrs = planAttrs(rec.ID)
	if again.Named && len(again.Others) == 0 {
		heldBack(&view.Days, &view.Other, again.From, p.Desk.Now())
	}
	if again.Asked {
		view.Warning = "The last debit failed: " + bank.CodeOf(rec.Collection.Result.Code).Label() + ". May I debit " +
			again.Account.Named() + " again? " + words.AgainWords(rec, again, p.Desk.Now())
	}
	return p.Desk.ShowIn(c, status, "Charge", words.Purchases,
		func(f layout.Frame) templ.Component { return pages.Charge(f, view) })
}

// heldBack takes the days away on which a debit that failed may not run again.
func heldBack(picker *components.DayPicker, other *components.DateField, from calendar.Date, now time.Time) {
	picker.Hint = "The earliest day is " + words.SayDay(from, now) +
		", the next date that the mandate names. Weekends and public holidays are closed at the banks."
	other.Min = from.String()
	for _, month := range picker.Months {
		for _, week := range month.Weeks {
			for i := range week {
				if day, err := calendar.ParseDate(week[i].Value); err == nil && day.Before(from) && week[i].Why == "" {
					week[i].Why = "The last debit failed: it may run again on " + words.SayDay(from, now) + "."
				}
			}
		}
	}
}

func tokenCards(usable []token.Token, chosen, wrong string) components.RadioCards {
	cards := components.RadioCards{Legend: "Token", Name: "recurring_token", Value: chosen, Error: wrong, Required: true}
	for _, t := range usable {
		text := t.HolderName + ", " + t.AccountType.Label()
		if t.Failures > 0 {
			text += ", failed " + plural.Of(t.Failures, "time") + " in a row"
		}
		cards.Options = append(cards.Options, components.RadioCard{Value: t.ID.String(), Title: t.Named(),
			Text: text, Icon: "bank"})
	}
	if chosen == "" && len(usable) > 0 {
		cards.Value = usable[0].ID.String()
	}
	return cards
}

// Charge serves POST /purchases/:id/charge.
func (p *Purchases) Charge(c echo.Context) error {
	rec, err := p.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	if form.Has("show") { // without scripts: the days of another account
		return p.chargeForm(c, rec, http.StatusOK, form, nil)
	}
	err = kit.Once(c, p.Desk, form.Get(kit.FormKeyName),
		func(ctx context.Context) (purchase.Record, error) {
			done, err := p.charge(ctx, c, rec.ID, form)
			if err != nil {
				return done, err
			}
			return done, access.AddFlash(c, "ok", "The debit is scheduled for "+words.SayDay(done.Collection.ActionDate,
				p.Desk.Now())+".")
		}, func(purchase.Record) string { return words.PurchasePath(rec.ID) })
	if _, _, ok := kit.Problems(err); ok {
		return p.chargeForm(c, rec, http.StatusUnprocessableEntity, form, err)
	}
	return p.refused(c, purchaseAct{}, rec, form, err)
}

// charge does what the form of a charge says.
func (p *Purchases) charge(ctx context.Context, c echo.Context, id uuid.UUID,
	form url.Values) (purchase.Record, error) {
	var w fault.Problems
	d := p.anyDays()
	day, err := d.Typed(form)
	if f, ok := fault.From(err); ok {
		w = append(w, f.Fields...)
	} else if day.IsZero() {
		w.Add("due", "required", "Choose the day of the debit.")
	}
	tokenID, err := uuid.Parse(form.Get("recurring_token"))
	if err != nil {
		w.Add("recurring_token", "required", "Choose the account to debit.")
	}
	if err := w.Err(); err != nil {
		return purchase.Record{}, err
	}
	who := access.Actor(c)
	rec, err := p.Service.ChargeOn(ctx, who, id, tokenID, day)
	return rec, p.sayOfCharge(ctx, who, rec, tokenID, form, day, err)
}

// sayOfCharge puts what stands against a debit beside the inputs of the form.
func (p *Purchases) sayOfCharge(ctx context.Context, who actor.Actor, rec purchase.Record, tokenID uuid.UUID,
	form url.Values, day calendar.Date, err error) error {
	f, ok := fault.From(err)
	if !ok || len(f.Fields) == 0 {
		return err
	}
	d := p.anyDays()
	if t, wrong := p.Service.Tokens().Token(ctx, who.MerchantID, tokenID); wrong == nil {
		d = p.Days(rec.Brand, Account{Token: t})
	}
	return d.problems(f.Fields, form, day).Err()
}
