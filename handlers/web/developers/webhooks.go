package developers

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
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

// Webhooks serves the pages about endpoints and their deliveries.
type Webhooks struct {
	Desk    *kit.Desk
	Service *webhook.Service
	// Approvals are asked for changes, where the business wants a second approver for them.
	Approvals *approval.Service
}

// manager is the caller, who must be allowed to manage.
func manager(c echo.Context) (actor.Actor, error) {
	who := access.Actor(c)
	return who, who.May(actor.Manage)
}

// managed is manager with the id of the address.
func managed(c echo.Context) (actor.Actor, uuid.UUID, error) {
	who, err := manager(c)
	if err != nil {
		return who, uuid.Nil, err
	}
	id, err := kit.ID(c, "id")
	if err != nil {
		return who, id, err
	}
	return who, id, nil
}

// find is managed with the webhook that it names.
func (h *Webhooks) find(c echo.Context) (actor.Actor, webhook.Webhook, error) {
	who, id, err := managed(c)
	if err != nil {
		return who, webhook.Webhook{}, err
	}
	w, err := h.Service.Get(c.Request().Context(), who, id)
	return who, w, err
}

func (h *Webhooks) ShowIn(c echo.Context, status int, title string, page func(layout.Frame) templ.Component) error {
	return h.Desk.ShowIn(c, status, title, words.Developers, page)
}

func (h *Webhooks) list() kit.Shown {
	now := h.Desk.Now()
	return &kit.List[webhook.Webhook, struct{}]{
		Desk: h.Desk, Path: words.WebhooksPath, Active: words.Developers, One: "webhook",
		Card: components.Card{Title: "Endpoints"},
		Head: components.PageHead{Title: "Webhooks", Sub: "Addresses of your programs that are told what happens.",
			Primary: components.Button{Label: "New webhook", Icon: "plus", Href: words.WebhooksPath + "/new"}},
		Query: func(ctx context.Context, who actor.Actor, _ struct{}, ask paging.Ask) (paging.Page[webhook.Webhook], error) {
			return h.Service.List(ctx, who, ask)
		},
		ID: func(w webhook.Webhook) uuid.UUID { return w.ID },
		Columns: []kit.Column[webhook.Webhook]{
			kit.ColumnOf("Title", func(w webhook.Webhook) components.Cell {
				return components.Cell{Text: w.Title, Href: words.WebhookPath(w.ID), Second: w.ShownCallback(),
					Small: "wrap-anywhere"}
			}),
			kit.ColumnOf("Health", func(w webhook.Webhook) components.Cell {
				cell := components.Cell{Pill: healthPill(w, now, !h.Desk.Sandbox)}
				if !w.FailingSince.IsZero() {
					cell.Second = words.FailingWords(w, now)
				}
				return cell
			}),
			kit.TextColumn("Events", 0, chosenWords).InOneLine(),
			kit.ColumnOf("Last accepted", func(w webhook.Webhook) components.Cell {
				return components.Cell{Time: words.Ago(w.LastOKAt, now), Blank: "never"}
			}).Zoned(),
		},
		Empty: components.Empty{
			Icon:  "bell",
			Title: "No webhook yet",
			Text: "Add the address of a program, and it is told, signed and in order, " +
				"when a purchase is paid, fails or is disputed.",
		},
	}
}

// List serves GET /developers/webhooks.
func (h *Webhooks) List(c echo.Context) error {
	who, err := manager(c)
	if err != nil {
		return err
	}
	ctx, now := c.Request().Context(), h.Desk.Now()
	list, err := h.list().View(c)
	if err != nil {
		return err
	}
	if kit.FragmentFor(c, "results") {
		return html.Send(c, http.StatusOK, pages.ListResults(list))
	}
	failing, err := h.Service.Failing(ctx, who.MerchantID)
	if err != nil {
		return err
	}
	key, err := h.Service.CompanyKey(ctx, who)
	if err != nil {
		return err
	}
	view := pages.WebhooksView{List: list, CompanyKey: strings.TrimSpace(key)}
	if view.Pending, err = kit.PendingSettings(ctx, h.Approvals, who, func(t approval.Setting) bool {
		return t.Brand == uuid.Nil
	}); err != nil {
		return err
	}
	for _, w := range failing {
		view.Failing = append(view.Failing, components.Link{Text: "“" + w.Title + "” has been " + words.FailingWords(w, now) +
			" in a row.", Href: words.WebhookPath(w.ID)})
	}
	return h.ShowIn(c, http.StatusOK, "Webhooks", func(f layout.Frame) templ.Component { return pages.Webhooks(f, view) })
}

// New serves GET /developers/webhooks/new.
func (h *Webhooks) New(c echo.Context) error {
	if _, err := manager(c); err != nil {
		return err
	}
	return h.form(c, http.StatusOK, uuid.Nil, webhook.Input{AllEvents: true}, nil)
}

// Create serves POST /developers/webhooks.
func (h *Webhooks) Create(c echo.Context) error {
	who, err := manager(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	in := webhookInput(form)
	made, err := h.Service.Create(c.Request().Context(), who, in)
	if fault.HasCode(err, "approval_needed") {
		return h.askSecond(c, approval.Setting{Do: approval.AddWebhook, Webhook: asked(in)}, form, words.WebhooksPath)
	}
	if _, _, ok := kit.Problems(err); ok {
		return h.form(c, http.StatusUnprocessableEntity, uuid.Nil, in, err)
	}
	if err != nil {
		return err
	}
	return h.on(c, words.WebhookPath(made.ID), "Webhook added. Send a test delivery to see that it answers.")
}

// Edit serves GET /developers/webhooks/{id}/edit.
func (h *Webhooks) Edit(c echo.Context) error {
	_, w, err := h.find(c)
	if err != nil {
		return err
	}
	return h.form(c, http.StatusOK, w.ID, webhook.Input{Title: w.Title, Callback: w.ShownCallback(),
		AllEvents: w.AllEvents, Events: w.Events}, nil)
}

// Update serves POST /developers/webhooks/{id}.
func (h *Webhooks) Update(c echo.Context) error {
	who, id, err := managed(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	in := webhookInput(form)
	_, err = h.Service.Update(c.Request().Context(), who, id, func(now *webhook.Input) { *now = in })
	if fault.HasCode(err, "approval_needed") {
		return h.askSecond(c, approval.Setting{Do: approval.ChangeWebhook, ID: id, Webhook: asked(in)}, form,
			words.WebhookPath(id))
	}
	if _, _, ok := kit.Problems(err); ok {
		return h.form(c, http.StatusUnprocessableEntity, id, in, err)
	}
	if err != nil {
		return err
	}
	return h.on(c, words.WebhookPath(id), "Webhook saved.")
}

// askSecond asks a second approver for a change of a webhook.
func (h *Webhooks) askSecond(c echo.Context, t approval.Setting, form url.Values, back string) error {
	return h.Desk.AskSetting(c, h.Approvals, t, form, words.Developers, components.Link{Text: "Back", Href: back})
}

func asked(in webhook.Input) *approval.WebhookInput {
	return &approval.WebhookInput{Title: in.Title, Callback: in.Callback, AllEvents: in.AllEvents, Events: in.Events}
}

// webhookInput reads the form. Boxes that were ticked before "all events" was
// chosen do not count.
func webhookInput(form url.Values) webhook.Input {
	in := webhook.Input{Title: strings.TrimSpace(form.Get("title")), Callback: strings.TrimSpace(form.Get("callback")),
		AllEvents: form.Get("which") == "all"}
	if !in.AllEvents {
		in.Events = slices.Clone(form["events"])
	}
	return in
}

// missingWords say what an empty field wants, rather than that it is required.
var missingWords = map[string]string{"title": "Enter a title.", "callback": "Enter the address."}

func (h *Webhooks) form(c echo.Context, status int, id uuid.UUID, in webhook.Input, wrong error) error {
	byInput, summary, _ := kit.Problems(wrong)
	for i := range summary {
		if words := missingWords[summary[i].Field]; words != "" && summary[i].Text == "This field is required." {
			summary[i].Text, byInput[summary[i].Field] = words, words
		}
		// The choice between all and some stands for both.
		if summary[i].Field == "all_events" || summary[i].Field == "events" {
			summary[i].Field = "which"
		}
	}
	which := "some"
	if in.AllEvents {
		which = "all"
	}
	view := pages.WebhookFormView{Problems: components.ErrorSummary{Items: summary}, Action: words.WebhooksPath,
		Heading: "New webhook", Button: "Add webhook", BackText: "Webhooks", CancelHref: words.WebhooksPath,
		Title: components.Field{Label: "Title", Name: "title", Value: in.Title, Error: byInput["title"], Required: true,
			MaxLength: 100, Width: "l", Hint: "The program that listens, such as “Accounting”."},
		Callback: components.Field{Label: "Address", Name: "callback", Type: "url", Value: in.Callback,
			Error: byInput["callback"], Required: true, MaxLength: 500, InputMode: "url",
			Placeholder: "https://", Hint: h.addressHint()},
		Which: components.RadioCards{Legend: "Events it receives", Name: "which", Value: which, Required: true, Columns: true,
			Error: cmp.Or(byInput["events"], cmp.Or(byInput["all_events"], byInput[fault.All])),
			Options: []components.RadioCard{
				{Value: "all", Title: "All events", Text: "Including those that are added later.", Icon: "bell"},
				{Value: "some", Title: "Chosen events", Text: "Those that are ticked below.", Icon: "filter"},
			}},
		Groups: groupsOf(in.Events),
	}
	if id != uuid.Nil {
		view.Action, view.Heading, view.Button = words.WebhookPath(id), "Change webhook", "Save webhook"
		view.BackText, view.CancelHref = "Webhook", words.WebhookPath(id)
	}
	return h.ShowIn(c, status, view.Heading, func(f layout.Frame) templ.Component { return pages.WebhookForm(f, view) })
}

func (h *Webhooks) addressHint() string {
	if h.Desk.Sandbox {
		return "Events are posted here. In the sandbox an address on this machine, http://localhost:…, works as well."
	}
	return "Events are posted here."
}

// on leads to a page that greets with a message.
func (h *Webhooks) on(c echo.Context, to, text string) error {
	return access.RedirectWithFlash(c, "ok", text, to)
}
