package web_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

var (
	actForm   = regexp.MustCompile(`(?s)<section id="act".*?<form[^>]*action="([^"]+)"[^>]*>(.*?)</form>`)
	hiddenIn  = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)"`)
	rowActs   = regexp.MustCompile(`<a (?:class="[^"]*" )?href="(/attention/[^"]+do=([a-z]+)[^"]*)"`)
	tabCounts = regexp.MustCompile(`>\s*(All|Mine|Without an owner|For later)\s*<span class="count">([^<]+)<`)
)

// asked opens a form of the queue, as a browser without scripts does, fills it in and sends it.
func (b business) asked(page, do string, fill url.Values) string {
	b.t.Helper()
	for _, m := range rowActs.FindAllStringSubmatch(page, -1) {
		if m[2] != do {
			continue
		}
		form := actForm.FindStringSubmatch(b.Page(b.A.Staff, "GET", html.UnescapeString(m[1]), nil).Want(http.StatusOK).Body)
		if form == nil {
			b.t.Fatalf("%s has no form", m[1])
		}
		values := url.Values{}
		for _, h := range hiddenIn.FindAllStringSubmatch(form[2], -1) {
			values.Add(h[1], html.UnescapeString(h[2]))
		}
		for name, v := range fill {
			values[name] = v
		}
		to := b.Page(b.A.Staff, "POST", html.UnescapeString(form[1]), values).Want(http.StatusSeeOther).Header.Get("Location")
		return b.Page(b.A.Staff, "GET", to, nil).Want(http.StatusOK).Body
	}
	b.t.Fatalf("nothing to %s on the page: %v", do, rowActs.FindAllString(page, -1))
	return ""
}

func tabsOf(page string) map[string]string {
	out := map[string]string{}
	for _, m := range tabCounts.FindAllStringSubmatch(page, -1) {
		out[m[1]] = m[2]
	}
	return out
}

func TestAClientsPageSaysWhatIsOwedAndWhatIsNext(t *testing.T) {
	b := newBusiness(t)
	client, token := b.stored("4000009002")
	b.charged(client, token, 30007, 4)
	b.later(6)
	b.charged(client, token, 10000, 40)
	at := "/clients/" + client
	page := plain(
		b.Page(b.A.Staff, "GET", at, nil).Want(http.StatusOK).Contains("Look at the failed debit", `href="mailto:c4000009002`,
			"Nothing was written down yet.").Body,
	)
	for _, want := range []string{"R 400,07", "R 300,07", "What is next", "Debit on "} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for do, fill := range map[string]url.Values{"note": {"text": {"Prefers the 25th"}}, "call": {"outcome": {"voicemail"}},
		"promise": {"amount": {"50"}, "due_on": {dayOf(b).AddDays(1).String()}}} {
		b.Page(b.A.Staff, "GET", at+"/notes?do="+do, nil).Want(http.StatusOK).Contains(`id="act"`)
		fill.Set("do", do)
		b.Page(b.A.Staff, "POST", at+"/notes", fill).Want(http.StatusSeeOther)
	}
	b.Page(b.A.Staff, "GET", at, nil).Contains("Prefers the 25th", "Call: Left a message", "Promised for ")
	b.Page(b.A.Staff, "POST", at+"/notes", url.Values{"do": {"note"}}).
		Want(http.StatusUnprocessableEntity).
		Contains("Write a note.")
	b.Page(b.A.Staff, "GET", at+"?part=notes", nil).
		Want(http.StatusOK).
		Contains("Prefers the 25th").
		Lacks("A note was added.")
	b.Page(b.A.Reader, "POST", at+"/notes", url.Values{"do": {"note"}, "text": {"Hello"}}).Want(http.StatusForbidden)
	b.Page(b.B.Staff, "POST", at+"/notes", url.Values{"do": {"note"}, "text": {"Hello"}}).Want(http.StatusNotFound)
}

func TestTheQueueIsWorkedThroughWithoutScripts(t *testing.T) {
	b := newBusiness(t)
	var failed []string
	for _, account := range []string{"4000009002", "4000019002"} {
		client, token := b.stored(account)
		b.API("PATCH", "/clients/"+client+"/", map[string]any{"phone": "0821234567"}).Want(200)
		failed = append(failed, b.charged(client, token, 30007, 4))
	}
	b.later(6)
	page := b.Page(b.A.Staff, "GET", "/attention", nil).
		Want(http.StatusOK).
		Contains(`href="tel:+27821234567"`, "Debit again? Yes, on",
			"Failed ", "Debit again…").
		Body
	if got := tabsOf(page); got["All"] != "2" || got["Without an owner"] != "2" || got["Mine"] != "0" {
		t.Errorf("%v", got)
	}
	page = b.asked(page, "call", url.Values{"outcome": {"no_answer"}})
	if !strings.Contains(plain(page), ": no answer") {
		t.Error("the call is not shown")
	}
	page = b.asked(page, "note", url.Values{"text": {"Asked for the 25th"}})
	if !strings.Contains(page, "Asked for the 25th") {
		t.Error("the note is not shown")
	}
	page = b.asked(page, "owner", url.Values{"owner": {b.A.Staff.ID.String()}})
	if got := tabsOf(page); got["Mine"] != "1" || got["Without an owner"] != "1" || got["All"] != "2" {
		t.Errorf("%v", got)
	}
	mine := b.Page(b.A.Staff, "GET", "/attention?whose=mine", nil).Want(http.StatusOK).Body
	mine = b.asked(mine, "snooze", url.Values{"until": {dayOf(b).AddDays(3).String()}})
	if got := tabsOf(mine); got["Mine"] != "0" || got["All"] != "1" || got["For later"] != "1" {
		t.Errorf("%v", got)
	}
	if !strings.Contains(mine, "Done today") || !strings.Contains(mine, "1 thing left") {
		t.Error("what was snoozed is not listed, or it is not said what is left")
	}
	undo := regexp.MustCompile(`action="(/attention/[^"]+/undo)"`).FindStringSubmatch(mine)
	if undo == nil {
		t.Fatal("no undo")
	}
	b.Page(b.A.Staff, "POST", undo[1], url.Values{}).Want(http.StatusSeeOther)
	page = b.Page(b.A.Staff, "GET", "/attention", nil).Want(http.StatusOK).Body
	if got := tabsOf(page); got["All"] != "2" {
		t.Errorf("after undo: %v", got)
	}
	b.Page(b.B.Staff, "POST", undo[1], url.Values{}).Want(http.StatusNotFound)
	b.Page(b.B.Staff, "POST", "/attention", url.Values{"kind": {"failed"}, "id": {failed[0]},
		"do": {"note"}, "text": {"Hello"}}).
		Want(http.StatusNotFound)
	b.Page(b.A.Reader, "POST", "/attention", url.Values{"kind": {"failed"}, "id": {failed[0]}, "do": {"close"}}).
		Want(http.StatusForbidden)

	page = b.asked(page, "debit", nil)
	if !strings.Contains(page, "Debit booked for") {
		t.Error("it is not said that the debit was booked")
	}
	page = b.asked(page, "promise", url.Values{"amount": {"300,07"}, "due_on": {dayOf(b).AddDays(2).String()}})
	if got := tabsOf(page); got["All"] != "0" || !strings.Contains(page, "Nothing is waiting for you") {
		t.Errorf("%v", got)
	}
	wrong := b.Page(
		b.A.Staff,
		"POST",
		"/attention/"+failed[0],
		url.Values{"kind": {"failed"}, "do": {"snooze"}, "until": {"yesterday"}},
	)
	if wrong.Status != http.StatusUnprocessableEntity && wrong.Status != http.StatusNotFound {
		t.Errorf("a wrong day: %d", wrong.Status)
	}
	b.later(3)
	page = b.Page(b.A.Staff, "GET", "/attention", nil).
		Want(http.StatusOK).
		Contains("Promised and not paid", "Settle promise…").
		Body
	page = b.asked(page, "settle", url.Values{"state": {"broken"}})
	value := regexp.MustCompile(`id="failed-([^"]+)" tabindex`).FindStringSubmatch(page)
	if value == nil {
		t.Fatal("the debit of a broken promise does not wait")
	}
	b.Page(b.A.Staff, "POST", "/attention", url.Values{"kind": {"failed"}, "id": {value[1]}, "do": {"close"},
		"reason": {"written_off"}}).
		Want(http.StatusSeeOther)
	if got := tabsOf(b.Page(b.A.Staff, "GET", "/attention", nil).Contains("Closed: Written off").Body); got["All"] != "0" {
		t.Errorf("after closing: %v", got)
	}
}
