package purchases

import (
	"context"
	"net/url"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/web/bulk"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/followup"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/selection"
	"debitdesk/views/components"
)

// ListsOfPurchases are the lists whose rows are purchases, or are chosen by theirs.
var ListsOfPurchases = []string{"purchases", "debits", "invoices"}

// BulkActs are the acts on many purchases. Each plans by the rules that its page for one purchase goes by.
func (p *Purchases) BulkActs() bulk.Acts {
	one := bulk.Act{Needs: actor.Write, Lists: ListsOfPurchases, One: "purchase"}
	again, cancel, remind, paid := one, one, one, one
	again.Key, again.Label, again.Icon = "again", "Debit again…", "repeat"
	again.Words = func(rows string) string { return "Debit " + rows + " again" }
	again.Done = func(rows string) string { return words.Capital(rows) + " will be debited again" }
	again.Text = "Each is debited from the account that failed, on the next day that the bank and its mandate allow."
	again.Begin, again.Do, again.Debits = p.planAgain, p.debitAgain, true

	cancel.Key, cancel.Label, cancel.Icon, cancel.Danger, cancel.Keep = "cancel",
		"Cancel purchases…", "x", true, "Keep them"
	cancel.Words = func(rows string) string { return "Cancel " + rows }
	cancel.Done = func(rows string) string { return words.Capital(rows) + " cancelled" }
	cancel.Text = "This cannot be undone. You can create new purchases instead."
	cancel.Begin = p.planCancels
	cancel.Do = func(ctx context.Context, who actor.Actor, row bulk.Row, _ url.Values) error {
		_, err := p.Service.Cancel(ctx, who, row.ID)
		return err
	}

	remind.Key, remind.Label, remind.Icon = "remind", "Send reminder…", "mail"
	remind.Words = func(rows string) string { return "Send a reminder for " + rows }
	remind.Done = func(rows string) string { return "Reminders for " + rows + " are on their way" }
	remind.Text = "Each client gets one mail that lists what is open: what failed and why, the total, and the links to " +
		"pay. A client is reminded once a day. A mail cannot be taken back."
	remind.Begin = p.planRemind
	remind.Do = func(ctx context.Context, who actor.Actor, row bulk.Row, _ url.Values) error {
		_, err := p.Service.Remind(ctx, who, row.ID)
		return err
	}

	paid.Key, paid.Label, paid.Icon = "paid", "Mark as paid…", "money"
	paid.Words = func(rows string) string { return "Mark " + rows + " as paid" }
	paid.Done = func(rows string) string { return words.Capital(rows) + " marked as paid" }
	paid.Text = "Record money that came in outside Debitdesk, such as cash or transfers. Nothing is debited."
	paid.Begin = p.planEach(p.planPaid)
	paid.Names, paid.Ask, paid.Check, paid.Do = []string{"paid_on"}, p.askPaidDay, p.checkPaidDay, p.markPaid

	follow := bulk.Follow{Service: p.Followups, People: p.People, Type: followup.Purchase, Act: one, Rows: p.planFollow}
	return bulk.Acts{again, cancel, remind, paid, follow.Note(), follow.Assign()}
}

// row is one purchase in a rehearsal.
func (p *Purchases) row(rec purchase.Record) bulk.Row {
	r := bulk.Row{ID: rec.ID, Name: words.Reference(rec.Purchase), Second: words.PayerName(rec.Purchase),
		Href: words.PurchasePath(rec.ID), Pill: statusPill(rec, p.Service, p.Desk.Now()),
		ChangedAt: rec.UpdatedAt.UnixMicro()}
	r.Cents = randCents(rec)
	return r
}

func randCents(rec purchase.Record) int64 {
	if rec.Currency != money.ZAR {
		return 0
	}
	return rec.TotalCents
}

// planEach plans purchases one by one. judge says why nothing happens to one; empty: it does.
func (p *Purchases) planEach(judge func(rec purchase.Record, row *bulk.Row) string) func(url.Values) bulk.Plan {
	return func(url.Values) bulk.Plan {
		return func(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]bulk.Row, error) {
			recs, err := p.Service.Several(ctx, who, ids)
			if err != nil {
				return nil, err
			}
			out := make([]bulk.Row, len(recs))
			for i, rec := range recs {
				out[i] = p.row(rec)
				out[i].Why = judge(rec, &out[i])
			}
			return out, nil
		}
	}
}

// planCancels plans to cancel purchases, with the credit notes and mails that leave with them.
func (p *Purchases) planCancels(in url.Values) bulk.Plan {
	plan := p.planEach(p.planCancel)(in)
	return func(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]bulk.Row, error) {
		rows, err := plan(ctx, who, ids)
		if err != nil {
			return nil, err
		}
		leaving, err := p.Billing.Crediting(ctx, who, ids)
		for i := range rows {
			if l := leaving[rows[i].ID]; l.Note && rows[i].Why == "" {
				rows[i].Notes = 1
				if l.Mail {
					rows[i].Mails = 1
				}
			}
		}
		return rows, err
	}
}

func (p *Purchases) planCancel(rec purchase.Record, row *bulk.Row) string {
	if c := rec.Collection; c != nil {
		switch c.State {
		case collection.Scheduled:
			row.Note = "Cancelled, and the debit is dropped: the bank has not seen it"
		case collection.Submitted, collection.InTracking:
			row.Note = "Cancelled, and the bank is asked to recall the debit"
		default:
		}
	}
	return whyNotCancel(rec, p.Service)
}

// planRemind plans reminders: one mail for each client, and one a day.
func (p *Purchases) planRemind(url.Values) bulk.Plan {
	return func(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]bulk.Row, error) {
		recs, err := p.Service.Several(ctx, who, ids)
		if err != nil {
			return nil, err
		}
		reminded, err := p.Service.Reminded(ctx, who.MerchantID, recs)
		out := make([]bulk.Row, len(recs))
		for i, rec := range recs {
			out[i] = p.row(rec)
			out[i].Note = "Listed in the client’s reminder"
			if out[i].Why = whyNotMail(rec, p.Desk.Now()); out[i].Why == "" && reminded[rec.ID] {
				out[i].Why, out[i].Settled = remindedToday, true
			}
		}
		return out, err
	}
}

func (p *Purchases) planPaid(rec purchase.Record, _ *bulk.Row) string {
	return whyNotPaid(rec, p.Desk.Now())
}

// planAgain plans debits on the next possible days, together with those of the parts before.
func (p *Purchases) planAgain(url.Values) bulk.Plan {
	others := purchase.Planned{}
	return func(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]bulk.Row, error) {
		recs, err := p.Service.Several(ctx, who, ids)
		if err != nil {
			return nil, err
		}
		plans, err := p.Service.PlanAgain(ctx, who.MerchantID, recs, purchase.Again.Soonest, others)
		if err != nil {
			return nil, err
		}
		out := make([]bulk.Row, len(recs))
		for i, rec := range recs {
			out[i] = p.row(rec)
			if out[i].Why = p.whyNotAgain(rec, plans[i]); out[i].Why != "" {
				continue
			}
			out[i].On, out[i].From, out[i].Day = plans[i].Debit.Plan.ActionDate, plans[i].Account.ID, plans[i].Day
			out[i].Note = "Debited on " + words.SayDay(out[i].On, p.Desk.Now())
		}
		return out, nil
	}
}

// whyNotAgain says why a purchase is not debited again from the account that failed.
func (p *Purchases) whyNotAgain(rec purchase.Record, plan purchase.AgainPlan) string {
	switch now := p.Desk.Now(); {
	case notPayable(rec, now) != "":
		return notPayable(rec, now)
	case !plan.Asked && rec.Collection == nil:
		return "It was never debited. Charge it from its page."
	case !plan.Asked:
		return "Its last debit did not fail."
	case !plan.May():
		return "Its account cannot be debited: " + plan.Problem + ". " + plan.Remedy
	case len(plan.Against) > 0:
		return plan.Against[0].Message
	}
	return ""
}

func (p *Purchases) debitAgain(ctx context.Context, who actor.Actor, row bulk.Row, _ url.Values) error {
	_, err := p.Service.ChargeOn(ctx, who, row.ID, row.From, row.Day)
	return err
}

// planFollow plans what can be done about every purchase of somebody whose data was not erased.
func (p *Purchases) planFollow(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]bulk.Row, error) {
	recs, err := p.Service.Several(ctx, who, ids)
	if err != nil {
		return nil, err
	}
	out := make([]bulk.Row, len(recs))
	for i, rec := range recs {
		out[i] = p.row(rec)
	}
	return out, bulk.LeaveErased(ctx, who, p.Clients, out, func(i int) uuid.UUID { return recs[i].ClientID })
}

func (p *Purchases) askPaidDay(_ context.Context, _ actor.Actor, in url.Values,
	wrong map[string]string) (bulk.Fields, error) {
	today := calendar.DateOf(p.Desk.Now()).String()
	day := today
	if in.Has("paid_on") {
		day = in.Get("paid_on")
	}
	return bulk.Fields{Date: &components.DateField{Label: "Day of the payments", Name: "paid_on", Value: day, Max: today,
		Required: true, Error: wrong["paid_on"]}}, nil
}

func (p *Purchases) checkPaidDay(_ context.Context, _ actor.Actor, _ bulk.Row, in url.Values) error {
	_, err := paidOn(in.Get("paid_on"), p.Desk.Now())
	return err
}

func (p *Purchases) markPaid(ctx context.Context, who actor.Actor, row bulk.Row, in url.Values) error {
	at, err := paidOn(in.Get("paid_on"), p.Desk.Now())
	if err != nil {
		return err
	}
	_, err = p.Service.MarkAsPaid(ctx, who, row.ID, at)
	return err
}

// ChoiceRows gives what is kept of purchases that were chosen by their invoices.
func (p *Purchases) ChoiceRows(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]selection.Row, error) {
	recs, err := p.Service.Several(ctx, who, ids)
	out := make([]selection.Row, len(recs))
	for i, rec := range recs {
		out[i] = selection.Row{ID: rec.ID, Changed: rec.UpdatedAt, Cents: randCents(rec)}
	}
	return out, err
}

// choose lets the rows of a list be chosen.
func (p *Purchases) choose(list string) kit.Choosing[purchase.Record] {
	return kit.Choosing[purchase.Record]{Selections: p.Selections, Several: p.Service.Several, Cents: randCents,
		Changed: func(rec purchase.Record) time.Time { return rec.UpdatedAt },
		Acts:    func(who actor.Actor) []components.Button { return p.Acts.Buttons(list, who) }}
}

// chooseDebits lets debits be chosen. The acts are about their purchases.
func (p *Purchases) chooseDebits() kit.Choosing[purchase.Record] {
	c := p.choose("debits")
	c.Several = p.Service.SeveralDebits
	c.Acts = func(who actor.Actor) []components.Button { // to ask changes nothing
		return append([]components.Button{{Label: "What if on another day?", Icon: "calendar", Value: kit.ActMove}},
			p.Acts.Buttons("debits", who)...)
	}
	return c
}

// OfDebits gives the purchases of debits.
func (p *Purchases) OfDebits(ctx context.Context, who actor.Actor, ids []uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	recs, err := p.Service.SeveralDebits(ctx, who, ids)
	of := make(map[uuid.UUID]uuid.UUID, len(recs))
	for _, rec := range recs {
		of[rec.Collection.ID] = rec.ID
	}
	return of, err
}
