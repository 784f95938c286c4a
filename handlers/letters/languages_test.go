package letters_test

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"debitdesk/handlers/letters"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/locale"
	"debitdesk/models/locale/localetest"
	"debitdesk/models/mail"
	"debitdesk/models/mandate"
	"debitdesk/models/purchase"
	"debitdesk/models/wording"
)

// others are mails to clients in states that no example shows.
func others(e letters.Example) map[string]mail.Letter {
	b, soon := e.Brand, calendar.On(2026, 12, 4)
	asks := func(change func(t *mandate.Terms)) purchase.Purchase {
		p := invoice()
		p.Payer.Language, p.Details.EmailMessage = string(e.Language), ""
		terms := mandate.Terms{ValueType: mandate.Variable, Authentication: mandate.RealTime, MaxAmountCents: 7500,
			PriceCents: 5000}
		change(&terms)
		p.Details.DirectDebit = &purchase.DirectDebit{Terms: &terms}
		return p
	}
	eft := invoice()
	eft.Payer.Language, eft.Details.EmailMessage = string(e.Language), ""
	atOnce := asks(func(*mandate.Terms) {})
	later := asks(func(t *mandate.Terms) { t.Authentication, t.DelayedOnFailure = mandate.Delayed, true })
	later.TotalCents = 0
	often := purchase.Recurrence{Title: "Gym", AmountCents: 44900, Currency: "ZAR", Every: "every month", Period: 1,
		Units: "months", Cycles: 12}
	first := &collection.Collection{AmountCents: 44900, Currency: "ZAR", ActionDate: soon}
	registered := mandate.Mandate{State: mandate.Registered, BankCode: "470010", AccountMask: "•••• 7890",
		AbbreviatedName: "CAPEFIT", ContractReference: "DD42", Terms: atOnce.Details.DirectDebit.Terms}
	reader := client.Details{FullName: "Thandi Nkosi", Language: string(e.Language)}
	changed := purchase.NewPrice{Title: "Gym", Currency: "ZAR", Every: "every 2 weeks", Period: 2, Units: "weeks",
		Was: 100, Is: 200, From: soon, FirstOn: soon, Confirm: true}
	stays := changed
	stays.Stays = true
	return map[string]mail.Letter{
		"link, asked at once": e.AccountLink(atOnce, b), "link, asked later": e.AccountLink(later, b),
		"subscriber": e.AskSubscriber(eft, b, often), "subscriber, asked at once": e.AskSubscriber(atOnce, b, often),
		"subscriber, asked later": e.AskSubscriber(later, b, often),
		"agreement":               e.Agreement(eft, b, registered, often, first),
		"agreement, no debit":     e.Agreement(eft, b, registered, purchase.Recurrence{}, nil),
		"price":                   e.PriceChanged(reader, b, []purchase.NewPrice{changed}),
		"price stays":             e.PriceChanged(reader, b, []purchase.NewPrice{stays}),
	}
}

var (
	tag = regexp.MustCompile(`(?s)<style.*?</style>|<[^>]*>`)
)

// Every word of a message to a client is a value or stands in the catalogue of its language.
func TestNoMessageIsAMixture(t *testing.T) {
	for _, l := range locale.Languages[1:] {
		restore := locale.Pretend(l, localetest.Marked)
		defer restore()
		e := example(l)
		values := []string{e.Brand.Name, e.Brand.LegalName, e.Brand.Email, e.Brand.City, "Thandi Nkosi", "Membership",
			"Class", "Gym", "CAPEFIT", "EXAMPLE", "DD", "INV", bank.BankName("470010"),
			"We have corrected your address. (Your own answer takes this place.)"}
		look := func(name, text string) {
			if found := localetest.Strange(l, html.UnescapeString(text), values...); len(found) > 0 {
				t.Errorf("%s in %s has words of no catalogue: %q\n%s", name, l.Name(), found, text)
			}
		}
		letter := func(name string, m mail.Letter) {
			look(name+": subject", m.Subject)
			look(name, m.Text)
			look(name+": HTML", tag.ReplaceAllString(m.HTML, " "))
			if !strings.Contains(m.HTML, `<html lang="`+l.Tag()+`"`) {
				t.Errorf("%s does not say that it is in %s", name, l.Name())
			}
		}
		for _, k := range wording.Kinds {
			if m, byMail := e.Mail(k.Name); byMail {
				letter(k.Name, m)
			}
			if text, bySMS := e.SMS(k.Name); bySMS {
				look(k.Name+": SMS", text)
			}
		}
		for name, m := range others(e) {
			letter(name, m)
		}
	}
	planted := "«Sawubona Thandi» Never more than «{R 5}»"
	if found := localetest.Strange(locale.Zulu, planted); !slices.Equal(found, []string{"Never", "more", "than"}) {
		t.Errorf("of words in English these are seen: %q", found)
	}
}
