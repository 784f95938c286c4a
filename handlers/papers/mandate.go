package papers

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/billing"
	"debitdesk/models/calendar"
	"debitdesk/models/locale"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/weblink"
	"debitdesk/views/documents"
)

// Mandate is a mandate as its client gets it: what was agreed, by whom and how.
type Mandate struct {
	Sheet    mandate.Sheet
	Purchase purchase.Record // that it was given with
	Base     string          // the public address of the product, without a slash at the end
	Test     bool
	Logo     []byte // of the brand, as PNG; nil: none
}

// Paper puts the mandate into words. It names all that a mandate must name (industry: short name, user name, first and
// recurring date and amount, the client's name and account, an explicit authority). What the client agreed to stands
// there in the English words in which it was agreed.
func (d Mandate) Paper(say locale.Words) documents.Paper {
	m, b := d.Sheet.Mandate, d.Purchase.Brand
	p := documents.Paper{Kind: say.Say("paper.mandate.copy"), Title: say.Say("paper.mandate.eft"),
		Reference: m.ContractReference, IssuerName: b.Name, Address: letterhead(say, b), Frame: FrameOf(say), Logo: d.Logo,
		Subject: say.Say("paper.mandate.about", "reference", m.ContractReference), Made: m.GivenAt(),
		Standing: say.Say("paper.mandate.standing", "given", given(say, m), "moment", toTheSecond(say, m.GivenAt()))}
	if m.Kind == mandate.DebiCheck {
		p.Title = say.Say("paper.mandate.debicheck")
	}
	if d.Test {
		p.Test = say.Say("paper.mandate.test")
	}
	p.Sections = []documents.Section{collector(say, m, b), payer(say, m), d.debits(say)}
	if m.Terms != nil {
		p.Sections = append(p.Sections, d.terms(say))
	}
	p.Sections = append(p.Sections, authority(say, m), consent(say, m))
	if m.Kind == mandate.DebiCheck {
		p.Sections = append(p.Sections, d.acceptance(say))
	}
	return withRights(say, d, p)
}

// withRights adds what the law lets the client ask for, as the page says on which the account was given.
func withRights(say locale.Words, d Mandate, p documents.Paper) documents.Paper {
	p.Sections = append(p.Sections, documents.Section{Title: say.Say("paper.rights"), Text: []string{
		say.Say("pay.rights", "business", d.Purchase.Brand.Name),
		say.Say("paper.rights.how", "address", d.Base+weblink.Payer(d.Sheet.ID)+"rights/")}})
	return p
}

func letterhead(say locale.Words, b merchant.Brand) (lines []string) {
	all := issuer(say, billing.Party{Name: b.Name, LegalName: cmp.Or(b.LegalName, b.Name), Street: b.StreetAddress,
		Registration: b.RegistrationNumber, City: b.City, ZipCode: b.ZipCode, Email: b.Email, Phone: b.Phone,
		Website: b.Website})
	return all[1:]
}

func collector(say locale.Words, m mandate.Mandate, b merchant.Brand) documents.Section {
	p := documents.Section{Title: say.Say("paper.collector")}
	p.Add(say.Say("paper.collector.user"), cmp.Or(b.LegalName, b.Name))
	p.Add(say.Say("paper.collector.trades"), b.Name)
	p.Add(say.Say("paper.collector.short"), m.AbbreviatedName)
	p.Add(say.Say("paper.collector.contract"), m.ContractReference)
	p.Add(say.Say("paper.collector.bank"), m.BankReference)
	p.Add(say.Say("paper.collector.profile"), m.ProfileCode)
	p.Add(say.Say("paper.collector.paid_into"), m.ClearingAccount)
	p.Add(say.Say("paper.collector.statement"), m.AbbreviatedName+" "+m.ContractReference)
	return p
}

func payer(say locale.Words, m mandate.Mandate) documents.Section {
	p := documents.Section{Title: say.Say("paper.payer")}
	initials, surname := m.HolderParts()
	missing := say.Say("paper.payer.missing")
	p.Add(say.Say("paper.payer.holder"), cmp.Or(m.HolderName, missing))
	p.Add(say.Say("paper.payer.surname"), surname)
	p.Add(say.Say("paper.payer.initials"), initials)
	p.Add(say.Say("paper.payer.number"), cmp.Or(m.AccountMask, missing))
	kinds := map[bank.AccountType]string{bank.Current: say.Say("pay.kind.current"),
		bank.Savings: say.Say("pay.kind.savings"), bank.Transmission: say.Say("pay.kind.transmission")}
	p.Add(say.Say("paper.payer.kind"), kinds[m.AccountType])
	p.Add(say.Say("paper.payer.bank"), strings.Join(filled([]string{bank.BankName(m.BankCode), m.BankCode}), ", "))
	return p
}

func (d Mandate) debits(say locale.Words) documents.Section {
	m, rec := d.Sheet.Mandate, d.Purchase
	p := documents.Section{Title: say.Say("paper.debits")}
	first := say.Say("paper.debits.first_none")
	if c := rec.Collection; c != nil && rec.TotalCents > 0 {
		first = say.LongDay(c.ActionDate)
	} else if rec.DueGiven && rec.TotalCents > 0 {
		first = say.LongDay(calendar.DateOf(rec.Due))
	}
	p.Add(say.Say("paper.debits.first"), first)
	p.Add(say.Say("paper.debits.recurring"), days(say, m))
	initial := say.Say("paper.debits.initial_none")
	if m.AmountCents > 0 {
		initial = say.Money(m.AmountCents, rec.Currency)
	}
	p.Add(say.Say("paper.debits.initial"), initial)
	if t := m.Terms; t != nil {
		p.Add(say.Say("paper.debits.amount"), say.Money(t.PriceCents, rec.Currency))
		p.Add(say.Say("paper.debits.most"), say.Money(t.MaxAmountCents, rec.Currency))
		p.Add(say.Say("paper.debits.adjustment"), adjustment(say, *t, rec.Currency))
		return p
	}
	p.Add(say.Say("paper.debits.amount"), say.Say("paper.debits.owed"))
	p.Add(say.Say("paper.debits.adjustment"), say.Say("paper.debits.adjustment_agreed"))
	return p
}

// authority is the wording that the client agreed to, in English. In a document in another language that is said.
func authority(say locale.Words, m mandate.Mandate) documents.Section {
	p := documents.Section{Title: say.Say("paper.authority")}
	p.Text = slices.DeleteFunc(strings.Split(m.Consent.Text, "\n"), func(l string) bool { return l == "" })
	if len(p.Text) == 0 {
		p.Text = []string{say.Say("paper.authority.none")}
	} else if say.Language != locale.English {
		p.Note = say.Say("paper.authority.english")
	}
	return p
}

func consent(say locale.Words, m mandate.Mandate) documents.Section {
	p := documents.Section{Title: say.Say("paper.consent")}
	p.Add(say.Say("paper.consent.given"), given(say, m))
	p.Add(say.Say("paper.consent.on"), toTheSecond(say, m.GivenAt()))
	if m.Consent.Channel == mandate.PayPage || m.Consent.Channel == mandate.ByBank {
		p.Add(say.Say("paper.consent.address"), m.Consent.IP)
		p.Add(say.Say("paper.consent.browser"), m.Consent.Agent)
	}
	return p
}

func (d Mandate) acceptance(say locale.Words) documents.Section {
	p := documents.Section{Title: say.Say("paper.acceptance")}
	p.Add(say.Say("paper.acceptance.accepted"), say.Say("paper.acceptance.no"))
	for _, a := range d.Sheet.Authentications {
		if a.State == mandate.AuthAccepted {
			p.Facts[0].Value = toTheSecond(say, a.AnsweredAt)
			p.Add(say.Say("paper.acceptance.channel"), channel(say, a.Channel))
			break
		}
	}
	if d.Sheet.State == mandate.Registered {
		p.Add(say.Say("paper.acceptance.registered"), toTheSecond(say, d.Sheet.AcceptedAt))
	}
	p.Add(say.Say("paper.collector.bank"), cmp.Or(d.Sheet.BankReference, say.Say("paper.acceptance.none")))
	return p
}

// channel is where the client answered.
func channel(say locale.Words, name string) string {
	if key := "paper.channel." + name; locale.Has(key) {
		return say.Say(key)
	}
	return strings.ReplaceAll(name, "_", " ") // a bank's own name for it
}

// given says how the client gave the permission.
func given(say locale.Words, m mandate.Mandate) string {
	switch {
	case m.AnsweredByBank() && m.State == mandate.Registered:
		return say.Say("paper.given.registered")
	case m.AnsweredByBank():
		return say.Say("paper.given.bank")
	case m.Consent.Channel == mandate.SignedPaper:
		return say.Say("paper.given.paper")
	case m.Consent.Channel == mandate.ByAPI:
		return say.Say("paper.given.api")
	case m.Consent.Channel == mandate.ByBank:
		return say.Say("paper.given.bank_asked")
	}
	return say.Say("paper.given.pay_page")
}

// toTheSecond writes an instant as a document does; the zero time is empty.
func toTheSecond(say locale.Words, at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return say.Day(calendar.DateOf(at)) + ", " + at.In(calendar.SAST).Format("15:04:05") + " SAST"
}
