package subscription

import (
	"context"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
)

// WhyParked is why a subscription that came in with an import is paused: until its group is switched on.
const (
	WhyParked = "parked"
	// whyParkedPaused is of one that was paused before it came in, and stays so when its group is switched on.
	whyParkedPaused = "parked_paused"
)

// Parked tells that the subscription waits until the group of its import is switched on.
func (s Subscriber) Parked() bool {
	return s.Status == Paused && (s.Why == WhyParked || s.Why == whyParkedPaused)
}

// MovedIn is a subscription that a business brings from elsewhere.
type MovedIn struct {
	Template  Template
	ClientID  uuid.UUID
	TokenID   uuid.UUID     // the account that is charged; zero: none yet, each period is asked for by an invoice
	FirstOn   calendar.Date // the first billing date
	Cents     int64         // of each period
	Reference string
	Held      bool // the same transaction makes the template, or holds it already
	Passed    int  // periods that were billed before
	Paused    bool // it was paused before, and stays so
}

// InsertParked writes a subscription that bills nothing until it is started. It sends no mail, then or later, unless a
// person turns its mails on.
func (s *Service) InsertParked(tx *database.Tx, in MovedIn) Subscriber {
	sub := in.subscriber(tx)
	if !in.Held {
		holdTemplate(tx, in.Template)
	}
	insertSubscriber(tx, sub)
	return sub
}

// subscriber is one that is parked.
func (in MovedIn) subscriber(tx *database.Tx) Subscriber {
	sub := Subscriber{MerchantID: in.Template.MerchantID, TemplateID: in.Template.ID, ClientID: in.ClientID,
		Status: Paused, Why: WhyParked, FirstOn: in.FirstOn, TokenID: in.TokenID, Reference: in.Reference,
		Passed: in.Passed}
	if in.Paused {
		sub.Why = whyParkedPaused
	}
	if in.Cents != in.Template.TotalCents {
		sub.Override = &Override{Products: []purchase.Product{{Name: in.Template.Name(), PriceCents: in.Cents,
			Quantity: decimal.NewFromInt(1)}}}
	}
	sub.begin(tx)
	return sub
}

// StartParked lets a subscription run that was parked, from its first billing date on. What lies before today is not
// billed. One that somebody changed meanwhile stays as it is; false then.
func (s *Service) StartParked(ctx context.Context, tx *database.Tx, who actor.Actor, merchantID,
	id uuid.UUID) (Subscriber, bool, error) {
	sub, err := s.Store.TemplateClient(ctx, merchantID, id)
	if fault.Is(err, fault.NotFound) || err == nil && !sub.Parked() {
		return sub, false, nil
	}
	if err != nil {
		return sub, false, err
	}
	t, err := s.Store.AnyTemplate(ctx, merchantID, sub.TemplateID)
	if err != nil || !t.DeletedAt.IsZero() {
		return sub, false, err
	}
	before, stays := sub.facts(), sub.Why == whyParkedPaused
	sub.Why, sub.UpdatedAt = "", tx.Now()
	client.HoldForDebit(tx, merchantID, sub.ClientID)
	holdTemplate(tx, t)
	sub.activate(t, today(tx.Now()), tx.Now())
	words := "The subscription began: its group was switched on."
	if stays {
		sub.pause(true, "person")
		words = "Its group was switched on. The subscription stays paused, as it was before the import."
	}
	moveSubscriber(tx, sub)
	sub.Version++
	noteSubscriber(tx, who, sub, "subscriber.activated", words, before,
		sub.facts())
	return sub, true, nil
}

// InsertMovedIn writes a subscription that runs at once, from its first billing date on: its client has confirmed the
// mandate since it came in. Like one that was parked it sends no mail.
func (s *Service) InsertMovedIn(tx *database.Tx, who actor.Actor, in MovedIn) Subscriber {
	sub := in.subscriber(tx)
	client.HoldForDebit(tx, sub.MerchantID, sub.ClientID)
	if !in.Held {
		holdTemplate(tx, in.Template)
	}
	sub.Why, sub.Version = "", 2 // as one that was parked, and started
	sub.activate(in.Template, today(tx.Now()), tx.Now())
	words := "The client was added to the subscription, after the mandate was confirmed again."
	if in.Paused {
		sub.pause(true, "person")
		words += " The subscription stays paused, as it was before the import."
	}
	insertSubscriber(tx, sub)
	noteSubscriber(tx, who, sub, "subscriber.activated", words, nil, sub.terms(in.Template))
	return sub
}

// BilledFor is the day on which a plan bills what is due on another.
func (p Plan) BilledFor(due calendar.Date) calendar.Date { return add(due, -p.DuePeriod, p.DueUnits) }

// DraftMovedIn prepares a template that an import makes.
func (s *Service) DraftMovedIn(ctx context.Context, who actor.Actor, in Input) (Template, error) {
	return s.draft(ctx, who, in)
}

// InsertMovedInTemplate writes a template that was drafted, and gives it its id.
func (s *Service) InsertMovedInTemplate(tx *database.Tx, who actor.Actor, t *Template) {
	t.ID, t.CreatedAt, t.UpdatedAt, t.Version = tx.NewID(), tx.Now(), tx.Now(), 1
	tx.Create(t)
	noteTemplate(tx, who, *t, "template.created", "The billing template "+t.Name()+" was created.", nil, t.facts())
}
