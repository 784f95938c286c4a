package database

import (
	"encoding/json"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
)

// Audited is an entry of the audit as GORM reads it. All that adds one is Tx.Audit.
type Audited struct {
	audit.Entry `gorm:"embedded"`
	ActorKind   actor.Kind
	ActorID     uuid.UUID
	ActorName   string
	IP          string
	RequestID   string
	Before      map[string]any `gorm:"serializer:json"`
	After       map[string]any `gorm:"serializer:json"`
}

// TableName implements GORM's Tabler.
func (Audited) TableName() string { return "audit_entries" }

// Read is the entry that was read.
func (a Audited) Read() audit.Entry {
	e := a.Entry
	e.Actor = actor.Actor{Kind: a.ActorKind, ID: a.ActorID, Name: a.ActorName, MerchantID: a.MerchantID, IP: a.IP,
		RequestID: a.RequestID}
	e.Before, e.After = a.Before, a.After
	return e
}

// EntriesOf are the entries that were read.
func EntriesOf(rows []Audited) []audit.Entry {
	out := make([]audit.Entry, len(rows))
	for n, row := range rows {
		out[n] = row.Read()
	}
	return out
}

// Audits is the table of the audit, to which entries are only added, with what else is written.
var Audits = table.New("audit_entries",
	auditColumn("actor_kind", func(e *audit.Entry) any { return string(e.Actor.Kind) }),
	auditColumn("actor_id", func(e *audit.Entry) any { return OrNull(e.Actor.ID) }),
	auditColumn("actor_name", func(e *audit.Entry) any { return e.Actor.Name }),
	auditColumn("ip", func(e *audit.Entry) any { return e.Actor.IP }),
	auditColumn("request_id", func(e *audit.Entry) any { return e.Actor.RequestID }),
	auditColumn("before", func(e *audit.Entry) any { return FactsJSON(e.Before) }),
	auditColumn("after", func(e *audit.Entry) any { return FactsJSON(e.After) }))

// auditColumn is a part of who it was, or of what changed.
func auditColumn(name string, of func(*audit.Entry) any) table.Column[audit.Entry] {
	return table.Column[audit.Entry]{Name: name,
		Write: func(_ *seal.Box, e *audit.Entry) (any, error) { return of(e), nil }}
}

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
