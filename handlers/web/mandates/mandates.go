// Package mandates serves the pages of mandates: set up, live state, document and amendment.
package mandates

import (
	"strings"
	"time"

	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// MandateView is a mandate in short, beside its stored account.
func MandateView(m mandate.Mandate, files []mandate.Evidence, now time.Time) pages.MandateView {
	v := consentView(m, files, now)
	v.Facts.Items = append(v.Facts.Items,
		components.Fact{Label: "Contract reference", Value: m.ContractReference, Copy: m.ContractReference, Mono: true},
		components.Fact{Label: "On the statement", Value: m.AbbreviatedName},
		components.Fact{Label: "Frequency", Value: rhythmWords(m)},
		components.Fact{Label: "State", Value: m.State.Label()})
	return v
}

// consentView is what the client agreed to, and what proves it.
func consentView(m mandate.Mandate, files []mandate.Evidence, now time.Time) pages.MandateView {
	v := pages.MandateView{Reference: m.ContractReference, Wording: strings.Split(m.Consent.Text, "\n"),
		Facts: components.Facts{Items: []components.Fact{
			{Label: "Given", Value: givenWords(m)},
			{Label: "On", Part: components.When(words.Ago(m.GivenAt(), now))},
		}}, Proof: proofWords(m), AddHref: addEvidenceHref(m)}
	if m.Consent.IP != "" && m.Consent.Channel == mandate.PayPage {
		v.Facts.Items = append(v.Facts.Items, components.Fact{Label: "From address", Value: m.Consent.IP, Mono: true})
	}
	if m.Consent.Agent != "" {
		v.Facts.Items = append(v.Facts.Items, components.Fact{Label: "Browser", Value: words.BrowserWords(m.Consent.Agent)})
	}
	for _, f := range files {
		v.Files = append(v.Files, pages.FileRow{Name: f.Name, Size: sizeWords(f.SizeBytes),
			Href: words.MandatePath(m.ID, "evidence", f.ID.String()), Added: words.SayDay(calendar.DateOf(f.CreatedAt), now)})
	}
	return v
}

// givenWords says how the client gave the permission.
func givenWords(m mandate.Mandate) string {
	switch {
	case !m.AnsweredByBank():
		return words.ChannelWords[m.Consent.Channel]
	case m.State == mandate.Registered:
		return "Registered at the client’s bank without an answer"
	}
	return "Confirmed at the client’s bank"
}

// proofWords says what proves a mandate that has no file.
func proofWords(m mandate.Mandate) string {
	switch m.Consent.Channel {
	case mandate.ByBank:
		switch {
		case !m.AnsweredByBank():
			return "There is no proof yet: the client has not confirmed this mandate at the bank."
		case m.State == mandate.Registered:
			return "No file is kept. The client did not answer; the bank registered the mandate" + byReference(m) + "."
		}
		return "No file is kept. The client’s bank keeps the confirmation" + byReference(m) + "."
	case mandate.ByAPI:
		return "No file is kept here. You hold the permission that the client gave."
	case mandate.SignedPaper:
		return "No scan is kept here. You hold the signed mandate."
	case mandate.PayPage:
	}
	return "No file is kept. The wording, the time and the address above are the proof."
}

// byReference names what the bank calls a mandate.
func byReference(m mandate.Mandate) string {
	if m.BankReference == "" {
		return ""
	}
	return " under its reference " + m.BankReference
}

var weekdayWords = [...]string{"", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays"}

// rhythmWords says on which days the client expects debits.
func rhythmWords(m mandate.Mandate) string {
	switch {
	case m.OneDebit:
		return "One debit"
	case m.PeriodUnits == "weeks" && m.DeductionDay >= 1 && m.DeductionDay <= 7:
		return "Weekly, on " + weekdayWords[m.DeductionDay]
	case m.PeriodUnits == "days":
		return "On agreed days"
	case m.DeductionDay == 99:
		return "Monthly, on the last day"
	}
	return "Monthly, on day " + words.Grouped(int64(m.DeductionDay))
}

func sizeWords(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return words.Grouped(bytes) + " bytes"
	case bytes < 1<<20:
		return words.Grouped((bytes+1<<9)>>10) + " kB"
	}
	tenths := (bytes*10 + 1<<19) >> 20
	return words.Grouped(tenths/10) + "," + words.Grouped(tenths%10) + " MB"
}
