package templates

import (
	"cmp"
	"context"
	"net/url"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/web/bulk"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/fault"
	"debitdesk/models/followup"
	"debitdesk/models/subscription"
	"debitdesk/views/components"
)

// The names of the lists in which templates and subscribers are chosen.
const (
	TemplateList   = "templates"
	SubscriberList = "subscribers"
)

// BulkActs are the acts on many templates and on many subscribers.
func (h *Templates) BulkActs() bulk.Acts {
	one := bulk.Act{Needs: templateAct, Lists: []string{SubscriberList, StrandedList, UnfitList}, One: "subscriber"}
	follow := bulk.Follow{Service: h.Followups, People: h.People, Type: followup.Subscriber, Act: one,
		Rows: h.planSubscribers(nil), Seen: "on the client’s page and in the time line"}
	remind, remove := one, one
	remind.Key, remind.Label, remind.Icon = remindAll, "Send reminder…", "mail"
	remind.Words = func(rows string) string { return "Remind " + rows }
	remind.Done = func(rows string) string { return "Reminders for " + rows + " are on their way" }
	remind.Text = "Each client gets one mail with the link to store a bank account. A mail cannot be taken back."
	remind.Begin = func(url.Values) bulk.Plan {
		return h.planSubscribers(func(s subscription.Subscriber, _ *bulk.Row) error { return s.MayRemind() })
	}
	remind.Do = func(ctx context.Context, who actor.Actor, row bulk.Row, _ url.Values) error {
		_, err := h.Service.Remind(ctx, who, row.ID)
		return err
	}
	remove.Key, remove.Label, remove.Icon, remove.Danger, remove.Keep = removeAll, "Remove…", "x", true, "Keep them"
	remove.Words = func(rows string) string { return "Remove " + rows }
	remove.Done = func(rows string) string { return words.Capital(rows) + " removed" }
	remove.Text = "No further period is billed. Periods that were billed stay, with their debits. " +
		"This cannot be undone: to subscribe again, a client must be added again."
	remove.Begin = func(url.Values) bulk.Plan {
		return h.planSubscribers(func(s subscription.Subscriber, row *bulk.Row) error {
			if s.Status == subscription.Pending && s.FirstPurchaseID != uuid.Nil {
				row.Note = "Removed, and the first purchase is cancelled"
			}
			return s.MayRemove()
		})
	}
	remove.Do = func(ctx context.Context, who actor.Actor, row bulk.Row, _ url.Values) error {
		_, err := h.Service.Remove(ctx, who, row.ID)
		return err
	}
	return append(bulk.Acts{h.pauseSubscribers(one, true), h.pauseSubscribers(one, false), remind, remove,
		follow.Note(), follow.Assign()}, h.templateActs()...)
}

// pausing names an act that pauses, or one that lets run again.
func pausing(act bulk.Act, paused bool) bulk.Act {
	act.Key, act.Label, act.Icon = "resume", "Resume…", "play"
	act.Words = func(rows string) string { return "Resume " + rows }
	act.Done = func(rows string) string { return words.Capital(rows) + " resumed" }
	if paused {
		act.Key, act.Label, act.Icon = "pause", "Pause…", "clock"
		act.Words = func(rows string) string { return "Pause " + rows }
		act.Done = func(rows string) string { return words.Capital(rows) + " paused" }
	}
	return act
}

// alreadySo is why nothing is paused or resumed; empty: something is.
func alreadySo(is, paused bool) error {
	switch {
	case is != paused:
		return nil
	case paused:
		return fault.New(fault.Conflict, "conflict", "It is paused already.")
	}
	return fault.New(fault.Conflict, "conflict", "It is not paused.")
}

func (h *Templates) pauseSubscribers(one bulk.Act, paused bool) bulk.Act {
	act := pausing(one, paused)
	act.Text = "Their next dates stay; the periods that were missed are not billed."
	if paused {
		act.Text = "Periods pass and are not billed, now or later, until you resume them. " +
			"Purchases that exist already stay, and so do their debits."
	}
	act.Begin = func(url.Values) bulk.Plan {
		return h.planSubscribers(func(s subscription.Subscriber, _ *bulk.Row) error {
			if err := s.MayPause(); err != nil {
				return err
			}
			return alreadySo(s.Status == subscription.Paused, paused)
		})
	}
	act.Do = func(ctx context.Context, who actor.Actor, row bulk.Row, _ url.Values) error {
		_, err := h.Service.SetSubscriberPaused(ctx, who, row.ID, paused)
		return err
	}
	return act
}

// planSubscribers plans subscribers one by one. judge says what stands against each; nil: nothing does, but
// that the data of a client was erased.
func (h *Templates) planSubscribers(judge func(subscription.Subscriber, *bulk.Row) error) bulk.Plan {
	return func(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]bulk.Row, error) {
		found, err := h.Service.Several(ctx, who, ids)
		if err != nil {
			return nil, err
		}
		out := make([]bulk.Row, len(found))
		for i, s := range found {
			out[i] = bulk.Row{ID: s.ID, Name: cmp.Or(s.ClientName, s.ClientEmail), Second: s.ClientEmail,
				Href: subscriberHref(s, ""), Pill: subscriberPill(s), ChangedAt: s.UpdatedAt.UnixMicro()}
			if judge != nil {
				out[i].Why = bulk.WhyNot(judge(s, &out[i]))
			}
		}
		if judge != nil {
			return out, nil
		}
		return out, bulk.LeaveErased(ctx, who, h.Purchases.Clients, out, func(i int) uuid.UUID { return found[i].ClientID })
	}
}

// templateActs are the acts on many templates.
func (h *Templates) templateActs() bulk.Acts {
	one := bulk.Act{Needs: templateAct, Lists: []string{TemplateList}, One: "template"}
	return bulk.Acts{h.pauseTemplates(one, true), h.pauseTemplates(one, false), h.deleteTemplates(one)}
}

func (h *Templates) pauseTemplates(one bulk.Act, paused bool) bulk.Act {
	act := pausing(one, paused)
	act.Text = "Subscribers are billed again from their next dates."
	if paused {
		act.Text = "No subscriber of theirs is billed while it lasts: " +
			"periods pass, and missed dates are not billed later."
	}
	act.Begin = func(url.Values) bulk.Plan {
		return h.planTemplates(func(t subscription.Template, _ *bulk.Row) error {
			if err := t.MayPause(); err != nil {
				return err
			}
			return alreadySo(t.Paused, paused)
		})
	}
	act.Do = func(ctx context.Context, who actor.Actor, row bulk.Row, _ url.Values) error {
		_, err := h.Service.SetPaused(ctx, who, row.ID, paused)
		return err
	}
	return act
}

func (h *Templates) deleteTemplates(act bulk.Act) bulk.Act {
	act.Key, act.Label, act.Icon, act.Danger, act.Keep = "delete", "Delete…", "trash", true, "Keep them"
	act.Words = func(rows string) string { return "Delete " + rows }
	act.Done = func(rows string) string { return words.Capital(rows) + " deleted" }
	act.Text, act.Ends = "This cannot be undone. Templates disappear from all lists. Purchases stay, with their debits.",
		"subscriber"
	act.Begin = func(url.Values) bulk.Plan {
		return h.planTemplates(func(t subscription.Template, row *bulk.Row) error {
			row.Note = "Deleted; no subscriber is billed from it"
			if row.Ends = running(t); row.Ends > 0 {
				row.Note = "Deleted; subscribers will no longer be billed, " +
					"and links for storing a bank account stop working"
			}
			return nil
		})
	}
	act.Do = func(ctx context.Context, who actor.Actor, row bulk.Row, _ url.Values) error {
		return h.Service.Delete(ctx, who, row.ID)
	}
	return act
}

func (h *Templates) planTemplates(judge func(subscription.Template, *bulk.Row) error) bulk.Plan {
	return func(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]bulk.Row, error) {
		found, err := h.Service.SeveralTemplates(ctx, who, ids)
		out := make([]bulk.Row, len(found))
		for i, t := range found {
			out[i] = bulk.Row{ID: t.ID, Name: t.Name(), Second: countsWords(t), Href: words.TemplateHref(t.ID, ""),
				Pill: templatePill(t), ChangedAt: t.UpdatedAt.UnixMicro()}
			out[i].Why = bulk.WhyNot(judge(t, &out[i]))
		}
		return out, err
	}
}

// chooseSubscribers lets subscribers be chosen in a list of that name.
func (h *Templates) chooseSubscribers(list string) kit.Choosing[subscription.Subscriber] {
	return kit.Choosing[subscription.Subscriber]{Selections: h.Selections, Several: h.Service.Several,
		Changed: func(s subscription.Subscriber) time.Time { return s.UpdatedAt },
		Acts:    func(who actor.Actor) []components.Button { return h.Acts.Buttons(list, who) }}
}

// chooseTemplates lets templates be chosen.
func (h *Templates) chooseTemplates() kit.Choosing[subscription.Template] {
	return kit.Choosing[subscription.Template]{Selections: h.Selections, Several: h.Service.SeveralTemplates,
		Changed: func(t subscription.Template) time.Time { return t.UpdatedAt },
		Acts:    func(who actor.Actor) []components.Button { return h.Acts.Buttons(TemplateList, who) }}
}
