package store

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
)

type auditRow struct {
	ID         uuid.UUID `gorm:"primaryKey"`
	MerchantID uuid.UUID
	At         time.Time
	ActorKind  string
	ActorID    *uuid.UUID
	ActorName  string
	IP         string
	RequestID  string
	Action     string
	ObjectType string
	ObjectID   uuid.UUID
	ClientID   *uuid.UUID
	PurchaseID *uuid.UUID
	Text       string
	Before     *string
	After      *string
}

func (auditRow) TableName() string { return "audit_entries" }

// Audit keeps the entry in this transaction: the merchant is the actor's, the
// moment is the transaction's.
func (t *Tx) Audit(who actor.Actor, e audit.Entry) {
	t.create(t.auditRowOf(who, e))
}

func (t *Tx) auditRowOf(who actor.Actor, e audit.Entry) *auditRow {
	return &auditRow{
		ID: t.NewID(), MerchantID: who.MerchantID, At: t.now,
		ActorKind: string(who.Kind), ActorID: orNull(who.ID), ActorName: who.Name, IP: who.IP, RequestID: who.RequestID,
		Action: e.Action, ObjectType: e.ObjectType, ObjectID: e.ObjectID, ClientID: orNull(e.ClientID), PurchaseID: orNull(e.PurchaseID),
		Text: e.Text, Before: factsJSON(e.Before), After: factsJSON(e.After),
	}
}

// factsJSON writes what changed; facts are words, numbers and times, which always encode.
func factsJSON(facts map[string]any) *string {
	if len(facts) == 0 {
		return nil
	}
	b, err := json.Marshal(facts)
	if err != nil {
		b, _ = json.Marshal(map[string]string{"unreadable": err.Error()})
	}
	text := string(b)
	return &text
}
