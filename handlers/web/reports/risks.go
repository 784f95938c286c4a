package reports

import (
	"fmt"
	"net/http"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/words"
	"debitdesk/models/analysis"
	"debitdesk/models/estimate"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// mostRisks is how many debits the page lists: those with the most at stake.
const mostRisks = 100

// Risks serves GET /reports/coming/risks: planned debits that are likely to fail, and why.
func (h *Reports) Risks(c echo.Context) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	found, err := h.Analysis.Risks(ctx, who)
	if err != nil {
		return err
	}
	v := pages.RisksReport{Head: components.PageHead{Title: "Likely to fail",
		Sub:  fmt.Sprintf("Debits planned for the next %d days, by what happened before them.", analysis.ComingDays),
		Back: components.Link{Text: "What is coming", Href: "/reports/coming"}},
		Empty: components.Empty{Icon: "check", Title: "No planned debit is likely to fail",
			Text: "None follows a failure after which more than half of your debits failed."}}
	listed := found.Debits[:min(mostRisks, len(found.Debits))]
	ids := make([]uuid.UUID, len(listed))
	for i, d := range listed {
		ids[i] = d.ID
	}
	records, err := h.Purchases.SeveralDebits(ctx, who, ids)
	if err != nil {
		return err
	}
	of := map[uuid.UUID]purchase.Purchase{}
	for _, r := range records {
		of[r.Collection.ID] = r.Purchase
	}
	for _, d := range listed {
		v.Rows = append(v.Rows, riskRow(d, of[d.ID]))
	}
	v.Sub = "Those with the most at stake first."
	if len(found.Debits) > mostRisks {
		v.Sub = fmt.Sprintf("The %d with the most at stake, of %s.", mostRisks, plural.Number(int64(len(found.Debits))))
	}
	if found.All.N == 0 && found.Unknown.N > 0 {
		v.Empty.Icon, v.Empty.Title = "clock", "No planned debit can be called likely to fail"
		v.Empty.Text = "Where a debit failed before, there are too few cases like it, or it is not likely."
	}
	drawRisks(found, &v)
	return h.Desk.ShowIn(c, http.StatusOK, v.Head.Title, reportsSection,
		func(f layout.Frame) templ.Component { return pages.Risks(f, v) })
}

func riskRow(d analysis.AtRisk, p purchase.Purchase) pages.RiskRow {
	return pages.RiskRow{Day: words.DayTime(d.On), Client: words.PayerName(p), Reference: words.Reference(p),
		Href: words.PurchasePath(d.PurchaseID), Amount: words.Sum(d.Cents, money.ZAR), Before: words.RiskBefore(d.Record),
		Share: words.Share(report.Ratio(d.Like.Failed, d.Like.N)), Range: words.Range(d.Like.Range()),
		Cases: words.RiskCases(d)}
}

func drawRisks(r analysis.Risks, v *pages.RisksReport) {
	tried, enough := r.Backtest()
	if r.All.N > 0 {
		v.Stats = append(v.Stats, components.Stat{Label: "Likely to fail", Value: plural.Of(r.All.N, "debit"),
			Note: words.Sum(r.All.Cents, money.ZAR) + " in all"},
			components.Stat{Label: "Will probably not come in", Value: words.Sum(r.Failing.Expected, money.ZAR),
				Note: words.Sum(r.Failing.Low, money.ZAR) + " to " + words.Sum(r.Failing.High, money.ZAR) +
					" in 80 of 100 cases"})
		if enough {
			v.Stats = append(v.Stats, components.Stat{Label: "Tried on the past",
				Value: words.Share(report.Ratio(tried.Failed, tried.N)), Note: triedWords(tried)})
		}
	}
	if !enough {
		v.Notes = append(v.Notes, "It cannot be tried on the past yet: fewer than "+
			plural.Of(estimate.Enough, "debit")+" of the last 60 decided days would have been called likely to fail.")
	} else if r.All.N == 0 {
		v.Notes = append(v.Notes, "Tried on the past: "+triedWords(tried)+".")
	}
	v.Notes = append(v.Notes, fmt.Sprintf("We look at accounts whose last debit failed or was disputed, and at their "+
		"debits on the last %d days with one. What followed such failures was counted on your own debits from %s.",
		analysis.RememberedDebits, daysText(r.From, r.To)))
	if other := r.Judged.N - r.All.N; other > 0 {
		v.Notes = append(v.Notes, plural.Of(other, "other planned debit")+" after a failure, "+
			words.Sum(r.Judged.Cents-r.All.Cents, money.ZAR)+": not likely to fail by such cases.")
	}
	if r.Unknown.N > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("%s after a failure, %s: not enough cases. It takes %s with the same "+
			"last result.", plural.Of(r.Unknown.N, "planned debit"), words.Sum(r.Unknown.Cents, money.ZAR),
			plural.Of(estimate.Enough, "debit")))
	}
}

func triedWords(c analysis.Cases) string {
	return fmt.Sprintf("of %s that the days before would have called likely to fail, %s did (%s)",
		plural.Of(c.N, "debit"), plural.Number(c.Failed), words.Range(c.Range()))
}
