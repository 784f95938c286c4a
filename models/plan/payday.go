package plan

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/collection"
)

// learns tells whether a step of the version waits for the client's own pay day.
func (v Version) learns() bool {
	for _, steps := range v.Steps {
		if slices.ContainsFunc(steps, func(s Step) bool { return s.Kind == WaitLikely }) {
			return true
		}
	}
	return false
}

// payDays fills in the pay days of the clients whose next step waits for theirs.
func (s *Service) payDays(ctx context.Context, merchantID uuid.UUID, turns []turn, facts []Facts) error {
	var clients []uuid.UUID
	for _, t := range turns {
		if t.step().Kind == WaitLikely {
			clients = append(clients, t.ClientID)
		}
	}
	if len(clients) == 0 {
		return nil
	}
	known, err := collection.Store(s.Store).KnownTries(ctx, merchantID, clients)
	for i, t := range turns {
		facts[i].PayDay = likely(known[t.ClientID], facts[i].Now, s.Calendar)
	}
	return err
}

// likely is the pay day that debits showed by a moment; 0 where it cannot be told.
func likely(known []collection.Known, now time.Time, cal *calendar.Calendar) int {
	if day, sure := collection.PayDayBy(known, now, cal); sure {
		return day.Day
	}
	return 0
}
