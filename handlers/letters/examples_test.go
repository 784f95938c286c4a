package letters_test

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"debitdesk/handlers/letters"
	"debitdesk/models/locale"
	"debitdesk/models/merchant"
	"debitdesk/models/wording"
	"debitdesk/views/emails"
)

func example(l locale.Language) letters.Example {
	b := brand
	b.OfferedLanguages, b.Currency, b.ReferencePrefix, b.InvoicePrefix = "af,zu,xh", "ZAR", "DD", "INV"
	return letters.Example{Writer: writer, Brand: b, Language: l, Now: time.Date(2026, 11, 28, 8, 0, 0, 0, time.UTC)}
}

func TestEveryKindOfMessageHasAnExampleInEachLanguage(t *testing.T) {
	for _, k := range wording.Kinds {
		for _, l := range locale.Languages {
			m, byMail := example(l).Mail(k.Name)
			text, bySMS := example(l).SMS(k.Name)
			if byMail != k.ByMail || bySMS != k.BySMS {
				t.Errorf("%s: by mail %t, by SMS %t", k.Name, byMail, bySMS)
			}
			if byMail && (m.Subject == "" || !strings.Contains(m.Text, "Cape Fitness") ||
				!strings.Contains(m.HTML, "Cape Fitness")) {
				t.Errorf("%s in %s: %q\n%s", k.Name, l, m.Subject, m.Text)
			}
			if strings.Contains(m.Text+text, "{") || strings.Contains(m.Text+text, "%!") {
				t.Errorf("%s in %s has a gap: %s%s", k.Name, l, m.Text, text)
			}
			if bySMS && !strings.HasPrefix(text, "Cape Fitness") {
				t.Errorf("%s in %s: %q", k.Name, l, text)
			}
			if byMail && letters.InEnglish(m) != (l == locale.English) {
				t.Errorf("%s in %s is in English: %t", k.Name, l, letters.InEnglish(m))
			}
		}
	}
}

func TestATestSaysThatItIsOne(t *testing.T) {
	l, _ := example(locale.Afrikaans).Mail("invoice")
	marked := example(locale.Afrikaans).Test(l, "Invoice <b>")
	if marked.Subject != "[Test] "+l.Subject || !strings.HasPrefix(marked.Text, "This is a test of the message “Invoice <b>”") ||
		!strings.Contains(marked.HTML, "This is a test of the message “Invoice &lt;b&gt;”") {
		t.Errorf("%q\n%s\n%s", marked.Subject, marked.Text, marked.HTML)
	}
}

// What a business says itself is filled in wherever it may say something, and a value that looks like a place or like
// HTML stays what it is.
func TestOwnWordsAreFilledInWhereverTheyMayStand(t *testing.T) {
	for _, k := range wording.Kinds {
		if !k.ByMail {
			continue
		}
		e := example(locale.English)
		e.Brand.Name = "Cape {amount} <i>"
		var line string
		for _, p := range k.Places {
			line += "[" + string(p) + "={" + string(p) + "}]"
		}
		e.Brand.OwnWords = []merchant.Wording{
			{Kind: k.Name, Language: "en", Opening: "First " + line, Closing: "Last {name}."},
			{Kind: k.Name, Language: "af", Opening: "Afrikaans"}}
		l, _ := e.Mail(k.Name)
		if len(k.Places) == 0 {
			if strings.Contains(l.Text, "First") || strings.Contains(l.Text, "Last Thandi") {
				t.Errorf("%s has words of the business:\n%s", k.Name, l.Text)
			}
			continue
		}
		_, said, _ := strings.Cut(l.Text, "First ")
		said, _, _ = strings.Cut(said, "\n")
		for _, p := range k.Places {
			if !strings.Contains(said, "["+string(p)+"=") || strings.Contains(said, "["+string(p)+"=]") {
				t.Errorf("%s: {%s} has no value: %q", k.Name, p, said)
			}
		}
		if !strings.Contains(said, "[brand=Cape {amount} <i>]") || !strings.Contains(l.Text, "Last Thandi Nkosi.") ||
			strings.Contains(l.Text, "Afrikaans") || strings.Contains(l.HTML, "<i>") {
			t.Errorf("%s: %q\n%s", k.Name, said, l.Text)
		}
	}
}

func TestAParagraphWithoutAValueIsLeftOut(t *testing.T) {
	got := wording.Fill("Dear {name}\nThank you.\n\nUntil {date}", map[wording.Place]string{wording.Date: "{name}"})
	if strings.Join(got, "|") != "Thank you.|Until {name}" {
		t.Errorf("%q", got)
	}
}

// A page that shows a mail allows the style sheets of that mail and no other.
func TestThePolicyNamesTheStyleOfMails(t *testing.T) {
	for colour, sheets := range map[string]int{"": 1, "#c0392b": 2} {
		e := example(locale.English)
		e.Brand.Colour = colour
		for _, k := range wording.Kinds {
			if !k.ByMail {
				continue
			}
			l, _ := e.Mail(k.Name)
			var want []string
			for _, after := range strings.Split(l.HTML, "<style>")[1:] {
				style, _, _ := strings.Cut(after, "</style>")
				sum := sha256.Sum256([]byte(style))
				want = append(want, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
			}
			if got := emails.StyleSources(letters.Tones(e.Brand)); got != strings.Join(want, " ") || len(want) != sheets {
				t.Errorf("%s in %q: %s, want %s", k.Name, colour, got, want)
			}
		}
	}
}

func TestAMailTakesTheColourOfItsBrand(t *testing.T) {
	e := example(locale.English)
	e.Brand.Colour = "#ffe600"
	l, _ := e.Mail("invoice")
	look, _ := e.Brand.Look()
	for _, want := range []string{
		"a.button { background: #ffe600; color: #050505; border: 1px solid " + look.Light.String(),
		"td.brand, .rows a { color: " + look.Light.String(), "td.brand, .rows a { color: " + look.Dark.String()} {
		if !strings.Contains(l.HTML, want) {
			t.Errorf("lacks %q:\n%s", want, l.HTML)
		}
	}
	e.Brand.Colour = "red;} body {" // nothing but a colour reaches a style sheet
	if l, _ = e.Mail("invoice"); strings.Contains(l.HTML, "red;}") {
		t.Error(l.HTML)
	}
}

func TestAMailShowsTheLogoOfItsBrandByAnAddressThatIsWhole(t *testing.T) {
	const name = "0123456789abcdef0123456789abcdef-480x120"
	for _, k := range wording.Kinds {
		e := example(locale.English)
		bare, by := e.Mail(k.Name)
		if !by {
			continue
		}
		e.Brand.Logo = name
		l, _ := e.Mail(k.Name)
		if want := `<img class="logo" src="https://desk.example.co.za/p/look/` + name +
			`.png" width="240" height="60" alt="` + e.Brand.Name + `">`; !strings.Contains(l.HTML, want) ||
			strings.Contains(bare.HTML, "<img") || l.Text != bare.Text {
			t.Errorf("%s lacks %q:\n%s", k.Name, want, l.HTML)
		}
		e.Brand.Logo = `x" onerror="` // nothing but a name reaches a mail
		if l, _ = e.Mail(k.Name); strings.Contains(l.HTML, "<img") {
			t.Error(l.HTML)
		}
	}
}
