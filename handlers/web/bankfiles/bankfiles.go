// Package bankfiles serves the pages about what is exchanged with the bank in files: what waits, the files both ways,
// the movements on the account, and whether each day adds up.
package bankfiles

import (
	"net/http"
	"regexp"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/actor"
	"debitdesk/models/allocation"
	"debitdesk/models/approval"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Pages serves them all.
type Pages struct {
	Desk     *kit.Desk
	Exchange *exchange.Service
	Exports  *kit.Exports
	Payments *allocation.Service
	// Approvals are asked for the rule for EFT payments, where the business wants a second approver for it.
	Approvals *approval.Service
}

// section is the entry of the menu.
const section = "bank"

// Where the pages are.
const (
	overviewPath  = "/bank"
	filesPath     = "/bank/files"
	receivedPath  = "/bank/received"
	movementsPath = "/bank/movements"
	daysPath      = "/bank/days"
	itemsPath     = "/bank/items"
	findingsPath  = "/bank/findings"
)

func filePath(id string, more ...string) string { return joined(filesPath+"/"+id, more) }

func receivedHref(id uuid.UUID) string { return receivedPath + "/" + id.String() }

func movementPath(id uuid.UUID, more ...string) string {
	return joined(movementsPath+"/"+id.String(), more)
}

func findingPath(id uuid.UUID, more ...string) string {
	return joined(findingsPath+"/"+id.String(), more)
}

func joined(path string, more []string) string {
	for _, m := range more {
		path += "/" + m
	}
	return path
}

// nav are the parts of the section.
func nav(now string) components.Tabs {
	t := components.Tabs{Label: "Bank files", Manual: "/manual/bank-files"}
	for _, part := range []struct{ label, href string }{{"Overview", overviewPath}, {"To the bank", filesPath},
		{"From the bank", receivedPath}, {"Movements", movementsPath}, {"Reconciliation", daysPath},
		{"Findings", findingsPath}} {
		t.Items = append(t.Items, components.Tab{Label: part.label, Href: part.href, Active: part.href == now})
	}
	return t
}

func (h *Pages) show(c echo.Context, status int, title string, page func(layout.Frame) templ.Component) error {
	return h.Desk.ShowIn(c, status, title, section, page)
}

// ask shows the question before an act, or why it is not possible.
func (h *Pages) ask(c echo.Context, v pages.ActView) error {
	status := http.StatusOK
	if v.Blocked != "" {
		status = http.StatusConflict
	}
	return h.show(c, status, v.Title, func(f layout.Frame) templ.Component { return pages.AskAct(f, v) })
}

// done goes on after an act. Somebody who was slower, or clicked twice, is told so where the result is shown.
func (h *Pages) done(c echo.Context, err error, to, said string) error {
	kind := "ok"
	if refused, known := fault.From(err); known && fault.Is(err, fault.Conflict) {
		kind, said, err = "warn", refused.Message, nil
	}
	if err != nil {
		return err
	}
	return access.RedirectWithFlash(c, kind, said, to)
}

// messageIDs are those that the exchange gives.
var messageIDs = regexp.MustCompile(`^[A-Z]{2}[0-9]{8}-[0-9]{6,18}$`)

// messageID reads the id of a file to the bank.
func messageID(c echo.Context) (string, error) {
	id := c.Param("id")
	if !messageIDs.MatchString(id) {
		return "", fault.Missing()
	}
	return id, nil
}

func mayAct(c echo.Context) bool { return access.Actor(c).Can(actor.Exchange) }

var newest = paging.Ask{Limit: kit.BesideRows}
