// Package book brings a business in: the clients, bank accounts, EFT mandates and subscriptions that it has elsewhere.
// It knows what a column of a foreign file means, what is wrong with a row and how it is fixed, what a row would do
// and does, when the first debit may run, and how everything is taken back. It must not know pages or files of banks.
package book

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/book/source"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
)

// Day is a calendar date.
type Day = calendar.Date

// State is where an import stands.
type State string

// The states of an import.
const (
	ToMap     State = "mapping"
	Checking  State = "checking"
	Checked   State = "checked" // it was rehearsed
	Running   State = "running"
	Done      State = "done"
	Undoing   State = "undoing"
	Undone    State = "undone"
	Discarded State = "discarded"
)

// States lists all in the order of their life.
var States = []State{ToMap, Checking, Checked, Running, Done, Undoing, Undone, Discarded}

// Import is a file on its way into the book. The rows are the truth; Counts is what they add up to.
type Import struct {
	ID, MerchantID, BrandID uuid.UUID
	Name                    string
	State                   State
	Format                  sheet.Format `gorm:"serializer:json"`
	Mapping                 Mapping      `gorm:"serializer:json"`
	// Source is what reading the file found, where its layout is known.
	Source                  source.Report `gorm:"serializer:json"`
	HeaderHash, ContentHash []byte        `gorm:"not null"`
	// CutOver is the first day on which this product may debit what came in: the old system debits until then.
	CutOver     Day
	Counts      Counts `gorm:"serializer:json"`
	Rows        int    `gorm:"column:total_rows"`
	CheckSum    string // what the line of totals says against the rows; empty: there is none
	Revision    int
	Fingerprint []byte      `gorm:"not null"`
	Templates   []uuid.UUID `gorm:"serializer:json;not null"` // that it made
	Live        []LiveGroup `gorm:"serializer:json;not null"`
	Kept        []Kept      `gorm:"serializer:json;not null"` // what undoing left
	Note        string
	Creator     actor.Actor `gorm:"serializer:json"`
	Starter     actor.Actor `gorm:"serializer:json;default:null"`
	Hands       []Hand      `gorm:"serializer:json;not null"`
	TaskID      uuid.UUID

	CreatedAt, UpdatedAt         time.Time
	StartedAt, EndedAt, UndoneAt time.Time
	EmptiedAt                    time.Time
}

// Hand is a person who uploaded an import, chose its columns, changed its rows or asked for it.
type Hand struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// LiveGroup is a group that was switched on.
type LiveGroup struct {
	Name  string    `json:"name"`
	At    time.Time `json:"at"`
	By    string    `json:"by"`
	Rows  int       `json:"rows"`
	Cents int64     `json:"cents"`
}

// Kept is what undoing an import left, and why.
type Kept struct {
	Row      int       `json:"row"`
	Name     string    `json:"name"`
	ClientID uuid.UUID `json:"client,omitzero"`
	Why      string    `json:"why"`
}

// touched notes that a person had a hand in it.
func (i *Import) touched(who actor.Actor) {
	if who.Kind == actor.User && !slices.ContainsFunc(i.Hands, func(h Hand) bool { return h.ID == who.ID }) {
		i.Hands = append(i.Hands, Hand{who.ID, who.Name})
	}
}

// IsLive tells whether a group was switched on.
func (i Import) IsLive(group string) bool {
	return slices.ContainsFunc(i.Live, func(g LiveGroup) bool { return g.Name == group })
}

// AtWork tells whether something goes on by itself.
func (i Import) AtWork() bool { return i.State == Checking || i.State == Running || i.State == Undoing }

// Draft tells that nothing of it was written yet.
func (i Import) Draft() bool { return i.in(ToMap, Checking, Checked) }

func (i Import) in(states ...State) bool { return slices.Contains(states, i.State) }

// ColumnName is what a person calls a column, from 0: its heading, else its letter.
func (i Import) ColumnName(column int) string {
	if column < len(i.Format.Header) && i.Format.Header[column] != "" {
		return i.Format.Header[column]
	}
	return LetterOf(column)
}

// Seal names what was rehearsed: a run does that and nothing else.
func (i Import) Seal() string { return fmt.Sprintf("%d-%x", i.Revision, i.Fingerprint) }

// UndoneFor is how long an import can be undone, and how long its file is kept.
const UndoneFor = 60 * 24 * time.Hour

// MayUndo is nil while the import can be undone.
func (i Import) MayUndo(now time.Time) error {
	switch {
	case i.State == Undone:
		return fault.New(fault.Conflict, "import_undone", "This import was undone already.")
	case i.State != Done:
		return wrongState(i)
	case !i.EmptiedAt.IsZero() || now.After(i.EndedAt.Add(UndoneFor)):
		return fault.New(fault.Conflict, "undo_over", "An import can be undone for %d days. What it was made from has been "+
			"deleted since.", int(UndoneFor.Hours()/24))
	}
	return nil
}

func wrongState(i Import) error {
	return fault.New(fault.Conflict, "import_wrong_state", "This import is %s; that is not possible now.",
		stateWords[i.State])
}

var stateWords = map[State]string{ToMap: "waiting for its columns", Checking: "being checked", Checked: "checked",
	Running: "running", Done: "done", Undoing: "being undone", Undone: "undone", Discarded: "discarded"}

// Words is a state in plain words.
func (s State) Words() string { return stateWords[s] }

// LetterOf is the letter of a column, from 0.
func LetterOf(column int) string {
	name := ""
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}
