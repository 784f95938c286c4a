package home

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/deletion"
	"debitdesk/models/followup"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// How long before something runs out it is shown, and how much of each kind.
const (
	linksSoon    = 48 * time.Hour
	requestsSoon = 24 * time.Hour
	proofSoon    = 7 // days
	endingShown  = 25
	endingID     = "ending" // of the group
)

// ending is what runs out soon, the earliest first: links that cannot be paid any more then, requests that clients have
// not answered, deletions that become final, and disputes for which a mandate may have to be proven.
func (h *Home) ending(ctx context.Context, who actor.Actor, now time.Time) ([]pages.QueueGroup, error) {
	type line struct {
		at  time.Time
		row pages.QueueRow
	}
	var lines []line
	var links, requests, disputes []followup.Ending
	var deletions []deletion.Deletion
	store, today := h.Followups.Store, calendar.DateOf(now)
	if err := database.AtOnce(ctx, func(ctx context.Context) (err error) {
		links, err = store.LinksEnding(ctx, who.MerchantID, now, now.Add(linksSoon), endingShown)
		return err
	}, func(ctx context.Context) (err error) {
		requests, err = store.RequestsEnding(ctx, who.MerchantID, now, now.Add(requestsSoon), endingShown)
		return err
	}, func(ctx context.Context) (err error) {
		disputes, err = store.DisputesHidden(ctx, who.MerchantID, today, today.AddDays(proofSoon), endingShown)
		return err
	}, func(ctx context.Context) (err error) {
		deletions, err = h.Deletions(ctx, who)
		return err
	}); err != nil {
		return nil, err
	}
	for _, e := range slices.Concat(links, requests, disputes) {
		at := e.At
		if e.Kind == followup.EndingProof {
			at = calendar.DateOf(e.At).At(23, 59)
		}
		lines = append(lines, line{at, endingRow(e, at, now)})
	}
	for _, d := range deletions {
		ids := d.IDs()
		row := pages.QueueRow{
			Name:      plural.Of(len(ids), "token") + " being deleted",
			Reference: "asked by " + d.AskedName,
			Href:      "/tokens",
			Note:      "Final on " + words.SayMinute(d.Until, now) + ". It can be undone until then.",
		}
		if len(ids) == 1 {
			row.Href = words.TokenPath(ids[0])
		}
		lines = append(lines, line{d.Until, row})
	}
	if len(lines) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(lines, func(a, b line) int { return a.at.Compare(b.at) })
	g := pages.QueueGroup{ID: endingID, Title: "About to expire", Count: words.Grouped(int64(len(lines))),
		Sub: "links, requests to clients, deletions and disputes"}
	if len(lines) > endingShown {
		g.Count, lines = words.Grouped(endingShown)+" or more", lines[:endingShown]
	}
	for _, l := range lines {
		g.Rows = append(g.Rows, l.row)
	}
	return []pages.QueueGroup{g}, nil
}

// endingRow puts what runs out at a moment into words.
func endingRow(e followup.Ending, at, now time.Time) pages.QueueRow {
	r := pages.QueueRow{Name: e.Name, Reference: e.Reference, Href: words.PurchasePath(e.ObjectID)}
	if e.Cents > 0 {
		r.Sum = words.Sum(e.Cents, e.Currency)
	}
	if e.Phone != "" {
		r.Phone, r.PhoneHref = words.PhoneWords(e.Phone), words.PhoneHref(e.Phone)
	}
	left := words.SayMinute(at, now) + " (in " + words.SayLeft(at.Sub(now)) + ")"
	switch e.Kind {
	case followup.EndingLink:
		r.Note = "The client’s link can be paid until " + left + "."
		r.Act = components.Button{Label: "Send reminder…", Href: words.PurchasePath(e.ObjectID, "mail"), Small: true,
			Changes: true}
	case followup.EndingRequest:
		r.Href = words.MandatePath(e.ObjectID)
		r.Note = "The client has not confirmed the mandate yet. The time runs out on " + left + "."
		if e.Registered {
			r.Note = "The client has not confirmed the mandate yet. It is registered without an answer on " + left + "."
		}
	case followup.EndingProof:
		r.Note = "Disputed, and snoozed or closed here. The mandate can be proven until " + words.SayDay(calendar.DateOf(at),
			now) + "."
	}
	return r
}

// doneWords says what became of something that left the list.
func doneWords(d followup.Done, now time.Time) string {
	switch d.State {
	case followup.Snoozed:
		if day, err := calendar.ParseDate(d.HiddenUntil); err == nil {
			return "Snoozed until " + words.SayDay(day, now)
		}
		return "Snoozed"
	case followup.Closed:
		return "Closed: " + d.Reason.Label()
	case followup.Solved, followup.Waits:
	}
	return "Solved: " + solvedWords(d)
}

// solvedWords says by what a thing stopped to need attention.
func solvedWords(d followup.Done) string {
	switch d.Kind {
	case "blocked":
		return "the account was replaced, or nothing needs it now"
	case "suspended":
		return "the client has a newer account, or this one was deleted"
	case "stranded":
		return "there is an account again, or the subscriber was paused or removed"
	case "terms":
		return "price and mandate agree, or the subscriber was paused or removed"
	case "replaced":
		return "the new account took over, or the replacement was abandoned"
	case "idle":
		return "a debit or a subscription uses the mandate, or it ended"
	case "closed_day":
		return "the debit runs on another day"
	case "mail":
		return "it was sent again"
	case followup.KindRequest:
		return "it was answered or withdrawn"
	case "silent":
		return "the bank answered"
	case followup.KindPromise:
		if d.Settled == followup.Open {
			return "paid as promised"
		}
		return "the promise is " + string(d.Settled)
	}
	switch status := purchase.Status(d.Status); status {
	case purchase.PendingCharge, purchase.PendingExecute:
		return "a debit is booked"
	case purchase.Chargeback:
		return "the bank decided the dispute"
	default:
		return strings.ToLower(words.StatusWord(status))
	}
}

func doneHref(d followup.Done) string {
	switch {
	case d.Kind == "blocked" || d.Kind == "replaced":
		return words.TokenPath(d.ObjectID)
	case d.Kind == "suspended" || d.Kind == "idle":
		return words.MandatePath(d.ObjectID)
	case d.Kind == "stranded" || d.Kind == "terms":
		return words.TemplateHref(d.TemplateID, "/subscribers/"+d.ObjectID.String())
	case d.Kind == followup.KindRequest:
		return "/requests/" + d.ObjectID.String()
	case d.PurchaseID != uuid.Nil:
		return words.PurchasePath(d.PurchaseID)
	case d.ClientID != uuid.Nil:
		return words.ClientHref(d.ClientID)
	}
	return ""
}

// doneName is who and what a thing is about.
func doneName(d followup.Done) string {
	return cmp.Or(words.JoinedWords(" ", d.Name, d.Reference), "Deleted client")
}
