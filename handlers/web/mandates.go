package web

import (
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

var channelWords = map[mandate.Channel]string{
	mandate.PayPage:     "Agreed on the hosted page",
	mandate.SignedPaper: "Signed on paper",
	mandate.ByAPI:       "Held by you; recorded through the API",
	mandate.ByBank:      "Asked for at the client’s bank",
}

// Evidence serves GET /mandates/:id/evidence/:file as a download.
func (h *Mandates) Evidence(c echo.Context) error {
	id, err := uuid.Parse(c.Param("file"))
	if err != nil {
		return fault.Missing()
	}
	e, err := h.Service.File(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	if e.MandateID.String() != strings.ToLower(c.Param("id")) {
		return fault.Missing()
	}
	c.Response().Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": e.Name}))
	return c.Blob(http.StatusOK, e.ContentType, e.Content)
}

// mandateView is a mandate in short, beside its stored account.
func mandateView(m mandate.Mandate, files []mandate.Evidence, now time.Time) pages.MandateView {
	v := consentView(m, files, now)
	v.Facts.Items = append(v.Facts.Items,
		components.Fact{Label: "Contract reference", Value: m.ContractReference, Copy: m.ContractReference, Mono: true},
		components.Fact{Label: "On the statement", Value: m.AbbreviatedName},
		components.Fact{Label: "Frequency", Value: rhythmWords(m)},
		components.Fact{Label: "State", Value: m.State.Label()})
	return v
}

// consentView is what the payer agreed to, and what proves it.
func consentView(m mandate.Mandate, files []mandate.Evidence, now time.Time) pages.MandateView {
	v := pages.MandateView{Reference: m.ContractReference, Wording: strings.Split(m.Consent.Text, "\n"), Facts: components.Facts{Items: []components.Fact{
		{Label: "Given", Value: channelWords[m.Consent.Channel]},
		{Label: "On", Part: components.When(ago(m.Consent.At, now))},
	}}}
	if m.Consent.IP != "" && m.Consent.Channel == mandate.PayPage {
		v.Facts.Items = append(v.Facts.Items, components.Fact{Label: "From address", Value: m.Consent.IP, Mono: true})
	}
	if m.Consent.Agent != "" {
		v.Facts.Items = append(v.Facts.Items, components.Fact{Label: "Browser", Value: browserWords(m.Consent.Agent)})
	}
	for _, f := range files {
		v.Files = append(v.Files, pages.FileRow{Name: f.Name, Size: sizeWords(f.SizeBytes), Href: mandatePath(m.ID, "evidence", f.ID.String()), Added: moment(f.CreatedAt)})
	}
	return v
}

var weekdayWords = [...]string{"", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays"}

// rhythmWords says on which days the payer expects debits.
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
	return "Monthly, on day " + grouped(int64(m.DeductionDay))
}

func sizeWords(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return grouped(bytes) + " bytes"
	case bytes < 1<<20:
		return grouped((bytes+1<<9)>>10) + " kB"
	}
	tenths := (bytes*10 + 1<<19) >> 20
	return grouped(tenths/10) + "," + grouped(tenths%10) + " MB"
}
