package home

import (
	"context"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/attention"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/followup"
	"debitdesk/models/member"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// queueBook is what rows of the queue say beside what waits itself: people, notes, calls and what may be done next.
type queueBook struct {
	now       time.Time
	people    []member.Member
	notes     map[uuid.UUID]followup.Note
	calls     map[uuid.UUID]followup.Note
	promises  map[uuid.UUID]followup.Promise
	outlooks  map[uuid.UUID]purchase.Outlook
	suggested map[uuid.UUID]components.Button
	back      string
}

// book reads it for all items at once.
func (h *Home) book(ctx context.Context, who actor.Actor, items []attention.Item, back string) (*queueBook, error) {
	b := &queueBook{now: h.Desk.Now(), back: back}
	var objects, clients, bought []uuid.UUID
	for _, i := range items {
		objects = append(objects, i.ObjectID)
		if i.ClientID != uuid.Nil {
			clients = append(clients, i.ClientID)
		}
		if i.PurchaseID != uuid.Nil && i.MailText() == "" {
			bought = append(bought, i.PurchaseID)
		}
	}
	err := database.AtOnce(ctx, func(ctx context.Context) (err error) {
		b.people, err = h.Members(ctx, who.MerchantID)
		return err
	}, func(ctx context.Context) (err error) {
		b.notes, err = h.Followups.Store.LastNotes(ctx, who.MerchantID, objects)
		return err
	}, func(ctx context.Context) (err error) {
		b.calls, err = h.Followups.Store.LastCalls(ctx, who.MerchantID, clients)
		return err
	}, func(ctx context.Context) (err error) {
		b.promises, err = h.Followups.Store.OpenPromises(ctx, who.MerchantID, bought)
		return err
	}, func(ctx context.Context) (err error) {
		b.outlooks, b.suggested, err = h.Purchases.Suggest(ctx, who, bought)
		return err
	})
	return b, err
}

// row puts one item into words.
func (b *queueBook) row(i attention.Item, note, when string) pages.QueueRow {
	r := pages.QueueRow{Key: i.Kind + "-" + i.ObjectID.String(), ID: i.ObjectID.String(),
		Href: itemHref(i), Name: i.Name, Reference: i.Reference, Note: note, When: when}
	if i.Cents > 0 {
		r.Sum = words.Sum(i.Cents, i.Currency)
	}
	if i.Phone != "" {
		r.Phone, r.PhoneHref = words.PhoneWords(i.Phone), words.PhoneHref(i.Phone)
	}
	r.Facts, r.Called = b.facts(i), b.callWords(i)
	r.Act = b.suggested[i.PurchaseID]
	r.Act.Kind, r.Act.Small, r.Act.Attrs = "", true, templ.Attributes{"hx-boost": "false"} // it leads to another page
	back := ""
	if b.back != queuePath(attention.Everyones) { // where forms lead back to by themselves
		back = "&back=" + backParam(b.back)
	}
	ask := func(do string) string {
		return "/attention/" + r.ID + "?kind=" + i.Kind + "&do=" + do + back
	}
	if label := actLabels[i.Kind]; label != "" && (r.Act.Href == "" || ownActs[i.Kind]) {
		r.Act.Label, r.Act.Href, r.Act.Changes = label, actHref(i), accountActs[i.Kind]
	}
	if o := b.outlooks[i.PurchaseID]; i.Kind == "failed" && o.Again.May() {
		r.Act.Label, r.ActInside = "Debit again…", ask("debit")
	}
	if i.Kind == string(followup.KindPromise) {
		r.Act.Label, r.ActInside = "Settle promise…", ask("settle")
	}
	for _, l := range queueForms {
		if l.do != "promise" || i.PurchaseID != uuid.Nil && i.Kind != string(followup.KindPromise) {
			r.Links = append(r.Links, pages.QueueLink{Key: l.key, Label: l.label, Href: ask(l.do)})
		}
	}
	return r
}

// actLabels are what is done first about each kind, where its purchase suggests nothing.
var actLabels = map[string]string{"failed": "Show the purchase", "account_gone": "Store another account…",
	"unconfirmed": "Show the mandate", "disputed": "Show the purchase", "silent": "Show the debit",
	"twice": "Show the purchase", "refund": "Show the refund", "overdue": "Show the purchase",
	"terms": words.MakeFit, "replaced": words.TakeOver, "idle": words.PlanDebit, "closed_day": "Change date…",
	"blocked": "Store another account…", "suspended": "Store another account…", "stranded": "Choose an account…",
	"mail": "Send again…", "request": "Answer…"}

// ownActs are the kinds whose act is theirs, whatever the purchase suggests; accountActs lead to a form that stores an
// account.
var (
	ownActs     = map[string]bool{"closed_day": true}
	accountActs = map[string]bool{"account_gone": true, "blocked": true, "suspended": true}
)

// actHref leads to where that is done.
func actHref(i attention.Item) string {
	switch {
	case i.Kind == "idle":
		return words.TokenPath(i.MandateID) // it shares its id with the token that is debited
	case i.Kind == "unconfirmed":
		return words.MandatePath(i.PurchaseID)
	case i.Kind == "replaced" && i.Text != "":
		return "/amendments/" + i.Text
	case accountActs[i.Kind] && i.ClientID != uuid.Nil:
		return words.ClientHref(i.ClientID) + "/accounts/new"
	}
	return itemHref(i)
}

// queueForms are what can be done about every item, with their keys.
var queueForms = []struct{ do, key, label string }{
	{"call", "c", "Log call"},
	{"note", "n", "Note"},
	{"promise", "p", "Promise"},
	{"owner", "o", "Owner"},
	{"snooze", "s", "Snooze"},
	{"close", "e", "Close"},
}

// groups puts what waits into groups, by reason.
func (b *queueBook) groups(a attention.Summary, items attention.Items, since calendar.Date) (out []pages.QueueGroup) {
	lately := debitsFailed
	lately.id, lately.title = "failed_day", "Failed debits since yesterday"
	lately.of = func(a attention.Summary) purchase.Tally { return a.FailedDay }
	lately.href += "&failed_since=" + since.String()
	earlier := debitsFailed
	earlier.of = func(a attention.Summary) purchase.Tally {
		return purchase.Tally{N: a.Failed.N - a.FailedDay.N, Cents: a.Failed.Cents - a.FailedDay.Cents}
	}
	atWork := func(i attention.Item) bool { return a.AtWork.N > 0 && i.Plan != "" }
	by := func(i attention.Item) bool { return !atWork(i) }
	if a.AtWork.N > 0 { // those have a group of their own
		lately.of = func(a attention.Summary) purchase.Tally { return purchase.Tally{} }
		earlier.of = func(a attention.Summary) purchase.Tally {
			return purchase.Tally{N: a.Failed.N - a.AtWork.N, Cents: a.Failed.Cents - a.AtWork.Cents}
		}
	} else if a.FailedDay.N > 0 {
		earlier.title = "Failed debits, earlier"
	}
	isNew := func(i attention.Item) bool { return a.AtWork.N == 0 && !i.At.Before(since.At(0, 0)) }
	day := func(i attention.Item) string { return dayOrNothing(i.At, b.now) }
	said := func(text string) func(attention.Item) string { return func(attention.Item) string { return text } }
	for _, g := range []struct {
		kind attentionKind
		list []attention.Item
		note func(attention.Item) string
		word string
	}{
		{promisesDue, items.Promised, b.promiseWords, ""},
		{lately, only(items.Failed, isNew), failedWords, ""},
		{earlier, only(items.Failed, func(i attention.Item) bool { return !isNew(i) && by(i) }), failedWords, ""},
		{plansAtWork, only(items.Failed, atWork), b.planWords, ""},
		{accountsGone, items.AccountGone, said("Its account was deleted, or cannot be charged."), ""},
		{notConfirmed, items.NotConfirmed, codeWords, ""},
		{debitsDisputed, items.Disputed, codeWords, ""},
		{noAnswer, items.Silent, said("The bank should have answered by now."), "alert since "},
		{accountsBlocked, items.Blocked, codeWords, "since "},
		{mandatesSuspended, items.Suspended, codeWords, "since "},
		{subscribersStranded, items.Stranded, strandedWords, "next billing "},
		{periodsUnfit, items.Unfit, func(i attention.Item) string { return i.Text }, "next billing "},
		{accountsReplaced, items.Replaced, said("The client confirmed this account. Until it takes over, " +
			"debits run from the old one."), "confirmed "},
		{onClosedDay, items.ClosedDay, said("Banks are closed on the debit date. Choose another date."), "planned for "},
		{neverDebited, items.NeverDebited, said("No debit was ever planned for it."), "due "},
		{mandatesIdle, items.Idle, said("The client confirmed it, and no debit or subscription uses it."), "confirmed "},
		{paidTwice, items.PaidTwice, said("The refund was paid out and the debit was returned: " +
			"the client has this money twice."), "since "},
		{refundsWait, items.Refunds, said(""), "asked for on "},
		{requestsOpen, items.Requests, requestWords, "answer by "},
		{mailsFailed, items.Mails, func(i attention.Item) string { return i.Text }, ""},
	} {
		tally := g.kind.of(a)
		if tally.N <= 0 {
			continue
		}
		group := attentionGroup(g.kind, tally, len(g.list))
		for _, i := range g.list {
			group.Kind, group.Purchases = i.Kind, i.Kind == "failed" || i.Kind == "account_gone"
			when := day(i)
			if when != "" {
				when = g.word + when
			}
			group.Rows = append(group.Rows, b.row(i, g.note(i), when))
		}
		group.Rows = byClient(group.Rows, g.list)
		out = append(out, group)
	}
	return out
}

func only(list []attention.Item, fits func(attention.Item) bool) []attention.Item {
	return slices.DeleteFunc(slices.Clone(list), func(i attention.Item) bool { return !fits(i) })
}

// attentionGroup says how many there are of a kind, whatever is shown.
func attentionGroup(k attentionKind, all purchase.Tally, shown int) pages.QueueGroup {
	g := pages.QueueGroup{ID: k.id, Title: k.title, Sub: k.ends, Count: words.Grouped(all.N)}
	if int64(shown) < all.N {
		g.Count = words.Grouped(int64(shown)) + " of " + g.Count + " shown"
	}
	if all.Cents > 0 {
		g.Sum = words.Sum(all.Cents, money.ZAR)
	}
	switch k.id {
	case promisesDue.id:
		g.More = components.Link{Text: "All promises", Href: "/promises"}
	case plansAtWork.id:
		g.More = components.Link{Text: "All plans", Href: k.href}
	case mailsFailed.id:
		g.More = components.Link{Text: "All that was not delivered", Href: "/messages?state=unsent"}
	case debitsFailed.id:
		if k.title == debitsFailed.title {
			g.More = components.Link{Text: "Show the list", Href: k.href}
		}
	default:
		g.More = components.Link{Text: "Show the list", Href: k.href}
	}
	return g
}

// all are the items of every kind.
func all(i attention.Items) []attention.Item {
	return slices.Concat(i.Promised, i.Failed, i.AccountGone, i.NotConfirmed, i.Disputed, i.Silent, i.Blocked, i.Suspended,
		i.Stranded, i.Unfit, i.Replaced, i.ClosedDay, i.NeverDebited, i.Idle, i.PaidTwice, i.Refunds, i.Requests, i.Mails)
}
