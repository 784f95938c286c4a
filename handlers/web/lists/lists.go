// Package lists takes what people choose for lists: columns and rows of a page, and the views that they save.
package lists

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/fault"
	"debitdesk/models/listview"
	"debitdesk/views/layout"
)

// Lists serves /lists.
type Lists struct {
	Desk    *kit.Desk
	Service *listview.Service
	Exports *kit.Exports // whose lists are counted
}

// sources are the lists that are counted beside a pinned view, by their address.
var sources = map[string]string{"/clients": "clients", "/purchases": "purchases", "/invoices": "invoices",
	"/tokens": "tokens", "/mandates": "mandates", "/audit": "audit entries", "/developers/events": "events"}

var (
	aList     = regexp.MustCompile(`^/[a-z]+(/[a-z-]+)*$`)
	aColumn   = regexp.MustCompile(`^[^,\s]{1,60}$`)
	mostOfOne = 60 // columns of a list
)

// form reads what every form about a list holds: which list, and the address to go back to.
func form(c echo.Context) (values url.Values, list string, back url.Values, err error) {
	if values, err = kit.FormOf(c); err != nil {
		return nil, "", nil, err
	}
	list = values.Get("list")
	back, err = url.ParseQuery(values.Get("back"))
	if err != nil || !aList.MatchString(list) || len(list) > 60 {
		return nil, "", nil, fault.Missing()
	}
	return values, list, back, nil
}

// Choose serves POST /lists/settings. With a saved view in front of the person the columns are chosen for what is
// looked at, and saved when they replace the view.
func (h *Lists) Choose(c echo.Context) error {
	values, list, back, err := form(c)
	if err != nil {
		return err
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	chosen, _, err := h.Service.Of(ctx, who, list)
	if err != nil {
		return err
	}
	chosen.List = list
	columns := columnsOf(values)
	back.Del("columns")
	moved := values.Get("up") != "" || values.Get("down") != ""
	switch {
	case values.Has("reset"):
		chosen.Columns, chosen.Compact, chosen.PageRows = nil, false, 0
	case back.Get("view") != "":
		back.Set("columns", strings.Join(columns, ","))
	default:
		chosen.Columns = columns
	}
	if !values.Has("reset") {
		chosen.Compact = values.Get("density") == "compact"
		if n, err := strconv.Atoi(values.Get("rows")); err == nil && slices.Contains(kit.PageSizes, n) {
			chosen.PageRows = n
		}
	}
	if err := h.Service.Choose(ctx, who, chosen); err != nil {
		return err
	}
	if moved {
		back.Set("display", "open")
	}
	return c.Redirect(http.StatusSeeOther, kit.Address(list, back))
}

// columnsOf are the columns that are ticked, in their order, after the one that a button moves.
func columnsOf(values url.Values) (columns []string) {
	var order []string
	for _, key := range values["order"] {
		if aColumn.MatchString(key) && !slices.Contains(order, key) && len(order) < mostOfOne {
			order = append(order, key)
		}
	}
	for name, step := range map[string]int{"up": -1, "down": 1} {
		at := slices.Index(order, values.Get(name))
		if to := at + step; at >= 0 && to >= 0 && to < len(order) {
			order[at], order[to] = order[to], order[at]
		}
	}
	for _, key := range order {
		if slices.Contains(values["shown"], key) {
			columns = append(columns, key)
		}
	}
	return columns
}

// Save serves POST /lists/views.
func (h *Lists) Save(c echo.Context) error {
	values, list, back, err := form(c)
	if err != nil {
		return err
	}
	err = kit.Once(c, h.Desk, values.Get(kit.FormKeyName), func(ctx context.Context) (listview.View, error) {
		return h.Service.Save(
			ctx,
			access.Actor(c),
			listview.View{List: list, Name: values.Get("name"), Query: kit.ViewQuery(values.Get("query")),
				Shared: values.Get("shared") != ""},
		)
	}, kit.ViewHref)
	return refused(c, err, kit.Address(list, back))
}

// refused leads back with what is wrong, where that is for the person to know.
func refused(c echo.Context, err error, back string) error {
	if !kit.MayShow(err) {
		return err
	}
	if err := kit.Tell(c, "warn", err.Error(), ""); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, back)
}

// change runs an act on the view of the address, and leads to it.
func (h *Lists) change(
	c echo.Context,
	act func(ctx context.Context, id uuid.UUID, values url.Values) (listview.View, error),
	told func(listview.View) (text, undo, to string),
) error {
	values, list, back, err := form(c)
	if err != nil {
		return err
	}
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	v, err := act(c.Request().Context(), id, values)
	if err != nil {
		return refused(c, err, kit.Address(list, back))
	}
	text, undo, to := told(v)
	if err := kit.Tell(c, "ok", text, undo); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// Change serves POST /lists/views/:id: another name, shared or not.
func (h *Lists) Change(c echo.Context) error {
	return h.change(c, func(ctx context.Context, id uuid.UUID, values url.Values) (listview.View, error) {
		return h.Service.Change(ctx, access.Actor(c), id, values.Get("name"), values.Get("shared") != "")
	}, func(v listview.View) (string, string, string) {
		return "The view " + v.Name + " was saved.", "", kit.ViewHref(v)
	})
}

// Replace serves POST /lists/views/:id/replacement.
func (h *Lists) Replace(c echo.Context) error {
	return h.change(c, func(ctx context.Context, id uuid.UUID, values url.Values) (listview.View, error) {
		return h.Service.Replace(ctx, access.Actor(c), id, kit.ViewQuery(values.Get("query")))
	}, func(v listview.View) (string, string, string) {
		return "The view " + v.Name + " was replaced.", "", kit.ViewHref(v)
	})
}

// Delete serves POST /lists/views/:id/deletion.
func (h *Lists) Delete(c echo.Context) error {
	return h.change(c, func(ctx context.Context, id uuid.UUID, _ url.Values) (listview.View, error) {
		return h.Service.Delete(ctx, access.Actor(c), id)
	}, func(v listview.View) (string, string, string) {
		return "The view " + v.Name + " was deleted.", "/lists/views/" + v.ID.String() + "/restoration", v.List
	})
}

// Restore serves POST /lists/views/:id/restoration, which the button Undo posts to.
func (h *Lists) Restore(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	v, err := h.Service.Restore(c.Request().Context(), access.Actor(c), id)
	if err != nil {
		return err
	}
	if err := kit.Tell(c, "ok", "The view "+v.Name+" is back.", ""); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, kit.ViewHref(v))
}

// Pin serves POST /lists/views/:id/pin.
func (h *Lists) Pin(c echo.Context) error {
	values, list, back, err := form(c)
	if err != nil {
		return err
	}
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	err = h.Service.Pin(c.Request().Context(), access.Actor(c), id, values.Get("pinned") != "")
	if err == nil {
		return c.Redirect(http.StatusSeeOther, kit.Address(list, back))
	}
	return refused(c, err, kit.Address(list, back))
}

// Count serves GET /lists/views/:id/count: what stands beside a pinned view in the menu. Without a script it leads to
// the view.
func (h *Lists) Count(c echo.Context) error {
	id, err := kit.ID(c, "id")
	if err != nil {
		return err
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	views, err := h.Service.Pinned(ctx, who)
	if err != nil {
		return err
	}
	n := slices.IndexFunc(views, func(v listview.Listed) bool { return v.ID == id })
	if n < 0 {
		return fault.Missing()
	}
	if c.Request().Header.Get("HX-Request") == "" {
		return c.Redirect(http.StatusSeeOther, kit.ViewHref(views[n].View))
	}
	text := ""
	if source := h.Exports.Lists[sources[views[n].List]]; source.Open != nil && who.May(source.Needs) == nil {
		list, err := source.Open(ctx, who, "")
		if err != nil {
			return err
		}
		if text, err = list.CountOf(ctx, who, views[n].Query); err != nil {
			return err
		}
	}
	return html.Send(c, http.StatusOK, layout.PinCount(text))
}
