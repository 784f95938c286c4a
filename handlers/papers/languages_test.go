package papers

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/models/bank"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/clientaccount"
	"debitdesk/models/locale"
	"debitdesk/models/locale/localetest"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
	"debitdesk/views/documents"
	"debitdesk/views/documents/pdftest"
)

var someID = uuid.MustParse("01890a5d-ac96-774b-bcce-b302099a8057")

// What people wrote stands in Greek letters here, so that every Latin word is one of ours.
const greek = "Γιώργος Αλέξανδρος"

var (
	on     = calendar.On(2026, time.December, 4)
	theirs = merchant.Brand{BrandInput: merchant.BrandInput{Name: greek, LegalName: "Αθήνα " + greek,
		TaxNumber: "4870264921", RegistrationNumber: "2019/123456/07", StreetAddress: "1 Οδός",
		City: "Πάτρα", ZipCode: "8001", Phone: "021 555 0100"}}
)

func bought() purchase.Purchase {
	rate := decimal.NewFromInt(1)
	return purchase.Purchase{ID: someID, Currency: "ZAR", TotalCents: 1234567, Reference: "42", Due: on.At(17, 0),
		DueGiven: true, DueStrict: true, Issued: on, IsTest: true,
		Payer: client.Details{FullName: greek, StreetAddress: "2 Οδός", City: "Πάτρα", TaxNumber: "4870264922"},
		Details: purchase.Details{DebtCents: 5000, Notes: greek, Products: []purchase.Product{
			{Name: greek, PriceCents: 100000, Quantity: rate.Add(rate), DiscountCents: 1000},
			{Name: strings.Repeat(greek+" ", 5), PriceCents: 2300, Quantity: rate}}}}
}

func numbered(p purchase.Purchase, kind billing.Kind, cents int64, vat *int64) billing.Paper {
	of := billing.Unnumbered(p, theirs).Invoice
	of.Kind, of.Number, of.TotalCents, of.VATCents, of.CreatedAt = kind, "2026-000042", cents, vat, on.At(8, 0)
	if kind == billing.Credited {
		of.Cancels = "2026-000041"
	}
	return billing.PaperOf(of, p)
}

// bills are documents about a purchase, of every kind and in every state.
func bills() map[string]billing.Paper {
	p, vat := bought(), int64(161030)
	debited := numbered(p, billing.Invoiced, p.TotalCents, &vat)
	debited.Debit = &billing.Debit{On: on, BankCode: "999999", Mask: "•••• 1234"}
	held := debited
	held.Debit = &billing.Debit{On: on, BankCode: "999999", Mask: "•••• 1234", OnHold: true}
	receipt := numbered(p, billing.Invoiced, p.TotalCents, &vat)
	receipt.Paid = &purchase.Payment{AmountCents: p.TotalCents, PaidOn: on.At(9, 0)}
	taxed := p
	part := int64(800)
	taxed.Details.TaxOverrideCents, taxed.Details.SubtotalOverrideCents = &part, &part
	return map[string]billing.Paper{"tax invoice": numbered(p, billing.Invoiced, p.TotalCents, &vat),
		"unnumbered": billing.Unnumbered(p, theirs), "with tax": numbered(taxed, billing.Invoiced, p.TotalCents, nil),
		"debited": debited, "held": held, "receipt": receipt,
		"credit note": numbered(p, billing.Credited, p.TotalCents, &vat),
		"part":        numbered(p, billing.Credited, 5000, &part)}
}

// statements are statements of account: an empty one, and one with everything that can stand on one.
func statements() map[string]clientaccount.Statement {
	line := report.AccountLine{ID: someID, MadeAt: on.At(9, 0), Reference: "42", Currency: "ZAR",
		Standing: report.Standing{Status: purchase.Failed, TotalCents: 123456789012, Invoiced: true}}
	paid := report.AccountLine{MadeAt: on.At(9, 0), Reference: "41", Currency: "ZAR", Standing: report.Standing{
		Status: purchase.Paid, TotalCents: 5000, ReceivedCents: 5000, RefundedCents: 100, AllowedCents: 100}}
	lines := []report.AccountLine{line, paid}
	without := theirs
	without.Profiles = nil
	with := theirs
	with.IsTest = true
	with.Profiles = []merchant.Profile{{AccountNumber: "62009998887", BranchCode: "999999"}}
	owed := []clientaccount.Reference{{Text: "42", Currency: "ZAR", Cents: 123456789012}}
	to := client.Client{Details: client.Details{FullName: greek, StreetAddress: "2 Οδός"}}
	full := clientaccount.Statement{Client: to, Brand: with, At: on.At(12, 30), Since: on.AddDays(-90),
		Account: report.Account{AsOf: on, Lines: lines, Sums: report.AddUp(lines), More: true},
		Lines:   []clientaccount.Line{{AccountLine: line, What: greek, Brand: greek}, {AccountLine: paid}},
		Earlier: report.AddUp(nil), HasEarlier: true, Debited: true,
		Payees: []*clientaccount.Payee{{Brand: with, Owed: owed}, {Brand: without, Owed: owed}}}
	theirMoney := full
	theirMoney.Account.Sums = report.AddUp([]report.AccountLine{{Standing: report.Standing{Status: purchase.Paid,
		TotalCents: 100, ReceivedCents: 300}}})
	return map[string]clientaccount.Statement{"statement": full, "statement in credit": theirMoney,
		"empty statement": {Client: to, Brand: with, At: report.EndOf(on), Since: on, Account: report.Account{AsOf: on}}}
}

// permissions are mandates of every kind, given in every way.
func permissions() map[string]Mandate {
	given := func(change func(m *mandate.Mandate)) Mandate {
		m := mandate.Mandate{ID: someID, Kind: mandate.EFT, ContractReference: "0000000042", HolderName: greek,
			AccountMask: "•••• 1234", AccountType: bank.Savings, BankCode: "999999", AbbreviatedName: "ΑΒΓ", ProfileCode: "1234",
			ClearingAccount: "•••• 4321", PeriodUnits: "months", DeductionDay: 25, State: mandate.ActiveState, AmountCents: 5000,
			Consent: mandate.Consent{Channel: mandate.PayPage, At: on.At(9, 0), IP: "192.0.2.1", Agent: "Ω",
				Text: strings.Repeat(greek+" ", 12) + "\n" + greek}}
		change(&m)
		p := bought()
		return Mandate{Sheet: mandate.Sheet{Mandate: m, Authentications: []mandate.Authentication{
			{State: mandate.AuthAccepted, Channel: "banking_app", AnsweredAt: on.At(10, 0)}}},
			Purchase: purchase.Record{Purchase: p, Brand: theirs}, Base: "https://1.example", Test: true}
	}
	terms := func(change func(m *mandate.Mandate)) Mandate {
		return given(func(m *mandate.Mandate) {
			m.Kind, m.BankReference, m.Consent.Channel, m.AcceptedAt = mandate.DebiCheck, "77", mandate.ByBank, on.At(10, 0)
			rate := decimal.NewFromInt(6)
			m.Terms = &mandate.Terms{ValueType: mandate.Variable, Authentication: mandate.RealTime,
				DebitSequence: mandate.Recurring, AdjustmentCategory: mandate.Annually, AdjustmentRate: &rate,
				AllowDateAdjustment: true, DelayedOnFailure: true, MaxAmountCents: 7500, PriceCents: 5000}
			change(m)
		})
	}
	return map[string]Mandate{
		"eft": given(func(*mandate.Mandate) {}),
		"on paper": given(func(m *mandate.Mandate) {
			m.Consent.Channel, m.PeriodUnits, m.DeductionDay, m.AmountCents = mandate.SignedPaper, "weeks", 7, 0
		}),
		"by a program": given(func(m *mandate.Mandate) {
			m.Consent.Channel, m.Consent.Text, m.DeductionDay, m.HolderName = mandate.ByAPI, "", mandate.LastDay, ""
		}),
		"of one debit": given(func(m *mandate.Mandate) { m.OneDebit = true }),
		"confirmed":    terms(func(*mandate.Mandate) {}),
		"asked": terms(func(m *mandate.Mandate) {
			m.AcceptedAt, m.State, m.PeriodUnits = time.Time{}, mandate.Pending, "days"
			m.Terms.Authentication, m.Terms.AdjustmentCategory = mandate.Delayed, mandate.Never
		}),
		"registered": terms(func(m *mandate.Mandate) {
			m.State, m.Fallback, m.Terms.ValueType = mandate.Registered, true, mandate.UsageBased
			m.Terms.AdjustmentCategory = mandate.Repo
		}),
		"once-off": terms(func(m *mandate.Mandate) {
			m.Terms.DebitSequence, m.Terms.ValueType, m.Terms.AllowDateAdjustment = mandate.OnceOff, mandate.Fixed, false
			m.Terms.AdjustmentCategory, m.Terms.AdjustmentRate, m.PeriodUnits = mandate.Quarterly, nil, "weeks"
		}),
	}
}

// drawn are all of them in a language, as PDF.
func drawn(t *testing.T, l locale.Language) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	keep := func(name string, pdf []byte, err error) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = pdf
	}
	for name, p := range bills() {
		p.Reads = l
		pdf, err := Printer{Base: "https://1.example"}.Draw(p)
		keep(name, pdf, err)
	}
	for name, st := range statements() {
		st.Reads = l
		pdf, err := DrawAccount(st)
		keep(name, pdf, err)
	}
	for name, m := range permissions() {
		pdf, err := documents.Render(locale.Whole(l, m.Paper))
		keep(name, pdf, err)
	}
	return out
}

// Every word on a document is a value or stands in the catalogue of its language.
func TestDocumentsAreInOneLanguage(t *testing.T) {
	for _, l := range locale.Languages[1:] {
		restore := locale.Pretend(l, localetest.Marked)
		defer restore()
		for name, pdf := range drawn(t, l) {
			text := pdftest.Text(t, pdf)
			if found := localetest.Strange(l, text); len(found) > 0 {
				t.Errorf("%s in %s has words of no catalogue: %q\n%s", name, l.Name(), found, text)
			}
			if !strings.Contains(string(pdf), "("+l.Tag()+")") {
				t.Errorf("%s does not say that it is in %s", name, l.Name())
			}
		}
	}
	restore := locale.Pretend(locale.Zulu, localetest.Marked)
	defer restore()
	planted := Printer{}.bill(locale.In(locale.Zulu), bills()["debited"])
	planted.Labels.Amount = "Amount"
	pdf, err := documents.RenderBill(planted)
	if err != nil {
		t.Fatal(err)
	}
	if found := localetest.Strange(locale.Zulu, pdftest.Text(t, pdf)); !slices.Equal(found, []string{"Amount"}) {
		t.Errorf("of a label in English this is seen: %q", found)
	}
}

func TestDocumentsHoldLongerWords(t *testing.T) {
	for _, l := range locale.Languages {
		restore := locale.Pretend(l, localetest.Longer)
		defer restore()
		for name, pdf := range drawn(t, l) {
			for _, wrong := range pdftest.Overflows(t, pdf) {
				t.Errorf("%s in %s: %s", name, l.Name(), wrong)
			}
		}
	}
	p := Printer{}.bill(locale.In(locale.Zulu), bills()["debited"])
	p.Labels.VAT = strings.Repeat("inani", 20)
	pdf, err := documents.RenderBill(p)
	if err != nil {
		t.Fatal(err)
	}
	if len(pdftest.Overflows(t, pdf)) == 0 {
		t.Error("a label that is too long for its column is not seen")
	}
}

// What a debit order is about does not change with the language: numbers and amounts of both texts are the same.
func TestDocumentsSayTheSameNumbersInEveryLanguage(t *testing.T) {
	number := regexp.MustCompile(`\d+`)
	numbers := func(pdf []byte) []string {
		text := strings.ReplaceAll(pdftest.Text(t, pdf), "\n", " ")
		return slices.Compact(slices.Sorted(slices.Values(number.FindAllString(text, -1))))
	}
	english := drawn(t, locale.English)
	for _, l := range locale.Languages[1:] {
		for name, pdf := range drawn(t, l) {
			if got, want := numbers(pdf), numbers(english[name]); len(bills()[name].Lines) > 0 && !slices.Equal(got, want) {
				t.Errorf("%s in %s has the numbers %v, not %v", name, l.Name(), got, want)
			}
		}
	}
}

func TestWhatWasAgreedStaysInEnglish(t *testing.T) {
	m := permissions()["eft"]
	m.Sheet.Consent.Text = "I authorise this."
	for _, l := range locale.Languages {
		text := strings.ReplaceAll(pdfText(t, locale.Whole(l, m.Paper)), "\n", " ")
		if !strings.Contains(text, "I authorise this.") {
			t.Errorf("%s lacks the wording: %s", l.Name(), text)
		}
		if note := locale.In(l).Say("paper.authority.english"); strings.Contains(text, note) != (l != locale.English) {
			t.Errorf("%s says which words count: %v", l.Name(), l == locale.English)
		}
	}
}

func pdfText(t *testing.T, p documents.Paper) string {
	t.Helper()
	pdf, err := documents.Render(p)
	if err != nil {
		t.Fatal(err)
	}
	return pdftest.Text(t, pdf)
}
