package web

import (
	"embed"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/models/webhook"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

//go:embed samples
var sampleFiles embed.FS

// samples verify a signature, in the languages that call most.
var samples = readSamples([][2]string{{"Go", "verify.go.txt"}, {"Python", "verify.py"}, {"PHP", "verify.php"}, {"Node.js", "verify.js"}})

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

var deliveryTabs = []struct {
	state webhook.State
	label string
}{{"", "All"}, {webhook.Pending, "Waiting"}, {webhook.Delivered, "Delivered"}, {webhook.Failed, "Failed"}}

// deliveryRows is how many deliveries stand on the page of a webhook at once.
const deliveryRows = 25

// Show serves GET /developers/webhooks/{id}.
func (h *Webhooks) Show(c echo.Context) error {
	who, id, err := managed(c)
	if err != nil {
		return err
	}
	ctx, now := c.Request().Context(), h.Desk.Now()
	w, err := h.Service.Get(ctx, who, id)
	if err != nil {
		return err
	}
	l := listingOf(c, webhookPath(id))
	l.ask.Limit = deliveryRows
	f := deliveryFilter(l, id)
	page, err := h.Service.Deliveries(ctx, who, f, l.ask)
	if err != nil {
		return err
	}
	view := pages.WebhookView{Title: w.Title, Pill: healthPill(w, now), Notices: l.notices, EditHref: webhookPath(id, "edit"), DeleteHref: webhookPath(id, "deletion"),
		ResendHref: webhookPath(id, "resend"), TestAction: webhookPath(id, "test"), PublicKey: strings.TrimSpace(w.PublicKey), Samples: samples, Patience: patience(h.Desk.Sandbox),
		Facts: webhookFacts(w), Tabs: components.Tabs{Label: "Deliveries by state", Target: "#results"}}
	if !w.FailingSince.IsZero() {
		view.Failing = capital(failingWords(w, now)) + " in a row. Each event is tried nine times within 36 hours; the next one of the same object waits until then. Fix the endpoint, then resend what failed."
	}
	for _, t := range deliveryTabs {
		view.Tabs.Items = append(view.Tabs.Items, components.Tab{Label: t.label, Href: l.with("state", string(t.state)), Active: t.state == f.State})
	}
	for _, d := range page.Items {
		view.Rows = append(view.Rows, deliveryRow(d, now))
	}
	view.Pager = pager(l, page, "#results", "the deliveries", func(d webhook.Delivery) uuid.UUID { return d.ID })
	view.Empty = noDeliveries(f, l)
	if fragmentFor(c, "results") {
		return render(c, http.StatusOK, pages.WebhookResults(view))
	}
	return h.show(c, http.StatusOK, w.Title, func(fr layout.Frame) templ.Component { return pages.Webhook(fr, view) })
}

// patience is how long a delivery waits for its answer.
func patience(sandbox bool) string {
	if sandbox {
		return "5 seconds (10 outside of the sandbox)"
	}
	return "10 seconds"
}

func deliveryFilter(l *listing, webhookID uuid.UUID) webhook.DeliveryFilter {
	f := webhook.DeliveryFilter{WebhookID: webhookID, State: webhook.State(l.query.Get("state"))}
	if f.State != "" && !slices.Contains(webhook.States, f.State) {
		l.refuse("‘" + string(f.State) + "’ is not a delivery status. The filter was ignored.")
		l.query.Del("state")
		f.State = ""
	}
	return f
}

func noDeliveries(f webhook.DeliveryFilter, l *listing) components.Empty {
	if f.State == "" {
		return components.Empty{Icon: "bell", Title: "Nothing delivered yet", Text: "Events appear here when they happen. Send a test delivery to see that the endpoint answers."}
	}
	return components.Empty{Kind: components.NothingMatches, Title: "No delivery is " + lowerFirst(deliveryWords[f.State].Word), ClearHref: l.with("state", "")}
}

func webhookFacts(w webhook.Webhook) components.Facts {
	facts := components.Facts{Items: []components.Fact{
		{Label: "Address", Value: w.Callback, Copy: w.Callback},
		{Label: "Events", Value: chosenWords(w)},
		{Label: "Webhook id", Value: w.ID.String(), Mono: true, Copy: w.ID.String()},
		{Label: "Last accepted", Part: pages.MomentOr(moment(w.LastOKAt), "never")},
		{Label: "Added", Part: pages.MomentOr(moment(w.CreatedAt), "")},
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
	view := pages.ActView{Title: "Delete a webhook", Back: components.Link{Text: w.Title, Href: webhookPath(w.ID)}, Question: components.Confirm{
		ID: "delete", Title: "Delete “" + w.Title + "”?", Text: "This cannot be undone. What was delivered stays in the log.",
		Breaks: []string{w.Callback + " receives nothing any more.", "Events that still wait for it are dropped.", "Its key is gone; a new webhook signs with another one."},
		Action: webhookPath(w.ID, "deletion"), CancelHref: webhookPath(w.ID), Button: "Delete webhook",
		TypeLabel: "Type " + lastFour(w.ID) + ", the end of its id, to confirm", TypeError: wrong,
	}}
	return h.show(c, status, view.Title, func(f layout.Frame) templ.Component { return pages.AskAct(f, view) })
}

// Delete serves POST /developers/webhooks/{id}/deletion.
func (h *Webhooks) Delete(c echo.Context) error {
	who, id, err := managed(c)
	if err != nil {
		return err
	}
	form, err := formOf(c)
	if err != nil {
		return err
	}
	if strings.TrimSpace(form.Get("confirm")) != lastFour(id) {
		return h.askDelete(c, http.StatusUnprocessableEntity, "Type "+lastFour(id)+".")
	}
	if err := h.Service.Delete(c.Request().Context(), who, id); err != nil {
		return err
	}
	return h.on(c, webhooksPath, "Webhook deleted.")
}
