package mandates

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
	"debitdesk/views/components"
	"debitdesk/views/viewtest"
)

// noon is within the window of real-time requests.
var noon = time.Date(2026, time.November, 23, 12, 0, 0, 0, calendar.SAST)

// sheetOf is a mandate in a state, asked in ways that all but the last, newest,
// brought nothing.
func sheetOf(state mandate.State, newest mandate.Authentication, before ...mandate.Method) mandate.Sheet {
	s := mandate.Sheet{Mandate: mandate.Mandate{ID: uuid.MustParse("01935f3e-7a1b-7c3d-8e4f-9a0b1c2d3e4f"),
		ClientID: uuid.MustParse("01935f3e-0000-7000-8000-000000000001"),
		Kind:     mandate.DebiCheck, State: state, AcceptedAt: noon}, Authentications: []mandate.Authentication{newest}}
	for _, m := range before {
		s.Authentications = append(s.Authentications, mandate.Authentication{Method: m, State: mandate.AuthNoResponse})
	}
	return s
}

func asking(how mandate.Method, state mandate.AuthState, after time.Duration) mandate.Authentication {
	a := mandate.Authentication{Method: how, State: state, RequestedAt: noon.Add(-after)}
	if state != mandate.AuthRequested {
		a.SentAt, a.ExpiresAt = noon.Add(-after), noon.Add(mandate.DefaultLimits().For(how)-after)
	}
	if state != mandate.AuthRequested && state != mandate.AuthSent {
		a.DeliveredAt = noon.Add(time.Second - after)
	}
	if !state.Open() {
		a.AnsweredAt = noon
	}
	return a
}

func coded(a mandate.Authentication, code string) mandate.Authentication { a.Code = code; return a }

func TestThePanelSaysWhereTheRequestStands(t *testing.T) {
	for name, row := range map[string]struct {
		sheet mandate.Sheet
		ring  string // what stands in it
		words []string
		lacks []string
	}{
		"written down": {sheetOf(mandate.Submitted, asking(mandate.RealTime, mandate.AuthRequested, 0)), "",
			[]string{"on its way to the bank", "pill progress"}, []string{"Send again"}},
		"with the bank": {sheetOf(mandate.Pending, asking(mandate.RealTime, mandate.AuthSent, 17*time.Second)), "1:43",
			[]string{"Waiting for the client", "pill wait", "1 minute and 43 seconds left to answer", "11:59:43"},
			[]string{"Send again"}},
		"on the phone": {sheetOf(mandate.Pending, asking(mandate.RealTime, mandate.AuthDelivered, 60*time.Second)),
			"1:00", []string{"is on the client’s phone", "1 minute and 0 seconds left", `stroke-dashoffset="50.0"`}, nil},
		"out of time": {sheetOf(mandate.Pending, asking(mandate.RealTime, mandate.AuthDelivered, 121*time.Second)),
			"0:00", []string{"Time is up", `stroke-dashoffset="100.0"`}, []string{"Send again"}},
		"delayed": {sheetOf(mandate.Pending,
			asking(mandate.Delayed, mandate.AuthDelivered, 2*time.Hour+time.Minute)), "45 h",
			[]string{"The client has the SMS", "45 hours and 59 minutes left to answer", "SMS with the client"}, nil},
		"fallback": {sheetOf(mandate.Pending, asking(mandate.Fallback, mandate.AuthSent, time.Hour),
			mandate.RealTime), "47 h", []string{"may be disputed, answered or not"}, []string{"Send again"}},
		"accepted": {sheetOf(mandate.ActiveState, asking(mandate.RealTime, mandate.AuthAccepted, 9*time.Second)),
			"", []string{"Accepted by the client", "pill done"}, []string{"Send again", "noscript"}},
		"declined": {sheetOf(mandate.Rejected, coded(asking(mandate.RealTime, mandate.AuthRejected, 9*time.Second),
			bank.CodeRefused)), "", []string{"was declined", "Declined by the client (MS02). Speak to the client", "pill bad",
			"Send again (1 of 3 used)"}, nil},
		"no answer": {sheetOf(mandate.NoResponse, asking(mandate.RealTime, mandate.AuthNoResponse, 120*time.Second)),
			"", []string{"The 120\u00a0seconds are over.", "Send again (1 of 3 used)", "Send delayed (48\u00a0h)<",
				"/clients/01935f3e-0000-7000-8000-000000000001/accounts/new"}, nil},
		"registered": {sheetOf(mandate.Registered, asking(mandate.Fallback, mandate.AuthNoResponse, 48*time.Hour),
			mandate.RealTime), "", []string{"Registered without an answer", "dispute every debit", "pill wait"},
			[]string{"pill done"}},
		"bank error": {sheetOf(mandate.FailedAtBank,
			coded(asking(mandate.RealTime, mandate.AuthFailed, 5*time.Second), bank.CodeSystemError)), "",
			[]string{"could not ask the client", "EERR"}, nil},
		"never asked, ended": {mandate.Sheet{Mandate: mandate.Mandate{State: mandate.Cancelled}}, "",
			[]string{"This mandate is cancelled"}, []string{"live-steps"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := viewtest.Render(t, components.Live(livePanel(row.sheet, noon, mandate.DefaultLimits(),
				mandate.DefaultWindow(), bank.Everything())))
			if (row.ring != "") != strings.Contains(got, "data-ring-big") || !strings.Contains(got, ">"+row.ring+"<") &&
				row.ring != "" {
				t.Errorf("the ring does not say %q", row.ring)
			}
			for _, want := range row.words {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in %s", want, got)
				}
			}
			for _, no := range row.lacks {
				if strings.Contains(got, no) {
					t.Errorf("%q in %s", no, got)
				}
			}
			if waiting := row.sheet.State.Waiting(); waiting != strings.Contains(got, "/events") ||
				waiting != strings.Contains(got, "js/live.") {
				t.Error("the stream is not there while, and only while, an answer is awaited")
			}
		})
	}
}

func TestThePanelOffersOnlyWhatCanBeDone(t *testing.T) {
	rt, sms := mandate.RealTime, mandate.Delayed
	last := asking(rt, mandate.AuthNoResponse, 120*time.Second)
	at := func(hour, minute int) time.Time {
		return time.Date(2026, time.November, 23, hour, minute, 0, 0, calendar.SAST)
	}
	for name, row := range map[string]struct {
		before         []mandate.Method
		now            time.Time
		again, delayed bool
		words          string
	}{
		"two of three used": {[]mandate.Method{rt}, noon, true, true, "Send again (2 of 3 used)"},
		"three of three used": {[]mandate.Method{rt, rt}, noon, false, true,
			"The client was asked 3 times this way; that is the limit."},
		"delayed ones used": {[]mandate.Method{sms, sms, sms}, noon, true, false, "(3 of 3 used)"},
		"fallbacks do not count": {[]mandate.Method{mandate.Fallback, mandate.Fallback, rt}, noon, true, true,
			"Send again (2 of 3 used)"},
		"the window closes at 20:30": {nil, at(20, 29), true, true, "Send again (1 of 3 used)"},
		"the window is closed":       {nil, at(20, 30), false, true, "from 03:00 to 20:30 SAST"},
	} {
		t.Run(name, func(t *testing.T) {
			panel := livePanel(sheetOf(mandate.NoResponse, last, row.before...), row.now, mandate.DefaultLimits(),
				mandate.DefaultWindow(), bank.Everything())
			for i, may := range []bool{row.again, row.delayed} {
				if b := panel.Now.Next[i].Button; b.Disabled == may || b.Disabled != (b.Why != "") {
					t.Errorf("%s: disabled %v because %q", b.Label, b.Disabled, b.Why)
				}
			}
			if got := viewtest.Render(t, components.Live(panel)); !strings.Contains(got, row.words) ||
				strings.Count(got, "btn primary") > 1 {
				t.Errorf("no %q, or two primary buttons, in %s", row.words, got)
			}
		})
	}
}
