package documents_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"debitdesk/models/logo/logotest"
	"debitdesk/views/documents"
	"debitdesk/views/documents/pdftest"
)

func paper() documents.Paper {
	return documents.Paper{Kind: "Mandate document", Title: "DebiCheck mandate", Reference: "DDTEST00000001",
		IssuerName: "Crèche Zoë š", Address: []string{"1 Kloof Street, Cape Town"},
		Standing: "Active as of 20 November 2026, 23:30:01 SAST", Test: "Test mode: no bank was contacted",
		Subject: "Proof of a debit-order mandate",
		Made:    time.Date(2026, 11, 20, 21, 30, 1, 0, time.UTC),
		Sections: []documents.Section{{Title: "The client",
			Facts: []documents.Fact{{"Account number", "\u2022\u2022\u2022\u2022 1234"}, {"Maximum", "R\u00a01\u00a0500,00"},
				{"Name", "Renée Naïdoo-Côté"}}},
			{Title: "Authority", Text: []string{"I authorise – without “ifs”. It’s mine."}}}}
}

func TestAPaperSaysEverythingWithItsAccents(t *testing.T) {
	pdf, err := documents.Render(paper())
	if err != nil {
		t.Fatal(err)
	}
	text := pdftest.Text(t, pdf)
	for _, want := range []string{"Crèche Zoë š", "•••• 1234", "R\u00a01\u00a0500,00", "Renée Naïdoo-Côté",
		"“ifs”. It’s mine.", "DDTEST00000001", "Test mode", "Page 1 of 1", "23:30:01"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if !bytes.Contains(pdf, []byte("/Title")) || !bytes.Contains(pdf, []byte("/Author")) ||
		!bytes.Contains(pdf, []byte("(en-ZA)")) {
		t.Error("title, author or language are not in the file's properties")
	}
}

func TestTheSamePaperGivesTheSameBytes(t *testing.T) {
	one, err := documents.Render(paper())
	if err != nil {
		t.Fatal(err)
	}
	two, err := documents.Render(paper())
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
		p.Sections = append(p.Sections, documents.Section{Title: "More",
			Facts: []documents.Fact{{"SHA-256", strings.Repeat("0123456789abcdef", 4)}}})
	}
	pdf, err := documents.Render(p)
	if err != nil {
		t.Fatal(err)
	}
	text := pdftest.Text(t, pdf)
	if strings.Contains(text, "Test mode") {
		t.Error("a live paper says test mode")
	}
	if !strings.Contains(text, "Page 5 of ") || strings.Contains(text, "{n}") {
		t.Error("pages are not numbered")
	}
	if !strings.Contains(strings.ReplaceAll(text, "\n", ""), strings.Repeat("0123456789abcdef", 4)) {
		t.Error("a long value was cut")
	}
}

func TestALogoStandsBesideTheLetterhead(t *testing.T) {
	p := paper()
	bare, err := documents.Render(p)
	if err != nil {
		t.Fatal(err)
	}
	p.Logo = logotest.PNG(480, 160)
	p.IssuerName = strings.Repeat("A business with a long name ", 4)
	with, err := documents.Render(p)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := documents.Render(p)
	if bytes.Contains(bare, []byte("/Subtype /Image")) || !bytes.Contains(with, []byte("/Subtype /Image")) ||
		!bytes.Equal(with, again) {
		t.Error("the logo is missing, or two renders differ")
	}
	if wrong := pdftest.Overflows(t, with); len(wrong) > 0 {
		t.Error(wrong)
	}
	p.Logo = []byte("no picture") // the document counts
	if without, err := documents.Render(p); err != nil || bytes.Contains(without, []byte("/Subtype /Image")) {
		t.Errorf("a broken picture: %v", err)
	}
	bill, err := documents.RenderBill(documents.Bill{Title: "Tax invoice", Number: "INV-2026-000001", IssuerName: "Gym",
		Made: p.Made, Logo: logotest.PNG(480, 160)})
	if err != nil || !bytes.Contains(bill, []byte("/Subtype /Image")) {
		t.Errorf("a bill: %v", err)
	}
}
