package purchase

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
)

// TakenOver is what a client owed elsewhere before the business came here: an open item.
type TakenOver struct {
	Brand     merchant.Brand
	ClientID  uuid.UUID
	Payer     client.Details
	Cents     int64         // VAT included; above zero
	Due       calendar.Date // it was, or is
	Reference string        // of the old invoice; may be empty
	Generated string        // the reference that the purchase gets here
}

// InsertTakenOver writes an open item. It asks for no account and names none: it is debited, mailed or marked as paid
// only by a person. It is no invoice of ours, so that its VAT is not declared a second time.
func (s *Service) InsertTakenOver(tx *database.Tx, who actor.Actor, in TakenOver) Purchase {
	name := "Owed before the move"
	if in.Reference != "" {
		name += ", " + in.Reference
	}
	p := Purchase{MerchantID: in.Brand.MerchantID, BrandID: in.Brand.ID, ClientID: in.ClientID, IsTest: in.Brand.IsTest,
		Status: Created, Product: ByPurchases, Currency: money.ZAR, Issued: calendar.DateOf(tx.Now()), TotalCents: in.Cents,
		Reference: in.Reference, ReferenceGenerated: in.Generated, Payer: in.Payer, TakenOver: true,
		Due: s.Timetable.DueOn(in.Due).UTC(), DueGiven: true,
		Details: Details{Language: in.Brand.Language, Timezone: "Africa/Johannesburg", Products: []Product{{Name: name,
			PriceCents: in.Cents, Quantity: decimal.NewFromInt(1)}}},
		Options: Options{Platform: "web"}}
	if who.Kind == actor.User {
		p.UserID = who.ID
	}
	p.Begin(tx.NewID(), tx.Now())
	Insert(tx, p)
	tx.Audit(who, audit.Entry{Action: "purchase.taken_over", ObjectType: "purchase", ObjectID: p.ID, ClientID: p.ClientID,
		PurchaseID: p.ID, Text: fmt.Sprintf("%s was taken over as owed, due on %s.", money.Format(p.TotalCents, p.Currency),
			in.Due.Format("2 January 2006")), After: map[string]any{"total_cents": p.TotalCents, "due": in.Due.String()}})
	if p.PassDue(tx, tx.Now()) {
		Move(tx, p, Created)
	}
	return p
}
