package database

import (
	"encoding/json"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
)

// AuditColumns are who it was and what changed.
func AuditColumns[T any](of func(*T) *audit.Entry) []table.Column[T] {
	text := func(name string, field func(*audit.Entry) *string) table.Column[T] {
		return table.Column[T]{
			Name:  name,
			Write: func(_ *seal.Box, record *T) (any, error) { return *field(of(record)), nil },
			Read: func(_ *seal.Box, record *T, stored []byte) error {
				*field(of(record)) = string(stored)
				return nil
			},
		}
	}
	facts := func(name string, field func(*audit.Entry) *map[string]any) table.Column[T] {
		return table.Column[T]{
			Name:  name,
			Write: func(_ *seal.Box, record *T) (any, error) { return FactsJSON(*field(of(record))), nil },
			Read:  func(_ *seal.Box, record *T, stored []byte) error { return json.Unmarshal(stored, field(of(record))) },
		}
	}
	return []table.Column[T]{
		text("actor_kind", func(e *audit.Entry) *string { return (*string)(&e.Actor.Kind) }),
		{Name: "actor_id", Write: func(_ *seal.Box, record *T) (any, error) { return OrNull(of(record).Actor.ID), nil },
			Read: func(_ *seal.Box, record *T, stored []byte) (err error) {
				of(record).Actor.ID, err = uuid.FromBytes(stored)
				return err
			}},
		text("actor_name", func(e *audit.Entry) *string { return &e.Actor.Name }),
		text("ip", func(e *audit.Entry) *string { return &e.Actor.IP }),
		text("request_id", func(e *audit.Entry) *string { return &e.Actor.RequestID }),
		facts("before", func(e *audit.Entry) *map[string]any { return &e.Before }),
		facts("after", func(e *audit.Entry) *map[string]any { return &e.After }),
	}
}

// Audits is the table of the audit.
var Audits = table.New("audit_entries", AuditColumns(func(e *audit.Entry) *audit.Entry { return e })...).
	Then(func(e *audit.Entry) { e.Actor.MerchantID = e.MerchantID })

// Audit keeps the entry in this transaction: the merchant is the actor's, the
// moment is the transaction's.
func (t *Tx) Audit(who actor.Actor, e audit.Entry) {
	e = t.Signed(who, e)
	Append(t, Audits.Insert, e)
	if t.s.Alert != nil && e.DirectsMoney() {
		t.alerts = append(t.alerts, e)
	}
}

// Signed gives an entry the actor, the moment and an id.
func (t *Tx) Signed(who actor.Actor, e audit.Entry) audit.Entry {
	e.ID, e.MerchantID, e.At, e.Actor = t.NewID(), who.MerchantID, t.now, who
	return e
}

// FactsJSON writes what changed; facts are words, numbers and times, which always encode.
func FactsJSON(facts map[string]any) *string {
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
