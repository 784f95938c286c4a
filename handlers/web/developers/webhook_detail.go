package developers

import (
	"context"
	"embed"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/webhook"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

//go:embed samples
var sampleFiles embed.FS

// samples verify a signature, in the languages that call most.
var samples = readSamples([][2]string{{"Go", "verify.go.txt"}, {"Python", "verify.py"}, {"PHP", "verify.php"},
	{"Node.js", "verify.js"}})

func readSamples(files [][2]string) (out []components.Code) {
	for _, f := range files {
		text, err := sampleFiles.ReadFile("samples/" + f[1])
		if err != nil {
			panic(err) // it is compiled in
		}
		out = append(out, components.Code{Label: f[0], Text: strings.TrimRight(string(text), "\n")})
	}
	return out
}

// deliveryRows is how many deliveries stand on the page of a webhook at once.
const deliveryRows = 25

// deliveries are those of one webhook.
func (h *Webhooks) deliveries(id uuid.UUID) kit.Shown {
	return &kit.List[webhook.Delivery, webhook.DeliveryFilter]{
		Desk: h.Desk, Path: words.WebhookPath(id), Active: words.Developers, One: "delivery", Many: "deliveries",
		Limit: deliveryRows,
		Card:  components.Card{Title: "Deliveries", Sub: "newest first"},
		Query: func(ctx context.Context, who actor.Actor, f webhook.DeliveryFilter,
			ask paging.Ask) (paging.Page[webhook.Delivery], error) {
			f.WebhookID = id
			return h.Service.Deliveries(ctx, who, f, ask)
		},
		ID: func(d webhook.Delivery) uuid.UUID { return d.ID },
		By: "state", Views: []kit.View{kit.ViewOf("Waiting", "state", webhook.Pending),
			kit.ViewOf("Delivered", "state", webhook.Delivered),
			kit.ViewOf("Failed", "state", webhook.Failed)},
		Filters: []kit.Filter[webhook.DeliveryFilter]{{Key: "state", View: true,
			Read: kit.ReadOne("state", "a delivery status", webhook.States,
				func(f *webhook.DeliveryFilter) *webhook.State { return &f.State }),
			Chip: func(_ *kit.Listing, text string) string { return deliveryWords[webhook.State(text)].Word }}},
		Columns: deliveryColumns(h.Desk.Now(), kit.ColumnOf("Event", func(d webhook.Delivery) components.Cell {
			return components.Cell{Text: d.EventType, Look: "wrap-anywhere", Href: deliveryPath(d.ID),
				Under: pages.DeliveryObject(objectChip(d.ObjectType, d.ObjectID, d.SourceID), d.Resend)}
		})),
		Around: func(_ echo.Context, l *kit.Listing, v *pages.ListView) error {
			if state := webhook.State(l.Query.Get("state")); state != "" {
				v.Empty.Title = "No delivery is " + words.LowerFirst(deliveryWords[state].Word)
			}
			return nil
		},
		Empty: components.Empty{Icon: "bell", Title: "Nothing delivered yet",
			Text: "Events appear here when they happen. Send a test delivery to see that the endpoint answers."},
	}
}

// deliveryColumns are those of every list of deliveries, after the first.
func deliveryColumns(now time.Time, first kit.Column[webhook.Delivery]) []kit.Column[webhook.Delivery] {
	return []kit.Column[webhook.Delivery]{
		first,
		kit.ColumnOf("State", func(d webhook.Delivery) components.Cell {
			return components.Cell{Part: pages.DeliveryState(deliveryPill(d), answerOf(d), nextWords(d, now))}
		}),
		kit.ColumnOf("Attempts", func(d webhook.Delivery) components.Cell {
			return components.Cell{Text: words.Grouped(int64(d.Attempts))}
		}).Number(),
		kit.ColumnOf("Queued", func(d webhook.Delivery) components.Cell {
			return components.Cell{Time: words.Ago(d.CreatedAt, now)}
		}).Zoned(),
		{Head: components.Head{Label: "Actions", Hidden: true}, Cell: func(d webhook.Delivery) components.Cell {
			label := "Resend"
			switch {
			case sendNow(d, now):
				label = "Send now"
			case d.State == webhook.Pending:
				return components.Cell{}
			}
			return components.Cell{Part: pages.ResendDelivery(deliveryPath(d.ID)+"/resend", label, d.EventType)}
		}},
	}
}

// Show serves GET /developers/webhooks/{id}.
func (h *Webhooks) Show(c echo.Context) error {
	who, id, err := managed(c)
	if err != nil {
		return err
	}
	now := h.Desk.Now()
	w, err := h.Service.Get(c.Request().Context(), who, id)
	if err != nil {
		return err
	}
	list, err := h.deliveries(id).View(c)
	if err != nil {
		return err
	}
	if kit.FragmentFor(c, "results") {
		return html.Send(c, http.StatusOK, pages.ListResults(list))
	}
	view := pages.WebhookView{Title: w.Title, Pill: healthPill(w, now, !h.Desk.Sandbox),
		EditHref: words.WebhookPath(id, "edit"), DeleteHref: words.WebhookPath(id, "deletion"),
		ResendHref: words.WebhookPath(id, "resend"), TestAction: words.WebhookPath(id, "test"),
		PublicKey: strings.TrimSpace(w.PublicKey), Samples: samples, Patience: patience(h.Desk.Sandbox),
		Facts: webhookFacts(w), Deliveries: list}
	if !h.Desk.Sandbox && webhook.Open(w.Callback) {
		view.Open = "Events of real payments are sent to an address that begins with http://, so anyone on the way can " +
			"read them. Edit the webhook and enter an address that begins with https://."
	}
	if !w.FailingSince.IsZero() {
		view.Failing = words.Capital(words.FailingWords(w, now)) +
			" in a row. Each event is tried nine times within 36 hours; the next one of the same object waits until then. " +
			"Fix the endpoint, then resend what failed."
	}
	return h.ShowIn(c, http.StatusOK, w.Title, func(fr layout.Frame) templ.Component { return pages.Webhook(fr, view) })
}

// patience is how long a delivery waits for its answer.
func patience(sandbox bool) string {
	if sandbox {
		return "5 seconds (10 outside the sandbox)"
	}
	return "10 seconds"
}

func webhookFacts(w webhook.Webhook) components.Facts {
	facts := components.Facts{Items: []components.Fact{
		{Label: "Address", Value: w.ShownCallback(), Copy: w.ShownCallback()},
		{Label: "Events", Value: chosenWords(w)},
		{Label: "Webhook id", Value: w.ID.String(), Mono: true, Copy: w.ID.String()},
		{Label: "Last accepted", Part: pages.MomentOr(words.Moment(w.LastOKAt), "never")},
		{Label: "Added", Part: pages.MomentOr(words.Moment(w.CreatedAt), "")},
	}}
	if !w.AllEvents {
		facts.Items[1].Value = strings.Join(w.Events, ", ")
	}
	return facts
}

// Test serves POST /developers/webhooks/{id}/test.
func (h *Webhooks) Test(c echo.Context) error {
	who, id, err := managed(c)
	if err != nil {
		return err
	}
	d, err := h.Service.Test(c.Request().Context(), who, id)
	if err != nil {
		return err
	}
	return h.on(c, deliveryPath(d.ID), "Test delivery sent. This page shows how it went; reload it in a moment.")
}

// AskDelete serves GET /developers/webhooks/{id}/deletion.
func (h *Webhooks) AskDelete(c echo.Context) error { return h.askDelete(c, http.StatusOK, "") }

func (h *Webhooks) askDelete(c echo.Context, status int, wrong string) error {
	_, w, err := h.find(c)
	if err != nil {
		return err
	}
	view := pages.ActView{Title: "Delete a webhook", Back: components.Link{Text: w.Title, Href: words.WebhookPath(w.ID)},
		Question: components.Confirm{
			ID: "delete", Title: "Delete “" + w.Title + "”?",
			Text: "This cannot be undone. What was delivered stays in the log.",
			Breaks: []string{w.ShownCallback() + " no longer receives anything.",
				"Events that are still waiting for it are dropped.",
				"Its key is gone; a new webhook signs with another one."},
			Action: words.WebhookPath(w.ID, "deletion"), CancelHref: words.WebhookPath(w.ID), Button: "Delete webhook",
			TypeLabel: "Type " + lastFour(w.ID) + ", the end of its id, to confirm", TypeError: wrong,
		}}
	return h.ShowIn(c, status, view.Title, func(f layout.Frame) templ.Component { return pages.AskAct(f, view) })
}

// Delete serves POST /developers/webhooks/{id}/deletion.
func (h *Webhooks) Delete(c echo.Context) error {
	who, id, err := managed(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	if strings.TrimSpace(form.Get("confirm")) != lastFour(id) {
		return h.askDelete(c, http.StatusUnprocessableEntity, "Type "+lastFour(id)+".")
	}
	err = h.Service.Delete(c.Request().Context(), who, id)
	if fault.HasCode(err, "approval_needed") {
		return h.askSecond(c, approval.Setting{Do: approval.DeleteWebhook, ID: id}, form, words.WebhookPath(id))
	}
	if err != nil {
		return err
	}
	return h.on(c, words.WebhooksPath, "Webhook deleted.")
}
