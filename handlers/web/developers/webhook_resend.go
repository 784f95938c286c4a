package developers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/models/webhook"
	"debitdesk/models/weblink"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// sinceForm is how a browser writes an instant; it is read as SAST.
const sinceForm = "2006-01-02T15:04"

func readSince(text string) (time.Time, bool) {
	at, err := time.ParseInLocation(sinceForm, text, calendar.SAST)
	if err != nil {
		at, err = time.ParseInLocation(sinceForm+":05", text, calendar.SAST)
	}
	return at, err == nil
}

// AskResend serves GET /developers/webhooks/{id}/resend: since when, and then
// how many events that is.
func (h *Webhooks) AskResend(c echo.Context) error {
	who, w, err := h.find(c)
	if err != nil {
		return err
	}
	text := c.QueryParam("since")
	since, ok := readSince(text)
	if text == "" || !ok {
		return h.askSince(c, w, text)
	}
	return h.confirmResend(c, who, w, since)
}

func (h *Webhooks) askSince(c echo.Context, w webhook.Webhook, typed string) error {
	from := h.Desk.Now().Add(-24 * time.Hour)
	if !w.FailingSince.IsZero() {
		from = w.FailingSince
	}
	status, field := http.StatusOK, components.Field{Label: "Since", Name: "since", Type: "datetime-local", Width: "m",
		Required: true, Value: from.In(calendar.SAST).Format(sinceForm),
		Hint: "SAST, on the product’s clock. Events since then are delivered again, in their order."}
	if typed != "" {
		status, field.Value, field.Error = http.StatusUnprocessableEntity, typed, "That is not a date with a time."
	}
	view := pages.ResendView{Back: components.Link{Text: w.Title, Href: words.WebhookPath(w.ID)},
		Action: words.WebhookPath(w.ID, "resend"), Since: field}
	return h.ShowIn(c, status, "Resend events", func(f layout.Frame) templ.Component { return pages.AskSince(f, view) })
}

func (h *Webhooks) confirmResend(c echo.Context, who actor.Actor, w webhook.Webhook, since time.Time) error {
	now := h.Desk.Now()
	n, err := h.Service.CountSince(c.Request().Context(), who, w.ID, since)
	if err != nil {
		return err
	}
	many := plural.Of(n, "event")
	if n > webhook.CountLimit {
		many = "more than " + plural.Of(webhook.CountLimit, "event")
	}
	view := pages.ActView{Title: "Resend events", Back: components.Link{Text: w.Title, Href: words.WebhookPath(w.ID)},
		Question: components.Confirm{
			ID: "resend", Title: "Resend " + many + "?", Text: "Everything that “" + w.Title + "” subscribes to since " +
				words.SayMinute(since, now) +
				" SAST, including events that were delivered before. The receiver must recognise an event that arrives twice.",
			Action: words.WebhookPath(w.ID, "resend"), Fields: []components.Pair{
				{Name: "since", Value: since.In(calendar.SAST).Format(sinceForm + ":05")}}, CancelHref: words.WebhookPath(w.ID),
			Button: "Resend " + many, Safe: true,
		}}
	if n == 0 {
		view.Blocked = "There is no event for this webhook since " + words.SayMinute(since, now) +
			" SAST that has a body to send and is not waiting to be sent again already."
	}
	return h.ShowIn(c, http.StatusOK, view.Title, func(f layout.Frame) templ.Component { return pages.AskAct(f, view) })
}

// ResendSince serves POST /developers/webhooks/{id}/resend.
func (h *Webhooks) ResendSince(c echo.Context) error {
	who, w, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	since, ok := readSince(form.Get("since"))
	if !ok {
		return h.askSince(c, w, cmp.Or(form.Get("since"), "–"))
	}
	n, err := h.Service.ResendSince(c.Request().Context(), who, w.ID, since)
	if err != nil {
		return err
	}
	return h.on(c, words.WebhookPath(w.ID), plural.Of(n, "event")+" will be delivered again.")
}

// Resend serves POST /developers/webhooks/deliveries/{id}/resend.
func (h *Webhooks) Resend(c echo.Context) error {
	who, id, err := managed(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	old, _, err := h.Service.Delivery(ctx, who, id)
	if err != nil {
		return err
	}
	if old.State == webhook.Pending { // it is on its way already, and need not be sent twice
		_, err := h.Service.SendNow(ctx, who, id)
		if fault.Is(err, fault.Conflict) {
			return access.RedirectWithFlash(c, "info", err.Error(), deliveryPath(id))
		}
		if err != nil {
			return err
		}
		return h.on(c, deliveryPath(id), "The delivery is sent now. This page shows the result.")
	}
	d, err := h.Service.Resend(ctx, who, id)
	if err != nil {
		return err
	}
	return h.on(c, deliveryPath(d.ID), "The event will be delivered again. This page shows the result.")
}

// sendNow tells that a delivery waits for its next attempt, which need not be waited for.
func sendNow(d webhook.Delivery, now time.Time) bool {
	return d.State == webhook.Pending && d.BehindAt.IsZero() && d.NextAt.After(now)
}

// Delivery serves GET /developers/webhooks/deliveries/{id}.
func (h *Webhooks) Delivery(c echo.Context) error {
	who, id, err := managed(c)
	if err != nil {
		return err
	}
	d, signature, err := h.Service.Delivery(c.Request().Context(), who, id)
	if err != nil {
		return err
	}
	now := h.Desk.Now()
	view := pages.DeliveryView{Title: d.EventType, Pill: deliveryPill(d),
		Back: components.Link{Text: "Webhook", Href: words.WebhookPath(d.WebhookID)}, Next: nextWords(d, now),
		LastError: d.LastError,
		Body:      components.Code{Label: "Body, made readable", Text: prettyBody(d.Body)},
		Headers:   components.Code{Label: "Request", Text: requestText(d, signature), Wrap: true},
		Facts:     deliveryFacts(d), HasBody: len(d.Body) > 0}
	if d.WebhookID == uuid.Nil {
		view.Back = components.Link{Text: "Events", Href: "/developers/events"}
	}
	switch {
	case sendNow(d, now):
		view.ResendAction, view.Resend = deliveryPath(id)+"/resend", "Send now"
	case d.State != webhook.Pending:
		view.ResendAction, view.Resend = deliveryPath(id)+"/resend", "Resend this event"
	}
	for _, a := range d.Tries {
		view.Attempts = append(view.Attempts, attemptRow(a))
	}
	return h.ShowIn(c, http.StatusOK, "Delivery", func(f layout.Frame) templ.Component { return pages.Delivery(f, view) })
}

func attemptRow(a webhook.Attempt) pages.AttemptRow {
	row := pages.AttemptRow{Number: strconv.Itoa(a.Number), At: words.Moment(a.At), Took: words.Grouped(int64(a.TookMS)) +
		" ms", Status: "no answer", Error: a.Error, Answer: a.Answer,
		Pill: components.Pill{Kind: "done", Word: "Accepted"}}
	if a.Status != 0 {
		row.Status = "HTTP " + strconv.Itoa(a.Status)
	}
	if a.Error != "" || a.Status < 200 || a.Status > 299 {
		row.Pill = components.Pill{Kind: "bad", Word: "Not accepted"}
	}
	return row
}

func deliveryFacts(d webhook.Delivery) components.Facts {
	chip := objectChip(d.ObjectType, d.ObjectID, d.SourceID)
	facts := components.Facts{Items: []components.Fact{
		{Label: "Event", Value: d.EventType, Href: eventPath(d.EventID)},
		{Label: "Object", Part: pages.ObjectOf(words.Capital(chip.What), chip)},
		{Label: "Sent to", Value: d.ShownAddress(), Copy: d.ShownAddress()},
		{Label: "Why", Value: "It happened"},
		{Label: "Queued", Part: pages.MomentOr(words.Moment(d.CreatedAt), "")},
		{Label: "First attempt", Part: pages.MomentOr(words.Moment(d.FirstAt), "not yet")},
	}}
	switch {
	case d.EventType == webhook.WebhookTest:
		facts.Items[3].Value = "A test"
	case d.Resend:
		facts.Items[3].Value = "Resent by a person"
	case d.WebhookID == uuid.Nil:
		facts.Items[3].Value = "success_callback of the purchase"
	}
	if !d.DoneAt.IsZero() {
		facts.Items = append(facts.Items, components.Fact{Label: "Over", Part: pages.MomentOr(words.Moment(d.DoneAt), "")})
	}
	return facts
}

// requestText is the head of the request as it is sent.
func requestText(d webhook.Delivery, signature string) string {
	lines := []string{"POST " + d.ShownAddress(), "Content-Type: application/json",
		"X-Signature: " + cmp.Or(signature, "–"), "X-Debitdesk-Event-Id: " + d.EventID.String(),
		"X-Debitdesk-Delivery-Id: " + d.ID.String()}
	if d.Resend {
		lines = append(lines, "X-Debitdesk-Resend: true")
	}
	return strings.Join(lines, "\n")
}

// pretty indents JSON; the signature is over the bytes as they were sent.
func prettyBody(body []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, body, "", "  ") != nil {
		return weblink.HideLogin(string(body))
	}
	return weblink.HideLogin(out.String())
}
