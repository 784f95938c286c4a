package words

import (
	"strings"
	"time"

	"debitdesk/models/plural"
	"debitdesk/models/webhook"
)

// BrowserWords says which browser on which system, as far as it tells.
func BrowserWords(agent string) string {
	browser, system := "Browser", ""
	for _, b := range [][2]string{{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"},
		{"Safari/", "Safari"}, {"curl/", "curl"}} {
		if strings.Contains(agent, b[0]) {
			browser = b[1]
			break
		}
	}
	for _, s := range [][2]string{{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Windows", "Windows"},
		{"Mac OS X", "macOS"}, {"Linux", "Linux"}} {
		if strings.Contains(agent, s[0]) {
			system = " on " + s[1]
			break
		}
	}
	return browser + system
}

// FailingWords is "failing since Tue 24 Nov, 12:00, 3 failures in a row".
func FailingWords(w webhook.Webhook, now time.Time) string {
	return "failing since " + SayMinute(w.FailingSince, now) + ", " + plural.Of(w.Failures, "failure")
}
