package templates

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/subscription"
	"debitdesk/models/task"
)

// PriceKind is the kind of tasks that change a price after a second approver agreed.
const PriceKind = "price"

// priceOrder is what such a task was asked for. Seen is what it does to whom, as the second approver saw it.
type priceOrder struct {
	Template uuid.UUID     `json:"template"`
	From     calendar.Date `json:"from"`
	Prices   []int64       `json:"prices"`
	Seen     string        `json:"seen,omitempty"`
}

func (o priceOrder) input() subscription.PriceInput {
	return subscription.PriceInput{From: o.From, Prices: o.Prices, Agreed: true}
}

// askForPrice asks a second approver for another price.
func (h *Templates) askForPrice(c echo.Context, t subscription.Template, in subscription.PriceInput,
	reason string) (approval.Approval, error) {
	input, err := json.Marshal(priceOrder{Template: t.ID, From: in.From, Prices: in.Prices})
	if err != nil {
		return approval.Approval{}, err
	}
	return h.Approvals.Ask(c.Request().Context(), access.Actor(c), approval.DoMany, approval.Subject{
		Work: &approval.Work{Task: PriceKind, Needs: templateAct, One: "subscriber", Key: t.ID.String(), Input: input},
	}, reason)
}

// Pricing does the tasks that change a price.
type Pricing struct{ Templates *Templates }

// Stands implements approval.Worker.
func (w Pricing) Stands(ctx context.Context, who actor.Actor, input []byte) (s approval.Standing, err error) {
	var o priceOrder
	if err := json.Unmarshal(input, &o); err != nil {
		return s, err
	}
	p, err := w.Templates.Service.PlanPrice(ctx, who, o.Template, o.input())
	if f, is := fault.From(err); is && f.Kind != fault.Internal {
		return approval.Standing{Name: "change a price", Lines: []string{f.Words()}}, nil
	}
	if err != nil {
		return s, err
	}
	o.Seen = p.Digest()
	n := len(p.Changed)
	s.Name = "change the price of “" + p.Template.Name() + "” from " + p.Change.From.Format("Mon 2 Jan 2006") + " on"
	s.Title = words.Capital(s.Name)
	s.Lines = w.Templates.priceLines(p)
	for _, of := range []struct {
		n    int
		what string
	}{{len(p.Fixed()), "FIXED DebiCheck mandates must be confirmed anew"},
		{len(p.Below()), "own terms are below the new price"}} {
		if of.n > 0 {
			s.Lines = append(s.Lines, plural.Of(of.n, "subscriber")+": "+of.what+
				". Nothing can be debited at the new price before that is settled.")
		}
	}
	s.Totals = approval.Totals{Rows: n, Cents: money.Times(p.Change.Cents, n), Digest: o.Seen}
	s.Audit = audit.Entry{Action: "bulk.price", Text: s.Title + ": agreed to by a second approver."}
	s.Input, err = json.Marshal(o)
	return s, err
}

// Begin implements task.Worker.
func (w Pricing) Begin() task.Run { return priceRun{w.Templates} }

type priceRun struct{ templates *Templates }

// Close implements task.Run.
func (priceRun) Close() {}

// Step implements task.Run. A price that was changed in this way already stays as it is.
func (r priceRun) Step(ctx context.Context, t *task.Task, who actor.Actor) (piece task.Piece, err error) {
	var o priceOrder
	if err := json.Unmarshal(t.Input, &o); err != nil {
		return piece, err
	}
	p, err := r.templates.Service.ChangePrice(ctx, who, o.Template, o.input(), o.Seen)
	if err != nil {
		return piece, err
	}
	t.Done, t.Note = t.Total, priceDone(p)
	return piece, nil
}
