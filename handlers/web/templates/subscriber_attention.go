package templates

import (
	"cmp"
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

// concerned are the subscribers of all templates who need attention for one reason.
func (h *Templates) concerned(why subscription.Concern, path, source, title, sub string,
	none components.Empty) *kit.List[subscription.Subscriber, subscription.SubscriberFilter] {
	list := subscriberList(h, subscription.Template{})
	list.Path, list.Source, list.Choose = path, source, h.chooseSubscribers(source)
	list.Head = components.PageHead{Title: title, Sub: sub,
		Back: components.Link{Text: "Templates", Href: words.TemplatesPath}}
	list.Card, list.Empty = components.Card{Title: "Subscribers"}, none
	list.Query = func(ctx context.Context, who actor.Actor, f subscription.SubscriberFilter,
		ask paging.Ask) (paging.Page[subscription.Subscriber], error) {
		f.Concern = why
		return h.Service.Subscribers(ctx, who, uuid.Nil, f, ask)
	}
	list.Count = func(ctx context.Context, who actor.Actor, f subscription.SubscriberFilter) (kit.Tally, error) {
		f.Concern = why
		n, err := h.Service.CountSubscribers(ctx, who, f)
		return kit.Tally{Found: kit.FoundUpTo(n, purchase.CountLimit)}, err
	}
	return list
}

// stranded are the active subscribers whose account cannot be charged.
func (h *Templates) stranded() kit.Shown {
	return h.concerned(subscription.Stranded, words.StrandedPath, StrandedList, "Subscribers without an account",
		"Their next period cannot be debited. Store their account again, or pause or remove them.", components.Empty{
			Icon:  "done",
			Title: "Every active subscriber has an account",
			Text: "Subscribers whose token was deleted, replaced or blocked show here until they have an account again, " +
				"or are paused or removed.",
		})
}

// unfit are the active subscribers whose mandate does not allow the next period, with the reason.
func (h *Templates) unfit() kit.Shown {
	list := h.concerned(subscription.Unfit, words.UnfitPath, UnfitList, "Periods that the mandate does not allow",
		"Their next period cannot be debited. Change the price or the mandate, or pause or remove them.", components.Empty{
			Icon:  "done",
			Title: "Every mandate allows the next period",
			Text: "Subscribers whose price or dates do not fit their DebiCheck mandate show here until they agree, " +
				"or are paused or removed.",
		})
	why := kit.TextColumn("Why", 60, func(s subscription.Subscriber) string { return s.Unfit })
	list.Columns = append(list.Columns[:len(list.Columns):len(list.Columns)], why,
		kit.ActColumn(words.MakeFit, func(s subscription.Subscriber) string { return cmp.Or(s.ClientName, s.ClientEmail) },
			func(s subscription.Subscriber) string { return subscriberHref(s, "") }))
	return list
}

// WithoutAccount serves GET /templates/without-account.
func (h *Templates) WithoutAccount(c echo.Context) error { return h.stranded().Show(c) }

// ExportWithoutAccount serves GET /templates/without-account/export.
func (h *Templates) ExportWithoutAccount(c echo.Context) error { return h.stranded().Export(c) }

// NotAllowed serves GET /templates/not-allowed.
func (h *Templates) NotAllowed(c echo.Context) error { return h.unfit().Show(c) }

// ExportNotAllowed serves GET /templates/not-allowed/export.
func (h *Templates) ExportNotAllowed(c echo.Context) error { return h.unfit().Export(c) }

// StrandedList and UnfitList name the lists among those that are exported in the background.
const (
	StrandedList = "subscribers without an account"
	UnfitList    = "subscribers whose mandate does not allow a period"
)

// ExportedWithoutAccount and ExportedNotAllowed are the lists for exports in the background.
func (h *Templates) ExportedWithoutAccount() kit.Exportable { return h.stranded() }

func (h *Templates) ExportedNotAllowed() kit.Exportable { return h.unfit() }
