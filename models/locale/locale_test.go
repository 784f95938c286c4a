package locale

import (
	"testing"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/money"
)

func TestDaysAndAmountsHaveOneFormInEveryLanguage(t *testing.T) {
	day := calendar.On(2026, time.December, 4)
	for l, want := range map[Language][3]string{
		English:   {"4 December 2026", "Friday 4 December 2026", "4 December 2026, 15:04"},
		Afrikaans: {"4 Desember 2026", "Vrydag 4 Desember 2026", "4 Desember 2026, 15:04"},
		Zulu:      {"4 Disemba 2026", "ULwesihlanu 4 Disemba 2026", "4 Disemba 2026, 15:04"},
		Xhosa:     {"4 Disemba 2026", "Lwesihlanu 4 Disemba 2026", "4 Disemba 2026, 15:04"},
	} {
		w := In(l)
		got := [3]string{w.Day(day), w.LongDay(day), w.Moment(day.At(15, 4).UTC())}
		if got != want {
			t.Errorf("%s writes %q, not %q", l, got, want)
		}
		if got, want := w.Money(123450, money.ZAR), "R\u00a01\u00a0234,50"; got != want {
			t.Errorf("%s writes %q, not %q", l, got, want)
		}
	}
	if got := In(Zulu).Day(calendar.Date{}); got == "" { // it must not fail
		t.Error("no day is nothing")
	}
}

func TestEveryLanguageHasTwelveMonthsAndSevenDays(t *testing.T) {
	for _, l := range Languages {
		if len(months[l]) != 12 || len(weekdays[l]) != 7 {
			t.Errorf("%s has %d months and %d days", l, len(months[l]), len(weekdays[l]))
		}
	}
}

func TestIsiZuluCountsNoneAsOne(t *testing.T) { // source: CLDR, plural rules
	const one, other = "one", "other"
	for l, want := range map[Language][3]string{English: {other, one, other}, Afrikaans: {other, one, other},
		Zulu: {one, one, other}, Xhosa: {other, one, other}} {
		c := read([]byte(header(l) + `
msgctxt "page"
msgid "n"
msgid_plural "n"
msgstr[0] "one"
msgstr[1] "other"
`))
		for n := range 3 {
			if got, _ := c.plural("n", n); got != want[n] {
				t.Errorf("%s: %d is %q, not %q", l, n, got, want[n])
			}
		}
	}
}

func TestAValueIsNotReadForPlaces(t *testing.T) {
	if got := fill("{a} and {b}, 100 %", []string{"a", "{b}", "b", "%d"}); got != "{b} and %d, 100 %" {
		t.Error(got)
	}
}

func TestGuessesAndEmptyTextsAreNotTaken(t *testing.T) {
	c := read([]byte(header(Zulu) + `
msgctxt "page"
msgid "good"
msgstr "kuhle"

#. A guess.
#, fuzzy
msgctxt "page"
msgid "guess"
msgstr "ukuqagela"

msgctxt "page"
msgid "empty"
msgstr ""

msgctxt "page"
msgid "half"
msgid_plural "half"
msgstr[0] "uhhafu"
msgstr[1] ""

#~ msgctxt "page"
#~ msgid "old"
#~ msgstr "okudala"
`))
	if !c.has("good") || c.has("guess") || c.has("empty") || c.has("half") || c.has("old") {
		t.Errorf("taken: %v %v", c.texts, c.forms)
	}
}

func TestAPageIsInOneLanguage(t *testing.T) {
	page := func(w Words) [2]string { return [2]string{string(w.Language), w.Say("my.title") + w.Own(" - News")} }
	if got := Whole(Zulu, page); got != [2]string{"en", "My page - News"} {
		t.Errorf("a mixture: %q", got)
	}
	complete := func(w Words) string { return w.Say("my.title") }
	if got := Whole(Zulu, complete); got != "Ikhasi lami" {
		t.Errorf("%q", got)
	}
}

func TestTheFirstWishDecides(t *testing.T) {
	offered := []Language{Zulu, Afrikaans}
	for _, try := range []struct {
		wishes []string
		want   Language
	}{{nil, English}, {[]string{"", "zu"}, Zulu}, {[]string{"zu", "af"}, Zulu}, {[]string{"xh", "zu"}, English},
		{[]string{"en", "zu"}, English}, {[]string{"fr", "zu"}, English}} {
		if got := Choose(offered, try.wishes...); got != try.want {
			t.Errorf("%q is answered in %s, not %s", try.wishes, got, try.want)
		}
	}
}

func header(l Language) string {
	forms := map[Language]string{Zulu: "(n > 1)"}[l]
	if forms == "" {
		forms = "(n != 1)"
	}
	return "msgid \"\"\nmsgstr \"\"\n\"Plural-Forms: nplurals=2; plural=" + forms + ";\\n\"\n"
}
