package documents

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

func paper() Paper {
	return Paper{Kind: "Mandate document", Title: "DebiCheck mandate", Reference: "DDTEST00000001", House: "Crèche Zoë š", Address: []string{"1 Kloof Street, Cape Town"},
		Standing: "Active as of 20 November 2026, 23:30:01 SAST", Test: "Test mode: no bank was contacted", Subject: "Proof of a debit-order mandate",
		Made: time.Date(2026, 11, 20, 21, 30, 1, 0, time.UTC),
		Sections: []Section{{Title: "The payer", Facts: []Fact{{"Account number", "\u2022\u2022\u2022\u2022 1234"}, {"Maximum", "R\u00a01\u00a0500,00"}, {"Name", "Renée Naïdoo-Côté"}}},
			{Title: "Authority", Text: []string{"I authorise – without “ifs”. It’s mine."}}}}
}

var shown = regexp.MustCompile(`(?s)\(((?:[^()\\]|\\.)*)\)\s*Tj`)

// said is the text of an uncompressed PDF, piece by piece.
func said(pdf []byte) string {
	var out []string
	for _, m := range shown.FindAllSubmatch(pdf, -1) {
		raw := m[1]
		var plain []byte
		for i := 0; i < len(raw); i++ {
			if raw[i] == '\\' && i+1 < len(raw) {
				i++
				if raw[i] == 'r' {
					plain = append(plain, '\r')
					continue
				}
			}
			plain = append(plain, raw[i])
		}
		var units []uint16
		for i := 0; i+1 < len(plain); i += 2 {
			units = append(units, uint16(plain[i])<<8|uint16(plain[i+1]))
		}
		out = append(out, string(utf16.Decode(units)))
	}
	return strings.Join(out, "\n")
}

func TestAPaperSaysEverythingWithItsAccents(t *testing.T) {
	pdf, err := render(paper(), false)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) {
		t.Fatalf("begins with %.8q", pdf)
	}
	text := said(pdf)
	for _, want := range []string{"Crèche Zoë š", "•••• 1234", "R\u00a01\u00a0500,00", "Renée Naïdoo-Côté", "“ifs”. It’s mine.", "DDTEST00000001", "Test mode", "Page 1 of 1", "23:30:01"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if !bytes.Contains(pdf, []byte("/Title")) || !bytes.Contains(pdf, []byte("/Author")) || !bytes.Contains(pdf, []byte("(en-ZA)")) {
		t.Error("title, author or language are not in the file's properties")
	}
}

func TestTheSamePaperGivesTheSameBytes(t *testing.T) {
	one, err := Render(paper())
	if err != nil {
		t.Fatal(err)
	}
	two, err := Render(paper())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one, two) {
		t.Error("two renders differ")
	}
	if len(one) > 200_000 {
		t.Errorf("%d bytes for one page", len(one))
	}
}

func TestALivePaperHasNoStripAndALongOneHasNumberedPages(t *testing.T) {
	p := paper()
	p.Test = ""
	for range 60 {
		p.Sections = append(p.Sections, Section{Title: "More", Facts: []Fact{{"SHA-256", strings.Repeat("0123456789abcdef", 4)}}})
	}
	pdf, err := render(p, false)
	if err != nil {
		t.Fatal(err)
	}
	text := said(pdf)
	if strings.Contains(text, "Test mode") {
		t.Error("a live paper says test mode")
	}
	if !strings.Contains(text, "Page 5 of ") || strings.Contains(text, "{pages}") {
		t.Error("pages are not numbered")
	}
	if !strings.Contains(strings.ReplaceAll(text, "\n", ""), strings.Repeat("0123456789abcdef", 4)) {
		t.Error("a long value was cut")
	}
}
