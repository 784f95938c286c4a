package templates

import (
	"context"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/views/components"
)

// stranded are the active subscribers of all templates whose account cannot be charged.
func (h *Templates) stranded() kit.Shown {
	list := subscriberList(h, subscription.Template{})
	list.Path, list.Source, list.Choose = words.StrandedPath, StrandedList, h.chooseSubscribers(StrandedList)
	list.Head = components.PageHead{Title: "Subscribers without an account",
		Back: components.Link{Text: "Templates", Href: words.TemplatesPath},
		Sub:  "Their next period cannot be debited. Store their account again, or pause or remove them."}
	list.Card = components.Card{Title: "Subscribers"}
	list.Query = func(ctx context.Context, who actor.Actor, f subscription.SubscriberFilter,
		ask paging.Ask) (paging.Page[subscription.Subscriber], error) {
		f.NoAccount = true
		return h.Service.Subscribers(ctx, who, uuid.Nil, f, ask)
	}
	list.Count = func(ctx context.Context, who actor.Actor, f subscription.SubscriberFilter) (kit.Tally, error) {
		f.NoAccount = true
		n, err := h.Service.CountSubscribers(ctx, who, f)
		return kit.Tally{Found: kit.FoundUpTo(n, purchase.CountLimit)}, err
	}
	list.Empty = components.Empty{
		Icon:  "done",
		Title: "Every active subscriber has an account",
		Text: "Subscribers whose token was deleted, replaced or blocked show here until they have an account again, " +
			"or are paused or removed.",
	}
	return list
}

// WithoutAccount serves GET /templates/without-account.
func (h *Templates) WithoutAccount(c echo.Context) error { return h.stranded().Show(c) }

// ExportWithoutAccount serves GET /templates/without-account/export.
func (h *Templates) ExportWithoutAccount(c echo.Context) error { return h.stranded().Export(c) }

// StrandedList names the list among those that are exported in the background.
const StrandedList = "subscribers without an account"

// ExportedWithoutAccount is the list for exports in the background.
func (h *Templates) ExportedWithoutAccount() kit.Exportable { return h.stranded() }
