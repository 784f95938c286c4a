// Package task knows the long work of a merchant, which goes on without the page on which it was asked for, such as an
// export of a long list. It keeps who asked, how far the work is, and the file that comes of it.
// It must not know what the work is: workers do it piece by piece.
package task

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/mail"
)

// State is where a task stands. Only waiting and running ones move.
type State string

// The states of a task.
const (
	Waiting   State = "waiting"
	Running   State = "running"
	Done      State = "done"
	Cancelled State = "cancelled"
	Failed    State = "failed"
)

// Open tells that it may still change.
func (s State) Open() bool { return s == Waiting || s == Running }

// The kinds of tasks that write what is there into a file, and may begin anew: Export a list, Book all that a merchant
// owns, and Journal the journal of a long time.
const (
	Export  = "export"
	Book    = "book"
	Journal = "journal"
)

// FileKept is how long a file can be downloaded; entryKept is how long the list shows a task.
const (
	FileKept  = 7 * 24 * time.Hour
	entryKept = 90 * 24 * time.Hour
)

// Task is one piece of long work. Its moments are of real time, for people wait for it.
type Task struct {
	ID, MerchantID uuid.UUID
	Kind           string       `gorm:"<-:create"` // who does it
	Title          string       `gorm:"<-:create"` // in words: "Export of clients"
	Needs          actor.Action `gorm:"<-:create"` // of asking for it, and of cancelling and downloading
	AskerID        uuid.UUID    `gorm:"<-:create"`
	Asker          actor.Actor  `gorm:"<-:create;serializer:json"`
	// Input is what was asked for, as its worker wrote it.
	Input               []byte     `gorm:"column:input_sealed;serializer:sealed;not null;<-:create"`
	database.Damage     `gorm:"-"` // what was asked for that cannot be read
	State               State
	Stopping            bool            // somebody cancelled it; it ends after the piece under way
	StoppedBy           string          // their name
	Position            json.RawMessage `gorm:"serializer:json"`
	Total, Done, Failed int64           // rows; a total of 0 is not known, and Done counts the failed ones too
	Tries               int             // of the piece that is next
	Note                string          // how it ended, for a person
	FileName, FileType  string
	FileBytes           int64
	Chunks              int
	Downloads           int
	Claim               uuid.UUID
	ClaimedUntil        time.Time
	CreatedAt           time.Time
	BeganAt, EndedAt    time.Time
	KeptUntil           time.Time // the file is deleted then; of one that is not over: a client was erased since
	UpdatedAt           time.Time
}

// HasFile tells that there is something to download.
func (t Task) HasFile(now time.Time) bool {
	return t.State == Done && t.Chunks > 0 && now.Before(t.KeptUntil)
}

// Pace is how many rows a second were done so far, and how long the rest takes at that; zero where nobody can tell.
func (t Task) Pace(now time.Time) (rate int64, left time.Duration) {
	until := now
	if !t.EndedAt.IsZero() {
		until = t.EndedAt
	}
	took := until.Sub(t.BeganAt)
	if t.BeganAt.IsZero() || t.Done == 0 || took < time.Second {
		return 0, 0
	}
	rate = t.Done * int64(time.Second) / int64(took)
	if rest := t.Total - t.Done; t.State == Running && rest > 0 && rate > 0 {
		left = time.Duration(rest) * took / time.Duration(t.Done)
	}
	return rate, left
}

// Piece is what one step of a worker came to.
type Piece struct {
	File []byte // what follows in the file
	More bool   // there is more to do
	Anew bool   // the file begins with this piece: what was kept of it before is dropped
}

// Worker does tasks of one kind.
type Worker interface {
	// Begin goes on with a task in this process, until the run is closed.
	Begin() Run
}

// Guard is a worker whose files are not for everybody who may ask for them.
type Guard interface {
	// Takes is nil for who may take a file.
	Takes(who actor.Actor) error
}

// Announcer is a Worker that tells people when a task is done and its file can be fetched. The mails go out with it.
type Announcer interface {
	Announce(ctx context.Context, t Task) ([]mail.Mail, error)
}

// Large is a worker whose files may be larger than those of others.
type Large interface{ MostBytes() int64 }

// Run is one process at one task.
type Run interface {
	Close()
	// Step does the next piece of a task and notes in it how far it is: its position, its counts and the name of its
	// file. A piece whose end nobody learned of is done again from the same position, so what it changes must count
	// once all the same. who is the person who asked, with what they may do now.
	Step(ctx context.Context, t *Task, who actor.Actor) (Piece, error)
}
