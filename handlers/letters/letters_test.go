package letters_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/handlers/letters"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/mail"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
)

var (
	writer = letters.Writer{Base: "https://desk.example.co.za/"}
	brand  = merchant.Brand{
		BrandInput: merchant.BrandInput{Name: "Cape Fitness", LegalName: "Cape Fitness Holdings (Pty) Ltd",
			RegistrationNumber: "2019/123456/07", TaxNumber: "4870264921",
			Email: "accounts@capefitness.example", Phone: "021 555 0100", City: "Cape Town", ZipCode: "8001"},
		Profiles: []merchant.Profile{{AccountNumber: "62001234567"}},
	}
)

const link = "https://desk.example.co.za/p/01890a5d-ac96-774b-bcce-b302099a8057/"

func invoice() purchase.Purchase {
	return purchase.Purchase{ID: uuid.MustParse("01890a5d-ac96-774b-bcce-b302099a8057"), Currency: "ZAR",
		TotalCents: 123456, Reference: "INV-7", ReferenceGenerated: "DD42",
		Due: time.Date(2026, 11, 24, 22, 30, 0, 0, time.UTC), DueGiven: true, Issued: calendar.On(2026, 11, 1),
		Payer: client.Details{FullName: "Thandi Nkosi", BankAccount: "1234567890", PersonalCode: "8501015800085",
			BankCode: "470010"},
		Details: purchase.Details{EmailMessage: "See you on Monday!", Products: []purchase.Product{
			{Name: "Membership", PriceCents: 100000, Quantity: decimal.NewFromInt(1)},
			{Name: "Class", PriceCents: 11728, Quantity: decimal.NewFromInt(2)}}}}
}

func all(p purchase.Purchase, b merchant.Brand) map[string]mail.Letter {
	return map[string]mail.Letter{"account link": writer.AccountLink(p, b), "invoice": bill(p, b),
		"credit note": credit(p, b), "receipt": writer.Receipt(p, b),
		"subscription": writer.AskSubscriber(p, b, monthly), "subscribed": writer.Subscribed(p.Payer, b, monthly, nil),
		"agreement": writer.Agreement(p, b, mandate.Mandate{AccountMask: "•••• 7890", BankCode: "470010"}, monthly, nil),
		"failed":    writer.Failed(purchase.Record{Purchase: p, Brand: b}, "INV-2026-000123"),
		"reminder":  writer.Reminder(p.Payer, b, []purchase.Record{{Purchase: p, Brand: b}, {Purchase: p, Brand: b}}),
		"stopped":   writer.Stopped(p, b, purchase.Stop{Title: "Gym"})}
}

var monthly = purchase.Recurrence{Title: "Gym", AmountCents: 44900, Currency: "ZAR", Every: "every month"}

func bill(p purchase.Purchase, b merchant.Brand) mail.Letter {
	return writer.Invoice(billing.Unnumbered(p, b))
}

func credit(p purchase.Purchase, b merchant.Brand) mail.Letter {
	paper := billing.Unnumbered(p, b)
	paper.Kind, paper.Number, paper.Cancels = billing.Credited, "CN-2026-000001", "INV-2026-000123"
	return writer.CreditNote(paper)
}

func TestEveryLetterLeadsToThePayersPage(t *testing.T) {
	for name, l := range all(invoice(), brand) {
		switch name {
		case "credit note", "subscribed", "stopped": // there is nothing to pay
			continue
		}
		if l.Subject == "" || !strings.Contains(l.HTML, `href="`+link+`"`) ||
			!slices.Contains(strings.Split(l.Text, "\n"), link) {
			t.Errorf("%s: %q\n%s", name, l.Subject, l.Text)
		}
		for _, other := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(l.HTML, -1) {
			if other[1] != link {
				t.Errorf("%s leads to %s", name, other[1])
			}
		}
	}
}

func TestNoLetterShowsANumberThatOpensAnAccount(t *testing.T) {
	for name, l := range all(invoice(), brand) {
		for _, secret := range []string{"1234567890", "567890", "8501015800085", "62001234567"} {
			if strings.Contains(l.Text+l.HTML+l.Subject, secret) {
				t.Errorf("%s shows %s", name, secret)
			}
		}
	}
}

func TestWhatPeopleTypedIsShownAndNotObeyed(t *testing.T) {
	p, b := invoice(), brand
	p.Payer.FullName, b.Name = `Zoë <script>alert(1)</script>`, `Fitness & "Friends" <b>`
	p.Details.Products[0].Name, p.Details.EmailMessage = `</td><img src="https://evil.example/x">`,
		`<a href="https://evil.example/">pay here</a>`
	for name, l := range all(p, b) {
		for _, bad := range []string{"<script", "<img", "<b>", `href="https://evil`} {
			if strings.Contains(l.HTML, bad) {
				t.Errorf("%s carries %s", name, bad)
			}
		}
		if !strings.Contains(l.HTML, "Dear Zoë &lt;script&gt;") || !strings.Contains(l.Text, "Dear Zoë <script>") ||
			!strings.Contains(l.HTML, "Fitness &amp; ") {
			t.Errorf("%s does not show the names as they were typed:\n%s", name, l.Text)
		}
	}
}

func TestBothFormsOfALetterSayTheSame(t *testing.T) {
	for name, c := range map[string]struct {
		letter mail.Letter
		words  []string
	}{
		"account link": {writer.AccountLink(invoice(), brand),
			[]string{"Dear Thandi Nkosi,", "See you on Monday!", "R\u00a01\u00a0234,56", "25 November 2026", "INV-7"}},
		"invoice": {bill(invoice(), brand), []string{"Membership", "R\u00a01\u00a0000,00", "Class (2 × R\u00a0117,28)",
			"R\u00a0234,56", "R\u00a01\u00a0234,56",
			"1 November 2026", "25 November 2026", "Cape Fitness Holdings (Pty) Ltd trading as Cape Fitness",
			"VAT number 4870264921", "Cape Town 8001"}},
		"receipt": {writer.Receipt(invoice(), brand),
			[]string{"R\u00a01\u00a0234,56", "INV-7", "Should your bank still return it"}},
	} {
		for _, w := range c.words {
			if !strings.Contains(c.letter.HTML, w) || !strings.Contains(c.letter.Text, w) {
				t.Errorf("%s lacks %q:\n%s", name, w, c.letter.Text)
			}
		}
	}
}

func debicheck(how mandate.Method) func(*purchase.Purchase) {
	return func(p *purchase.Purchase) {
		p.Method, p.Details.DirectDebit = purchase.DebiCheck,
			&purchase.DirectDebit{Terms: &mandate.Terms{ValueType: mandate.Variable, Authentication: how,
				MaxAmountCents: 200000}}
	}
}

func TestALetterFitsWhatIsKnown(t *testing.T) {
	paidOn := time.Date(2026, 11, 30, 22, 0, 0, 0, time.UTC) // midnight in South Africa
	for name, c := range map[string]struct {
		change    func(*purchase.Purchase)
		write     func(purchase.Purchase, merchant.Brand) mail.Letter
		want, not string
	}{
		"a test says so": {func(p *purchase.Purchase) { p.IsTest = true }, bill,
			"Sandbox: this mail is a test.", ""},
		"live mail does not": {func(*purchase.Purchase) {}, bill, "your invoice", "Sandbox"},
		"a strict due has an hour": {func(p *purchase.Purchase) { p.DueStrict = true }, bill,
			"25 November 2026, 00:30 SAST", ""},
		"a default due is not shown": {func(p *purchase.Purchase) { p.DueGiven = false }, bill, "To pay", "Due"},
		"nothing is collected": {func(p *purchase.Purchase) { p.TotalCents = 0 }, writer.AccountLink,
			"no money is taken", "R\u00a0"},
		"nor when storing only": {func(p *purchase.Purchase) { p.Options.SkipCapture = true }, writer.AccountLink,
			"no money is taken", "R\u00a0"},
		"a bank asks at once": {debicheck(mandate.RealTime), writer.AccountLink,
			"between 03:00 and 20:30: your bank asks you there at once, and you have 120 seconds", "EFT"},
		"a bank asks by SMS": {debicheck(mandate.Delayed), writer.AccountLink, "by SMS, and you have 48 hours",
			"03:00"},
		"nothing before the answer": {debicheck(mandate.RealTime), writer.AccountLink,
			"Nothing is debited before you have confirmed.", "EFT"},
		"the most that can be debited": {debicheck(mandate.RealTime), writer.AccountLink,
			"Never more than: R\u00a02\u00a0000,00 a debit", ""},
		"a company has no full name": {func(p *purchase.Purchase) { p.Payer.FullName, p.Payer.LegalName = "", "Nkosi CC" },
			bill, "Dear Nkosi CC,", ""},
		"nobody is named":   {func(p *purchase.Purchase) { p.Payer.FullName = "" }, bill, "Hello,", "Dear"},
		"our own reference": {func(p *purchase.Purchase) { p.Reference = "" }, bill, "DD42", "INV-7"},
		"another total than the lines": {func(p *purchase.Purchase) {
			n := int64(5000)
			p.Details.TotalOverrideCents, p.TotalCents = &n, n
		}, bill, "Adjustment to the agreed total: -R\u00a01\u00a0184,56", ""},
		"a balance": {func(p *purchase.Purchase) { p.Details.DebtCents = -5000 }, bill,
			"Brought forward: -R\u00a050,00", ""},
		"what was paid, and when": {func(p *purchase.Purchase) {
			p.Payment = &purchase.Payment{AmountCents: 99900, PaidOn: paidOn}
		}, writer.Receipt, "Date: 1 December 2026", "1\u00a0234,56"},
		"by hand is no debit order": {func(p *purchase.Purchase) { p.MarkedAsPaid = true }, writer.Receipt,
			"Your payment was received.", "return it"},
		"a receipt repeats no reminder": {func(*purchase.Purchase) {}, writer.Receipt, "Thank you.", "See you on Monday!"},
	} {
		p := invoice()
		c.change(&p)
		text := c.write(p, brand).Text
		if !strings.Contains(text, c.want) || c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s: want %q, not %q:\n%s", name, c.want, c.not, text)
		}
	}
}
