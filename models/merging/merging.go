// Package merging makes one client of two that are the same person or business: what hangs on the one that goes moves
// to the one that is kept, and for an hour it can be undone. It knows every table in which a client is named. It must
// not know what moves: a purchase stays what it is, whoever it belongs to.
package merging

import (
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/client"
)

// UndoTime is how long a merge can be undone.
const UndoTime = time.Hour

// Service holds the use cases of merging.
type Service struct {
	Store   Store
	Clients *client.Service // finds those alike
	Now     func() time.Time
}

// Merge is one merge that was done.
type Merge struct {
	ID, MerchantID uuid.UUID
	KeptID, GoneID uuid.UUID           `gorm:"<-:create"`
	GoneName       string              `gorm:"<-:create"` // what the gone one was called
	Moved          map[string][]string `gorm:"serializer:json;not null"`
	Before         *client.Details     `gorm:"-"`         // of the kept one; nil: it cannot be undone
	KeptWas        time.Time           `gorm:"<-:create"` // when the kept one had been changed last
	GoneWas        time.Time           `gorm:"<-:create"`
	MadeBy         uuid.UUID           `gorm:"<-:create;not null"`
	MadeName       string              `gorm:"<-:create"`
	MadeAt         time.Time           `gorm:"<-:create"`
	UndoUntil      time.Time           `gorm:"<-:create"`
	UndoneBy       uuid.UUID
	UndoneName     string
	UndoneAt       time.Time // zero: it holds
}

// Holds tells that it was not undone.
func (m Merge) Holds() bool { return m.UndoneAt.IsZero() }

// Undoable tells that there is time left to undo it.
func (m Merge) Undoable(now time.Time) bool {
	return m.Holds() && m.Before != nil && now.Before(m.UndoUntil)
}

// mayMerge is what a person or program needs to merge, and to undo it.
const mayMerge = actor.Write
