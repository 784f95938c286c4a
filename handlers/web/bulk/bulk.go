package bulk

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/audit"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/replay"
	"debitdesk/models/selection"
	"debitdesk/models/task"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// Bulk serves the acts on what was chosen in a list, and does them.
type Bulk struct {
	Desk       *kit.Desk
	Selections *selection.Service
	Tasks      *task.Service
	Acts       Acts
	Lists      map[string]Place // by their names
	Demands    func(ctx context.Context, merchantID uuid.UUID) (merchant.Demands, error)
	Approvals  *approval.Service
	// Hears of rows and tasks that failed for a reason of ours.
	Failed func(ctx context.Context, id uuid.UUID, err error)
}

// Place is where a list stands: its address, in which :of is what the list is of, and its entry of the menu.
type Place struct {
	Path, Active string
	// About gives for rows of the list what is acted on, such as the purchases of debits; nil: the rows themselves.
	About func(ctx context.Context, who actor.Actor, ids []uuid.UUID) (map[uuid.UUID]uuid.UUID, error)
}

// Href is the page of an act on a selection.
func Href(sel selection.Selection, act string) string {
	return "/selections/" + sel.ID.String() + "/" + act
}

// AtOnce is how many rows are done while the person waits; more of them go on in the background.
const AtOnce = 25

func (h *Bulk) find(c echo.Context) (sel selection.Selection, act Act, err error) {
	id, err := kit.ID(c, "id")
	if err != nil {
		return sel, act, err
	}
	who := access.Actor(c)
	if sel, err = h.Selections.Get(c.Request().Context(), who, id); err != nil {
		return sel, act, err
	}
	act, known := h.Acts.find(sel.List, c.Param("act"))
	if !known {
		return sel, act, fault.Missing()
	}
	return sel, act, who.May(act.Needs)
}

// Ask serves GET /selections/:id/:act: what would happen, before anything does.
func (h *Bulk) Ask(c echo.Context) error {
	sel, act, err := h.find(c)
	if err != nil {
		return err
	}
	if key := c.QueryParam("group"); key != "" {
		return h.rows(c, sel, act, key)
	}
	return h.show(c, sel, act, http.StatusOK, act.input(c.QueryParams()), nil, "")
}

func (h *Bulk) show(c echo.Context, sel selection.Selection, act Act, status int, in url.Values, wrong error,
	notice string) error {
	out, err := h.rehearse(c.Request().Context(), access.Actor(c), sel, act, in, nil)
	if err != nil {
		return err
	}
	v, err := h.view(c, sel, act, out, in, wrong)
	if err != nil {
		return err
	}
	if notice != "" {
		v.Notice = notice
	}
	return h.Desk.ShowIn(
		c,
		status,
		v.Title,
		h.Lists[sel.List].Active,
		func(f layout.Frame) templ.Component { return pages.Rehearsal(f, v) },
	)
}

// list is the list as it was looked at, with nothing selected.
func (h *Bulk) list(sel selection.Selection) string {
	query := url.Values{}
	for name, value := range sel.Query {
		query.Set(name, value)
	}
	return kit.Address(strings.ReplaceAll(h.Lists[sel.List].Path, ":of", sel.Arg), query)
}

// back is where the rows were chosen: another page that led here, or the list with what is selected in it.
func (h *Bulk) back(c echo.Context, sel selection.Selection) string {
	if page := kit.BackOf(c.FormValue(kit.BackKey)); page != "" {
		return page
	}
	return kit.WithSelection(h.list(sel), sel.ID.String())
}

// Do serves POST /selections/:id/:act. It does what the rehearsal showed, once; if that is not what would happen now,
// it shows the rehearsal again.
func (h *Bulk) Do(c echo.Context) error {
	sel, act, err := h.find(c)
	if err != nil {
		return err
	}
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	ctx, who, in := c.Request().Context(), access.Actor(c), act.input(form)
	key := h.once(who, sel, act, form.Get("seen"), in)
	switch to, err := kit.SentBefore(ctx, h.Desk.Replays, key); {
	case fault.Is(err, fault.Conflict):
		return h.show(c, sel, act, http.StatusConflict, in, nil,
			"This was done with this selection already. Select the rows again to do it once more.")
	case err != nil:
		return err
	case to != "":
		return c.Redirect(http.StatusSeeOther, to)
	}
	out, err := h.rehearse(ctx, who, sel, act, in, nil)
	if err != nil {
		return err
	}
	changed := out.digest != form.Get("seen") || out.all.n == 0
	if changed { // by the same button, pressed twice: the first was done while this one looked
		if to, err := kit.SentBefore(ctx, h.Desk.Replays, key); err == nil && to != "" {
			return c.Redirect(http.StatusSeeOther, to)
		}
	}
	if act.Check != nil && out.all.n > 0 {
		switch err := act.Check(ctx, who, out.one(), in); {
		case fault.Is(err, fault.Invalid):
			return h.show(c, sel, act, http.StatusUnprocessableEntity, in, err, "")
		case err != nil && !kit.MayShow(err) && !fault.Is(err, fault.NotFound): // that is told with the row
			return err
		}
	}
	if changed {
		return h.show(c, sel, act, http.StatusConflict, in, nil,
			"Something changed since you opened this page. Look at what would happen now.")
	}
	second, err := h.second(ctx, who, act, out)
	if err != nil {
		return h.refusedTogether(c, sel, act, in, err)
	}
	if typed := act.typed(out.all); typed.Word != "" && typed.Wrong(form) != "" {
		wrong := fault.At(typedInput, "required", "%s", typed.Wrong(form))
		return h.show(c, sel, act, http.StatusUnprocessableEntity, in, wrong, "")
	}
	if second {
		return h.askSecond(c, sel, act, in, out, form.Get("reason"))
	}
	to := ""
	if err := kit.OnceKeyed(ctx, h.Desk.Replays, key, func(ctx context.Context) (task.Task, error) {
		return h.ask(ctx, who, sel, act, in, out)
	}, func(t task.Task) string { return h.after(sel, out, t) }, &to); err != nil {
		if kit.MayShow(err) {
			return h.show(c, sel, act, http.StatusConflict, in, nil, err.Error())
		}
		return err
	}
	return h.finish(c, sel, out, to)
}

// typedInput is the field in which a person types what ends with the rows.
const typedInput = "act-confirm"

// maySend asks the rule for what bills or debits many, for an act that debits more than one row.
func (h *Bulk) maySend(ctx context.Context, who actor.Actor, act Act, out rehearsal) error {
	if !act.Debits || out.all.n < 2 || h.Demands == nil {
		return nil
	}
	demands, err := h.Demands(ctx, who.MerchantID)
	if err != nil {
		return err
	}
	return demands.MaySend(who, out.all.cents)
}

func (h *Bulk) once(who actor.Actor, sel selection.Selection, act Act, seen string, in url.Values) replay.Key {
	sum := sha256.Sum256([]byte(seen + "\x00" + in.Encode()))
	return replay.Key{MerchantID: who.MerchantID, IsTest: h.Desk.Sandbox, Key: "bulk:" + sel.ID.String() + ":" + act.Key,
		Fingerprint: sum[:]}
}

func (h *Bulk) ask(ctx context.Context, who actor.Actor, sel selection.Selection, act Act, in url.Values,
	out rehearsal) (task.Task, error) {
	input, err := json.Marshal(order{Act: act.Key, List: sel.List, Selection: sel.ID, In: in, Rows: out.rows})
	if err != nil {
		return task.Task{}, err
	}
	return h.Tasks.Ask(
		ctx,
		who,
		task.Wish{Kind: Kind, Title: act.Words(act.many(out.all.n)), Needs: act.Needs, Input: input,
			Total: out.all.n, AtOnce: out.all.n <= AtOnce, About: []audit.Entry{{Action: "bulk." + act.Key,
				ObjectType: "selection", ObjectID: sel.ID, Text: act.facts(out.all) + " was asked for.",
				After: map[string]any{"act": act.Key, "list": sel.List, "rows": out.all.n, "cents": out.all.cents,
					"left_out": out.n - out.all.n, "filters": sel.Query}}}},
	)
}

// after is where an act goes on: few rows are done by then, and many are on the page of tasks.
func (h *Bulk) after(sel selection.Selection, out rehearsal, t task.Task) string {
	if out.all.n > AtOnce {
		return "/tasks"
	}
	return h.list(sel) + "#task-" + t.ID.String()
}

// finish does few rows at once, by the worker that does many in the background.
func (h *Bulk) finish(c echo.Context, sel selection.Selection, out rehearsal, to string) error {
	if out.all.n > AtOnce {
		return access.RedirectWithFlash(c, "ok", "It goes on in the background. You can close the page.", to)
	}
	ctx, who := c.Request().Context(), access.Actor(c)
	id, err := uuid.Parse(to[len(to)-len(uuid.Nil.String()):])
	if err != nil {
		return err
	}
	if err := h.Tasks.WorkAtOnce(ctx, id); err != nil { // it is tried again in the background
		h.Failed(ctx, id, err)
	}
	t, err := h.Tasks.Get(ctx, who, id)
	if err != nil {
		return err
	}
	kind, text := "ok", t.Note
	switch {
	case t.State == task.Done && t.Failed == 0:
	case t.State == task.Done:
		kind = "warn"
	case t.State.Open(): // another process has it, or it is tried again
		kind, text = "info", "It goes on in the background: see Tasks."
	default:
		kind = "bad"
	}
	if err := access.AddFlash(c, kind, text); err != nil {
		return err
	}
	if kind == "warn" {
		return c.Redirect(http.StatusSeeOther, "/tasks")
	}
	if page := kit.BackOf(c.FormValue(kit.BackKey)); page != "" {
		return c.Redirect(http.StatusSeeOther, page)
	}
	return c.Redirect(http.StatusSeeOther, h.list(sel))
}
