package checkout

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

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

// How often a page that waits asks how it stands, in seconds: by its script, and
// without one by loading again.
const (
	pollRealTime, pollSlow     = 1, 5
	reloadRealTime, reloadSlow = 5, 60
)

// waiting is the page while the payer's answer is awaited.
func (p *Pages) waiting(w locale.Words, rec purchase.Record, asked purchase.Asked, account string) *checkout.Waiting {
	now := p.Purchases.Now()
	last, until := asked.Last, p.Purchases.AnswerBy(asked.Last, now)
	left := secondsUntil(until, now)
	v := &checkout.Waiting{Title: w.Say("pay.dc.wait"), Left: countdown(left), LeftLabel: w.Say("pay.dc.left"),
		Reloads: w.Say("pay.dc.reloads"), Seconds: strconv.FormatInt(left, 10), Every: strconv.Itoa(pollSlow),
		State: string(last.Method) + " " + strconv.Itoa(last.Number), Facts: waitingFacts(w, rec, asked.Mandate, account)}
	if asked.Mandate.Terms != nil {
		v.English = inEnglish(w, func(w locale.Words) []components.Fact { return agreedTerms(w, rec, asked.Mandate) }, nil)
	}
	sent := func(key string) string {
		if phone := phoneMask(rec.Payer.Phone); phone != "" {
			return w.Say(key+"_to", "phone", phone)
		}
		return w.Say(key)
	}
	answerBy := []string{"time", w.Weekday(calendar.DateOf(until).Weekday()) + " " + w.Moment(until)}
	switch last.Method {
	case mandate.RealTime:
		whole := int64(p.Purchases.Limits.RealTime / time.Second)
		v.Ring, v.Every = &checkout.Ring{Whole: strconv.FormatInt(whole, 10),
			Gone: strconv.FormatInt(max(0, whole-left), 10)}, strconv.Itoa(pollRealTime)
		v.Text = w.Say("pay.dc.asking")
		v.Steps = []string{sent("pay.dc.message"), w.Say("pay.dc.nothing_there")}
	case mandate.Fallback:
		v.Text = w.Say("pay.dc.asked_again", answerBy...)
		v.Steps = []string{sent("pay.dc.sms"), w.Say("pay.dc.elsewhere")}
	case mandate.Delayed:
		v.Text = w.Say("pay.dc.asked_sms", answerBy...)
		v.Steps = []string{sent("pay.dc.sms"), w.Say("pay.dc.elsewhere")}
	}
	if last.State == mandate.AuthRequested {
		v.Text = w.Say("pay.dc.passing")
	}
	v.Steps = append(v.Steps, unlessAnswered(w, asked, p.Purchases.Limits))
	if p.Sandbox {
		v.Phone = "/sandbox/phone"
	}
	return v
}

// unlessAnswered says what silence means from here.
func unlessAnswered(w locale.Words, asked purchase.Asked, limits mandate.Limits) string {
	switch t := asked.Mandate.Terms; {
	case asked.Last.Method == mandate.Fallback:
		return w.Say("pay.dc.silent") + " " + w.Say("pay.dc.if_declined")
	case t != nil && t.DelayedOnFailure:
		return strings.Join([]string{w.Say("pay.dc.asks_again"), timeToAnswer(w, limits.For(mandate.Fallback), ""),
			w.Say("pay.dc.if_declined")}, " ")
	}
	return w.Say("pay.dc.nothing")
}

func waitingFacts(w locale.Words, rec purchase.Record, m mandate.Mandate, account string) components.Facts {
	f := facts(w, rec, account)
	f.Items = append(f.Items, components.Fact{Label: w.Say("pay.dc.contract"), Value: m.ContractReference})
	if m.Terms != nil {
		f.Items = append(f.Items, agreedTerms(w, rec, m)...)
	}
	return f
}

func secondsUntil(until, now time.Time) int64 { return max(0, int64(until.Sub(now)/time.Second)) }

// countdown is the time left: "1:47" below an hour, "47:12:05" above. It needs no words.
func countdown(seconds int64) string {
	if seconds < 3600 {
		return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds%3600/60, seconds%60)
}

// phoneMask shows enough of a number to recognise the own one; empty for a number that is too short for that.
func phoneMask(phone string) string {
	if len(phone) < 7 {
		return ""
	}
	return "•••" + money.NBSP + phone[len(phone)-4:]
}

// wait answers with the waiting page.
func (p *Pages) wait(c echo.Context, status int, rec purchase.Record, asked purchase.Asked,
	refusal *fault.Fault) error {
	source, err := p.Purchases.Source(c.Request().Context(), rec)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	known := err == nil
	return p.send(c, status, rec, func(w locale.Words, languages []components.LanguageLink) templ.Component {
		account := ""
		if known {
			account = bankWords(w, source)
		}
		v := rights(w, rec)
		v.Waiting = p.waiting(w, rec, asked, account)
		v.Frame = p.frame(w, rec, v.Waiting.Title)
		v.Frame.Languages = languages
		v.Frame.Script, v.Frame.Refresh = static.URL("js/payer.js"), reloadSlow
		if asked.Last.Method == mandate.RealTime {
			v.Frame.Refresh = reloadRealTime
		}
		if refusal != nil {
			v.Notice = note("info", "", w.Say("pay.nothing_changed"))
		}
		return checkout.Page(v)
	})
}
