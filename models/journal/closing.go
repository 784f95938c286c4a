package journal

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
)

// Closing is one month that was closed, and may have been reopened.
type Closing struct {
	ID, MerchantID uuid.UUID
	Month          calendar.Date             // its first day
	Entries        int64                     // of all time until then
	Balances       map[string]map[Role]int64 `gorm:"serializer:json"`
	ClosedAt       time.Time
	ClosedBy       string
	ReopenedAt     time.Time // zero: it is closed
	ReopenedBy     string
	ReopenReason   string
}

// Of is the month that was closed.
func (c Closing) Of() Month { return MonthOf(c.Month) }

// Open is one thing that is better settled before a month is closed.
type Open struct {
	What  OpenKind
	N     int64
	Cents money.Sum // of rands; zero where it is no money
}

// OpenKind is what is open.
type OpenKind string

// What may be open. Each is a list that people can go to.
const (
	OpenFindings  OpenKind = "findings"  // that the bank's files brought up
	OpenMovements OpenKind = "movements" // of the bank that match nothing
	OpenDays      OpenKind = "days"      // that do not add up
	OpenRefunds   OpenKind = "refunds"   // owed and not paid out
)

// Preview is what closing a month would lock, and what is open.
type Preview struct {
	Month       Month
	Open        []Open // only what there is
	Entries     int64  // of the months that it locks
	LockedUntil calendar.Date
	Refusal     string // why it cannot be closed; empty: it can
}

// Say tells in words how much is open.
func (o Open) Say() string {
	switch o.What {
	case OpenFindings:
		return plural.Of(o.N, "finding") + " in the bank files to deal with"
	case OpenMovements:
		return plural.Of(o.N, "bank movement") + " without a match"
	case OpenDays:
		return plural.Of(o.N, "day") + plural.Pick(o.N, " that does not add up", " that do not add up")
	case OpenRefunds:
		return plural.Of(o.N, "refund") + " owed and not paid out"
	}
	return ""
}

const reasonLength = 500

// NextMonth is the month to close next: the one after the last closed, or the first with an entry. False where there
// is none that is over.
func (s *Service) NextMonth(ctx context.Context, who actor.Actor) (Month, bool, error) {
	if err := who.May(actor.Read); err != nil {
		return Month{}, false, err
	}
	next, err := s.Store.firstOpen(ctx, who.MerchantID)
	if err != nil || next.IsZero() {
		return next, false, err
	}
	return next, next.Last().Before(calendar.DateOf(s.Store.Now())), nil
}

// Preview says what closing a month would lock, and what is open. Closing asks the same.
func (s *Service) Preview(ctx context.Context, who actor.Actor, m Month) (Preview, error) {
	if err := who.May(actor.Read); err != nil {
		return Preview{}, err
	}
	p, err := s.Store.locking(ctx, who.MerchantID, m, s.Store.Now())
	if err != nil {
		return p, err
	}
	p.Open, err = s.Store.open(ctx, who.MerchantID, m)
	return p, err
}

// locking says what closing a month would lock, or why it cannot be closed.
func (s Store) locking(ctx context.Context, merchantID uuid.UUID, m Month, now time.Time) (p Preview, err error) {
	p = Preview{Month: m}
	if p.LockedUntil, err = s.lockedUntil(ctx, merchantID); err != nil {
		return p, err
	}
	first, err := s.firstOpen(ctx, merchantID)
	if err != nil {
		return p, err
	}
	switch today := calendar.DateOf(now); {
	case !p.LockedUntil.IsZero() && !p.LockedUntil.Before(m.Last()):
		p.Refusal = m.Words() + " is closed already."
	case !m.Last().Before(today):
		p.Refusal = m.Words() + " is not over yet."
	case first.IsZero() || m.First().Before(first.First()):
		p.Refusal = "Nothing was posted in " + m.Words() + " or before it."
	}
	p.Entries, err = s.entriesAfter(ctx, merchantID, p.LockedUntil, m.Last())
	return p, err
}

// Close closes a month, and all before it that are open: nothing is posted there from then on. What is open does not
// hinder it; the audit keeps what was.
func (s *Service) Close(ctx context.Context, who actor.Actor, m Month) (c Closing, err error) {
	if err := who.May(actor.Books); err != nil {
		return c, err
	}
	unsettled, err := s.Store.open(ctx, who.MerchantID, m)
	if err != nil {
		return c, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		in := Store{tx.DB()}
		if err := holdBooks(tx, who.MerchantID); err != nil {
			return err
		}
		p, err := in.locking(tx.Context(), who.MerchantID, m, tx.Now())
		if err != nil {
			return err
		}
		if p.Refusal != "" {
			return fault.New(fault.Conflict, "books_not_closable", "%s", p.Refusal)
		}
		c = Closing{ID: tx.NewID(), MerchantID: who.MerchantID, Month: m.First(), ClosedAt: tx.Now(), ClosedBy: who.Name}
		if c.Entries, err = in.entriesAfter(tx.Context(), who.MerchantID, calendar.Date{}, m.Last()); err != nil {
			return err
		}
		sums, err := in.balances(tx.Context(), who.MerchantID, m.Next().First())
		if err != nil {
			return err
		}
		c.Balances = told(sums)
		tx.Create(&c)
		open := map[string]any{}
		for _, o := range unsettled {
			open[string(o.What)] = o.N
		}
		var before any
		if !p.LockedUntil.IsZero() {
			before = p.LockedUntil.String()
		}
		tx.Audit(who, audit.Entry{Action: "books.closed", ObjectType: "books", ObjectID: c.ID,
			Text:   "The books were closed until the end of " + m.Words() + ": " + plural.Of(p.Entries, "entry") + ".",
			Before: map[string]any{"locked_until": before},
			After: map[string]any{"locked_until": m.Last().String(), "entries": c.Entries, "balances": c.Balances,
				"open": open}})
		return nil
	})
	return c, err
}

// Reopen takes the newest closing back, for a reason.
func (s *Service) Reopen(ctx context.Context, who actor.Actor, id uuid.UUID, reason string) error {
	if err := who.May(actor.Manage); err != nil {
		return err
	}
	reason = strings.TrimSpace(reason)
	if n := utf8.RuneCountInString(reason); n == 0 || n > reasonLength {
		return fault.At("reason", "required", "Say why, in at most %d characters.", reasonLength)
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		if err := holdBooks(tx, who.MerchantID); err != nil {
			return err
		}
		in := Store{tx.DB()}
		c, err := in.closing(tx.Context(), who.MerchantID, id)
		if err != nil {
			return err
		}
		until, err := in.lockedUntil(tx.Context(), who.MerchantID)
		if err != nil {
			return err
		}
		if !c.ReopenedAt.IsZero() || until != c.Of().Last() {
			return fault.New(fault.Conflict, "books_not_reopenable", "Only the month that was closed last can be reopened.")
		}
		c.ReopenedAt, c.ReopenedBy, c.ReopenReason = tx.Now(), who.Name, reason
		if err := reopenClosing(tx, c); err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "books.reopened", ObjectType: "books", ObjectID: c.ID,
			Text: c.Of().Words() + " was reopened: " + reason, Before: map[string]any{"locked_until": until.String()},
			After: map[string]any{"reason": reason}})
		return nil
	})
}

// Closing is one month that was closed.
func (s *Service) Closing(ctx context.Context, who actor.Actor, id uuid.UUID) (Closing, error) {
	if err := who.May(actor.Read); err != nil {
		return Closing{}, err
	}
	return s.Store.closing(ctx, who.MerchantID, id)
}

// Closings are the months that were closed, newest first.
func (s *Service) Closings(ctx context.Context, who actor.Actor) ([]Closing, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.closings(ctx, who.MerchantID)
}

func told(sums map[string]Cents) map[string]map[Role]int64 {
	out := map[string]map[Role]int64{}
	for currency, cents := range sums {
		out[currency] = map[Role]int64{}
		for i, r := range Roles {
			if cents[i] != 0 {
				out[currency][r] = cents[i]
			}
		}
	}
	return out
}
