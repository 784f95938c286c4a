package tokens

import (
	"cmp"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/mandates"
	"debitdesk/handlers/web/words"
	"debitdesk/models/approval"
	"debitdesk/models/deletion"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// AskDelete serves GET /tokens/deletion?id=…: what the deletion breaks.
func (h *Tokens) AskDelete(c echo.Context) error {
	form := url.Values{"id": c.QueryParams()["id"]}
	if id, err := uuid.Parse(c.QueryParam(kit.SelectionKey)); err == nil {
		sel, err := h.Selections.Get(c.Request().Context(), access.Actor(c), id)
		if err != nil {
			return err
		}
		if sel.List != ListName && sel.List != mandates.ListName { // a mandate has the id of its token
			return fault.Missing()
		}
		for _, row := range sel.Chosen() {
			form.Add("id", row.ID.String())
		}
	}
	return h.askDelete(c, http.StatusOK, form, "", nil)
}

// Delete serves POST /tokens/deletion.
func (h *Tokens) Delete(c echo.Context) error {
	form, err := kit.FormOf(c)
	if err != nil {
		return err
	}
	who := access.Actor(c)
	impacts, err := h.impacts(c, form)
	if err != nil {
		return err
	}
	if len(impacts) == 0 {
		return h.askDelete(c, http.StatusUnprocessableEntity, form, "", nil)
	}
	if wrong := confirmation(impacts).Wrong(form); wrong != "" {
		return h.askDelete(c, http.StatusUnprocessableEntity, form, wrong, nil)
	}
	in, err := deletionInput(form, impacts)
	if err != nil {
		return err
	}
	d, err := h.Deletions.StartDeletion(c.Request().Context(), who, in)
	switch {
	case fault.HasCode(err, "approval_needed"):
		return h.askSecond(c, form, in)
	case fault.HasCode(err, "stakes_grew"), fault.Is(err, fault.Invalid):
		return h.askDelete(c, kit.StatusOf(err), form, "", err)
	case fault.Is(err, fault.NotFound): // somebody was quicker
		return access.RedirectWithFlash(c, "info", plural.Pick(len(in.Tokens), "The token is deleted already.",
			"The tokens are deleted already."), "/tokens")
	case err != nil:
		return err
	}
	text := plural.Of(len(d.Tokens), "token") + " deleted. The deletion can be undone for " +
		words.SayLeft(deletion.UndoTime) + "; after that it cannot be undone, and what you chose happens."
	if err := access.AddUndo(c, "ok", text, deletionPath(d.ID)+"/undo"); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/tokens")
}

// deletionInput reads what is deleted and what was chosen for what hangs on it.
func deletionInput(form url.Values, impacts []deletion.Impact) (deletion.DeletionInput, error) {
	in := deletion.DeletionInput{Reason: form.Get("reason"), Choices: map[uuid.UUID]deletion.Choice{}}
	for _, i := range impacts {
		in.Tokens = append(in.Tokens, i.Token.ID)
	}
	for name := range form {
		id, named := strings.CutPrefix(name, choiceName)
		if !named {
			continue
		}
		of, err := uuid.Parse(id)
		if err != nil {
			return in, fault.Missing()
		}
		in.Choices[of] = choiceOf(form.Get(name))
	}
	if form.Has("seen") {
		in.Seen = &deletion.ImpactTotals{Tokens: math.MaxInt, Waiting: math.MaxInt, Subscriptions: math.MaxInt,
			Cents: math.MaxInt64, Digest: form.Get("seen")}
	}
	return in, nil
}

// choiceName begins the name of each choice; the id of its debit or subscription follows.
const choiceName = "choice-"

// choiceValue is a choice as a form sends it.
func choiceValue(c deletion.Choice) string {
	if c.To == uuid.Nil {
		return string(c.Do)
	}
	return string(c.Do) + ":" + c.To.String()
}

// choiceOf reads a choice; what is none is refused as one that is not possible.
func choiceOf(text string) deletion.Choice {
	do, to, _ := strings.Cut(text, ":")
	id, _ := uuid.Parse(to)
	return deletion.Choice{Do: deletion.Do(do), To: id}
}

func (h *Tokens) askSecond(c echo.Context, form url.Values, in deletion.DeletionInput) error {
	of := approval.Subject{Tokens: in.Tokens, Choices: in.Choices}
	if in.Seen != nil {
		of.Totals.Digest = in.Seen.Digest
	}
	a, err := h.Approvals.Ask(c.Request().Context(), access.Actor(c), approval.DeleteTokens, of, form.Get("reason"))
	switch {
	case kit.MayShow(err):
		return h.askDelete(c, kit.StatusOf(err), form, "", err)
	case err != nil:
		return err
	}
	return kit.ToRequest(c, a)
}

// named are the ids in a form, each once; nil when one of them is none.
func named(form url.Values) (ids []uuid.UUID) {
	for _, text := range form["id"] {
		id, err := uuid.Parse(text)
		if err != nil {
			return nil
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// impacts finds the live tokens that are named, each once.
func (h *Tokens) impacts(c echo.Context, form url.Values) ([]deletion.Impact, error) {
	ids := named(form)
	if ids == nil && len(form["id"]) > 0 {
		return nil, fault.Missing()
	}
	if len(ids) > deletion.MaxDeleted {
		return nil, fault.New(fault.Invalid, "max_length", "At most %d tokens can be deleted at once.", deletion.MaxDeleted)
	}
	out, err := h.Deletions.DeletionImpacts(c.Request().Context(), access.Actor(c), ids)
	if err == nil && len(ids) == 1 && len(out) == 0 {
		err = fault.Missing()
	}
	return out, err
}

// confirmation is what a person types.
func confirmation(impacts []deletion.Impact) kit.TypedWord {
	masks := make([]string, len(impacts))
	for n, i := range impacts {
		masks[n] = i.Token.AccountMask
	}
	return kit.TypedDigits(masks)
}

// askDelete asks, with what was typed and why it was refused.
func (h *Tokens) askDelete(c echo.Context, status int, form url.Values, wrong string, refused error) error {
	second, err := h.Deletions.NeedsSecond(c.Request().Context(), access.Actor(c))
	if err != nil {
		return err
	}
	impacts, err := h.impacts(c, form)
	if err != nil {
		return err
	}
	view := pages.ActView{Title: "Delete tokens", Back: components.Link{Text: "Tokens", Href: "/tokens"},
		Blocked: kit.WhyNotDelete(access.Actor(c))}
	if len(impacts) == 0 {
		view.Blocked = "No token is selected. Tick some in the list first."
	} else {
		byInput, summary, byField := kit.Problems(refused)
		view.Problems = components.ErrorSummary{Items: summary}
		if refused != nil && !byField {
			view.Problems.Items = []components.ErrorItem{{Text: refused.Error()}}
		}
		view.Question = deletionQuestion(impacts)
		if left := len(named(form)) - len(impacts); left > 0 {
			view.Question.Breaks = append(view.Question.Breaks, plural.Of(left, "row")+" that you selected "+
				plural.Pick(left, "is", "are")+" left out: there is no token to delete.")
		}
		confirmation(impacts).Ask(&view.Question, wrong)
		losingAll(&view, impacts, form, byInput, h.Desk.Now())
		if second {
			view.Question.Text = "Your business asks for a second approver, and nothing happens before that. " +
				"Afterwards the " + plural.Pick(len(impacts), "token is", "tokens are") +
				" out of use, and this can be undone for ten minutes."
			view.Question.Button, view.Question.Safe = "Ask for approval", true
			view.Lines = kit.ReasonField(form.Get("reason"), byInput["reason"])
		}
	}
	if len(impacts) == 1 {
		view.Title = "Delete token"
		view.Back = components.Link{Text: impacts[0].Token.Named(), Href: words.TokenPath(impacts[0].Token.ID)}
	}
	return h.Desk.ShowIn(c, status, view.Title, words.TokensSection,
		func(f layout.Frame) templ.Component { return pages.AskAct(f, view) })
}

func deletionQuestion(impacts []deletion.Impact) components.Confirm {
	n := plural.Of(len(impacts), "token")
	q := components.Confirm{
		ID:         "delete",
		Action:     "/tokens/deletion",
		CancelHref: "/tokens",
		Title:      "Delete " + n + "?",
		Button:     "Delete " + n,
		Text: "They can no longer be used from that moment. You can undo this for ten minutes. " +
			"After that it cannot be undone, and only then does what you choose here happen.",
		Fields: []components.Pair{{Name: "seen", Value: deletion.Digest(impacts)}},
	}
	for _, i := range impacts {
		q.Fields = append(q.Fields, components.Pair{Name: "id", Value: i.Token.ID.String()})
	}
	if len(impacts) == 1 {
		t := impacts[0].Token
		q.Text = "It can no longer be used from that moment. You can undo this for ten minutes. " +
			"After that it cannot be undone, and only then does what you choose here happen."
		q.Title, q.Button, q.CancelHref = "Delete "+t.Named()+" of "+t.HolderName+"?",
			"Delete "+t.Named(), words.TokenPath(t.ID)
	}
	return q
}

// losingAll shows what hangs on the accounts: the one with most first, and those with nothing together.
func losingAll(v *pages.ActView, impacts []deletion.Impact, form url.Values, byInput map[string]string, now time.Time) {
	many := len(impacts) > 1
	ordered := slices.Clone(impacts)
	slices.SortStableFunc(ordered, func(a, b deletion.Impact) int {
		return cmp.Or(cmp.Compare(b.Cents(), a.Cents()), len(b.Uses)-len(a.Uses))
	})
	for _, i := range ordered {
		if many && len(i.Uses) == 0 && len(i.AtBank) == 0 {
			v.Unused = append(v.Unused, i.Token.Named()+" of "+i.Token.HolderName+". "+i.MandateWords())
			continue
		}
		v.Losing = append(v.Losing, losing(i, many, form, byInput, now))
	}
}

// losing shows what hangs on one account, and what can become of it.
func losing(i deletion.Impact, many bool, form url.Values, byInput map[string]string, now time.Time) pages.Losing {
	v := pages.Losing{Lines: impactLines(i, now)}
	if many {
		v.Title = i.Token.Named() + " of " + i.Token.HolderName
	}
	for _, u := range i.Uses {
		name := choiceName + u.ID().String()
		cards := components.RadioCards{Legend: u.Name(), Name: name, Value: choiceValue(u.Effect.Choice),
			Error: byInput[name]}
		if form.Has(name) {
			cards.Value = form.Get(name)
		}
		for n, e := range u.Options {
			card := components.RadioCard{Value: choiceValue(e.Choice), Title: e.Title, Text: e.Words}
			if n == 0 {
				card.Badge = "Default"
			}
			cards.Options = append(cards.Options, card)
		}
		if !slices.ContainsFunc(cards.Options, func(o components.RadioCard) bool { return o.Value == cards.Value }) {
			cards.Value = cards.Options[0].Value
		}
		if len(u.Cannot) > 0 {
			cards.Hint = "Cannot be moved to " + strings.Join(u.Cannot, " ")
		}
		v.Choices = append(v.Choices, cards)
	}
	return v
}

// impactLines say what the deletion of one account does beside what can be chosen.
func impactLines(i deletion.Impact, now time.Time) []string {
	out := []string{ImpactWords(i, now), i.MandateWords()}
	lines := i.Lines()
	return append(out, lines[len(i.Uses):len(lines)-1]...)
}

// ImpactWords says in one sentence what hangs on an account.
func ImpactWords(i deletion.Impact, now time.Time) string {
	text := i.Token.Named() + " of " + i.Token.HolderName + ": "
	n := i.Debits()
	if n == 0 {
		text += "no scheduled purchase uses it"
	} else {
		text += plural.Of(n, "scheduled purchase") + plural.Pick(n, " uses it", " use it")
		first := i.Uses[0].Debit
		text += ", " + words.Sum(i.Cents(), first.Currency) + ", next " + words.SayDay(first.Collection.ActionDate, now)
	}
	switch s := i.Subscriptions(); s {
	case 0:
		return text + "; no subscription is charged on it."
	case 1:
		return text + "; 1 subscription is charged on it."
	default:
		return text + "; " + words.Grouped(int64(s)) + " subscriptions are charged on it."
	}
}
