package home

import (
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
	"debitdesk/models/approval"
	"debitdesk/models/attention"
	"debitdesk/models/audit/trail"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/clientpage"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

func codeWords(i attention.Item) string { return bank.Label(i.Code) + ". " + bank.Remedy(i.Code) }

// itemHref leads to where the thing is dealt with.
func itemHref(i attention.Item) string {
	switch {
	case i.PurchaseID != uuid.Nil:
		return words.PurchasePath(i.PurchaseID)
	case i.TokenID != uuid.Nil:
		return words.TokenPath(i.TokenID)
	case i.MandateID != uuid.Nil:
		return words.MandatePath(i.MandateID)
	case i.SubscriberID != uuid.Nil:
		return words.TemplateHref(i.TemplateID, "/subscribers/"+i.SubscriberID.String())
	case i.RequestID != uuid.Nil:
		return "/requests/" + i.RequestID.String()
	}
	return ""
}

// requestWords says what a client asked for.
func requestWords(i attention.Item) string {
	return words.Capital(clientpage.RequestKind(i.Text).Label()) + "."
}

// failedWords says why a debit failed; what can be done stands below it.
func failedWords(i attention.Item) string { return bank.Label(i.Code) + "." }

// planWords say what a plan does next about a failure.
func (b *queueBook) planWords(i attention.Item) string {
	return failedWords(i) + " Next step of “" + i.Plan + "”: " + words.SayDay(calendar.DateOf(i.Step), b.now) + "."
}

// strandedWords says what became of a subscriber's account.
func strandedWords(i attention.Item) string {
	switch token.State(i.Text) {
	case "":
		return "No account is stored."
	case token.Blocked:
		return "The account is blocked: " + bank.Label(i.Code) + ". " + bank.Remedy(i.Code)
	case token.Deleting:
		return "The account is being deleted; that can be undone for a few minutes."
	case token.Superseded:
		return "The account was replaced by a newer one, which this subscriber does not use."
	case token.Active, token.Pending, token.Deleted:
	}
	return "The account was deleted."
}

// requestGroup shows what waits for a second person.
func requestGroup(open []approval.Approval, waiting int64, now time.Time) pages.QueueGroup {
	g := attentionGroup(approvalsWait, purchase.Tally{N: waiting}, int(waiting))
	for _, a := range open {
		row := pages.QueueRow{Name: words.Capital(a.Subject.Name), Reference: "asked by " + a.AskedName,
			Href: words.ApprovalPath(a.ID), Note: a.Reason,
			When: "expires " + dayOrNothing(a.ExpiresAt, now)}
		if a.Subject.Totals.Cents > 0 {
			row.Sum = words.Sum(a.Subject.Totals.Cents, money.ZAR)
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

func dayOrNothing(at, now time.Time) string {
	if at.IsZero() {
		return ""
	}
	return words.SayDay(calendar.DateOf(at), now)
}

const auditAlarm = "The audit log was changed outside Debitdesk"

// alarmGroup says that the record of who did what does not hold, and who can do something.
func alarmGroup(alarms []trail.Alarm, now time.Time) pages.QueueGroup {
	g := pages.QueueGroup{ID: "audit", Title: auditAlarm, Count: words.Grouped(int64(len(alarms))),
		Sub:  "stands until the people who run Debitdesk have accepted it",
		More: components.Link{Text: "Audit log", Href: "/audit"}}
	for _, a := range alarms {
		note := a.Why + " Tell the people who run Debitdesk, keep a copy of the database, and find out who had access to it."
		if a.Stopped {
			note += " New entries are kept, but not linked to the chain until then."
		}
		g.Rows = append(g.Rows, pages.QueueRow{Href: "/audit", Name: "Link " + words.Grouped(a.N), Note: note,
			When: "found " + dayOrNothing(a.FoundAt, now)})
	}
	return g
}
