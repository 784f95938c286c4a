package clients

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/followup"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/report"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// followUp adds what the client owes, what is next, and what was written down about it.
func (h *Clients) followUp(c echo.Context, one client.Client, view *pages.ClientView, typed url.Values, wrong error) error {
	ctx, who, now := c.Request().Context(), access.Actor(c), h.Desk.Now()
	a, err := h.Reports.ClientAccount(ctx, who, one.ID)
	if err != nil {
		return err
	}
	sum := func(label string, s money.Sum, note string) components.Fact {
		return components.Fact{Label: label, Value: words.JoinedWords(" ", words.SumOf(s, money.ZAR), note)}
	}
	view.Account = components.Facts{Items: []components.Fact{sum("Owed", a.Owed, ""), sum("Of it failed or overdue", a.Overdue, ""),
		sum("Paid", a.Paid, ""), sum("Of it provisional", a.Provisional, "")}}
	if a.Older {
		view.AccountNote = "Of the newest 200 purchases."
	}
	for _, p := range a.Planned {
		text := "Debit on " + words.SayDay(p.ActionDate, now)
		if p.SubmitAt.After(now) {
			text += ", cut-off " + words.Moment(p.SubmitAt).Text
		}
		view.Next = append(view.Next, pages.NextLine{Text: text, Href: words.PurchasePath(p.ID), Reference: p.Reference,
			Sum: words.Sum(p.TotalCents, p.Currency)})
	}
	promises, err := h.Followups.Store.PromisesOf(ctx, who.MerchantID, one.ID, kit.BesideRows)
	if err != nil {
		return err
	}
	today := calendar.DateOf(now)
	for _, p := range promises {
		line := pages.NextLine{Text: "Promised for " + words.SayDay(p.DueOn, now), Sum: words.Sum(p.AmountCents, p.Currency),
			Reference: promiseWords[p.Standing(today)]}
		if p.PurchaseID != uuid.Nil {
			line.Href = words.PurchasePath(p.PurchaseID)
		}
		if p.Standing(today) == followup.Open {
			view.Next = append(view.Next, line)
		} else {
			view.Promises = append(view.Promises, line)
		}
	}
	view.Primary = h.primary(ctx, who, one, a)
	notes, err := h.Followups.Store.NotesOfClient(ctx, who.MerchantID, one.ID, paging.Ask{Limit: kit.BesideRows})
	if err != nil {
		return err
	}
	view.Notes = kit.NotesTimeline(notes.Items)
	view.NotesHref = words.ClientHref(one.ID)
	if do := typed.Get("do"); who.Can(actor.Write) && !one.Erased() && (do == "note" || do == "call" || do == "promise") {
		view.Form = kit.FollowupForm(do, typed, wrong, one.Phone, 0, now)
		view.Form.Action = words.ClientHref(one.ID) + "/notes"
	}
	return nil
}

var promiseWords = map[followup.PromiseState]string{followup.Open: "open", followup.Kept: "kept", followup.Broken: "broken",
	followup.Withdrawn: "withdrawn"}

// primary is what most likely comes next for a client.
func (h *Clients) primary(ctx context.Context, who actor.Actor, one client.Client, a report.ClientAccount) components.Button {
	switch live, err := h.Tokens(ctx, who.MerchantID, one.ID); {
	case one.Erased() || err != nil:
		return components.Button{}
	case a.Failed != nil:
		return components.Button{Label: "Look at the failed debit", Icon: "alert", Href: words.PurchasePath(a.Failed.ID)}
	case live == 0:
		return components.Button{Label: "Store a bank account", Icon: "bank", Href: words.ClientHref(one.ID) + "/accounts/new", Changes: true}
	}
	return components.Button{Label: "New purchase", Icon: "plus", Href: "/purchases/new?client=" + one.ID.String(), Changes: true}
}

// Note serves POST /clients/:id/notes: a note, a call or a promise to pay.
func (h *Clients) Note(c echo.Context) error {
	one, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	about, who := followup.Object{Type: followup.Client, ID: one.ID}, access.Actor(c)
	err = kit.Once(c, h.Desk, form.Get(kit.FormKeyName), func(ctx context.Context) (done any, err error) {
		var said string
		if form.Get("do") == "promise" {
			done, said, err = kit.WritePromise(ctx, h.Followups, who, about, form, h.Desk.Now())
		} else {
			done, said, err = kit.WriteFollowup(ctx, h.Followups, who, []followup.Object{about}, form)
		}
		if err != nil {
			return done, err
		}
		return done, access.AddFlash(c, "ok", said)
	}, func(any) string { return words.ClientHref(one.ID) + "#notes" })
	if _, _, shape := kit.Problems(err); shape {
		return h.pageWith(c, http.StatusUnprocessableEntity, one, nil, form, err)
	}
	return err
}

// timelineParts are what the time line of a client can be narrowed to, by the beginnings of actions.
var timelineParts = []struct {
	key, label string
	actions    []string
}{{"", "All", nil}, {"money", "Money", []string{"purchase.", "collection.", "refund.", "batch."}},
	{"messages", "Messages", []string{"mail.", "invoice.", "followup.noted", "followup.called"}},
	{"people", "People", nil}}

// narrowed are the entries of a part of the time line; of people: what people did.
func narrowed(entries []audit.Entry, part string) (out []audit.Entry) {
	for _, e := range entries {
		fits := part == "" || part == "people" && e.Actor.Kind == actor.User
		for _, p := range timelineParts {
			for _, action := range p.actions {
				fits = fits || p.key == part && strings.HasPrefix(e.Action, action)
			}
		}
		if fits {
			out = append(out, e)
		}
	}
	return out
}
