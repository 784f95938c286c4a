package simulator

import (
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/api"
	"debitdesk/handlers/api/input"
	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/simulation"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// deskRows is how many collections the bank's desk shows.
const deskRows = 100

// BankDesk serves GET /sandbox/desk.
func (h *Controls) BankDesk(c echo.Context) error {
	if !h.Controls.Forces() {
		return h.noDesk(c)
	}
	all, err := h.Controls.AtBank(c.Request().Context(), access.Actor(c), deskRows)
	if err != nil {
		return err
	}
	if !forPeople(c) {
		rows := make([]atBankWire, len(all))
		for i, one := range all {
			rows[i] = atBankBody(one)
		}
		return api.JSON(c, http.StatusOK, rows)
	}
	v := pages.SandboxDeskView{Tabs: h.tabs(deskPath), MayAnswer: h.mayAnswer(c),
		Arrives: "A debit gets here " + h.Controls.Purchases.Timetable.SubmitWords() + ". Move the clock to that day."}
	for _, one := range all {
		v.Rows = append(v.Rows, deskRow(one))
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Bank’s desk", active,
		func(f layout.Frame) templ.Component { return pages.SandboxDesk(f, v) })
}

// noDesk: another bank collects, and what it has is not ours to show.
func (h *Controls) noDesk(c echo.Context) error {
	refused := fault.New(fault.Conflict, "sandbox_bank_unused", simulation.NotForced)
	if !forPeople(c) {
		return refused
	}
	return access.RedirectWithFlash(c, "info", refused.Message, "/sandbox/clock")
}

// Answer serves POST /sandbox/collections/:purchase/result.
func (h *Controls) Answer(c echo.Context) error {
	id, err := api.ID(c, "purchase")
	if err != nil {
		return err
	}
	body, err := input.Read(c.Request())
	if err != nil {
		return err
	}
	answer := simulation.BankAnswer{Code: body.Text("code", 2), Dispute: body.Text("dispute", 2)}
	if err := body.Err(); err != nil {
		return err
	}
	act := func(ctx context.Context) (purchase.Record, error) {
		return h.Controls.Force(ctx, access.Actor(c), id, answer)
	}
	if !forPeople(c) {
		return api.Run(c, http.StatusOK, answeredBody, act)
	}
	rec, err := act(c.Request().Context())
	kind := "ok"
	var text string
	switch f, _ := fault.From(err); {
	case err == nil:
		text = "The bank answered " + rec.ReferenceGenerated + ": " + rec.Collection.State.Label() + "."
	case fault.HasCode(err, "dispute_rejected"): // what DebiCheck is for, not a mistake
		kind, text = "info", f.Message
	default:
		return err
	}
	return access.RedirectWithFlash(c, kind, text, deskPath)
}

type answeredWire struct {
	Purchase        string      `json:"purchase"`
	Status          string      `json:"status"`
	CollectionState string      `json:"collection_state"`
	Result          *resultWire `json:"result"`
}

type resultWire struct {
	Code string  `json:"code"`
	ISO  *string `json:"iso"`
	Text string  `json:"text"`
}

func answeredBody(rec purchase.Record) any {
	w := answeredWire{Purchase: rec.ID.String(), Status: string(rec.Status)}
	if c := rec.Collection; c != nil {
		w.CollectionState = string(c.State)
		w.Result = resultBody(c.Result)
	}
	return w
}

func resultBody(r collection.Result) *resultWire {
	if r.IsZero() {
		return nil
	}
	w := &resultWire{Code: r.Code, Text: r.Text}
	if r.ISO != "" {
		w.ISO = &r.ISO
	}
	return w
}

type atBankWire struct {
	Purchase        string      `json:"purchase"`
	Reference       string      `json:"reference"`
	Amount          int64       `json:"amount"`
	Currency        string      `json:"currency"`
	ActionDate      string      `json:"action_date"`
	CollectionState string      `json:"collection_state"`
	Result          *resultWire `json:"result"`
}

func atBankBody(a simulation.AtBank) atBankWire {
	return atBankWire{a.PurchaseID.String(), a.Reference, a.AmountCents, a.Currency, a.ActionDate.String(),
		string(a.State), resultBody(a.Result)}
}

func deskRow(a simulation.AtBank) pages.SandboxDeskRow {
	row := pages.SandboxDeskRow{
		Reference: a.Reference, Href: "/purchases/" + a.PurchaseID.String(), Payer: a.PayerName, Account: a.AccountMask,
		Amount: money.Format(a.AmountCents, a.Currency),
		Day: components.Time{Text: glue(a.ActionDate.Format("2 Jan 2006")), ISO: a.ActionDate.String(),
			Title: a.ActionDate.Format("Monday, 2 January 2006")},
		State: statePill(a.Collection), Action: "/sandbox/collections/" + a.PurchaseID.String() + "/result",
	}
	for _, code := range simulation.BankAnswers(&a.Collection) {
		switch code.Class {
		case bank.Success:
			row.Pays = true
		case bank.Dispute:
			row.Disputes = append(row.Disputes, components.Option{Value: code.Code, Text: code.Label()})
		case bank.Soft, bank.Hard, bank.Unknown, bank.Info, bank.Blocked, bank.NotRun:
			row.Failures = append(row.Failures, components.Option{Value: code.Code, Text: code.Label()})
		}
	}
	return row
}

func statePill(c collection.Collection) components.Pill {
	p := components.Pill{Word: c.State.Label()}
	switch c.State {
	case collection.Provisional:
		p.Kind, p.Word = "done", "Collected"
		p.Title = "The bank may return it until " + moment(c.FinalAt).Text + "."
	case collection.Successful, collection.Final, collection.DisputeWon:
		p.Kind = "done"
	case collection.Unpaid, collection.Disputed, collection.DisputeLost:
		p.Kind = "bad"
	case collection.Submitted, collection.InTracking, collection.Scheduled:
		p.Kind = "progress"
	case collection.Cancelled, collection.Recalled:
		p.Kind = "draft"
	}
	return p
}
