package reports

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/analysis"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/savedreport"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

const savedPath = "/reports/saved"

// saveForm keeps the question that is looked at. Its days become a period that moves on.
func (h *Reports) saveForm(q analysis.Question, than savedreport.Than, form url.Values,
	refused error) pages.SaveReport {
	wrong, summary, _ := kit.Problems(refused)
	if f, known := fault.From(refused); known && len(summary) == 0 {
		summary = []components.ErrorItem{{Text: f.Message}}
	}
	v := pages.SaveReport{Key: kit.NewFormKey(), From: q.From.String(), To: q.To.String(), Than: string(than),
		Method: string(q.Method), Problems: components.ErrorSummary{Items: summary},
		Name: components.Field{Label: "Name", Name: "name", Value: form.Get("name"), Error: wrong["name"],
			Required: true},
		Period: components.Select{Label: "Period", Name: "period", Error: wrong["period"], Required: true},
		Monthly: components.Checkbox{Label: "Mail it to me on the first business day of each month", Name: "monthly",
			Checked: form.Get("monthly") != ""}}
	if q.BrandID != uuid.Nil {
		v.Brand = q.BrandID.String()
	}
	chosen := savedreport.Period(cmp.Or(form.Get("period"), string(periodOf(q, calendar.DateOf(h.Desk.Now())))))
	for _, p := range savedreport.Periods {
		v.Period.Options = append(v.Period.Options, components.Option{Value: string(p), Text: p.Words(),
			Selected: p == chosen})
	}
	return v
}

// periodOf is the period that looks at the days of a question today.
func periodOf(q analysis.Question, today calendar.Date) savedreport.Period {
	for _, p := range savedreport.Periods {
		if asks, _ := (savedreport.Report{Period: p}).Asks(today); asks.From == q.From && asks.To == q.To {
			return p
		}
	}
	return savedreport.LastMonth
}

// Save serves POST /reports/saved.
func (h *Reports) Save(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	r := savedreport.Report{Name: form.Get("name"), Period: savedreport.Period(form.Get("period")),
		Than: savedreport.Than(form.Get("than")), Method: bank.Method(form.Get("method")), Monthly: form.Get("monthly") != ""}
	if text := form.Get("brand"); text != "" {
		if r.BrandID, err = uuid.Parse(text); err != nil {
			return fault.Missing()
		}
	}
	err = kit.Once(c, h.Desk, form.Get(kit.FormKeyName), func(ctx context.Context) (savedreport.Report, error) {
		return h.Saved.Save(ctx, access.Actor(c), r)
	}, func(savedreport.Report) string { return "/reports#saved" })
	if kit.MayShow(err) {
		for _, name := range []string{"from", "to", "than", "method", "brand"} {
			c.QueryParams().Set(name, form.Get(name))
		}
		return h.debitsPage(c, form, err)
	}
	return err
}

// MailSaved serves POST /reports/saved/:id/mail, which has a report mailed each month, or no longer.
func (h *Reports) MailSaved(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	return h.onSaved(c, func(ctx context.Context, who actor.Actor, id uuid.UUID) error {
		_, err := h.Saved.Mail(ctx, who, id, form.Get("monthly") == "1")
		return err
	})
}

// DeleteSaved serves POST /reports/saved/:id/deletion.
func (h *Reports) DeleteSaved(c echo.Context) error { return h.onSaved(c, h.Saved.Delete) }

func (h *Reports) onSaved(c echo.Context, do func(context.Context, actor.Actor, uuid.UUID) error) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	if err := do(c.Request().Context(), access.Actor(c), id); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/reports#saved")
}

// savedList are the reports that a person keeps.
func (h *Reports) savedList(c echo.Context, who actor.Actor, v *pages.ReportsView) error {
	kept, err := h.Saved.Of(c.Request().Context(), who)
	if err != nil {
		return err
	}
	today := calendar.DateOf(h.Desk.Now())
	for _, r := range kept {
		line := pages.SavedLine{Name: r.Name, Mailed: "No", Href: savedHref(r, today), What: savedWords(r), Note: r.Note,
			MailHref: savedPath + "/" + r.ID.String() + "/mail", DeleteHref: savedPath + "/" + r.ID.String() + "/deletion",
			Mail: components.Button{Label: "Mail it monthly", Small: true, Name: "monthly", Value: "1"}}
		if r.Monthly {
			line.Mailed = "On the first business day of each month"
			line.Mail = components.Button{Label: "Stop the mails", Small: true, Name: "monthly", Value: "0"}
		}
		v.Saved = append(v.Saved, line)
	}
	return nil
}

// savedHref is the page that answers a report today.
func savedHref(r savedreport.Report, today calendar.Date) string {
	q, _ := r.Asks(today)
	query := url.Values{"from": {q.From.String()}, "to": {q.To.String()}, "than": {string(r.Than)}}
	if r.Method != "" {
		query.Set("method", string(r.Method))
	}
	if r.BrandID != uuid.Nil {
		query.Set("brand", r.BrandID.String())
	}
	return kit.Address("/reports/debits", query)
}

// savedWords say what a report looks at.
func savedWords(r savedreport.Report) string {
	text := r.Period.Words()
	switch r.Than {
	case savedreport.Before:
		text += ", beside the days before"
	case savedreport.Year:
		text += ", beside a year earlier"
	case savedreport.Nothing:
	}
	if r.Method != "" {
		text += ", " + words.Method(r.Method)
	}
	if r.BrandID != uuid.Nil {
		text += ", one brand"
	}
	return text
}
