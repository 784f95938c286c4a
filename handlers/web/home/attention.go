package home

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"debitdesk/handlers/access"
	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/approval"
	"debitdesk/models/attention"
	"debitdesk/models/audit/trail"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/money"
	"debitdesk/models/paging"
	"debitdesk/models/purchase"
	"debitdesk/models/webhook"
	"debitdesk/views/components"
	"debitdesk/views/layout"
	"debitdesk/views/pages"
)

// attentionKind is one sort of thing that waits for somebody: how home names it,
// and the list of exactly these things.
type attentionKind struct {
	id, color, icon string
	one, many       string // on home: "1 debit is disputed"
	href            string // the list
	title, ends     string // on the page of all: its title, and what ends a line of it
	of              func(attention.Summary) purchase.Tally
}

func concernHref(c purchase.Concern) string { return "/purchases?attention=" + string(c) }

func number(of func(attention.Summary) int64) func(attention.Summary) purchase.Tally {
	return func(a attention.Summary) purchase.Tally { return purchase.Tally{N: of(a)} }
}

// The kinds, in the order of home.
var (
	approvalsWait = attentionKind{"approvals", "wait", "users", "request is waiting for a second approver",
		"requests are waiting for a second approver", "/approvals",
		"Waiting for a second approver", "until it is decided, withdrawn or expires",
		number(func(a attention.Summary) int64 { return a.Approvals })}
	debitsFailed = attentionKind{"failed", "bad", "alert", "debit failed and is not paid",
		"debits failed and are not paid", concernHref(purchase.FailedDebit),
		"Failed debits", "until debited again, paid or cancelled",
		func(a attention.Summary) purchase.Tally { return a.Failed }}
	// plansAtWork waits for nobody, and stands in no figure: only in the part of the queue that is for later.
	plansAtWork = attentionKind{"at_work", "wait", "repeat", "", "", "/plans", "A plan is at work",
		"until it takes its next step, ends or hands over to a person",
		func(a attention.Summary) purchase.Tally { return a.AtWork }}
	accountsGone = attentionKind{"account_gone", "bad", "key", "purchase lost the account it was to be debited from",
		"purchases lost the account they were to be debited from", concernHref(purchase.AccountGone),
		"Purchases that lost their account", "until debited from another account, paid or cancelled",
		func(a attention.Summary) purchase.Tally { return a.AccountGone }}
	notConfirmed = attentionKind{"declined", "bad", "shield", "mandate was not confirmed", "mandates were not confirmed",
		concernHref(purchase.NotConfirmed),
		"Mandates that were not confirmed", "until the client is asked again, or the purchase is paid or cancelled",
		func(a attention.Summary) purchase.Tally { return a.NotConfirmed }}
	debitsDisputed = attentionKind{"disputed", "bad", "undo", "debit is disputed", "debits are disputed",
		concernHref(purchase.OpenDispute),
		"Disputed debits", "until the bank has decided the dispute",
		func(a attention.Summary) purchase.Tally { return a.Disputed }}
	noAnswer = attentionKind{"silent", "wait", "clock", "debit has no answer from the bank",
		"debits have no answer from the bank", concernHref(purchase.NoAnswer),
		"No answer from the bank", "until the bank answers; contact the bank",
		func(a attention.Summary) purchase.Tally { return a.Silent }}
	accountsBlocked = attentionKind{"blocked", "bad", "lock", "blocked account is still needed",
		"blocked accounts are still needed", "/tokens?attention=blocked&state=blocked",
		"Blocked accounts that are still needed",
		"until the account is replaced, or nothing is scheduled or subscribed with it",
		number(func(a attention.Summary) int64 { return a.Blocked })}
	mandatesSuspended = attentionKind{"suspended", "bad", "shield", "mandate was suspended by the client’s bank",
		"mandates were suspended by the clients’ banks", "/mandates?attention=suspended&state=suspended",
		"Suspended mandates", "until the client has a newer account, or the token is deleted",
		number(func(a attention.Summary) int64 { return a.Suspended })}
	subscribersStranded = attentionKind{"subscribers", "bad", "users", "subscriber has no account that can be charged",
		"subscribers have no account that can be charged", words.StrandedPath,
		"Subscribers without an account", "until they have an account again, or are paused or removed",
		number(func(a attention.Summary) int64 { return a.Stranded })}
	periodsUnfit = attentionKind{"terms", "bad", "shield", "subscriber’s next period is not allowed by the mandate",
		"subscribers’ next periods are not allowed by their mandates", words.UnfitPath,
		"Periods that the mandate does not allow", "until price and mandate agree, or the subscriber is paused or removed",
		number(func(a attention.Summary) int64 { return a.Unfit })}
	accountsReplaced = attentionKind{"replaced", "bad", "key", "replacement account is confirmed and not in use",
		"replacement accounts are confirmed and not in use", "/tokens?attention=replaced",
		"Replacement accounts that are not in use", "until the new account takes over, or the replacement is abandoned",
		number(func(a attention.Summary) int64 { return a.Replaced })}
	mandatesIdle = attentionKind{"idle", "wait", "shield", "recurring mandate has no debit planned",
		"recurring mandates have no debit planned", "/mandates?attention=idle",
		"Recurring mandates with nothing planned", "until a debit or a subscription uses the mandate, or it is cancelled",
		number(func(a attention.Summary) int64 { return a.Idle })}
	neverDebited = attentionKind{"overdue", "wait", "clock", "overdue purchase was never debited",
		"overdue purchases were never debited", concernHref(purchase.NeverDebited),
		"Overdue without a debit", "until debited, paid or cancelled",
		func(a attention.Summary) purchase.Tally { return a.NeverDebited }}
	onClosedDay = attentionKind{"closed_day", "bad", "calendar", "planned debit is on a closed day",
		"planned debits are on a closed day", concernHref(purchase.ClosedDay),
		"Debits on a closed day", "until the debit date is changed",
		func(a attention.Summary) purchase.Tally { return a.ClosedDay }}
	paidTwice = attentionKind{"twice", "bad", "undo", "client has money back twice",
		"clients have money back twice", concernHref(purchase.PaidTwice),
		"Paid back twice", "until the client has paid the money again, the dispute is won, or you close it",
		func(a attention.Summary) purchase.Tally { return a.PaidTwice }}
	refundsWait = attentionKind{"refunds", "wait", "out",
		"refund is waiting to be paid back", "refunds are waiting to be paid back",
		concernHref(purchase.RefundWaits),
		"Refunds to be paid back", "until paid back", func(a attention.Summary) purchase.Tally { return a.Refunds }}
	promisesDue = attentionKind{
		"promises",
		"wait",
		"phone",
		"client has not paid as promised",
		"clients have not paid as promised",
		"/attention#promises",
		"Promised and not paid",
		"until paid, or the promise is settled",
		func(a attention.Summary) purchase.Tally { return a.Promised },
	}
	requestsOpen = attentionKind{"requests", "wait", "mail", "client waits for an answer to a request",
		"clients wait for answers to requests", "/requests",
		"Requests of clients", "until answered; privacy requests within 30 days",
		number(func(a attention.Summary) int64 { return a.Requests })}
	mailsFailed = attentionKind{"mails", "wait", "mail", "mail could not be delivered", "mails could not be delivered",
		"/attention#mails",
		"Mails that were not delivered", "in the last 30 days; until sent again",
		number(func(a attention.Summary) int64 { return a.Mails })}

	attentionKinds = []attentionKind{approvalsWait, debitsFailed, accountsGone, notConfirmed, debitsDisputed, noAnswer,
		accountsBlocked, mandatesSuspended, subscribersStranded, periodsUnfit, accountsReplaced, onClosedDay, paidTwice,
		refundsWait, neverDebited, mandatesIdle, promisesDue, requestsOpen,
		mailsFailed}
)

// attentionLines are what waits for somebody, kind by kind. Failures that are new
// stand before all failures that nobody has dealt with.
func attentionLines(a attention.Summary, since calendar.Date) []pages.AttentionLine {
	var out []pages.AttentionLine
	add := func(k attentionKind) {
		t := k.of(a)
		if t.N == 0 {
			return
		}
		line := pages.AttentionLine{Kind: k.color, Icon: k.icon, Text: tallyWords(t, k.one, k.many), Href: k.href}
		line.Total = components.CountOf(t.N)
		if t.Cents > 0 {
			line.Sum, line.Total = words.Sum(t.Cents, money.ZAR), components.TotalOf(t.N, t.Cents)
		}
		out = append(out, line)
	}
	for _, k := range attentionKinds {
		if k.id == debitsFailed.id {
			lately := k
			lately.one, lately.many, lately.href = "debit failed since yesterday", "debits failed since yesterday",
				k.href+"&failed_since="+since.String()
			lately.of = func(a attention.Summary) purchase.Tally { return a.FailedDay }
			add(lately)
			if a.FailedDay == a.Failed {
				continue
			}
		}
		add(k)
	}
	return out
}

// Attention serves GET /attention: what waits, to be worked through.
func (h *Home) Attention(c echo.Context) error {
	ctx, who := paging.Remembering(c.Request().Context()), access.Actor(c)
	c.SetRequest(c.Request().WithContext(ctx)) // what stands around the page knows what was read for it
	whose := attention.Whose(c.QueryParam("whose"))
	if !slices.Contains(attention.Parts, whose) {
		whose = attention.Everyones
	}
	var (
		tallies attention.Summary
		items   attention.Items
		b       *queueBook
		counts  []int
		beside  pressing
	)
	if err := database.AtOnce(ctx, func(ctx context.Context) (err error) {
		tallies, err = h.Queue.Summary(ctx, who, whose)
		return err
	}, func(ctx context.Context) (err error) {
		if items, err = h.Queue.Items(ctx, who, whose); err == nil {
			b, err = h.book(ctx, who, all(items), queuePath(whose))
		}
		return err
	}, func(ctx context.Context) (err error) {
		counts, err = h.Queue.Counts(ctx, who)
		return err
	}, func(ctx context.Context) (err error) {
		if whose == attention.Everyones {
			beside, err = h.pressing(ctx, who)
		}
		return err
	}); err != nil {
		return err
	}
	view := pages.QueueView{Back: b.back, Tomorrow: calendar.DateOf(b.now).AddDays(1).String(),
		People: unchosen(kit.OwnerOptions(b.people, uuid.Nil)), Reasons: reasonOptions(""),
		Groups: b.groups(tallies, items, h.Queue.Since())}
	beside.show(&view, tallies.Approvals, b.now)
	showParts(counts, whose, &view)
	done, err := h.doneToday(ctx, who, b.now)
	if err != nil {
		return err
	}
	view.Done = done
	view.Empty = components.Empty{
		Icon:  "done",
		Title: "Nothing is waiting for you",
		Text: "Failed and disputed debits, debits without an answer, " +
			"blocked accounts that are still needed, suspended mandates, promises to pay, " +
			"requests of clients and undelivered mails are shown here " +
			"until they are dealt with.",
	}
	if whose != attention.Everyones {
		view.Empty.Title, view.Empty.Text = "Nothing here", "Choose another part of the list above."
	}
	return h.Desk.ShowIn(c, http.StatusOK, "Needs attention", "attention",
		func(f layout.Frame) templ.Component { return pages.Queue(f, view) })
}

// pressing is what waits and cannot be put off: alarms, requests for a second approver, what is about to expire, and
// webhooks that fail.
type pressing struct {
	alarms   []trail.Alarm
	requests []approval.Approval
	ending   []pages.QueueGroup
	failing  []webhook.Webhook
}

func (h *Home) pressing(ctx context.Context, who actor.Actor) (p pressing, err error) {
	err = database.AtOnce(ctx, func(ctx context.Context) (err error) {
		p.alarms, err = h.Desk.OpenAlarms(ctx, who)
		return err
	}, func(ctx context.Context) error {
		open, err := h.Approvals.List(ctx, who, true, paging.Ask{Limit: kit.BesideRows})
		p.requests = open.Items
		return err
	}, func(ctx context.Context) (err error) {
		p.ending, err = h.ending(ctx, who, h.Desk.Now())
		return err
	}, func(ctx context.Context) (err error) {
		p.failing, err = h.Desk.FailingWebhooks(ctx, who)
		return err
	})
	return p, err
}

// show puts them on the page, around what can be put off.
func (p pressing) show(view *pages.QueueView, approvals int64, now time.Time) {
	var first []pages.QueueGroup
	if len(p.alarms) > 0 {
		first = append(first, alarmGroup(p.alarms, now))
	}
	if len(p.requests) > 0 {
		first = append(first, requestGroup(p.requests, approvals, now))
	}
	view.Groups = slices.Concat(first, p.ending, view.Groups)
	if len(p.failing) == 0 {
		return
	}
	g := pages.QueueGroup{ID: "webhooks", Title: "Webhooks that fail", Count: words.Grouped(int64(len(p.failing))),
		Sub:  "your programs are not told what happens",
		More: components.Link{Text: "Show the list", Href: words.WebhooksPath}}
	for _, w := range p.failing {
		g.Rows = append(g.Rows, pages.QueueRow{Href: words.WebhookPath(w.ID), Name: w.Title, Reference: w.Callback,
			Note: words.Capital(words.FailingWords(w, now)) + " in a row."})
	}
	view.Groups = append(view.Groups, g)
}
