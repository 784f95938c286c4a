package batch

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// State is where a batch stands.
type State string

// The states of a batch. Checking, Running and Voiding are work that goes on without anybody watching.
const (
	ToMap    State = "mapping"
	Checking State = "checking"
	Checked  State = "checked"
	Running  State = "running"
	Paused   State = "paused"
	Voiding  State = "voiding"
	Done     State = "done"
	Stopped  State = "stopped"
)

// Filter narrows the list of batches; its zero value takes all.
type Filter struct {
	States   []State   // none: all
	From, To time.Time // uploaded then, both inclusive; zero: open
}

// Source is where the rows came from.
type Source string

// The sources of rows.
const (
	FromFile    Source = "file"
	FromPaste   Source = "paste"
	FromClients Source = "clients"
)

// Batch is a file of rows on its way to invoices. The rows are the truth; Counts is what they add up to.
type Batch struct {
	ID, MerchantID, BrandID uuid.UUID
	Name                    string
	Source                  Source
	State                   State
	Format                  sheet.Format `gorm:"serializer:json"`
	Mapping                 Mapping      `gorm:"serializer:json"`
	HeaderHash, ContentHash []byte       `gorm:"not null"`
	Counts                  Counts       `gorm:"serializer:json"`
	Rows                    int          `gorm:"column:total_rows"` // read from the file
	Revision                int          // grows with every change of a row
	Fingerprint             []byte       `gorm:"not null"` // of what is ready; of what was sent, once it is sent
	GoodOnly                bool
	WarningsAccepted        bool
	HoldUntil               time.Time   // nothing is sent before
	PauseAfter              int         `gorm:"default:null"`    // rows sent after which it waits for a person; 0: never
	Cursor                  int         `gorm:"column:cursor_n"` // how far voiding came
	Note                    string      // why it waits
	Creator                 actor.Actor `gorm:"serializer:json"`
	Starter                 actor.Actor `gorm:"serializer:json;default:null"`
	Hands                   []Hand      `gorm:"serializer:json;not null"` // who worked on it: none of them approves it
	CheckedAt               time.Time   // when all its rows were checked together
	PacedAt                 time.Time   // when sending last began or went on, and the rows that were sent by then
	PacedSent               int
	CreatedAt, UpdatedAt    time.Time
	StartedAt, EndedAt      time.Time
}

// Hand is a person who uploaded a batch, chose its columns, changed its rows or asked for it to be sent.
type Hand struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// touched notes that a person had a hand in it.
func (b *Batch) touched(who actor.Actor) {
	if who.Kind == actor.User && !slices.ContainsFunc(b.Hands, func(h Hand) bool { return h.ID == who.ID }) {
		b.Hands = append(b.Hands, Hand{who.ID, who.Name})
	}
}

// Makers are the people who had a hand in it, each once: with who uploaded it and who sent it, whom older releases
// kept alone.
func (b Batch) Makers() []Hand {
	b.Hands = slices.Clone(b.Hands)
	b.touched(b.Creator)
	b.touched(b.Starter)
	return b.Hands
}

// Outdated tells that its rows were checked on another day: dates may have passed since.
func (b Batch) Outdated(now time.Time) bool {
	return b.State == Checked && (b.CheckedAt.IsZero() || calendar.DateOf(b.CheckedAt) != calendar.DateOf(now))
}

// Draft tells that nothing was ever sent of it and nothing goes on, so that it can be discarded.
func (b Batch) Draft() bool { return b.in(ToMap, Checked) && !b.Started() }

// AtWork tells whether something goes on by itself.
func (b Batch) AtWork() bool { return b.State == Checking || b.State == Running || b.State == Voiding }

// Started tells whether a person has sent it; its mapping is then fixed.
func (b Batch) Started() bool { return !b.StartedAt.IsZero() }

// Held tells whether the hold window is open: stopping now leaves nothing behind.
func (b Batch) Held(now time.Time) bool { return b.State == Running && b.HoldUntil.After(now) }

func (b Batch) in(states ...State) bool { return slices.Contains(states, b.State) }

func wrongState(b Batch) error {
	return fault.New(fault.Conflict, "batch_wrong_state", "That is not possible now: the batch is %s.",
		StateWords[b.State])
}

// StateWords say where a batch stands, as the end of a sentence.
var StateWords = map[State]string{ToMap: "waiting for its columns", Checking: "being checked", Checked: "checked",
	Running: "being sent",
	Paused:  "paused", Voiding: "being voided", Done: "done", Stopped: "stopped"}

// RowState is where a row stands.
type RowState string

// The states of a row. A row that was sent stays sent, unless its invoice is voided.
const (
	Fresh   RowState = "new" // not checked yet
	Ready   RowState = "ready"
	Bad     RowState = "bad"
	Skipped RowState = "skipped"
	Sent    RowState = "sent"
	Failed  RowState = "failed"
	Voided  RowState = "voided"
)

// Charging is what becomes of a row that asks for a debit on the due date.
type Charging string

// The states of a row's charge.
const (
	NoCharge     Charging = ""
	ChargeWanted Charging = "wanted"
	ChargeDone   Charging = "done"
	ChargeFailed Charging = "failed"
)

// Warning is what a person should look at before sending.
type Warning string

// The warnings that a look beyond the row gives; others are sentences of their own.
const (
	BilledTwice  Warning = "twice"     // the same client and amount stand in the file more than once
	BilledLately Warning = "last_week" // the client was billed the same amount within seven days
)

// Alone is a sentence without the row that it begins with.
func (w Warning) Alone(n int) string {
	return strings.TrimLeft(strings.TrimPrefix(string(w), fmt.Sprintf("row %d", n)), ",: ")
}

// warnWithin is how far back BilledLately looks.
const warnWithin = 7 * 24 * time.Hour

// Row is one row of the file and what became of it.
type Row struct {
	N          int             `gorm:"<-:create"` // as a spreadsheet numbers it
	Cells      []string        `gorm:"-"`
	Unread     []byte          `gorm:"-"` // what is stored of cells that cannot be read; nil: they can
	Broken     []sheet.Problem `gorm:"serializer:json;default:null;<-:create"`
	Numbers    []int           `gorm:"serializer:json;default:null;<-:create"` // columns of numbers in a workbook
	State      RowState
	Problems   []Problem `gorm:"serializer:json;default:null"`
	Warnings   []Warning `gorm:"type:text[]"`
	Name       string    // who it is for, as lists show it
	ClientID   uuid.UUID
	NewClient  bool // a client will be made, or was
	Decision   Decision
	Chosen     uuid.UUID `gorm:"column:chosen_client"` // of BillClient
	ClientKey  string    `gorm:"-"`                    // equal for the same person; kept as a hash
	Mailed     bool      // its invoice goes out by mail
	Due        Day
	TotalCents int64
	SameKey    string `gorm:"-"`            // equal for the same client and amount; kept as a hash
	UsualCents int64  `gorm:"default:null"` // what is usual, where TotalCents is far from it; else 0
	Confirmed  bool   // somebody ticked that an unusual amount is right
	Charge     Charging
	Debit      Debit  `gorm:"embedded"` // what a charge will do
	Digest     []byte // of everything that the row does; none when it was checked before there were digests
	Revision   int    // of the batch when the row changed last
	PurchaseID uuid.UUID
	Number     string
	Error      string // why it failed, or why it was skipped

	warnings []Problem // what a look at the clients found, until the row is judged
}

// Decision says who is billed by a row that names nobody we know.
type Decision string

// The decisions. Without one, a row that names a stranger is not sent.
const (
	Undecided    Decision = ""
	CreateClient Decision = "create"
	BillClient   Decision = "client" // an existing one, whatever the row says
)

// Debit is what charging a row will do.
type Debit struct {
	TokenID    uuid.UUID
	Method     string   `gorm:"column:debit_method"`
	Date       Day      `gorm:"column:debit_date"` // the account is debited on it
	Disputable []string `gorm:"type:text[]"`       // why the client could dispute it
}

// Counts are rows by state, and cents of those that matter.
type Counts struct {
	Fresh      int   `json:"new"`
	Ready      int   `json:"ready"`
	Bad        int   `json:"bad"`
	Skipped    int   `json:"skipped"`
	Sent       int   `json:"sent"`
	Failed     int   `json:"failed"`
	Voided     int   `json:"voided"`
	Warned     int   `json:"warned"`    // of the ready ones
	Charges    int   `json:"charges"`   // debits still to be planned
	Uncharged  int   `json:"uncharged"` // invoiced, and the debit that was asked for is not planned
	ReadyCents int64 `json:"ready_cents"`
	SentCents  int64 `json:"sent_cents"` // without what was voided

	// Of the ready rows, counted while a batch waits to be sent.
	Creates int `json:"creates"` // clients that will be made
	Mails   int `json:"mails"`
	Debits  int `json:"debits"`
	Unusual int `json:"unusual"` // amounts that nobody has ticked yet
}

// AllCents is what the batch comes to: what was sent of it and what is ready. Limits are held against it, so that a
// file cannot pass them in slices.
func (c Counts) AllCents() int64 { return money.Plus(c.SentCents, c.ReadyCents) }

// Left is how many rows nothing has become of yet.
func (c Counts) Left() int { return c.Fresh + c.Ready + c.Bad }

// AddUp tells whether every row read is accounted for: sent (voided or not), skipped, failed or left.
func (c Counts) AddUp(read int) bool {
	return read == c.Sent+c.Voided+c.Skipped+c.Failed+c.Left()
}
