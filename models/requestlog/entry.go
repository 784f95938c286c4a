// Package requestlog knows what programs asked of the API and what they were
// answered, for the people who write those programs. It is a convenience and no
// evidence: entries may be lost when a process ends or is too busy, and the audit
// entries alone say what was done. It keeps nobody's numbers and no secret, and it
// must not know HTTP or SQL.
package requestlog

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/paging"
)

// MostKept is how many entries a merchant has at most; database.Keep says for how long.
const MostKept = 100_000

// Entry is one request and its answer. Query and bodies are masked.
type Entry struct {
	ID, MerchantID uuid.UUID
	At             time.Time // of the product's clock
	Method         string
	Path           string // without the query
	Query          string
	Route          string // the path with names in place of ids
	Status         int    // HTTP
	TookMicros     int64  `gorm:"column:took_us"`
	CredentialID   uuid.UUID
	CredentialName string
	IdempotencyKey string
	Replayed       bool // answered with what the key got before
	DryRun         bool
	RequestID, IP  string
	Request        string // body, or why there is none
	Answer         string
	PackedIn       uuid.UUID // where the bodies are stored; zero: here, as they were before
	Place          int       // among those
}

// size is about what an entry takes in memory, in bytes.
func (e Entry) size() int { return 512 + len(e.Path) + len(e.Query) + len(e.Request) + len(e.Answer) }

// Filter narrows the list; zero values leave it wide.
type Filter struct {
	Method     string
	Class      int    // 2 for 200 to 299, and so on
	Path       string // a part of it
	Credential uuid.UUID
	Replayed   bool // only those
	DryRun     bool // only those
	From, To   time.Time
	Search     string // a request id, an Idempotency-Key, or a part of a path
}

// Service shows the log.
type Service struct{ Store Store }

// Kept is how long requests are kept, in words.
func (s *Service) Kept() string { return s.Store.Keep().Requests.Words() }

// List gives a page of requests, newest first.
func (s *Service) List(ctx context.Context, who actor.Actor, f Filter, ask paging.Ask) (paging.Page[Entry], error) {
	if err := who.May(actor.Manage); err != nil {
		return paging.Page[Entry]{}, err
	}
	return s.Store.Requests(ctx, who.MerchantID, f, ask)
}

// Get gives one request with its bodies.
func (s *Service) Get(ctx context.Context, who actor.Actor, id uuid.UUID) (Entry, error) {
	if err := who.May(actor.Manage); err != nil {
		return Entry{}, err
	}
	return s.Store.Request(ctx, who.MerchantID, id)
}
