package components_test

import (
	"strings"
	"testing"

	. "debitdesk/views/components"
	"debitdesk/views/viewtest"
)

func TestEveryPartKeepsTheRulesOfHTML(t *testing.T) {
	for _, p := range gallery() {
		t.Run(p.name, func(t *testing.T) { viewtest.Render(t, p.part) })
	}
}

func TestWrongInputsSayWhyAndPointAtIt(t *testing.T) {
	got := viewtest.Render(t, Input(Field{Label: "E-mail", Name: "email", Hint: "Work", Error: "Enter an @.",
		Value: `"><b>`}))
	for _, want := range []string{`aria-invalid="true"`, `aria-describedby="email-hint email-error"`, `id="email-error"`,
		"Enter an @.", `value="&#34;&gt;&lt;b&gt;"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}

func TestOnlyFieldsThatMayStayEmptySayOptional(t *testing.T) {
	for optional, f := range map[bool]Field{true: {Label: "A", Name: "a"},
		false: {Label: "A", Name: "a", Required: true}} {
		if got := viewtest.Render(t, Input(f)); strings.Contains(got, "optional") != optional {
			t.Errorf("required %v: %s", f.Required, got)
		}
	}
}

func TestErrorSummaryLinksToFieldsAndTakesTheFocus(t *testing.T) {
	got := viewtest.Render(t, Problems(ErrorSummary{Items: []ErrorItem{{"email", "Enter an @."}}}))
	for _, want := range []string{`href="#email"`, "autofocus", `role="alert"`, "There is a problem"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if none := viewtest.Render(t, Problems(ErrorSummary{})); none != "" {
		t.Errorf("drew %q for no problems", none)
	}
}

func TestAChipShowsTheEndsAndCopiesTheWhole(t *testing.T) {
	const id = "01935f3e-7a1b-7c3d-8e4f-9a0b1c2d3e4f"
	got := viewtest.Render(t, ID(IDChip{ID: id, What: "purchase"}))
	for _, want := range []string{"0193…2d3e4f", `data-copy="` + id + `"`, `aria-label="Copy purchase id"`,
		`title="` + id + `"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}

func TestAStateIsSaidInWordsAndDrawn(t *testing.T) {
	got := viewtest.Render(t, Status(Pill{"bad", "Unpaid", "May be tried again on 4 Dec"}))
	if !strings.Contains(got, "Unpaid") || !strings.Contains(got, "<use") || !strings.Contains(got, "4 Dec") {
		t.Error(got)
	}
}

func TestAddressesOfScriptsAreNotFollowed(t *testing.T) {
	got := viewtest.Render(t, StatusTabs(Tabs{Items: []Tab{{Label: "x", Href: "?a=1&b=2"}}}))
	if !strings.Contains(got, `href="?a=1&amp;b=2"`) || strings.Contains(got, "hx-get") {
		t.Error(got)
	}
}

func TestSwappedListsKeepTheURLTrue(t *testing.T) {
	got := viewtest.Render(t, Pages(Pager{OlderHref: "?after=x", Target: "#list"}))
	for _, want := range []string{`href="?after=x"`, `hx-get="?after=x"`, `hx-push-url="true"`, `hx-select="#list"`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}

func TestAForbiddenActIsShownWithItsReason(t *testing.T) {
	got := viewtest.Render(t, DotMenu(Menu{Items: []MenuItem{{Label: "Refund", Why: "Only when paid", Post: "/refund"}}}))
	if !strings.Contains(got, "Only when paid") || strings.Contains(got, "/refund") {
		t.Error(got)
	}
}

func TestAChartHasItsFiguresAsATable(t *testing.T) {
	got := viewtest.Render(t, Chart(BarChart{Title: "Month", Series: []string{"Collected"},
		Bars: []ChartBar{{Label: "1 Dec", Values: []int64{5}, Texts: []string{"R 5,00"}, Short: []string{"5"}, Href: "/day"},
			{Label: "2 Dec", Values: []int64{9}, Texts: []string{"R 9,00"}, Short: []string{"9"},
				Figures: []Figure{{Text: "R 9,00", Href: "/second", Total: TotalOf(1, 9)}}}},
		Ticks: []Mark{{0, "0"}, {10, "10"}}}))
	for _, want := range []string{`<th scope="row">1 Dec</th>`, `<td class="num">R 5,00</td>`, `height="100"`,
		`<a href="/day" tabindex="-1">`, `y="48%">5</text>`, `class="at-bar inside" x="75.0%" y="13%">9</text>`,
		`<a href="/second" data-cents="9" data-count="1">R 9,00</a>`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}
