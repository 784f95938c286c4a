package kit

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/html"
	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/selection"
	"debitdesk/views/components"
)

// BackKey names the page of ours that led to an act and is gone back to.
const BackKey = "back"

// BackOf is such a page; empty for what is none.
func BackOf(text string) string {
	at, err := url.Parse(text)
	if err != nil || at.IsAbs() || at.Host != "" || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") ||
		strings.Contains(text, `\`) {
		return ""
	}
	return text
}

// actExport asks for a file of what was chosen, and is no act on it.
const actExport = "export"

// Selections serves /selections: which rows of a list a person chose.
type Selections struct {
	Service *selection.Service
	Lists   map[string]ExportSource // by their names
	// ActHref is the page of an act on a selection.
	ActHref func(sel selection.Selection, act string) string
}

// Choose serves POST /selections, the form over every list whose rows can be chosen: it keeps what is ticked, and
// goes on to the act that was pressed, or back to the list. A script gets the bar alone.
func (x *Selections) Choose(c echo.Context) error {
	form, err := FormOf(c)
	if err != nil {
		return err
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	list, query, err := x.open(ctx, who, form.Get("list"), form.Get("of"), form.Get("query"))
	if err != nil {
		return err
	}
	back := BackOf(form.Get(BackKey))
	sel, err := x.choose(ctx, who, list, query, form)
	if FragmentFor(c, "selection") {
		if err != nil {
			return err
		}
		return html.Send(c, http.StatusOK, components.ChosenText(list.chosenWords(sel), sel.ID.String()))
	}
	switch {
	case MayShow(err):
		return access.RedirectWithFlash(c, "bad", err.Error(), cmp.Or(back, list.address(query)))
	case err != nil:
		return err
	}
	to := x.next(list, query, sel, form.Get("act"), form.Get("next"), form.Get(columnsKey))
	if back != "" && form.Get("act") != "" && !strings.Contains(to, "?") {
		to = Address(to, url.Values{BackKey: {back}})
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// open finds the list again. The name of a list in which nothing can be chosen is not known.
func (x *Selections) open(ctx context.Context, who actor.Actor, name, of, query string) (choosable, url.Values, error) {
	values, err := url.ParseQuery(query)
	source, known := x.Lists[name]
	if err != nil || !known {
		return nil, nil, fault.Missing()
	}
	if err := who.May(source.Needs); err != nil {
		return nil, nil, err
	}
	opened, err := source.Open(ctx, who, of)
	if err != nil {
		return nil, nil, err
	}
	list, can := opened.(choosable)
	if !can || !list.can() {
		return nil, nil, fault.Missing()
	}
	values.Del(SelectionKey)
	return list, values, nil
}

// choose keeps what the form says: all that match, what is ticked on the page, or a change of what was chosen before.
func (x *Selections) choose(ctx context.Context, who actor.Actor, list choosable, query url.Values,
	form url.Values) (sel selection.Selection, err error) {
	ticked, err := idsOf(form["id"])
	if err != nil {
		return sel, err
	}
	if text := form.Get(SelectionKey); text != "" {
		id, err := uuid.Parse(text)
		if err != nil {
			return sel, fault.Missing()
		}
		return x.change(ctx, who, list, id, form, ticked)
	}
	moment := x.Service.Store.Now()
	var rows []selection.Row
	if form.Has("all") {
		rows, err = list.chooseAll(ctx, who, query)
	} else {
		rows, err = list.chooseThese(ctx, who, ticked)
	}
	if err != nil {
		return sel, err
	}
	if len(rows) == 0 {
		return sel, fault.New(fault.Conflict, "nothing_selected", "Nothing is selected. Tick some rows first.")
	}
	return x.Service.Keep(ctx, who, selection.Selection{List: form.Get("list"), Arg: form.Get("of"), Query: flat(query),
		Moment: moment, Rows: rows})
}

// change takes in what is ticked on the page, and out what is not.
func (x *Selections) change(ctx context.Context, who actor.Actor, list choosable, id uuid.UUID, form url.Values,
	ticked []uuid.UUID) (sel selection.Selection, err error) {
	shown, err := idsOf(strings.FieldsFunc(form.Get("shown"), func(r rune) bool { return r == ',' }))
	if err != nil {
		return sel, err
	}
	if sel, err = x.Service.Get(ctx, who, id); err != nil {
		return sel, err
	}
	had := sel.Among(append(shown, ticked...))
	on := map[uuid.UUID]bool{}
	var in, out []uuid.UUID
	for _, id := range ticked {
		if on[id] = true; !had[id] {
			in = append(in, id)
		}
	}
	for _, id := range shown {
		if had[id] && !on[id] {
			out = append(out, id)
		}
	}
	if len(in) == 0 && len(out) == 0 {
		return sel, nil
	}
	rows, err := list.chooseThese(ctx, who, in)
	if err != nil {
		return sel, err
	}
	return x.Service.Change(ctx, who, id, rows, out)
}

// next is where a form goes on: to the act, to another page of the list, or back to it with what was chosen.
func (x *Selections) next(list choosable, query url.Values, sel selection.Selection, act, page, columns string) string {
	switch {
	case strings.HasPrefix(act, actExport):
		file := url.Values{"format": {strings.TrimPrefix(strings.TrimPrefix(act, actExport), "-")},
			SelectionKey: {sel.ID.String()}}
		if file.Get("format") == "" {
			file.Set("format", "csv")
		}
		for name, values := range query {
			file[name] = values
		}
		if columns != "" && !file.Has(columnsKey) {
			file.Set(columnsKey, columns)
		}
		return Address(list.file(), file)
	case act != "":
		return x.ActHref(sel, act)
	case page != "" && strings.HasPrefix(page, list.address(nil)+"?"):
		return WithSelection(page, sel.ID.String())
	}
	return WithSelection(list.address(query), sel.ID.String())
}

func idsOf(texts []string) (ids []uuid.UUID, err error) {
	if len(texts) > selection.MaxRows {
		return nil, selection.TooMany()
	}
	for _, text := range texts {
		id, err := uuid.Parse(text)
		if err != nil {
			return nil, fault.Missing()
		}
		ids = append(ids, id)
	}
	return ids, nil
}
