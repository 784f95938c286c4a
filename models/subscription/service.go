package subscription

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
)

// Service holds the use cases of templates and subscribers, and bills the periods
// that begin.
type Service struct {
	InTx      func(context.Context, func(*database.Tx) error) error
	Store     Store
	Purchases *purchase.Service
	Now       func() time.Time
	AtOnce    int // subscribers that are billed side by side; 0: 8
	// LettersAtOnce is how many clients are told of a price in one transaction; 0: 500.
	LettersAtOnce int
}

// Input is a template as it was asked for.
type Input struct {
	Problems fault.Problems // of its shape, reported with the rest
	Pattern  purchase.Input // BrandID, Details, DirectDebit, Options, Currency, DueStrict, Issued, Due, UserID

	Title          string
	IsSubscription bool
	Plan           Plan
	Paused         bool
}

// SubscriberInput is one client of a template as it was asked for.
type SubscriberInput struct {
	Problems  fault.Problems
	ClientID  uuid.UUID
	FirstOn   calendar.Date // date of the first charge; zero: as the plan says, from the day the account is stored
	Whitelist []string      // nil: as the template says
	Switches  Switches
	Reference string
	Override  *Override
	First     *int64 // cents: the total of the first period; nil: as of each
	Debit     Debit
	Agreed    *int64 // Add only: the price of a period that a second approver agreed to; nil: none was asked
	Paused    *bool  // Change only: nil leaves it
}

// Added is a new subscriber, and the purchase that was made for it.
type Added struct {
	Subscriber Subscriber
	Purchase   *purchase.Record // nil: nothing is payable yet and the account is known
}

// Filter narrows the list of templates; its zero value takes all.
type Filter struct {
	IsSubscription *bool
	BrandID        uuid.UUID
	Search         string
}

// SubscriberFilter narrows the list of a template's subscribers.
type SubscriberFilter struct {
	Status   Status // empty: all
	Search   string
	ClientID uuid.UUID // zero: of all clients
	Concern  Concern   // active ones alone that need attention for it; empty: does not matter
}

// Concern is why a subscriber needs attention, as attention has it.
type Concern string

// The concerns of subscribers.
const (
	Stranded Concern = "stranded" // its account cannot be charged: deleted, replaced, blocked or never stored
	Unfit    Concern = "terms"    // its mandate does not allow the next period
)

// tries is how often a change starts again after another came first.
const tries = 20

// again repeats what lost a race; who loses looks at what is there then.
func again(try func() error) error {
	return fault.Again(tries, "This is being changed by another person. Try again.", try)
}

func today(now time.Time) calendar.Date { return calendar.DateOf(now) }

func noteTemplate(tx *database.Tx, who actor.Actor, t Template, action, text string, before, after map[string]any) {
	tx.Audit(who, audit.Entry{Action: action, ObjectType: "template", ObjectID: t.ID, Text: text, Before: before,
		After: after})
}

func noteSubscriber(tx *database.Tx, who actor.Actor, s Subscriber, action, text string, before, after map[string]any) {
	tx.Audit(who, audit.Entry{Action: action, ObjectType: "subscriber", ObjectID: s.ID, ClientID: s.ClientID,
		PurchaseID: s.FirstPurchaseID, Text: text, Before: before, After: after})
}
