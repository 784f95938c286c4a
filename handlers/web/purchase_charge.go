package web

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
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
	if rec.DueGiven && !p.Service.Timetable.TooSoon(rec.Due, p.Desk.Now()) {
		typed.Set("due", dateOf(rec.Due).String())
		if d := p.days(); !d.rules.Choose(d.cal, dateOf(rec.Due), rec.Brand.Shift, d.now).Possible {
			typed.Set("due_other", typed.Get("due")) // a closed day: taken, and moved
		}
	}
	again, err := p.Service.Again(c.Request().Context(), rec)
	if err != nil {
		return err
	}
	if day, err := calendar.ParseDate(typed.Get("due")); again.May() && (err != nil || day.Before(again.From)) {
		typed.Set("due", again.From.String())
		typed.Del("due_other")
		if again.From.After(p.days().shownUntil()) {
			typed.Set("due_other", again.From.String())
		}
	}
	return p.chargeForm(c, rec, http.StatusOK, typed, nil)
}

// PlanCharge serves GET /purchases/:id/charge/plan: what follows from a day.
func (p *Purchases) PlanCharge(c echo.Context) error {
	rec, err := p.find(c)
	if err != nil {
		return err
	}
	d := p.days()
	day, err := d.typed(c.QueryParams())
	if err != nil {
		return render(c, http.StatusOK, pages.Plan(pages.PlanView{Problem: err.Error()}))
	}
	return render(c, http.StatusOK, pages.Plan(d.plan(day, rec.Brand.Shift)))
}

func (p *Purchases) chargeForm(c echo.Context, rec purchase.Record, status int, typed url.Values, wrong error) error {
	usable, err := p.Service.StoredFor(c.Request().Context(), rec)
	if err != nil {
		return err
	}
	back := components.Link{Text: "Purchase " + reference(rec.Purchase), Href: purchasePath(rec.ID)}
	if why := whyNotCharge(rec, usable, p.Desk.Now()); why != "" {
		view := pages.ActView{Title: "Charge " + sum(rec.TotalCents, rec.Currency), Back: back, Blocked: why}
		return p.Desk.show(c, status, view.Title, purchases, func(f layout.Frame) templ.Component { return pages.AskAct(f, view) })
	}
	again, err := p.Service.Again(c.Request().Context(), rec)
	if err != nil {
		return err
	}
	byInput, summary, _ := problems(wrong)
	d := p.days()
	key := typed.Get(formKeyName)
	if key == "" {
		key = newFormKey()
	}
	attrs := templ.Attributes{"hx-get": purchasePath(rec.ID, "charge", "plan"), "hx-target": "#plan", "hx-swap": "outerHTML", "hx-trigger": "change", "hx-include": "this"}
	view := pages.ChargeView{
		Problems: components.ErrorSummary{Items: summary}, Back: back, Action: purchasePath(rec.ID, "charge"), Key: key,
		Sum: sum(rec.TotalCents, rec.Currency), For: payerName(rec.Purchase) + " · " + lineWords(rec.Details),
		Tokens: tokenCards(usable, typed.Get("recurring_token"), byInput["recurring_token"]),
		Days:   d.picker(typed, byInput["due"], rec.Brand.Shift, attrs), Other: d.other(typed, byInput["due_other"]), Button: "Charge " + sum(rec.TotalCents, rec.Currency),
	}
	view.Other.Attrs = attrs
	if again.Named && len(again.Others) == 0 {
		heldBack(&view.Days, &view.Other, again.From, p.Desk.Now())
	}
	if day, err := d.typed(typed); err == nil {
		view.Plan = d.plan(day, rec.Brand.Shift)
	}
	if again.Asked {
		view.Warning = "The last debit failed: " + bank.CodeOf(rec.Collection.Result.Code).Label() + ". May I debit " + accountWords(again.Account) + " again? " + againWords(rec, again, p.Desk.Now())
	}
	return p.Desk.show(c, status, "Charge", purchases, func(f layout.Frame) templ.Component { return pages.Charge(f, view) })
}

// heldBack takes the days away on which a debit that failed may not run again.
func heldBack(picker *components.DayPicker, other *components.DateField, from calendar.Date, now time.Time) {
	picker.Hint = "The earliest day is " + sayDay(from, now) + ", the next date that the mandate names. Weekends and public holidays are closed at the banks."
	other.Min = from.String()
	for _, month := range picker.Months {
		for _, week := range month.Weeks {
			for i := range week {
				if day, err := calendar.ParseDate(week[i].Value); err == nil && day.Before(from) && week[i].Why == "" {
					week[i].Why = "The last debit failed: it may run again on " + sayDay(from, now) + "."
				}
			}
		}
	}
}

func tokenCards(usable []token.Token, chosen, wrong string) components.RadioCards {
	cards := components.RadioCards{Legend: "Stored account", Name: "recurring_token", Value: chosen, Error: wrong, Required: true}
	for _, t := range usable {
		text := t.HolderName + ", " + t.AccountType.Label()
		if t.Failures > 0 {
			text += ", failed " + counted(int64(t.Failures), "time") + " in a row"
		}
		cards.Options = append(cards.Options, components.RadioCard{Value: t.ID.String(), Title: accountWords(t), Text: text, Icon: "bank"})
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
	form, err := formOf(c)
	if err != nil {
		return err
	}
	err = once(c, p.Replays, p.Desk.Sandbox, form.Get(formKeyName), func(ctx context.Context) (purchase.Record, error) {
		done, err := p.charge(ctx, c, rec.ID, form)
		if err != nil {
			return done, err
		}
		return done, access.AddFlash(c, "ok", "The debit is scheduled for "+sayDay(done.Collection.ActionDate, p.Desk.Now())+".")
	}, func(purchase.Record) string { return purchasePath(rec.ID) })
	if _, _, ok := problems(err); ok {
		return p.chargeForm(c, rec, http.StatusUnprocessableEntity, form, err)
	}
	return p.refused(c, purchaseAct{}, rec, form, err)
}

// charge does what the form of a charge says.
func (p *Purchases) charge(ctx context.Context, c echo.Context, id uuid.UUID, form url.Values) (purchase.Record, error) {
	var w fault.Problems
	d := p.days()
	day, err := d.typed(form)
	if f, ok := fault.From(err); ok {
		w = append(w, f.Fields...)
	} else if day.IsZero() {
		w.Add("due", "required", "Choose the day of the debit.")
	} else if choice := d.rules.Choose(d.cal, day, "previous", d.now); d.rules.TooSoon(d.rules.DueOn(day), d.now) {
		name := "due"
		if form.Get("due_other") != "" {
			name = "due_other"
		}
		w.Add(name, "due_too_soon", "%s", choice.Reason)
	}
	tokenID, err := uuid.Parse(form.Get("recurring_token"))
	if err != nil {
		w.Add("recurring_token", "required", "Choose the account to debit.")
	}
	if err := w.Err(); err != nil {
		return purchase.Record{}, err
	}
	return p.Service.ChargeOn(ctx, access.Actor(c), id, tokenID, day)
}
