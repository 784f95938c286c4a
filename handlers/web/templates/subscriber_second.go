package templates

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/bulk"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/audit"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/subscription"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// bulkSecond makes of a check one that asks a second approver.
func bulkSecond(v *pages.BulkCheckView, t subscription.Template, rows []bulkRow, reason string, wrong error) {
	byInput, _, _ := kit.Problems(wrong)
	n := int(ready(rows))
	v.Second, v.Reason = bulk.SecondWords, kit.ReasonField(reason, byInput["reason"])
	v.Button = "Ask for approval: add " + plural.Of(n, "subscriber") + " · " +
		words.Sum(money.Times(t.TotalCents, n), t.Currency)
	if f, ok := fault.From(wrong); ok && len(byInput) == 0 {
		v.Problem = f.Words()
	}
}

// askToAdd asks a second approver for the adding of many: of what was checked, the rows that were ready, by the ids of
// their clients.
func (h *Templates) askToAdd(c echo.Context, t subscription.Template, formKey, reason string, rows []bulkRow) error {
	order, ids := addOrder{Template: t.ID, Key: formKey, Cents: t.TotalCents}, []string{}
	for _, r := range rows {
		if r.problem == "" {
			order.Rows = append(order.Rows, addLine{Number: r.number, Reference: r.reference, Client: r.clientID,
				FirstOn: r.firstOn})
			ids = append(ids, r.clientID.String())
		}
	}
	input, err := json.Marshal(order)
	if err != nil {
		return err
	}
	slices.Sort(ids)
	sum := sha256.Sum256([]byte(t.ID.String() + "\x00" + strings.Join(ids, ",")))
	a, err := h.Approvals.Ask(c.Request().Context(), access.Actor(c), approval.DoMany, approval.Subject{
		Work: &approval.Work{Task: AddKind, Needs: templateAct, One: "subscriber", Key: hex.EncodeToString(sum[:]),
			Input: input}}, reason)
	if kit.MayShow(err) {
		view := bulkCheck(t, rows)
		bulkSecond(&view, t, rows, reason, err)
		return h.Desk.ShowIn(c, kit.StatusOf(err), view.Title, templatesSection,
			func(f layout.Frame) templ.Component { return pages.BulkCheck(f, view) })
	}
	if err != nil {
		return err
	}
	return kit.ToRequest(c, a)
}

// Stands implements approval.Worker: the rows that were asked for, judged anew. At another price none is added.
func (a Adding) Stands(ctx context.Context, who actor.Actor, input []byte) (s approval.Standing, err error) {
	var o addOrder
	if err := json.Unmarshal(input, &o); err != nil {
		return s, err
	}
	t, err := a.Templates.Service.Get(ctx, who, o.Template)
	if fault.Is(err, fault.NotFound) {
		return approval.Standing{Name: "add subscribers", Lines: []string{"The template was deleted."}}, nil
	}
	if err != nil {
		return s, err
	}
	name := func(n int) string { return plural.Of(n, "subscriber") + " to “" + t.Name() + "”" }
	if t.TotalCents != o.Cents {
		return approval.Standing{Name: "add " + name(len(o.Rows)), Lines: []string{"The price of the template was " +
			words.Sum(o.Cents, t.Currency) + " when this was asked for, and is " + words.Sum(t.TotalCents, t.Currency) +
			" now. Nothing is added at another price."}}, nil
	}
	rows := make([]bulkRow, len(o.Rows))
	for i, l := range o.Rows {
		rows[i] = l.row()
		rows[i].who = l.Client.String()
	}
	if err := a.Templates.judge(ctx, who, t, rows); err != nil {
		return s, err
	}
	sum, left, why := sha256.New(), map[string]int{}, []string{}
	for i, r := range rows {
		o.Rows[i].Who, o.Rows[i].Problem = r.named, r.problem
		fmt.Fprintln(sum, r.number, r.clientID, r.firstOn, r.problem)
		if r.problem == "" {
			continue
		}
		if left[r.problem]++; left[r.problem] == 1 {
			why = append(why, r.problem)
		}
	}
	n := int(ready(rows))
	s.Title, s.Name = "Add "+name(n), "add "+name(n)
	s.Lines = []string{words.Capital(plural.Of(n, "subscriber")) + ": added, each at " +
		words.Sum(t.TotalCents, t.Currency) + " " + t.Plan.Every() + ". A client without a token gets a mail with the link."}
	for _, reason := range why {
		s.Lines = append(s.Lines, words.Capital(plural.Of(left[reason], "row"))+": left out. "+reason)
	}
	s.Lines = append(s.Lines, "It begins at once, in the background.")
	s.Totals = approval.Totals{Rows: n, Cents: money.Times(t.TotalCents, n), Digest: hex.EncodeToString(sum.Sum(nil)[:12])}
	s.Audit = audit.Entry{Action: "bulk.subscribers", Text: s.Title + " was agreed to by a second approver."}
	s.Input, err = json.Marshal(o)
	return s, err
}

// refusedMany shows why so many cannot be added together.
func (h *Templates) refusedMany(c echo.Context, t subscription.Template, err error) error {
	return h.bulkForm(c, http.StatusConflict, t, "", fault.At("file", "batch_limit", "%s", err.Error()))
}
