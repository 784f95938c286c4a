package kit

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"debitdesk/handlers/html"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// PeekFor tells whether a list asks for a page to show it beside the rows. The page then answers with ShowPeek; to
// everybody else the same address is the whole page.
func PeekFor(c echo.Context) bool { return FragmentFor(c, "peek") }

// ShowPeek answers with what a list shows of one row beside it.
func ShowPeek(c echo.Context, v components.Peek) error {
	v.Href = c.Request().URL.Path
	return html.Send(c, http.StatusOK, components.PeekPanel(v))
}

// ActButtons are the acts of a page that are possible now, as a panel beside a list shows them.
func ActButtons(acts []pages.Act) (out []components.Button) {
	for _, a := range acts {
		if a.Why == "" {
			out = append(out, components.Button{Label: a.Label, Icon: a.Icon, Href: a.Href, Small: true, Changes: true})
		}
	}
	return out
}

// MenuButtons are the acts of a menu that are possible now.
func MenuButtons(items []components.MenuItem) (out []components.Button) {
	for _, i := range items {
		if i.Why == "" && i.Href != "" {
			out = append(out, components.Button{Label: i.Label, Icon: i.Icon, Href: i.Href, Small: true, Changes: i.Changes})
		}
	}
	return out
}

// peekable lets the page of each row be looked at beside the list.
func (r *List[T, F]) peekable(v *pages.ListView) {
	if !r.Peeks {
		return
	}
	for i := range v.Table.Rows {
		for _, cell := range v.Table.Rows[i].Cells {
			if cell.Href != "" {
				v.Table.Rows[i].Peek = cell.Href
				break
			}
		}
	}
	v.Peeks = true
}
