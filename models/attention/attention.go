// Package attention is the queue of what waits for a person. It must not know how it is drawn.
package attention

import (
	"time"

	"github.com/google/uuid"

	"debitdesk/models/purchase"
)

// Summary is what waits for somebody. Each figure is what the list behind it counts, by the same condition.
type Summary struct {
	FailedDay    purchase.Tally // of Failed, those whose answer came since yesterday 00:00 SAST
	Failed       purchase.Tally // purchases whose last debit failed and that are still to be paid
	AtWork       purchase.Tally // of Failed in Later, those on which a plan is at work
	AccountGone  purchase.Tally // purchases that lost the account they were to be debited from
	NotConfirmed purchase.Tally // purchases whose DebiCheck mandate was not confirmed
	Disputed     purchase.Tally // purchases whose debit is disputed, until the dispute is decided
	Silent       purchase.Tally // debits that the bank has not answered in time
	PaidTwice    purchase.Tally // purchases that were refunded, and returned or disputed as well
	Refunds      purchase.Tally // money that waits to be paid back
	Promised     purchase.Tally // promises to pay whose day has come
	NeverDebited purchase.Tally // overdue purchases that were never debited
	ClosedDay    purchase.Tally // planned debits that lie on a day which was proclaimed closed since
	Unfit        int64          // active subscribers whose next period the mandate does not allow
	Replaced     int64          // accounts that the client confirmed in the place of another, and nobody took over
	Idle         int64          // recurring DebiCheck mandates on which nothing is planned
	Blocked      int64          // blocked accounts that scheduled purchases or subscribers still need
	Suspended    int64          // suspended mandates whose client has no newer account
	Stranded     int64          // active subscribers without an account that can be charged
	Mails        int64          // mails that could not be delivered in the last 30 days
	Requests     int64          // what clients asked for and was not answered
	Approvals    int64          // requests that wait for a second approver
}

// Quiet tells that nothing waits.
func (a Summary) Quiet() bool { return a == Summary{} }

// Item is one thing that waits.
type Item struct {
	Kind                          string // why it waits, as attention has it
	ObjectID                      uuid.UUID
	OwnerID                       uuid.UUID // who looks after it
	HiddenUntil                   string    // shown from this day; "-infinity": always, "infinity": it was closed
	PurchaseID, TokenID, ClientID uuid.UUID
	MandateID, TemplateID         uuid.UUID
	SubscriberID, PromiseID       uuid.UUID
	RequestID                     uuid.UUID
	Name                          string // the client, the client or the recipient
	Phone                         string
	Reference                     string
	Cents                         int64
	Currency                      string
	Code                          string // the bank's
	// Text is, of a mail, its subject and what went wrong; of a subscriber, why it cannot be debited;
	// of a replacement, the id of the amendment; of a request, what kind it is.
	Text string
	At   time.Time
	Plan string    // the name of the plan that is at work on it; empty: none
	Step time.Time `gorm:"default:null"` // when its next step is taken
}

// MailText is what a mail that was not delivered says; empty for all else.
func (i Item) MailText() string {
	if i.Kind != "mail" {
		return ""
	}
	return i.Text
}

// Items are the newest of each kind that waits.
type Items struct {
	Failed, AccountGone, NotConfirmed, Disputed, Silent, Blocked, Suspended, Stranded, PaidTwice,
	Refunds, Mails, Promised, NeverDebited, ClosedDay, Unfit, Replaced, Idle, Requests []Item
}

// Whose says which part of the queue is asked for.
type Whose string

// The parts of the queue. What is snoozed until another day, or promised for one, is in Later alone.
const (
	Everyones Whose = ""
	Mine      Whose = "mine"
	Nobodys   Whose = "nobody"
	Later     Whose = "later"
)

// Query says which part of the queue is asked for, and from when.
type Query struct {
	Whose            Whose
	OwnerID          uuid.UUID // with Mine
	ObjectID         uuid.UUID // of items: this thing alone, whatever became of it
	Yesterday, Month time.Time // since when a failure is new, and mails that failed are shown
}
