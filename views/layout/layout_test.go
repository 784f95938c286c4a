package layout_test

import (
	"bytes"
	"compress/gzip"
	"regexp"
	"strings"
	"testing"

	"debitdesk/static"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/viewtest"
)

func sandboxed() layout.Frame {
	return layout.Frame{
		Title: "Clients", Active: "clients", Merchant: "Karoo Fitness", Brand: "Karoo Gym", AttentionCount: 120,
		ThemeAction: "/theme",
		User:        layout.User{Name: "Nomsa Khumalo", Email: "n@example.co.za", Role: "Admin", Initials: "NK"},
		Sandbox:     &layout.SandboxBanner{Now: "1 Dec 2026, 06:00", ISO: "2026-12-01T06:00:00+02:00"},
		Flash:       []components.Flash{{Kind: "ok", Text: "Saved."}, {Kind: "bad", Text: "Not sent."}},
	}
}

func page(t *testing.T, f layout.Frame) string {
	t.Helper()
	return viewtest.Render(t, viewtest.Around(layout.Page(f), viewtest.Words("body of the page")))
}

func TestThePageShowsWhoWhereAndWhat(t *testing.T) {
	got := page(t, sandboxed())
	for _, want := range []string{
		"<title>Clients · Debitdesk</title>", "Karoo Fitness", "Karoo Gym", "Nomsa Khumalo", "Admin", "body of the page",
		"Saved.",
		`action="/logout"`, "Skip to content", "99+", `href="/clients" aria-current="page"`, `action="/theme"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s", want)
		}
	}
}

func TestTheSandboxIsSaidOnThePageAndOnlyInSandboxMode(t *testing.T) {
	if got := page(t, sandboxed()); !strings.Contains(got, "no bank is contacted") ||
		!strings.Contains(got, "1 Dec 2026, 06:00") || !strings.Contains(got, `href="/sandbox"`) {
		t.Error("the sandbox is not said")
	}
	live := sandboxed()
	live.Sandbox = nil
	if got := page(t, live); strings.Contains(strings.ToLower(got), "sandbox") {
		t.Error("a live page speaks of the sandbox")
	}
}

func TestEachThemeIsSetOnThePage(t *testing.T) {
	for _, theme := range []string{"light", "dark", ""} {
		f := sandboxed()
		f.Theme = theme
		if got := page(t, f); !strings.Contains(got, `data-theme="`+theme+`"`) {
			t.Errorf("theme %q is not on the page", theme)
		}
	}
}

func TestRoomsThatAPersonMayNotEnterAreLeftOut(t *testing.T) {
	f := sandboxed()
	f.Hide = []string{"developers"}
	if strings.Contains(page(t, f), `href="/developers"`) {
		t.Error("developers is shown")
	}
	if !strings.Contains(page(t, sandboxed()), `href="/developers"`) {
		t.Error("developers is missing for those who may")
	}
}

func TestHTMXIsHeldToThePolicy(t *testing.T) {
	got := page(t, sandboxed())
	for _, want := range []string{"&#34;allowEval&#34;:false", "&#34;includeIndicatorStyles&#34;:false",
		"&#34;allowScriptTags&#34;:false", "(409|422|503)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s", want)
		}
	}
}

func TestPagesOutsideTheDashboardKeepTheRulesToo(t *testing.T) {
	viewtest.Render(t, viewtest.Around(layout.Bare(layout.Plain{Title: "Sign in", Footer: "f",
		Sandbox: sandboxed().Sandbox}), viewtest.Words("form")))
	viewtest.Render(t, viewtest.Around(layout.Bare(layout.Plain{}), viewtest.Words("form")))
	viewtest.Render(t, viewtest.Around(layout.Payer(payer()), viewtest.Words("form")))
}

func payer() layout.PayerFrame {
	return layout.PayerFrame{Title: "Pay", Payee: "Karoo Gym", PayeeNote: "asks", Initials: "KG",
		Sandbox: sandboxed().Sandbox, Refresh: 5,
		Contact: layout.PayerContact{{Text: "Questions? Call "}, {Text: "021", Href: "tel:+27"}},
		Words:   layout.PayerWords{Lang: "en-ZA", Skip: "Skip to content", Encrypted: "Encrypted", Languages: "Language"},
		Languages: []components.LanguageLink{{Name: "English", Tag: "en-ZA", Href: "?language=en", Current: true},
			{Name: "isiZulu", Tag: "zu-ZA", Href: "?language=zu"}}}
}

// source: the payer's page is under 30 kB in total. The frame and all it fetches must leave 18 kB for what is in it.
func TestThePayersFrameLeavesRoomForItsPage(t *testing.T) {
	got := viewtest.Render(t, viewtest.Around(layout.Payer(payer()), viewtest.Words("form")))
	if strings.Contains(got, "<script") || strings.Contains(got, "woff2") {
		t.Error("the payer's page fetches scripts or fonts")
	}
	total := len(got)
	for _, m := range regexp.MustCompile(`/static/([^"#]+?)\.[0-9a-f]{12}(\.[a-z]+)`).FindAllStringSubmatch(got, -1) {
		name := m[1] + m[2]
		body, ok := static.Bytes(name)
		if !ok {
			t.Fatalf("no file %s", name)
		}
		total += zipped(t, body)
	}
	if total > 12_000 {
		t.Errorf("the frame weighs %d bytes", total)
	}
}

func zipped(t *testing.T, b []byte) int {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Len()
}
