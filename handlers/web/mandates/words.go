package mandates

import (
	"strings"
	"time"

	"debitdesk/handlers/web/words"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
	"debitdesk/views/components"
)

var mandateKinds = map[mandate.State]string{
	mandate.Submitted: "progress", mandate.Pending: "wait", mandate.ActiveState: "done", mandate.Registered: "wait",
	mandate.Rejected:   "bad",
	mandate.NoResponse: "bad", mandate.FailedAtBank: "bad", mandate.Suspended: "bad", mandate.Cancelled: "draft",
	mandate.Superseded: "draft", mandate.BlockedBy: "bad",
}

// StatePill is a state of mandates in a word.
func StatePill(s mandate.State) components.Pill {
	return components.Pill{Kind: mandateKinds[s], Word: s.Label()}
}

// mandatePill shows where a mandate stands; its title says what happens next.
func mandatePill(m mandate.Mandate, asked *mandate.Authentication, now time.Time) components.Pill {
	p := components.Pill{Kind: mandateKinds[m.State], Word: m.State.Label(), Title: mandateNext(m, asked, now)}
	switch {
	case m.AccountBlocked:
		p.Kind, p.Word = mandateKinds[mandate.BlockedBy], "Account blocked"
	case m.State == mandate.Registered:
		p.Word = "Registered"
	}
	if usedUp(m) {
		p.Kind, p.Word = mandateKinds[mandate.Cancelled], "Used once"
	}
	return p
}

// usedUp tells that the one debit which the mandate allows has run.
func usedUp(m mandate.Mandate) bool {
	return m.ReasonCode == bank.CodeOnceOffDone && (m.State == mandate.Cancelled || m.State == mandate.Suspended)
}

// mandateNext is what happens next, and what can be done about it. asked is the
// newest time of asking, where it is at hand.
func mandateNext(m mandate.Mandate, asked *mandate.Authentication, now time.Time) string {
	switch {
	case m.AccountBlocked:
		return endWords[mandate.BlockedBy] + reasonWords(m.BlockedCode)
	case usedUp(m):
		return "The client allowed one debit, which has run" + dayWords(m.EndedAt, now) +
			"; nothing more can be debited. The proof is kept."
	}
	switch m.State {
	case mandate.Submitted:
		return "The request is on its way to the client’s bank."
	case mandate.Pending:
		return waitingWords(asked, now)
	case mandate.ActiveState:
		switch {
		case m.OneDebit && m.Kind == mandate.EFT:
			return "One debit may run; it can be disputed. The client did not let the account be stored."
		case m.Kind == mandate.EFT:
			return "Debits may run. Every EFT debit can be disputed."
		case m.Fallback:
			return "The client accepted only after the first request had run out: debits may run, and each can be disputed."
		}
		return "The client accepted at the bank. Debits within the terms cannot be disputed."
	case mandate.Registered:
		return "The client did not answer, and the mandate was registered as requested: " +
			"debits may run, and each can be disputed."
	case mandate.NoResponse:
		return endWords[m.State] + bank.MandateCodeOf(bank.CodeNoAnswer).Remedy
	case mandate.Rejected, mandate.FailedAtBank, mandate.Suspended, mandate.BlockedBy:
		return endWords[m.State] + reasonWords(m.ReasonCode)
	case mandate.Cancelled:
		return "It was cancelled" + dayWords(m.EndedAt, now) + "; nothing can be debited. The proof is kept."
	case mandate.Superseded:
		return "A newer mandate of the same client replaced it" + dayWords(m.EndedAt, now) + "."
	}
	return ""
}

var endWords = map[mandate.State]string{
	mandate.NoResponse:   "The client did not answer in time; nothing can be debited. ",
	mandate.Rejected:     "Nothing can be debited. ",
	mandate.FailedAtBank: "The bank could not ask the client; nothing can be debited. ",
	mandate.Suspended:    "The client’s bank suspended it; nothing can be debited. ",
	mandate.BlockedBy:    "The account is blocked; nothing can be debited until the client gives an account again. ",
}

func waitingWords(asked *mandate.Authentication, now time.Time) string {
	if asked == nil || asked.ExpiresAt.IsZero() {
		return "The client’s bank is asking the client. Without an answer in time the request expires."
	}
	until := words.SayMinute(asked.ExpiresAt, now)
	if asked.Method == mandate.RealTime {
		until = asked.ExpiresAt.In(calendar.SAST).Format("15:04:05")
	}
	text := "The client can answer until " + until + " SAST."
	if asked.Method == mandate.Fallback {
		text += " Without an answer the mandate is registered, and every debit under it can be disputed."
	}
	return text
}

// reasonWords is a bank's reason with what helps, or nothing. It can be the return code of a debit, which blocked an
// EFT mandate.
func reasonWords(code string) string {
	if code == "" {
		return ""
	}
	return bank.Label(code) + ". " + bank.Remedy(code)
}

func dayWords(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	return " on " + words.SayDay(calendar.DateOf(at), now)
}

var authPills = map[mandate.AuthState]components.Pill{
	mandate.AuthRequested:  {Kind: "progress", Word: "Being sent", Title: "Goes to the bank next."},
	mandate.AuthSent:       {Kind: "wait", Word: "At the bank", Title: "The bank has the request."},
	mandate.AuthDelivered:  {Kind: "wait", Word: "With the client", Title: "The request has reached the client’s phone."},
	mandate.AuthAccepted:   {Kind: "done", Word: "Accepted"},
	mandate.AuthRejected:   {Kind: "bad", Word: "Declined"},
	mandate.AuthNoResponse: {Kind: "draft", Word: "No answer"},
	mandate.AuthFailed:     {Kind: "bad", Word: "Bank error"},
	mandate.AuthWithdrawn:  {Kind: "draft", Word: "Withdrawn", Title: "The request was withdrawn; no answer is needed."},
}

// answerChannels names the channels by themselves; mandate.ChannelLabel says them in a sentence.
var answerChannels = map[string]string{
	"banking_app": "Banking app", "internet_banking": "Internet banking", "ussd": "Cellphone banking (USSD)",
	"sms_link": "Link in an SMS", "atm": "ATM",
	"branch": "Branch", "contact_centre": "Contact centre", "point_of_sale": "Point of sale",
}

// answerChannel is where the client answered, as the bank names it.
func answerChannel(name string) string {
	if words := answerChannels[name]; words != "" {
		return words
	}
	return words.Capital(strings.ReplaceAll(name, "_", " "))
}
