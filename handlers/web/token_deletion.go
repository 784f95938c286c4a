package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// maxDeleted is how many tokens one question can be about.
const maxDeleted = 100

// AskDelete serves GET /tokens/deletion?id=…: what the deletion breaks.
func (h *Tokens) AskDelete(c echo.Context) error {
	return h.askDelete(c, http.StatusOK, c.QueryParams(), "")
}

// Delete serves POST /tokens/deletion.
func (h *Tokens) Delete(c echo.Context) error {
	form, err := formOf(c)
	if err != nil {
		return err
	}
	who := access.Actor(c)
	if err := who.May(actor.DeleteTokens); err != nil {
		return err
	}
	impacts, err := h.impacts(c, form)
	if err != nil {
		return err
	}
	if want := confirmation(impacts); len(impacts) > 0 && strings.TrimSpace(form.Get("confirm")) != want {
		return h.askDelete(c, http.StatusUnprocessableEntity, form, "Type "+want+".")
	}
	if len(impacts) == 0 {
		return h.askDelete(c, http.StatusUnprocessableEntity, form, "")
	}
	ids := make([]uuid.UUID, len(impacts))
	for n, i := range impacts {
		ids[n] = i.Token.ID
	}
	second, err := h.needsSecond(c)
	if err != nil {
		return err
	}
	if second {
		return h.askSecond(c, form, ids)
	}
	d, err := h.Purchases.SetAside(c.Request().Context(), who, ids, form.Get("reason"))
	switch {
	case fault.Is(err, fault.NotFound): // somebody was quicker
		if err := access.AddFlash(c, "info", "Somebody deleted them already."); err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, "/tokens")
	case err != nil:
		return err
	}
	text := counted(int64(len(d.Tokens)), "stored account") + " deleted. The mandates are kept as evidence. It can be undone for " + sayLeft(purchase.UndoTime) + "."
	if err := access.AddUndo(c, "ok", text, deletionPath(d.ID)+"/undo"); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/tokens")
}

// needsSecond tells whether another person must agree before.
func (h *Tokens) needsSecond(c echo.Context) (bool, error) {
	if h.Approvals == nil {
		return false, nil
	}
	d, _, err := h.Approvals.Demands(c.Request().Context(), access.Actor(c))
	return d.Deletions, err
}

func (h *Tokens) askSecond(c echo.Context, form url.Values, ids []uuid.UUID) error {
	a, err := h.Approvals.Ask(c.Request().Context(), access.Actor(c), approval.DeleteTokens, approval.Subject{Tokens: ids}, form.Get("reason"))
	switch {
	case mayShow(err):
		return h.askDeleteWith(c, form, "", err)
	case err != nil:
		return err
	}
	return toRequest(c, a)
}

// impacts finds the live tokens that are named, each once.
func (h *Tokens) impacts(c echo.Context, named url.Values) ([]purchase.Impact, error) {
	var out []purchase.Impact
	ids := slices.Clone(named["id"]) // Compact empties what it leaves behind
	slices.Sort(ids)
	for _, text := range slices.Compact(ids) {
		id, err := uuid.Parse(text)
		if err != nil {
			return nil, fault.Missing()
		}
		impact, err := h.Purchases.DeletionImpact(c.Request().Context(), access.Actor(c), id)
		if fault.Is(err, fault.NotFound) && len(ids) > 1 {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		if out = append(out, impact); len(out) > maxDeleted {
			return nil, fault.New(fault.Invalid, "max_length", "At most %d stored accounts can be deleted at once.", maxDeleted)
		}
	}
	return out, nil
}

// confirmation is what a person types: the end of the one account, or the number
// of accounts.
func confirmation(impacts []purchase.Impact) string {
	if len(impacts) != 1 {
		return strconv.Itoa(len(impacts))
	}
	mask := impacts[0].Token.AccountMask
	return mask[strings.LastIndexAny(mask, " •")+len(" "):]
}

func (h *Tokens) askDelete(c echo.Context, status int, named url.Values, wrong string) error {
	return h.askDeleteAs(c, status, named, wrong, nil)
}

func (h *Tokens) askDeleteWith(c echo.Context, named url.Values, wrong string, refused error) error {
	return h.askDeleteAs(c, statusOf(refused), named, wrong, refused)
}

func (h *Tokens) askDeleteAs(c echo.Context, status int, named url.Values, wrong string, refused error) error {
	second, err := h.needsSecond(c)
	if err != nil {
		return err
	}
	impacts, err := h.impacts(c, named)
	if err != nil {
		return err
	}
	view := pages.ActView{Title: "Delete stored accounts", Back: components.Link{Text: "Tokens", Href: "/tokens"}, Blocked: whyNotDelete(access.Actor(c))}
	if len(impacts) == 0 {
		view.Blocked = "No stored account is chosen. Tick some in the list first."
	} else {
		view.Question = deletionQuestion(impacts, h.Desk.Now())
		view.Question.TypeError = wrong
		if second {
			secondQuestion(&view, named.Get("reason"), refused)
		}
	}
	if len(impacts) == 1 {
		view.Back = components.Link{Text: accountWords(impacts[0].Token), Href: tokenPath(impacts[0].Token.ID)}
	}
	return h.Desk.show(c, status, view.Title, tokensRoom, func(f layout.Frame) templ.Component { return pages.AskAct(f, view) })
}

func deletionQuestion(impacts []purchase.Impact, now time.Time) components.Confirm {
	q := components.Confirm{ID: "delete", Action: "/tokens/deletion", CancelHref: "/tokens", Text: "They are out of use at once. You can undo it for ten minutes. The mandates and their evidence are kept.",
		Title: "Delete " + counted(int64(len(impacts)), "stored account") + "?", Button: "Delete " + counted(int64(len(impacts)), "stored account"),
		TypeLabel: "Type " + confirmation(impacts) + ", the number of accounts, to confirm"}
	for _, i := range impacts {
		q.Fields = append(q.Fields, components.Pair{Name: "id", Value: i.Token.ID.String()})
		q.Breaks = append(q.Breaks, impactWords(i, now))
	}
	if len(impacts) == 1 {
		t := impacts[0].Token
		q.Text = "It is out of use at once. You can undo it for ten minutes. The mandate and its evidence are kept."
		q.Title, q.Button = "Delete "+accountWords(t)+" of "+t.HolderName+"?", "Delete "+accountWords(t)
		q.TypeLabel, q.CancelHref = "Type "+confirmation(impacts)+", the last digits of the account, to confirm", tokenPath(t.ID)
	}
	return q
}

// secondQuestion turns the question into a request for a second person.
func secondQuestion(view *pages.ActView, reason string, refused error) {
	q := &view.Question
	q.Text = "Your business wants a second person to agree. Nothing happens before that; then the accounts are out of use, and it can be undone for ten minutes."
	q.Button, q.Safe = "Ask for approval", true
	wrong, summary, byField := problems(refused)
	view.Problems = components.ErrorSummary{Items: summary}
	if refused != nil && !byField {
		view.Problems.Items = []components.ErrorItem{{Text: refused.Error()}}
	}
	view.Lines = reasonField(reason, wrong["reason"])
}

// impactWords says what the deletion of one token breaks.
func impactWords(i purchase.Impact, now time.Time) string {
	whose := accountWords(i.Token) + " of " + i.Token.HolderName + ": "
	if len(i.Waiting) == 0 {
		return whose + "no scheduled purchase uses it."
	}
	next := i.Waiting[0].Due
	for _, p := range i.Waiting {
		if p.Due.Before(next) {
			next = p.Due
		}
	}
	uses, fail := "purchases use it", "They will fail"
	if len(i.Waiting) == 1 {
		uses, fail = "purchase uses it", "It will fail"
	}
	return whose + grouped(int64(len(i.Waiting))) + " scheduled " + uses + ", " + sum(i.WaitingCents(), i.Waiting[0].Currency) + ", next " + sayDay(dateOf(next), now) +
		". " + fail + ", unless the bank has it already."
}
