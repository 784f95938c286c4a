package mandates

import (
	"context"
	"net/url"

	"github.com/google/uuid"

	"debitdesk/handlers/web/bulk"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/followup"
	"debitdesk/models/mandate"
)

// BulkActs are the acts on many mandates. Each way of asking is an act of its own, as what happens follows from it.
func (h *Mandates) BulkActs() bulk.Acts {
	one := bulk.Act{Needs: actor.Write, Lists: []string{ListName}, One: "mandate"}
	follow := bulk.Follow{Service: h.Followups, People: h.People, Type: followup.Mandate, Act: one, Rows: h.planFollow,
		Seen: "on the client’s page and in the time line"}
	return bulk.Acts{
		h.askAgain(one, "ask-now", "Ask again now…", " in real time", mandate.RealTime),
		h.askAgain(one, "ask-delayed", "Ask again by SMS…", " by SMS", mandate.Delayed),
		follow.Note(), follow.Assign(),
	}
}

// askAgain asks the client of each mandate once more.
func (h *Mandates) askAgain(act bulk.Act, key, label, said string, how mandate.Method) bulk.Act {
	act.Key, act.Label, act.Icon = key, label, "repeat"
	act.Words = func(rows string) string { return "Ask again to confirm " + rows + said }
	act.Done = func(rows string) string { return "The clients of " + rows + " are asked again" }
	act.Text = "Each client has " + words.Glue(h.Purchases.Limits.Span(how)) + " to answer. " +
		"A request cannot be taken back."
	act.Begin = func(url.Values) bulk.Plan {
		return func(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]bulk.Row, error) {
			rows, err := h.planFollow(ctx, who, ids)
			if err != nil {
				return nil, err
			}
			against, err := h.Purchases.PlanAskAgain(ctx, who, ids, how)
			if err != nil {
				return nil, err
			}
			for i := range rows {
				if err := against[rows[i].ID]; err != nil {
					rows[i].Why = bulk.WhyNot(err)
				}
			}
			return rows, nil
		}
	}
	act.Do = func(ctx context.Context, who actor.Actor, row bulk.Row, _ url.Values) error {
		_, err := h.Purchases.AskAgain(ctx, who, row.ID, how)
		return err
	}
	return act
}

// planFollow plans what can be done about every mandate of somebody whose data was not erased.
func (h *Mandates) planFollow(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]bulk.Row, error) {
	found, err := h.Service.Several(ctx, who, ids)
	if err != nil {
		return nil, err
	}
	out := make([]bulk.Row, len(found))
	for i, e := range found {
		out[i] = bulk.Row{ID: e.ID, Name: e.ContractReference, Second: holderOf(e), Href: words.MandatePath(e.ID),
			Pill: mandatePill(e.Mandate, nil, h.Desk.Now()), ChangedAt: e.UpdatedAt.UnixMicro()}
	}
	return out, bulk.LeaveErased(ctx, who, h.Clients, out, func(i int) uuid.UUID { return found[i].ClientID })
}
