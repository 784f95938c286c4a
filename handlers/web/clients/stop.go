package clients

import (
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/client"
	"debitdesk/models/clientstop"
	"debitdesk/models/fault"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

func stopPath(id uuid.UUID) string { return words.ClientHref(id) + "/stop" }

func resumePath(id uuid.UUID) string { return words.ClientHref(id) + "/resumption" }

// stopItem is the act in the client's menu: to stop everything, or to undo that.
func stopItem(who actor.Actor, one client.Client) []components.MenuItem {
	switch {
	case !one.StoppedAt.IsZero() && who.Can(actor.Approve):
		return []components.MenuItem{{Label: "Undo the stop…", Icon: "undo", Href: resumePath(one.ID)}}
	case one.StoppedAt.IsZero() && who.Can(actor.Write):
		return []components.MenuItem{{Label: "Stop everything…", Icon: "x", Href: stopPath(one.ID), Danger: true}}
	}
	return nil
}

// stopOn says on a client's page that everything is stopped, or that it was asked for.
func (h *Clients) stopOn(c echo.Context, one client.Client, view *pages.ClientView) error {
	ctx, who := c.Request().Context(), access.Actor(c)
	if one.Erased() {
		return nil
	}
	if one.StoppedAt.IsZero() && !one.ParkedAt.IsZero() {
		return h.parkedOn(c, one, view)
	}
	if one.StoppedAt.IsZero() {
		a, waits, err := h.Approvals.StopOf(ctx, who, one.ID)
		if waits && err == nil {
			view.Stopped = &pages.StoppedView{Note: components.Note{Kind: "warn", Title: "Asked: stop everything",
				Text: a.AskedName + " asked for it: “" + a.Reason + "” Nothing is stopped before an admin or finance confirms."},
				Link: components.Link{Text: "View the request", Href: words.ApprovalPath(a.ID)}}
		}
		return err
	}
	stop, found, err := h.Stops.StandingStop(ctx, who, one.ID)
	if err != nil || !found {
		return err
	}
	text := "Stopped by " + stop.AskedName
	if stop.Approver != "" {
		text += ", confirmed by " + stop.Approver
	}
	text += ", on " + words.SayMinute(stop.CreatedAt, h.Desk.Now()) + ": “" + stop.Reason +
		"” Subscriptions are paused, tokens are held, and new debits are refused."
	view.Stopped = &pages.StoppedView{Note: components.Note{Kind: "bad", Title: "All debits of this client are stopped",
		Text: text}}
	if who.Can(actor.Approve) {
		view.Stopped.Link = components.Link{Text: "Undo the stop…", Href: resumePath(one.ID)}
	} else {
		view.Stopped.Note.Text += " An admin or finance can undo it."
	}
	return nil
}

// parkedOn says on a client's page that nothing is debited until the group of an import is switched on.
func (h *Clients) parkedOn(c echo.Context, one client.Client, view *pages.ClientView) error {
	i, group, err := h.ImportOf(c.Request().Context(), one.MerchantID, one.ID)
	if err != nil {
		return err
	}
	view.Stopped = &pages.StoppedView{Note: components.Note{Kind: "warn", Title: "Parked",
		Text: "This client came in with the import " + i.Name + ". Nothing is debited until the group “" + group +
			"” is switched on."}, Link: components.Link{Text: "See the import", Href: "/imports/" + i.ID.String()}}
	return nil
}

// AskStop serves GET /clients/:id/stop: what stops, and what is still debited.
func (h *Clients) AskStop(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	return h.askStop(c, one, nil, nil)
}

func (h *Clients) askStop(c echo.Context, one client.Client, form url.Values, refused error) error {
	who := access.Actor(c)
	halt, err := h.Stops.HaltOf(c.Request().Context(), who, one.ID)
	if err != nil {
		return err
	}
	byInput, summary, byField := kit.Problems(refused)
	view := pages.ActView{Title: "Stop everything", Problems: components.ErrorSummary{Items: summary},
		Back: components.Link{Text: one.Name(), Href: words.ClientHref(one.ID)},
		Question: components.Confirm{ID: "stop", Title: "Stop everything that is debited from " + one.Name() + "?",
			Text:   "It happens at once, all together, and can be undone on the client’s page.",
			Action: stopPath(one.ID), CancelHref: words.ClientHref(one.ID), Button: "Stop everything",
			Breaks: halt.Lines(), Fields: []components.Pair{{Name: "seen", Value: halt.Digest()}}},
		Lines: &components.Textarea{Label: "Reason", Name: "reason", Value: form.Get("reason"), Error: byInput["reason"],
			Required: true, Rows: 3, MaxLength: 1000, Hint: "Colleagues see it on the client’s page. The client does not."}}
	if refused != nil && !byField {
		view.Problems.Items = []components.ErrorItem{{Text: refused.Error()}}
	}
	if !who.Can(actor.Approve) {
		view.Question.Text = "An admin or finance has to confirm it: they get a mail, and nothing stops before that. " +
			"If they confirm, this happens:"
		view.Question.Button, view.Question.Safe = "Ask to stop everything", true
	}
	switch {
	case one.Erased():
		view.Blocked = "The personal data of this client was erased; nothing is debited."
	case !one.StoppedAt.IsZero():
		view.Blocked = "The debits of this client are already stopped."
	}
	return h.Desk.ShowIn(c, kit.StatusOf(refused), view.Title, clientsSection,
		func(f layout.Frame) templ.Component { return pages.AskAct(f, view) })
}

// Stop serves POST /clients/:id/stop. Who may confirm a stop does it at once; others ask for it.
func (h *Clients) Stop(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	if !who.Can(actor.Approve) {
		a, err := h.Approvals.Ask(ctx, who, approval.StopClient, approval.Subject{Client: one.ID,
			Totals: approval.Totals{Digest: form.Get("seen")}}, form.Get("reason"))
		switch {
		case kit.MayShow(err):
			return h.askStop(c, one, form, err)
		case err != nil:
			return err
		}
		return access.RedirectWithFlash(c, "ok", "You asked to stop everything. Everyone who can confirm it gets a mail.",
			words.ApprovalPath(a.ID))
	}
	_, err = h.Stops.StopClient(ctx, who, clientstop.StopInput{ClientID: one.ID, Reason: form.Get("reason"),
		Seen: form.Get("seen")})
	switch {
	case kit.MayShow(err):
		return h.askStop(c, one, form, err)
	case err != nil:
		return err
	}
	return access.RedirectWithFlash(c, "ok", "All debits of "+one.Name()+" are stopped.", words.ClientHref(one.ID))
}

// AskResume serves GET /clients/:id/resumption: what comes back, and what does not.
func (h *Clients) AskResume(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	return h.askResume(c, http.StatusOK, one, nil)
}

func (h *Clients) askResume(c echo.Context, status int, one client.Client, refused error) error {
	undo, err := h.Stops.UndoOf(c.Request().Context(), access.Actor(c), one.ID)
	if err != nil && !fault.HasCode(err, "nothing_stopped") {
		return err
	}
	view := pages.ActView{Title: "Undo the stop", Back: components.Link{Text: one.Name(), Href: words.ClientHref(one.ID)},
		Question: components.Confirm{ID: "resume", Title: "Undo the stop of " + one.Name() + "?",
			Text:   "Everything comes back that has not been changed since the stop:",
			Action: resumePath(one.ID), CancelHref: words.ClientHref(one.ID), Button: "Undo the stop", Safe: true,
			Breaks: undo.Lines(), Fields: []components.Pair{{Name: "stop", Value: undo.Stop.ID.String()}}}}
	if err != nil {
		view.Blocked = err.Error()
	}
	if refused != nil {
		view.Problems.Items = []components.ErrorItem{{Text: refused.Error()}}
	}
	return h.Desk.ShowIn(c, status, view.Title, clientsSection,
		func(f layout.Frame) templ.Component { return pages.AskAct(f, view) })
}

// Resume serves POST /clients/:id/resumption.
func (h *Clients) Resume(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	seen, _ := uuid.Parse(form.Get("stop")) // what is no id was not shown
	_, err = h.Stops.ResumeClient(c.Request().Context(), access.Actor(c), one.ID, seen)
	switch {
	case kit.MayShow(err):
		return h.askResume(c, kit.StatusOf(err), one, err)
	case err != nil:
		return err
	}
	return access.RedirectWithFlash(c, "ok", "The stop is undone. "+one.Name()+" can be debited again.",
		words.ClientHref(one.ID))
}
