package book

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/batch/sheet"
)

// RowState is how far a row is.
type RowState string

// The states of a row.
const (
	Fresh   RowState = "new"
	Judged  RowState = "judged"
	Applied RowState = "applied"
	Taken   RowState = "undone"
)

// Verdict is what becomes of a row.
type Verdict string

// The verdicts. Read is always their sum.
const (
	Created   Verdict = "created"
	Updated   Verdict = "updated"
	Unchanged Verdict = "unchanged"
	Skipped   Verdict = "skipped" // a person left it out, or it is no client: a line of totals
	Refused   Verdict = "refused" // something is wrong with it
	Held      Verdict = "held"    // nothing is wrong, but it might be debited twice
)

// Verdicts lists all in the order that pages show them.
var Verdicts = []Verdict{Created, Updated, Unchanged, Skipped, Refused, Held}

// Comes tells whether a run does something with such a row.
func (v Verdict) Comes() bool { return v == Created || v == Updated || v == Unchanged }

// Row is one row of an import.
type Row struct {
	N         int
	Cells     []string        `gorm:"-"` // sealed at rest
	First     map[int]string  `gorm:"-"` // of cells that were typed again: what the file has, by column from 1
	Broken    []sheet.Problem `gorm:"serializer:json"`
	Numbers   []int           `gorm:"serializer:json"`
	State     RowState
	Verdict   Verdict
	LeftOut   bool
	Choices   Choices   `gorm:"serializer:json"`
	Findings  []Finding `gorm:"serializer:json"`
	Changes   []Change  `gorm:"serializer:json"`
	Name      string
	GroupName string
	Debitable bool
	Cents     int64
	FirstOn   Day
	Digest    []byte

	ClientID, TokenID, SubscriberID uuid.UUID
	Undo                            *Undo `gorm:"-"` // sealed at rest
	// Of a DebiCheck mandate that has to be confirmed again.
	AskedAt    time.Time
	AskRefused string
	Reason     string
	Unread     []byte `gorm:"-"` // what is stored of its cells and cannot be read
}

// is tells whether a problem with one of its code was noted when the row was read.
func (r Row) is(code string) bool {
	return slices.ContainsFunc(r.Broken, func(p sheet.Problem) bool { return p.Code == code })
}

// Choices is what a person chose for a row, by cause.
type Choices map[string]string

// Change is one thing that an update changes; numbers are masked.
type Change struct {
	What string `json:"what"`
	Was  string `json:"was,omitempty"`
	Is   string `json:"is,omitempty"`
}

// Level says what a finding does.
type Level string

// The levels of findings.
const (
	Problem Level = "problem" // the row does not come in
	Hold    Level = "hold"    // the row waits for a person
	Warning Level = "warning" // it comes in, and a person should look
	Note    Level = "note"    // what was put right without asking
)

// Finding is one thing about one cell. Rows with the same cause are fixed together. It never repeats an account or
// identity number.
type Finding struct {
	Level   Level  `json:"level"`
	Cause   string `json:"cause"`
	Field   Field  `json:"field,omitempty"`
	Column  int    `json:"column,omitempty"` // from 1; 0: the whole row
	Name    string `json:"name,omitempty"`   // the column for a person
	Message string `json:"message"`
}

// Words is a finding with its place.
func (f Finding) Words() string {
	if f.Name == "" {
		return f.Message
	}
	return fmt.Sprintf("%s: %s", f.Name, f.Message)
}

// worst is the finding that decides about the row, if one does.
func worst(all []Finding) (Finding, bool) {
	for _, level := range []Level{Problem, Hold} {
		if i := slices.IndexFunc(all, func(f Finding) bool { return f.Level == level }); i >= 0 {
			return all[i], true
		}
	}
	return Finding{}, false
}

func causesOf(all []Finding, levels ...Level) []string {
	out := []string{}
	for _, f := range all {
		if slices.Contains(levels, f.Level) && !slices.Contains(out, f.Cause) {
			out = append(out, f.Cause)
		}
	}
	return out
}

// Undo is what taking a row back needs. Its JSON is sealed at rest.
type Undo struct {
	Before     []byte      `json:"before,omitempty"` // details of a client that was changed
	At         string      `json:"at,omitempty"`     // when the client was last changed, by this row
	Was        string      `json:"was,omitempty"`    // when it was last changed before
	MadeWho    bool        `json:"made_who,omitempty"`
	Refer      string      `json:"reference,omitempty"` // that was added
	Notes      []uuid.UUID `json:"notes,omitempty"`
	Owed       uuid.UUID   `json:"owed,omitzero"`  // the open item that was made
	Adds       bool        `json:"adds,omitempty"` // it added to a client and changed none of its details
	Unreadable bool        `json:"-"`              // what is stored of it was damaged
}
