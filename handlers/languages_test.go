package handlers_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"debitdesk/models/actor"
)

var (
	// markedEnglish is what says of itself that it is in English: the agreement, the sandbox, names of languages.
	markedEnglish = regexp.MustCompile(`(?s)<head>.*?</head>|<div class="stack-s" lang="en-ZA">.*?</details>|` +
		`<div class="tick" lang="en-ZA">.*?</div>|<(?:aside|ol|p|a)[^>]* lang="en-ZA"[^>]*>.*?</(?:aside|ol|p|a)>|<[^>]+>`)
	englishWord = regexp.MustCompile(`(?i)\b(the|your|you|and|please|this|not|nothing|with)\b`)
)

// Every address for clients answers in the language that its reader chose, refusals too: no sentence is English.
func TestEveryPageForClientsIsInTheLanguageOfItsReader(t *testing.T) {
	t.Parallel()
	s := newStreet(t)
	brands := s.Approvals.Brands
	b, err := brands.Store.Brand(t.Context(), s.A.ID, s.A.BrandID)
	if err != nil {
		t.Fatal(err)
	}
	in := b.BrandInput
	in.OfferedLanguages = "af,zu,xh"
	if _, err := brands.ChangeBrand(t.Context(), actor.OperatorOf(s.A.ID), b.ID, b.Version, in); err != nil {
		t.Fatal(err)
	}
	pages := 0
	s.each(func(method, route string) {
		if method != http.MethodGet || !strings.HasPrefix(route, "/p/") && !strings.HasPrefix(route, "/my") {
			return
		}
		for _, at := range []string{s.address(route, s.id), s.address(route, func(string, string) string {
			return "0193b5a2-0000-7000-8000-000000000000"
		})} {
			got := s.Call(method, at+"?language=af", nil, "Accept: text/html",
				"Cookie: debitdesk_payer_language=af; debitdesk_my=none.af")
			if !strings.HasPrefix(got.Header.Get("Content-Type"), "text/html") || got.Status/100 == 3 {
				continue
			}
			pages++
			if !strings.Contains(got.Body, `<html lang="af-ZA"`) {
				t.Errorf("%s (%d) is not in Afrikaans", at, got.Status)
				continue
			}
			_, body, _ := strings.Cut(got.Body, "<body>")
			text := html.UnescapeString(markedEnglish.ReplaceAllString(body, "\n"))
			if found := englishWord.FindAllString(text, -1); len(found) > 0 {
				t.Errorf("%s says in English %q: %s", at, found, strings.Join(strings.Fields(text), " "))
			}
		}
	})
	if pages < 12 {
		t.Errorf("only %d pages", pages)
	}
}
