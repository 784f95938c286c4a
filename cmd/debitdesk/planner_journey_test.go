package main

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"debitdesk/models/calendar"
)

// The calendar, as an admin uses it: a month and its figures, which open rows with the same total; weeks, keys,
// paper and a phone; what a holiday would move; a bar of the chart; and the balance of an earlier day.
func TestTheCalendarAndWhatItsFiguresOpen(t *testing.T) {
	t.Parallel()
	site := openDemo(t, 8)
	admin := site.tab(t, browser(t))
	admin.signInToDemo("admin")
	today := calendar.DateOf(site.app.Store.Now())

	admin.open("/calendar")
	admin.sees(today.Format("January 2006"))
	admin.looksAt("planner-month")
	admin.opensFigure("table.planner .main-figure a")

	admin.open("/calendar")
	admin.do("focus a day", chromedp.Focus(`[data-day="`+today.String()+`"]`, byQuery))
	admin.presses(kb.ArrowRight)
	focused := ""
	admin.do("read the focus", chromedp.Evaluate(`document.activeElement.dataset.day || ""`, &focused))
	if want := today.AddDays(1).String(); focused != want {
		t.Errorf("the right arrow leads to %q, want %s", focused, want)
	}
	admin.goes("next month", chromedp.KeyEvent(kb.PageDown))
	admin.sees(calendar.On(today.Year, today.Month+1, 1).Format("January 2006"))
	admin.goes("today", chromedp.KeyEvent("t"))
	admin.sees(today.Format("January 2006"))

	admin.open("/calendar?view=week")
	admin.sees("Debits of this day in all")
	admin.looksAt("planner-week")
	admin.click("Day")
	admin.sees(today.Format("Monday, 2 January 2006"))

	admin.open("/calendar")
	admin.do("print", emulation.SetEmulatedMedia().WithMedia("print"))
	hidden := ""
	admin.do("look at the paper", chromedp.Evaluate(`[...document.querySelectorAll(".rail, .planner-bar nav")].map(e =>
		getComputedStyle(e).display).join(" ")`, &hidden))
	if strings.TrimSpace(strings.ReplaceAll(hidden, "none", "")) != "" {
		t.Errorf("on paper stand: %s", hidden)
	}
	admin.show(718, 1020, "light") // a sheet of A4
	shape := ""
	admin.do("a month on paper", emulation.SetEmulatedMedia().WithMedia("print"),
		chromedp.Evaluate(`getComputedStyle(document.querySelector("table.planner td")).display`, &shape))
	if shape != "table-cell" {
		t.Errorf("on paper a day of the month is drawn as %s", shape)
	}
	admin.do("back to the screen", emulation.SetEmulatedMedia())
	admin.show(1280, 900, "light")

	admin.open("/calendar/holidays?day=" + site.workingDay(14).String())
	admin.sees("becomes a public holiday")
	admin.sees("Planned debits keep their debit date")
	admin.looksAt("planner-holiday")

	admin.open("/")
	admin.sees("Success rate")
	admin.do("open the table of the chart", chromedp.Click(`.twin summary`, byQuery, chromedp.NodeVisible))
	admin.opensFigure(".twin td a")

	admin.open("/reports?as_of=" + today.AddDays(-7).String())
	admin.sees("Balance at the end of")
	admin.looksAt("reports-as-of")
	admin.opensFigure("#balance .stat a")
}

// opensFigure follows a figure, and compares it with the foot of its list.
func (b *tab) opensFigure(selector string) {
	b.t.Helper()
	count, cents := b.attribute(selector, "data-count"), b.attribute(selector, "data-cents")
	b.goes("open a figure", chromedp.Click(selector, byQuery, chromedp.NodeVisible))
	b.do("see the foot", chromedp.WaitVisible("#list-foot", byQuery))
	if got := b.attribute("#list-foot", "data-count"); count != "" && got != count {
		b.t.Errorf("%s opens %s rows, and says %s", selector, got, count)
	}
	if got := b.attribute("#list-foot", "data-cents"); got != cents {
		b.t.Errorf("%s opens %s cents, and says %s", selector, got, cents)
	}
}
