package mandates

import (
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
	"debitdesk/models/plural"
	"debitdesk/views/components"
)

// livePanel says how the client's answer is coming on, and what can be done next.
func livePanel(sheet mandate.Sheet, now time.Time, limits mandate.Limits,
	window mandate.Window, able bank.Capabilities) components.MandateLive {
	asked, _ := sheet.Asked()
	v := components.MandateLive{ID: "live-" + sheet.ID.String(),
		Now: components.LivePanel{State: mandatePill(sheet.Mandate, &asked, now), Steps: liveSteps(sheet, now)}}
	v.Now.Headline, v.Now.Detail = liveWords(sheet, now, limits)
	if sheet.State.Waiting() {
		v.Stream, v.Now.Reload = words.MandatePath(sheet.ID)+"/events", words.MandatePath(sheet.ID)
		if asked.State.Open() && !asked.ExpiresAt.IsZero() {
			v.Now.Ring = liveRing(asked, now)
		}
	}
	if sheet.State.Unanswered() {
		v.Now.Next = liveActs(sheet, now, limits, window, able)
	}
	return v
}

func liveWords(sheet mandate.Sheet, now time.Time, limits mandate.Limits) (headline, detail string) {
	asked, _ := sheet.Asked()
	switch sheet.State {
	case mandate.Submitted:
		return "The request is on its way to the bank", "The time to answer starts when the bank has it."
	case mandate.Pending:
		return "Waiting for the client’s answer", waitingSaid(asked, limits)
	case mandate.ActiveState:
		return "Accepted by the client", "Accepted" + channelSaid(asked.Channel) + onSaid(sheet.AcceptedAt, now) +
			". The account can be debited on these terms."
	case mandate.Registered:
		return "Registered without an answer",
			"The client did not answer, and the bank registered the mandate anyway. The account can be debited; " +
				"the client can dispute every debit."
	case mandate.Rejected:
		return "The mandate was declined", codeSaid(sheet, asked)
	case mandate.NoResponse:
		over := "The " + limitSaid(limits.For(asked.Method)) + " are over. "
		if _, ok := limits.DayEnd(asked.Method); ok {
			over = "The time to answer is over. "
		}
		return "No answer from the client", over +
			bank.MandateCodeOf(bank.CodeNoAnswer).Remedy
	case mandate.FailedAtBank:
		return "The bank could not ask the client", codeSaid(sheet, asked)
	case mandate.Suspended, mandate.Cancelled, mandate.Superseded, mandate.BlockedBy:
	}
	return "This mandate is " + words.LowerFirst(sheet.State.Label()), codeSaid(sheet, mandate.Authentication{})
}

func waitingSaid(asked mandate.Authentication, limits mandate.Limits) string {
	within := limitSaid(limits.For(asked.Method))
	switch {
	case asked.Method == mandate.Fallback:
		return "The client did not answer in real time and has " + within +
			" more. Debits under this mandate may be disputed, answered or not."
	case asked.Method == mandate.Delayed && asked.State == mandate.AuthDelivered:
		return "The client has the SMS and may answer " + words.Glue(limits.Within(asked.Method)) + "."
	case asked.Method == mandate.Delayed:
		return "The bank sends the client an SMS, which may be answered " + words.Glue(limits.Within(asked.Method)) + "."
	case asked.State == mandate.AuthDelivered:
		return "The request is on the client’s phone, to be accepted or declined there within " + within + "."
	}
	return "The bank has the request and sends it to the client’s phone. The client has " + within + " to answer."
}

// limitSaid is a time limit that a line does not break.
func limitSaid(d time.Duration) string { return words.Glue(mandate.Span(d)) }

func codeSaid(sheet mandate.Sheet, asked mandate.Authentication) string {
	code := sheet.ReasonCode
	if code == "" {
		code = asked.Code
	}
	if code == "" {
		return ""
	}
	reason := bank.MandateCodeOf(code)
	return reason.Label() + ". " + reason.Remedy
}

func channelSaid(channel string) string {
	if words := mandate.ChannelLabel(channel); words != "" {
		return " " + words
	}
	return ""
}

func onSaid(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	return " on " + words.SayMinute(at, now)
}

// liveSteps are the stations of the newest request.
func liveSteps(sheet mandate.Sheet, now time.Time) []components.LiveStep {
	asked, ok := sheet.Asked()
	if !ok {
		return nil
	}
	sent := components.LiveStep{Label: "Sent to the bank", State: "past", At: clockTime(asked.SentAt, now)}
	delivered := components.LiveStep{Label: "On the client’s phone", State: "past",
		At: clockTime(asked.DeliveredAt, now)}
	if asked.Method != mandate.RealTime {
		delivered.Label = "SMS with the client"
	}
	answer := components.LiveStep{Label: "The client answers", State: "next", At: clockTime(asked.AnsweredAt, now)}
	switch asked.State {
	case mandate.AuthRequested:
		sent.State, delivered.State = "now", "next"
	case mandate.AuthSent:
		delivered.State = "now"
	case mandate.AuthDelivered:
		answer.State = "now"
	case mandate.AuthAccepted:
		answer.Label, answer.State, answer.Note = "Accepted", "good", words.Capital(mandate.ChannelLabel(asked.Channel))
	case mandate.AuthRejected:
		answer.Label, answer.State, answer.Note = "Declined", "bad", asked.Code
	case mandate.AuthNoResponse:
		answer.Label, answer.State = "No answer", "wait"
	case mandate.AuthWithdrawn:
		answer.Label, answer.State = "Withdrawn", "wait"
	case mandate.AuthFailed:
		answer.Label, answer.State, answer.Note = "Not asked", "bad", asked.Code
	}
	if !asked.State.Open() && asked.State != mandate.AuthAccepted && asked.DeliveredAt.IsZero() {
		delivered.State, delivered.Note = "", "not confirmed"
	}
	if !asked.State.Open() && asked.SentAt.IsZero() {
		sent.State, sent.Note = "", "not confirmed"
	}
	return []components.LiveStep{sent, delivered, answer}
}

// clockTime writes an instant to the second while it is today's: people watch it.
func clockTime(at, now time.Time) components.Time {
	t := words.Moment(at)
	if !at.IsZero() && calendar.DateOf(at) == calendar.DateOf(now) {
		t.Text = at.In(calendar.SAST).Format("15:04:05")
	}
	return t
}

// liveRing is what is left of the time limit. Its words are said again each second
// by static/js/live.js, which has the same.
func liveRing(asked mandate.Authentication, now time.Time) *components.Ring {
	whole, left := asked.ExpiresAt.Sub(asked.SentAt), max(asked.ExpiresAt.Sub(now), 0)
	if asked.SentAt.IsZero() || whole <= 0 {
		whole = max(left, time.Second)
	}
	tenths := 1000 - min(int64(left)/max(int64(whole)/1000, 1), 1000)
	r := &components.Ring{NowMS: millis(now), ExpiresMS: millis(asked.ExpiresAt),
		Seconds: strconv.FormatInt(int64(whole/time.Second), 10),
		Gap:     fmt.Sprintf("%d.%d", tenths/10, tenths%10)}
	seconds := int64(left / time.Second)
	switch hours, minutes := seconds/3600, seconds/60%60; {
	case left == 0:
		r.Big, r.Words = "0:00", "Time is up. The result comes in a moment."
	case whole > time.Hour:
		r.Big, r.Small = fmt.Sprintf("%d h", hours), fmt.Sprintf("%d m", minutes)
		r.Words = plural.Of(hours, "hour") + " and " + plural.Of(minutes, "minute") + " left to answer"
	default:
		r.Big, r.Small = fmt.Sprintf("%d:%02d", seconds/60, seconds%60), "left"
		r.Words = plural.Of(seconds/60, "minute") + " and " + plural.Of(seconds%60, "second") + " left to answer"
	}
	return r
}

func millis(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }

// liveActs are the ways on from a request that brought no yes. What cannot be done
// now says why.
func liveActs(sheet mandate.Sheet, now time.Time, limits mandate.Limits, window mandate.Window,
	able bank.Capabilities) []components.LiveAct {
	again := components.Button{Label: "Send again" + usedSaid(sheet, mandate.RealTime, limits), Kind: "primary",
		Icon: "repeat", ID: "send-again"}
	delayed := components.Button{Label: "Send delayed (" + shortSpan(limits) + ")" + usedSaid(sheet, mandate.Delayed,
		limits), Icon: "clock", ID: "send-delayed"}
	if !window.Open(now) {
		again.Disabled, again.Why = true, "Clients can be asked in real time from "+window.Opens.String()+" to "+
			window.Closes.String()+" SAST. Send the request delayed."
	}
	for how, b := range map[mandate.Method]*components.Button{mandate.RealTime: &again, mandate.Delayed: &delayed} {
		if mandate.Asked(sheet.Authentications, how) >= limits.MostTries {
			b.Disabled, b.Why = true, fmt.Sprintf("The client was asked %d times this way; that is the limit.", limits.MostTries)
		}
	}
	if why := able.NoRealTime(); why != "" {
		again.Disabled, again.Why = true, why
	}
	if why := able.NoDebiCheck(); why != "" {
		again.Disabled, again.Why, delayed.Disabled, delayed.Why = true, why, true, why
	}
	if again.Disabled && !delayed.Disabled {
		again.Kind, delayed.Kind = "", "primary"
	}
	acts := []components.LiveAct{askAct(sheet, again, mandate.RealTime), askAct(sheet, delayed, mandate.Delayed)}
	if sheet.ClientID != uuid.Nil {
		acts = append(acts, components.LiveAct{Hint: "It needs no answer at the client’s bank.",
			Button: components.Button{Label: "Use EFT instead", Icon: "bank", Href: words.ClientHref(sheet.ClientID) +
				"/accounts/new", Changes: true}})
	}
	return acts
}

// shortSpan is the time to answer a delayed request, on a button.
func shortSpan(limits mandate.Limits) string {
	if at, ok := limits.DayEnd(mandate.Delayed); ok {
		return words.Glue("until " + at.String())
	}
	return words.Glue(fmt.Sprintf("%d h", limits.Delayed/time.Hour))
}

func askAct(sheet mandate.Sheet, b components.Button, how mandate.Method) components.LiveAct {
	return components.LiveAct{Button: b, Post: words.MandatePath(sheet.ID) + "/authentications",
		Fields: []components.Pair{{Name: "method", Value: string(how)}}}
}

// usedSaid counts the tries of one way of asking, from the first on.
func usedSaid(sheet mandate.Sheet, how mandate.Method, limits mandate.Limits) string {
	used := mandate.Asked(sheet.Authentications, how)
	if used == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d of %d used)", used, limits.MostTries)
}
