package books

import (
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/words"
	"debitdesk/models/discrepancy"
	"debitdesk/models/journal"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// causes adds what would explain a difference of the amount that the list was asked for.
func (h *Books) causes(c echo.Context, f journal.Filter, v *pages.BookEntriesView) error {
	found, all, err := h.Journal.Causes(c.Request().Context(), access.Actor(c), f)
	if err != nil {
		return err
	}
	v.CausesOf = "if your package differs by this amount from the entries chosen here"
	if !all {
		v.CausesOf = "among the newest " + plural.Number(discrepancy.MostItems) + " entries; choose days to look at others"
	}
	for _, cause := range found {
		one := pages.Cause{Title: cause.Title(), Evidence: cause.Against(f.Currency)}
		for _, i := range cause.Items {
			link := components.Link{Text: "Open " + i.Name}
			switch {
			case i.RecordID != uuid.Nil:
				link.Href = recordPath(i.RecordID)
			case i.PurchaseID != uuid.Nil:
				link.Href = words.PurchasePath(i.PurchaseID)
			default:
				continue
			}
			one.Links = append(one.Links, link)
		}
		v.Causes = append(v.Causes, one)
	}
	return nil
}
