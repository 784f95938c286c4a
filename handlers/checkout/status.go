package checkout

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"debitdesk/models/purchase"
	"debitdesk/models/weblink"
)

// status is the answer to pollers. Awaiting is "payer" while the page asks for
// something, "debicheck_answer" while the payer's bank asks the payer, "due_date" until the debit starts, "bank" until
// it answers, and null when nothing is awaited. SecondsLeft counts to the end of that, and is null where there is none.
// Next is where the payer goes on from here.
type status struct {
	Status      purchase.Status `json:"status"`
	Awaiting    *string         `json:"awaiting"`
	SecondsLeft *int64          `json:"seconds_left"`
	Next        string          `json:"next"`
}

func (p *Pages) answerStatus(c echo.Context, rec purchase.Record) error {
	asked, err := p.asked(c, rec)
	if err != nil {
		return err
	}
	var offer purchase.Offer
	if asked == nil {
		if offer, err = p.Purchases.Offer(c.Request().Context(), rec); err != nil {
			return err
		}
	}
	now := p.Purchases.Now()
	answer := status{Status: rec.Status, Next: p.BaseURL + weblink.Payer(rec.ID)}
	awaiting := func(whom string, until time.Time) {
		answer.Awaiting = &whom
		if !until.IsZero() {
			left := secondsUntil(until, now)
			answer.SecondsLeft = &left
		}
	}
	switch {
	case asked != nil:
		awaiting("debicheck_answer", p.Purchases.AnswerBy(asked.Last, now))
	case offer.Open() && rec.DueStrict:
		awaiting("payer", rec.Due)
	case offer.Open():
		awaiting("payer", time.Time{})
	case rec.Status == purchase.PendingCharge && rec.Collection != nil:
		awaiting("due_date", rec.Collection.ExecuteAt)
	case rec.Status == purchase.PendingExecute && rec.Collection != nil:
		awaiting("bank", p.Purchases.Timetable.For(rec.Collection.Method).ProvisionalAtFor(rec.Collection.ActionDate))
	}
	if to := next(rec); to != "" && !offer.Open() && asked == nil {
		answer.Next = to
	}
	return c.JSON(http.StatusOK, answer)
}

// asked is the open question to the payer's bank; nil when none is open.
func (p *Pages) asked(c echo.Context, rec purchase.Record) (*purchase.Asked, error) {
	if !unanswered(rec) {
		return nil, nil //nolint:nilnil // that nothing is asked is an answer
	}
	asked, err := p.Purchases.Asked(c.Request().Context(), rec)
	if err != nil || asked == nil || !asked.Waiting() {
		return nil, err
	}
	return asked, nil
}
