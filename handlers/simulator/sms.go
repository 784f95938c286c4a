package simulator

import (
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/api"
	"debitdesk/handlers/api/input"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/plural"
	"debitdesk/models/sms"
	"debitdesk/views/pages"
)

const smsPath = "/sandbox/sms"

type smsWire struct {
	ID       string `json:"id"`
	To       string `json:"to"`
	Text     string `json:"text"`
	Parts    int    `json:"parts"`
	Encoding string `json:"encoding"`
	State    string `json:"state"`
	SentOn   *int64 `json:"sent_on"` // null while it waits
}

// ShortMessages serves GET /sandbox/sms: the short messages of the merchant, newest first. People see them on the
// phone.
func (h *Controls) ShortMessages(c echo.Context) error {
	if err := mayRead(c); err != nil {
		return err
	}
	if forPeople(c) {
		return c.Redirect(http.StatusSeeOther, phonePath)
	}
	ask, err := readPage(c)
	if err != nil {
		return err
	}
	page, err := h.shortMessages(c, ask)
	if err != nil {
		return err
	}
	if page.Older {
		linkOlder(c, smsPath, ask, page.Items[len(page.Items)-1].ID)
	}
	wire := make([]smsWire, len(page.Items))
	for i, m := range page.Items {
		wire[i] = smsWire{ID: m.ID.String(), To: m.To, Text: m.Text, Parts: m.Parts, Encoding: string(m.Encoding),
			State: string(m.State)}
		if !m.SentAt.IsZero() {
			sent := m.SentAt.Unix()
			wire[i].SentOn = &sent
		}
	}
	return api.JSON(c, http.StatusOK, wire)
}

func (h *Controls) shortMessages(c echo.Context, ask paging.Ask) (paging.Page[sms.Message], error) {
	found, err := h.Texts.Store.Messages(c.Request().Context(), access.Actor(c).MerchantID, ask)
	return paging.Cut(ask, found), err
}

// phoneShows are the short messages that the page of the phone shows.
const phoneShows = 20

// texts puts the newest short messages onto the phone.
func (h *Controls) texts(c echo.Context, v *pages.PhoneView) error {
	page, err := h.shortMessages(c, paging.Ask{Limit: phoneShows})
	for _, m := range page.Items {
		if m.State != sms.Sent && m.State != sms.Delivered {
			continue
		}
		text := pages.PhoneText{ID: m.ID.String(), To: m.To, Text: m.Text, At: moment(m.SentAt),
			Count: string(m.Encoding) + ", " + plural.Of(m.Parts, "part")}
		if h.Texts.Gateway.Limits().Keeps && mayMove(c) {
			text.Action = smsPath + "/" + m.ID.String() + "/reply"
		}
		v.Texts = append(v.Texts, text)
	}
	return err
}

// ReplySMS serves POST /sandbox/sms/:id/reply {"text"}: what the client answers to a message.
func (h *Controls) ReplySMS(c echo.Context) error {
	id, err := api.ID(c, "id")
	if err != nil {
		return err
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	m, err := h.Texts.Store.Message(ctx, who.MerchantID, id)
	if err != nil {
		return err
	}
	body, err := input.Read(c.Request())
	if err != nil {
		return err
	}
	text := body.Text("text", 500)
	if err := body.Err(); err != nil {
		return err
	}
	if text == "" {
		return fault.At("text", "required", "Enter what the client answers.")
	}
	if m.SentAt.IsZero() || m.To == "" {
		return fault.New(fault.Conflict, "sms_not_sent", "This SMS was not sent, so it cannot be answered.")
	}
	if err := h.Texts.Answer(ctx, m, "sandbox", uuid.NewString(), text); err != nil {
		return err
	}
	if !forPeople(c) {
		return c.NoContent(http.StatusNoContent)
	}
	return access.RedirectWithFlash(c, "ok", "The answer was received.", phonePath)
}
