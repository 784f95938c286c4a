package mandates

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/download"
	"debitdesk/handlers/web/words"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/views/documents"
)

// Document serves GET /mandates/:id/document.pdf: the mandate with what proves it,
// as it stands now.
func (h *Mandates) Document(c echo.Context) error {
	s, rec, err := h.open(c)
	if err != nil {
		return err
	}
	paper := mandatePaper(s, rec, h.Desk.Now(), h.Desk.Sandbox)
	if paper.Logo, err = h.Purchases.Merchants().Letterhead(c.Request().Context(), rec.Brand.Picture()); err != nil {
		return err
	}
	pdf, err := documents.Render(paper)
	if err != nil {
		return err
	}
	name := "mandate-" + strings.Map(fileRune, s.ContractReference) + ".pdf"
	return download.Send(c, name, "application/pdf", pdf)
}

// fileRune keeps a reference within the names that every file system takes.
func fileRune(r rune) rune {
	if r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
		return r
	}
	return '-'
}

// mandatePaper puts a mandate into words for a document. It names all that a
// mandate must name (industry: short name, user name, first and recurring date
// and amount, the client's name and account, an explicit authority).
func mandatePaper(s mandate.Sheet, rec purchase.Record, now time.Time, test bool) documents.Paper {
	m := s.Mandate
	p := documents.Paper{Kind: "Mandate document", Title: "Debit order mandate (EFT)", Reference: m.ContractReference,
		IssuerName: rec.Brand.Name, Address: letterhead(rec.Brand),
		Subject: "Debit-order mandate " + m.ContractReference + " of " + m.HolderName, Made: now,
		Standing: m.State.Label() + " as of " + toTheSecond(now) + ". " + mandateNext(m, newestOf(s), now)}
	if m.Kind == mandate.DebiCheck {
		p.Title = "DebiCheck mandate"
	}
	if test {
		p.Test = "TEST MODE: no bank was contacted. This document proves nothing."
	}
	p.Sections = agreedParts(s, rec)
	p.Sections = append(p.Sections, attemptParts(s.Authentications)...)
	if len(s.Verifications) > 0 {
		p.Sections = append(p.Sections, verificationPart(s.Verifications[0]))
	}
	p.Sections = append(p.Sections, evidencePart(s.Evidence))
	p.Sections = append(p.Sections, replacedParts(s.Replaced)...)
	return p
}

// agreedParts are what was agreed, by whom and how.
func agreedParts(s mandate.Sheet, rec purchase.Record) []documents.Section {
	m := s.Mandate
	parts := []documents.Section{collectorPart(m, rec.Brand), clientPart(m), debitPart(m, rec)}
	if m.Terms != nil {
		parts = append(parts, termsPart(m, rec.Currency))
	}
	parts = append(parts, documents.Section{Title: "Authority to debit", Text: authorityText(m)}, consentPart(m))
	if m.Kind == mandate.DebiCheck {
		parts = append(parts, acceptancePart(s))
	}
	return parts
}

func letterhead(b merchant.Brand) (lines []string) {
	registered := b.LegalName
	if b.RegistrationNumber != "" {
		registered = strings.TrimSpace(registered + " · Reg. " + b.RegistrationNumber)
	}
	for _, l := range []string{registered, words.JoinedWords(", ", b.StreetAddress, b.City, b.ZipCode),
		words.JoinedWords(" · ", b.Email, b.Phone, b.Website)} {
		if l = strings.TrimPrefix(l, "· "); l != "" && l != b.Name {
			lines = append(lines, l)
		}
	}
	return lines
}

func collectorPart(m mandate.Mandate, b merchant.Brand) documents.Section {
	p := documents.Section{Title: "Who collects"}
	p.Add("User name", cmp.Or(b.LegalName, b.Name))
	p.Add("Trades as", b.Name)
	p.Add("Abbreviated short name", m.AbbreviatedName)
	p.Add("Contract reference", m.ContractReference)
	p.Add("Bank’s mandate reference", m.BankReference)
	p.Add("Profile", m.ProfileCode)
	p.Add("Paid into the account", m.ClearingAccount)
	p.Add("Shown on the bank statement as", m.AbbreviatedName+" "+m.ContractReference)
	return p
}

func clientPart(m mandate.Mandate) documents.Section {
	p := documents.Section{Title: "Who pays"}
	initials, surname := m.HolderParts()
	p.Add("Account holder", cmp.Or(m.HolderName, "not given yet"))
	p.Add("Surname", surname)
	p.Add("Initials", initials)
	p.Add("Account number", cmp.Or(m.AccountMask, "not given yet"))
	p.Add("Type of account", m.AccountType.Label())
	p.Add("Bank and branch code", words.JoinedWords(", ", bank.BankName(m.BankCode), m.BankCode))
	return p
}

func debitPart(m mandate.Mandate, rec purchase.Record) documents.Section {
	p := documents.Section{Title: "What is debited, and when"}
	first := "As the first debit under this mandate is agreed; none was agreed with it"
	if c := rec.Collection; c != nil && rec.TotalCents > 0 {
		first = longDay(c.ActionDate)
	} else if rec.DueGiven && rec.TotalCents > 0 {
		first = longDay(calendar.DateOf(rec.Due))
	}
	p.Add("First deduction date", first)
	p.Add("Recurring deduction date", rhythmWords(m))
	initial := "None with this mandate"
	if m.AmountCents > 0 {
		initial = words.Sum(m.AmountCents, rec.Currency)
	}
	p.Add("Initial amount", initial)
	if t := m.Terms; t != nil {
		p.Add("Recurring amount", words.Sum(t.PriceCents, rec.Currency))
		p.Add("Maximum amount", words.Sum(t.MaxAmountCents, rec.Currency))
		p.Add("Adjustment", adjustmentWords(*t, rec.Currency))
		return p
	}
	p.Add("Recurring amount", "What is owed under the agreement, and never more")
	p.Add("Adjustment", "As agreed with the client")
	return p
}

func termsPart(m mandate.Mandate, currency string) documents.Section {
	p := documents.Section{Title: "Terms"}
	for _, f := range termFacts(m, currency).Items {
		if !slices.Contains([]string{"Agreed amount", "Maximum", "Frequency", "Adjustment"}, f.Label) { // said above
			p.Add(f.Label, f.Value)
		}
	}
	if e := explained(m, currency); e != nil {
		p.Text = append(p.Text, e.Allowed, e.Adjusts)
		for _, d := range e.Disputable {
			p.Text = append(p.Text, "May be disputed: "+d)
		}
	}
	return p
}

// authorityText is the wording that the client agreed to.
func authorityText(m mandate.Mandate) (lines []string) {
	for _, l := range strings.Split(m.Consent.Text, "\n") {
		if l != "" {
			lines = append(lines, l)
		}
	}
	if len(lines) == 0 {
		lines = []string{"No wording is kept with this mandate."}
	}
	return lines
}

func consentPart(m mandate.Mandate) documents.Section {
	p := documents.Section{Title: "Consent"}
	p.Add("Given", givenWords(m))
	p.Add("On", toTheSecond(m.GivenAt()))
	if m.Consent.Channel == mandate.PayPage || m.Consent.Channel == mandate.ByBank {
		p.Add("From address", m.Consent.IP)
		p.Add("Browser", m.Consent.Agent)
	}
	return p
}

func acceptancePart(s mandate.Sheet) documents.Section {
	p := documents.Section{Title: "Authentication at the client’s bank"}
	for _, a := range s.Authentications {
		if a.State == mandate.AuthAccepted {
			p.Add("Accepted by the client", toTheSecond(a.AnsweredAt))
			p.Add("Channel", answerChannel(a.Channel))
			break
		}
	}
	if len(p.Facts) == 0 {
		p.Add("Accepted by the client", "No")
	}
	if s.State == mandate.Registered {
		p.Add("Registered without an answer", toTheSecond(s.AcceptedAt))
	}
	p.Add("Bank’s mandate reference", cmp.Or(s.BankReference, "none"))
	return p
}

func attemptParts(list []mandate.Authentication) []documents.Section {
	var out []documents.Section
	for i := len(list) - 1; i >= 0; i-- { // in the order in which it was asked
		a := list[i]
		p := documents.Section{Title: "Request " + words.Grouped(int64(a.Number)) + " to the client"}
		p.Add("Kind", words.Capital(a.Label()))
		p.Add("Outcome", authPills[a.State].Word)
		p.Add("Requested", toTheSecond(a.RequestedAt))
		p.Add("Sent to the bank", toTheSecond(a.SentAt))
		p.Add("Delivered to the client", toTheSecond(a.DeliveredAt))
		p.Add("Answered", toTheSecond(a.AnsweredAt))
		p.Add("Channel", answerChannel(a.Channel))
		if a.Code != "" {
			p.Add("Reason", bank.MandateCodeOf(a.Code).Label())
		}
		p.Add("Request id", a.ID.String())
		out = append(out, p)
	}
	return out
}

func verificationPart(v mandate.Verification) documents.Section {
	p := documents.Section{Title: "Account verification"}
	p.Add("Asked", toTheSecond(v.At))
	p.Add("Account", words.JoinedWords(" ", words.BankWords(v.BankCode), v.AccountMask))
	for _, c := range v.Answers.Checks() {
		p.Add(c.Label, words.Capital(words.AnswerWords[c.Answer]))
	}
	return p
}

func evidencePart(files []mandate.Evidence) documents.Section {
	p := documents.Section{Title: "Evidence on file"}
	for _, f := range files {
		p.Add(f.Name, sizeWords(f.SizeBytes)+", added "+toTheSecond(f.CreatedAt)+"\nSHA-256 "+hex.EncodeToString(f.SHA256))
	}
	if len(files) == 0 {
		p.Text = []string{"No file is kept; the wording and the records above are the proof."}
	}
	return p
}

// replacedParts are the permissions of before, each with its wording: it proves the debit that failed.
func replacedParts(before []mandate.Replaced) (out []documents.Section) {
	for _, r := range before {
		p := documents.Section{Title: "Replaced permission " + r.ContractReference}
		p.Add("Account", words.JoinedWords(" ", words.BankWords(r.BankCode), r.AccountMask))
		p.Add("Account holder", r.HolderName)
		p.Add("Given", toTheSecond(r.Consent.At))
		p.Add("Replaced", toTheSecond(r.ReplacedAt)+", after its debit had failed")
		p.Text = strings.Split(r.Consent.Text, "\n")
		out = append(out, p)
	}
	return out
}

// toTheSecond writes an instant as a document does; the zero time is empty.
func toTheSecond(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return words.Glue(at.In(calendar.SAST).Format("2 January 2006")) + "," + money.NBSP +
		at.In(calendar.SAST).Format("15:04:05") + money.NBSP + "SAST"
}

func longDay(d calendar.Date) string { return words.Glue(d.Format("Monday 2 January 2006")) }
