package simulator

import (
	"context"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/api"
	"debitdesk/handlers/api/input"
	"debitdesk/handlers/html"
	"debitdesk/models/bank"
	"debitdesk/models/fault"
	"debitdesk/models/simulation"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

const phonePath = "/sandbox/phone"

// Phone serves GET /sandbox/phone: what waits on the clients' phones. A page that
// shows it already asks for the phones alone.
func (h *Controls) Phone(c echo.Context) error {
	open, over, err := h.Controls.Phones(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	now := h.Controls.Now()
	if !forPeople(c) {
		wire := make([]phoneWire, len(open))
		for i, p := range open {
			wire[i] = phoneBody(p, now)
		}
		return api.JSON(c, http.StatusOK, wire)
	}
	v := pages.PhoneView{Tabs: h.tabs(phonePath), MayAnswer: h.mayAnswer(c), OtherBank: !h.Controls.Forces()}
	for _, p := range open {
		v.Handsets = append(v.Handsets, handsetOf(p, now))
	}
	for _, p := range over {
		v.Over = append(v.Over, overRow(p))
	}
	if err := h.texts(c, &v); err != nil {
		return err
	}
	if c.Request().Header.Get("HX-Request") != "" {
		return html.Send(c, http.StatusOK, pages.Handsets(v))
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Client’s phone", active,
		func(f layout.Frame) templ.Component { return pages.Phone(f, v) })
}

// AnswerMandate serves POST /sandbox/mandates/:purchase/answer.
func (h *Controls) AnswerMandate(c echo.Context) error {
	id, err := api.ID(c, "purchase")
	if err != nil {
		return err
	}
	body, err := input.Read(c.Request())
	if err != nil {
		return err
	}
	answer := body.Text("answer", 10)
	if err := body.Err(); err != nil {
		return err
	}
	act := func(ctx context.Context) (simulation.Replied, error) {
		return h.Controls.AnswerMandate(ctx, access.Actor(c), id, answer)
	}
	if !forPeople(c) {
		return api.Run(c, http.StatusOK, repliedBody, act)
	}
	kind := "ok"
	var text string
	replied, err := act(c.Request().Context())
	switch f, known := fault.From(err); {
	case err == nil:
		text = repliedWords(replied, answer)
	case known && f.Kind == fault.Conflict: // the page was older than the truth
		kind, text = "warn", f.Message
	default:
		return err
	}
	return access.RedirectWithFlash(c, kind, text, phonePath)
}

type repliedWire struct {
	Purchase     string      `json:"purchase"`
	Status       string      `json:"status"`
	MandateState string      `json:"mandate_state"`
	Reason       *reasonWire `json:"reason"` // null where the bank gave none
}

type reasonWire struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

func repliedBody(r simulation.Replied) any {
	w := repliedWire{Purchase: r.ID.String(), Status: string(r.Status), MandateState: string(r.Mandate.State)}
	if code := r.Mandate.ReasonCode; code != "" {
		w.Reason = &reasonWire{code, bank.MandateCodeOf(code).Meaning}
	}
	return w
}

type phoneWire struct {
	Purchase          string `json:"purchase"`
	Payer             string `json:"payer"`
	Account           string `json:"account"` // masked
	Bank              string `json:"bank"`
	Brand             string `json:"brand"`
	ContractReference string `json:"contract_reference"`
	Amount            int64  `json:"amount"`
	MaxAmount         *int64 `json:"max_amount"` // null: no limit
	Currency          string `json:"currency"`
	Rhythm            string `json:"rhythm"`
	Authentication    string `json:"authentication_type"`
	State             string `json:"state"`
	Attempt           int    `json:"attempt"`
	ExpiresAt         *int64 `json:"expires_at"` // null until the bank has it
	SecondsLeft       *int64 `json:"seconds_left"`
	SMS               string `json:"sms,omitempty"`
	USSD              string `json:"ussd"`
}

func phoneBody(p simulation.Phone, now time.Time) phoneWire {
	w := phoneWire{Purchase: p.Mandate.ID.String(), Payer: p.Mandate.HolderName, Account: p.Mandate.AccountMask,
		Bank: bankOf(p), Brand: p.Brand,
		ContractReference: p.Mandate.ContractReference, Amount: p.AmountCents(), Currency: p.Currency,
		Rhythm:         p.Mandate.Rhythm(),
		Authentication: string(p.Request.Method), State: string(p.Request.State), Attempt: p.Request.Number, USSD: ussd(p)}
	if most := p.MaxCents(); most > 0 {
		w.MaxAmount = &most
	}
	if delayed(p) {
		w.SMS = delayedSMS(p)
	}
	if at := p.Request.ExpiresAt; !at.IsZero() {
		expires, left := at.Unix(), secondsLeft(p, now)
		w.ExpiresAt, w.SecondsLeft = &expires, &left
	}
	return w
}

func secondsLeft(p simulation.Phone, now time.Time) int64 {
	return max(0, int64((p.Request.ExpiresAt.Sub(now)+time.Second-1)/time.Second))
}
