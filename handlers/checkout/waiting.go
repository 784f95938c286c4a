package checkout

import (
	"fmt"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/html"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/static"
	"debitdesk/views/checkout"
	"debitdesk/views/components"
)

const moment = "Mon 2 Jan 15:04"

// How often a page that waits asks how it stands, in seconds: by its script, and
// without one by loading again.
const (
	pollRealTime, pollSlow     = 1, 5
	reloadRealTime, reloadSlow = 5, 60
)

// waiting is the page while the payer's answer is awaited.
func (p *Pages) waiting(rec purchase.Record, asked purchase.Asked, account string) *checkout.Waiting {
	now := p.Purchases.Now()
	last, until := asked.Last, p.Purchases.AnswerBy(asked.Last, now)
	left := secondsUntil(until, now)
	w := &checkout.Waiting{Title: "Waiting for your answer", Left: countdown(left),
		Until:   until.In(calendar.SAST).Format(moment),
		Seconds: strconv.FormatInt(left, 10), Every: strconv.Itoa(pollSlow), State: string(last.Method) + " " +
			strconv.Itoa(last.Number),
		Facts: waitingFacts(rec, asked.Mandate, account)}
	phone := ""
	if rec.Payer.Phone != "" {
		phone = " to " + phoneMask(rec.Payer.Phone)
	}
	switch last.Method {
	case mandate.RealTime:
		whole := int64(p.Purchases.Limits.RealTime / time.Second)
		w.Ring, w.Every = &checkout.Ring{Whole: strconv.FormatInt(whole, 10),
			Gone: strconv.FormatInt(max(0, whole-left), 10)}, strconv.Itoa(pollRealTime)
		w.Text = "Your bank is asking you on your phone now. Please confirm there that you agree."
		w.Steps = []string{
			"Your bank sends a message" + phone + ". Open it and check it against the details below.",
			"Nothing there? Open your bank’s app and look for a debit order to approve, " +
				"or dial your bank’s cellphone-banking number.",
		}
	case mandate.Fallback:
		w.Text = "There was no answer in time, so we asked again; you have until " + w.Until + "."
		w.Steps = []string{"Your bank sends an SMS" + phone + " with how to answer.", elsewhere}
	case mandate.Delayed:
		w.Text = "Your bank asks you by SMS; you have until " + w.Until + "."
		w.Steps = []string{"Your bank sends an SMS" + phone + " with how to answer.", elsewhere}
	}
	if last.State == mandate.AuthRequested {
		w.Text = "We are passing the request to your bank. It will ask you on your phone in a moment."
	}
	w.Steps = append(w.Steps, unlessAnswered(asked, p.Purchases.Limits))
	if p.Sandbox {
		w.Phone = "/sandbox/phone"
	}
	return w
}

// unlessAnswered says what silence means from here.
func unlessAnswered(asked purchase.Asked, limits mandate.Limits) string {
	switch t := asked.Mandate.Terms; {
	case asked.Last.Method == mandate.Fallback:
		return "If you do not answer, the debit order is registered anyway, and you can dispute its debits. " +
			"If you decline, nothing is debited."
	case t != nil && t.DelayedOnFailure:
		return "If you do not answer in time, your bank asks once more and gives you " +
			mandate.Span(limits.For(mandate.Fallback)) + ". If you decline, nothing is debited."
	}
	return "If you decline or do not answer, nothing is debited."
}

func waitingFacts(rec purchase.Record, m mandate.Mandate, account string) components.Facts {
	f := facts(locale.In(locale.English), rec, account)
	f.Items = append(f.Items, components.Fact{Label: "Contract reference", Value: m.ContractReference})
	if m.Terms != nil {
		f.Items = append(f.Items, agreedTerms(rec, m)...)
	}
	return f
}

func secondsUntil(until, now time.Time) int64 { return max(0, int64(until.Sub(now)/time.Second)) }

// countdown is the time left: "1:47" below an hour, "47 h 12 min" above.
func countdown(seconds int64) string {
	if seconds < 3600 {
		return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%d h %02d min", seconds/3600, seconds%3600/60)
}

// phoneMask shows enough of a number to recognise the own one.
func phoneMask(phone string) string {
	if len(phone) < 7 {
		return "your phone"
	}
	return "•••" + money.NBSP + phone[len(phone)-4:]
}

// wait answers with the waiting page.
func (p *Pages) wait(c echo.Context, status int, rec purchase.Record, asked purchase.Asked,
	refusal *fault.Fault) error {
	w := locale.In(locale.English) // as what the bank itself asks
	source, err := p.Purchases.Source(c.Request().Context(), rec)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	account := ""
	if err == nil {
		account = bankWords(w, source)
	}
	v := rights(w, rec)
	v.Waiting = p.waiting(rec, asked, account)
	v.Frame = p.frame(w, rec, v.Waiting.Title)
	v.Frame.Script, v.Frame.Refresh = static.URL("js/payer.js"), reloadSlow
	if asked.Last.Method == mandate.RealTime {
		v.Frame.Refresh = reloadRealTime
	}
	if refusal != nil {
		v.Notice = note("info", "", "Nothing was changed: this was already done.")
	}
	return html.Send(c, status, checkout.Page(v))
}
