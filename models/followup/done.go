package followup

import (
	"time"

	"github.com/google/uuid"
)

// Solved is the state of what does not need attention any more.
const Solved State = "solved"

// Done is what left the list of what needs attention: somebody put it off or closed it, or it was solved.
type Done struct {
	ObjectID    uuid.UUID `gorm:"not null"`
	Kind        Kind
	State       State
	HiddenUntil string // of what was put off: the day
	Reason      Reason // why it was closed
	Actor       string // who did it; empty: nobody of the team
	At          time.Time

	Name, Reference        string
	PurchaseID, TemplateID uuid.UUID
	ClientID               uuid.UUID
	Status                 string       // of a purchase, as it stands now
	Settled                PromiseState // of a promise
}

// Object is the thing itself.
func (d Done) Object() Object {
	o, _ := Item{d.Kind, d.ObjectID}.Object()
	return o
}

// EndingKind is what runs out.
type EndingKind string

// What can run out.
const (
	EndingLink    EndingKind = "link"    // a purchase that cannot be paid any more after its due date
	EndingRequest EndingKind = "request" // the client's time to confirm a mandate at the bank
	EndingProof   EndingKind = "proof"   // the time to prove a mandate, of a dispute that is snoozed or closed
)

// Ending is something that runs out soon.
type Ending struct {
	Kind       EndingKind
	ObjectID   uuid.UUID `gorm:"not null"` // of the purchase; a mandate has the id of the purchase that asked for it
	ClientID   uuid.UUID
	Name       string
	Phone      string
	Reference  string
	Cents      int64
	Currency   string
	At         time.Time // when it runs out; of a dispute, when it began
	Registered bool      // without an answer the mandate is registered all the same
}
