package report

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/paging"
)

// Attention is what waits for somebody. Each figure is what the list behind it counts, by the same condition.
type Attention struct {
	FailedDay    Tally // of Failed, those whose answer came since yesterday 00:00 SAST
	Failed       Tally // purchases whose last debit failed and that are still to be paid
	AccountGone  Tally // purchases that lost the account they were to be debited from
	NotConfirmed Tally // purchases whose DebiCheck mandate was not confirmed
	Disputed     Tally // purchases whose debit is disputed, until the dispute is decided
	Silent       Tally // debits that the bank has not answered in time
	PaidTwice    Tally // purchases that were refunded, and returned or disputed as well
	Refunds      Tally // money that waits to be paid back
	Promised     Tally // promises to pay whose day has come
	NeverDebited Tally // overdue purchases that were never debited
	ClosedDay    Tally // planned debits that lie on a day which was proclaimed closed since
	Unfit        int64 // active subscribers whose next period the mandate does not allow
	Replaced     int64 // accounts that the client confirmed in the place of another, and nobody took over
	Idle         int64 // recurring DebiCheck mandates on which nothing is planned
	Blocked      int64 // blocked accounts that scheduled purchases or subscribers still need
	Suspended    int64 // suspended mandates whose client has no newer account
	Stranded     int64 // active subscribers without an account that can be charged
	Mails        int64 // mails that could not be delivered in the last 30 days
	Requests     int64 // what clients asked for and was not answered
	Approvals    int64 // requests that wait for a second approver
}

// Quiet tells that nothing waits.
func (a Attention) Quiet() bool { return a == Attention{} }

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

// QueueQuery says which part of the queue is asked for, and from when.
type QueueQuery struct {
	Whose            Whose
	OwnerID          uuid.UUID // with Mine
	ObjectID         uuid.UUID // of items: this thing alone, whatever became of it
	Yesterday, Month time.Time // since when a failure is new, and mails that failed are shown
}

const itemsShown = 12

// Since is the day from which on a failure is new: yesterday.
func (s *Service) Since() calendar.Date { return calendar.DateOf(s.Now()).AddDays(-1) }

// query is a part of the queue as it stands today.
func (s *Service) query(who actor.Actor, whose Whose) QueueQuery {
	return QueueQuery{Whose: whose, OwnerID: who.ID, Yesterday: s.Since().At(0, 0),
		Month: calendar.DateOf(s.Now()).AddDays(-30).At(0, 0)}
}

// Attention sums up what waits.
func (s *Service) Attention(ctx context.Context, who actor.Actor, whose Whose) (Attention, error) {
	if err := who.May(actor.Read); err != nil {
		return Attention{}, err
	}
	return s.Read.Attention(ctx, who.MerchantID, s.query(who, whose))
}

// AttentionItems lists what waits.
func (s *Service) AttentionItems(ctx context.Context, who actor.Actor, whose Whose) (Items, error) {
	if err := who.May(actor.Read); err != nil {
		return Items{}, err
	}
	return s.Read.AttentionItems(ctx, who.MerchantID, s.query(who, whose), itemsShown)
}

// AttentionItem finds everything for which one thing waits, or would, were it not put off.
func (s *Service) AttentionItem(ctx context.Context, who actor.Actor, objectID uuid.UUID) (Items, error) {
	if err := who.May(actor.Read); err != nil {
		return Items{}, err
	}
	if objectID == uuid.Nil {
		return Items{}, nil
	}
	q := s.query(who, Everyones)
	q.ObjectID = objectID
	return s.Read.AttentionItems(ctx, who.MerchantID, q, 1)
}

// QueueParts are the parts of the queue, as a page offers them.
var QueueParts = []Whose{Everyones, Mine, Nobodys, Later}

// AttentionCounts counts what each of QueueParts shows.
func (s *Service) AttentionCounts(ctx context.Context, who actor.Actor) ([]int, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	of := make([]QueueQuery, len(QueueParts))
	for i, whose := range QueueParts {
		of[i] = s.query(who, whose)
	}
	counts, err := s.Read.AttentionCounts(ctx, who.MerchantID, of...)
	if err == nil { // everyone's is the number beside the section's name, which is not asked for again
		_, err = paging.Once(ctx, counted(who.MerchantID), func() (int, error) { return counts[0], nil })
	}
	return counts, err
}

// AttentionCount is the number beside the section's name.
func (s *Service) AttentionCount(ctx context.Context, merchantID uuid.UUID) (int, error) {
	return paging.Once(ctx, counted(merchantID), func() (int, error) {
		return s.Read.AttentionCount(ctx, merchantID, s.query(actor.Actor{}, Everyones).Month)
	})
}

// counted names what waits of a merchant among what was looked up for an answer.
func counted(merchantID uuid.UUID) string { return "what waits of " + merchantID.String() }
