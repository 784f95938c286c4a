package simulator

import (
	"fmt"
	"strconv"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
	"debitdesk/models/money"
	"debitdesk/models/simulation"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// dial is a USSD number that no network has.
const dial = "*120*0000#"

func handsetOf(p simulation.Phone, now time.Time) pages.Handset {
	a, m, local := p.Request, p.Mandate, now.In(calendar.SAST)
	h := pages.Handset{
		ID: a.ID.String(), Action: "/sandbox/mandates/" + m.ID.String() + "/answer", Href: "/purchases/" + m.ID.String(),
		Payer: m.HolderName,
		Clock: local.Format("15:04"), Day: local.Format("Mon 2 Jan"), Bank: bankOf(p), Brand: p.Brand,
		ShortName: m.AbbreviatedName,
		Amount:    money.Format(p.AmountCents(), p.Currency), Max: mostWords(p), Rhythm: m.Rhythm(),
		Account: glue(m.AccountMask), Reference: m.ContractReference,
		Method: methodWords[a.Method], Attempt: "request " + strconv.Itoa(a.Number), Delayed: delayed(p),
		OnItsWay: a.State == mandate.AuthRequested,
		SMS:      delayedSMS(p), USSD: ussd(p),
	}
	if !a.ExpiresAt.IsZero() {
		left := secondsLeft(p, now)
		h.Left, h.SecondsLeft = leftWords(left), strconv.FormatInt(left, 10)
		h.Seconds = strconv.FormatInt(max(1, int64(a.ExpiresAt.Sub(a.SentAt)/time.Second)), 10)
		h.Deadline = deadline(a.ExpiresAt, delayed(p))
	}
	return h
}

// deadline names the day only where it matters: a prompt ends within minutes.
func deadline(at time.Time, withDay bool) components.Time {
	t := moment(at)
	if !withDay {
		t.Text = at.In(calendar.SAST).Format("15:04:05")
	}
	return t
}

func delayed(p simulation.Phone) bool { return p.Request.Method != mandate.RealTime }

func bankOf(p simulation.Phone) string {
	if name := bank.BankName(p.Mandate.BankCode); name != "" {
		return name
	}
	return "Your bank"
}

func mostWords(p simulation.Phone) string {
	if most := p.MaxCents(); most > 0 {
		return money.Format(most, p.Currency)
	}
	return "no limit"
}

var methodWords = map[mandate.Method]string{
	mandate.RealTime: "Real time",
	mandate.Delayed:  "Delayed",
	mandate.Fallback: "Fallback",
}

// leftWords rounds to what a person wants to know: seconds of a prompt, minutes of hours.
func leftWords(seconds int64) string {
	switch {
	case seconds <= 0:
		return "Time is up"
	case seconds < 60:
		return fmt.Sprintf("%d s left", seconds)
	case seconds < 3600:
		return fmt.Sprintf("%d min %02d s left", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%d h %02d min left", seconds/3600, seconds%3600/60)
}

// asksFor is the heart of both texts: who collects what, when, up to what, from where.
func asksFor(p simulation.Phone) string {
	rhythm := p.Mandate.Rhythm()
	if rhythm != "" {
		rhythm = ", " + rhythm
	}
	most := "without a limit"
	if p.MaxCents() > 0 {
		most = "at most " + mostWords(p)
	}
	return fmt.Sprintf("%s (%s on your statement) asks to debit %s%s, %s, from your account %s", p.Brand,
		p.Mandate.AbbreviatedName,
		money.Format(p.AmountCents(), p.Currency), rhythm, most, glue(p.Mandate.AccountMask))
}

func delayedSMS(p simulation.Phone) string {
	by := ""
	if at := p.Request.ExpiresAt; !at.IsZero() {
		by = " by " + at.In(calendar.SAST).Format("Mon 2 Jan 15:04")
	}
	return fmt.Sprintf("DebiCheck: %s. Ref %s. Answer%s in your banking app or dial %s.", asksFor(p),
		p.Mandate.ContractReference, by, dial)
}

func ussd(p simulation.Phone) string {
	return fmt.Sprintf("%s DebiCheck\n%s. Ref %s.\n1. Accept\n2. Decline\n0. Later", bankOf(p), asksFor(p),
		p.Mandate.ContractReference)
}

func repliedWords(r simulation.Replied, answer string) string {
	if answer == simulation.Ignore {
		return "The client does not answer. The request expires by the sandbox clock: move the clock, or wait."
	}
	return "The client answered. The mandate is now: " + r.Mandate.State.Label() + "."
}

func overRow(p simulation.Phone) pages.PhoneRow {
	a := p.Request
	row := pages.PhoneRow{Payer: p.Mandate.HolderName, Href: "/purchases/" + p.Mandate.ID.String(), Brand: p.Brand,
		Asked:  methodWords[a.Method],
		Amount: money.Format(p.AmountCents(), p.Currency), At: moment(endOf(a)),
		How: mandate.ChannelLabel(a.Channel)}
	switch a.State {
	case mandate.AuthAccepted:
		row.State = components.Pill{Kind: "done", Word: "Accepted"}
	case mandate.AuthRejected:
		row.State = components.Pill{Kind: "bad", Word: "Declined"}
	case mandate.AuthNoResponse:
		row.State = components.Pill{Kind: "wait", Word: "No answer"}
	case mandate.AuthFailed:
		row.State = components.Pill{Kind: "bad", Word: "Bank error"}
	case mandate.AuthWithdrawn:
		row.State = components.Pill{Kind: "draft", Word: "Withdrawn"}
	case mandate.AuthRequested, mandate.AuthSent, mandate.AuthDelivered:
		row.State = components.Pill{Kind: "progress", Word: "Waiting"}
	}
	if a.Code != "" {
		row.How = bank.MandateCodeOf(a.Code).Label()
	}
	return row
}

func endOf(a mandate.Authentication) time.Time {
	if !a.AnsweredAt.IsZero() {
		return a.AnsweredAt
	}
	return a.ExpiresAt
}
