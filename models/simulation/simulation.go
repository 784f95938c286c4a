// Package simulation is what people move and play in sandbox mode. Controls move the
// clock and make the sandbox bank and its clients answer. Service plays business: months
// of debit orders with the outcomes somebody asked for, a believable history, and an
// empty merchant again. It calls the use cases that people call; it must not exist in
// live mode.
package simulation

import (
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
)

// Kind is what is played.
type Kind string

// The kinds of run.
const (
	Scenario Kind = "scenario"
	Demo     Kind = "demo"
)

// State is where a run stands. One run at most is open in the whole sandbox, for
// there is one clock.
type State string

// The states of a run.
const (
	Waiting State = "waiting"
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
)

// Open tells that the run is not over.
func (s State) Open() bool { return s == Waiting || s == Running }

// Limits of one run.
const (
	MaxMonths  = 3
	MaxClients = 50
)

// Ask is what to play. The percentages come to 100 at most; what is left is returned
// with other codes. The same seed plays the same clients, amounts and outcomes.
type Ask struct {
	BrandID  uuid.UUID `json:"brand_id"`
	Months   int       `json:"months"`
	Clients  int       `json:"clients"`
	Paid     int       `json:"paid"`     // percent of the debits
	Unpaid   int       `json:"unpaid"`   // percent, code 02
	Disputed int       `json:"disputed"` // percent
	Seed     int64     `json:"seed"`
}

// Tally counts purchases by how they ended.
type Tally struct {
	Made     int `json:"made"`
	Paid     int `json:"paid"`
	Unpaid   int `json:"unpaid"` // code 02
	Other    int `json:"other"`  // unpaid with other codes
	Disputed int `json:"disputed"`
	Open     int `json:"open"` // none of these
}

// AddsUp tells that every purchase is counted once.
func (t Tally) AddsUp() bool { return t.Made == t.Paid+t.Unpaid+t.Other+t.Disputed+t.Open }

// Result is what was to be and what came.
type Result struct {
	Wanted Tally `json:"wanted"`
	Got    Tally `json:"got"`
}

// Run is one thing that is played.
type Run struct {
	ID, MerchantID       uuid.UUID
	Kind                 Kind
	State                State
	Ask                  Ask         `gorm:"serializer:json"`
	Starter              actor.Actor `gorm:"serializer:json"`
	Steps                int         `gorm:"column:done_steps"`
	AllSteps             int
	Result               Result `gorm:"serializer:json"`
	Note                 string // why it failed, for a person
	CreatedAt, UpdatedAt time.Time
}

func (a Ask) check(kind Kind) error {
	var w fault.Problems
	between := func(name string, v, least, most int) {
		if v < least {
			w.Add(name, "min_value", "Ensure this value is greater than or equal to %d.", least)
		} else if v > most {
			w.Add(name, "max_value", "Ensure this value is less than or equal to %d.", most)
		}
	}
	between("clients", a.Clients, 1, MaxClients)
	if a.Seed < 0 {
		w.Add("seed", "min_value", "Ensure this value is greater than or equal to 0.")
	}
	if kind == Scenario {
		between("months", a.Months, 1, MaxMonths)
		between("paid", a.Paid, 0, 100)
		between("unpaid", a.Unpaid, 0, 100)
		between("disputed", a.Disputed, 0, 100)
		if len(w) == 0 && a.Paid+a.Unpaid+a.Disputed > 100 {
			w.Add("paid", "max_value", "The percentages add up to %d; at most 100 is possible.",
				a.Paid+a.Unpaid+a.Disputed)
		}
	}
	return w.Err()
}
