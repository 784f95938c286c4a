package documents_test

import (
	"strings"
	"testing"

	"debitdesk/views/documents"
	"debitdesk/views/documents/pdftest"
)

func TestEveryScriptIsDrawnOrVisiblyReplacedOnEveryPaper(t *testing.T) {
	t.Parallel()
	const note = "Characters that cannot be printed here"
	for name, c := range map[string]struct{ written, drawn string }{
		"accents":                    {"Renée Naïdoo-Côté š", "Renée Naïdoo-Côté š"},
		"Latin extended":             {"Łukasz Şahin Őri Đặng Nguyễn", "Łukasz Şahin Őri Đăng Nguyên"},
		"Greek":                      {"Γιώργος", "Γιώργος"},
		"Cyrillic":                   {"Дмитрий Щербак", "Дмитрий Щербак"},
		"Arabic":                     {"Ali محمد", "Ali □□□□"},
		"Hebrew":                     {"Dov דב", "Dov □□"},
		"Chinese":                    {"Li 李小龙", "Li □□□"},
		"Japanese":                   {"Aki あき", "Aki □□"},
		"Korean":                     {"Kim 김", "Kim □"},
		"Thai":                       {"Som สมชัย", "Som □□□□"},
		"an emoji":                   {"Thandi 🙂 Nkosi", "Thandi □ Nkosi"},
		"a flag and a family":        {"🇿🇦 👨‍👩‍👧 ok", "□□ □□□ ok"},
		"an emoji with a selector":   {"I ❤️ you", "I □ you"},
		"fancy letters":              {"𝐓𝐡𝐚𝐧𝐝𝐢 Ｎ", "Thandi N"},
		"marks that combine":         {"Zoe\u0308 Rene\u0301e", "Zoë Renée"},
		"marks that do not":          {"Adu\u0323\u0300ke", "Aduke"},
		"a mark at the beginning":    {"\u0301x", "□x"},
		"controls":                   {"a\x00b\x07c\u0085d", "a□b□c□d"},
		"directions and joiners":     {"\u202eabc\u202c d\u200de\ufeff", "abc de"},
		"line ends and tabs":         {"one\r\ntwo\tthree", "one\ntwo three"},
		"half of a pair":             {"a\xed\xa0\xbdb", "a□b"},
		"broken bytes":               {"a\xffb\xc3", "a□b□"},
		"an ending four-byte letter": {"a\xf0\x9f", "a□"},
		"private use":                {"a\ue000b\U000f0000c", "a□b□c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := paper()
			p.IssuerName, p.Subject, p.Address = c.written, c.written, []string{c.written}
			p.Sections[0].Facts = append(p.Sections[0].Facts, documents.Fact{Label: c.written, Value: c.written})
			p.Sections[1].Text = []string{c.written}
			bill := documents.Bill{Title: "Tax invoice", Number: "INV-1 " + c.written, IssuerName: c.written,
				Issuer: []string{c.written}, Recipient: []string{c.written}, Notes: c.written, Subject: c.written,
				Lines: []documents.BillLine{{Text: c.written, Quantity: c.written, Amount: "R 1,00"}},
				Sums:  []documents.BillSum{{Label: c.written, Amount: "R 1,00", Total: true}}}
			for kind, render := range map[string]func() ([]byte, error){
				"paper": func() ([]byte, error) { return documents.Render(p) },
				"bill":  func() ([]byte, error) { return documents.RenderBill(bill) },
			} {
				pdf, err := render()
				if err != nil {
					t.Fatalf("%s: %v", kind, err)
				}
				text := pdftest.Text(t, pdf)
				if n := strings.Count(text, c.drawn); n < 4 {
					t.Errorf("%s: %q stands there %d times in\n%s", kind, c.drawn, n, text)
				}
				if lost := strings.Contains(c.drawn, "□") || strings.Contains(c.written, "ễ") ||
					strings.Contains(c.written, "\u0323"); strings.Contains(text, note) != lost {
					t.Errorf("%s: the note on replaced characters stands there: %v", kind, !lost)
				}
			}
		})
	}
}
