package database

import (
	"time"

	"debitdesk/models/database/internal/wire"
)

// Unbatched units do not wait for each other, and MinBatch callers are a batch of their own.
var Unbatched = groupCommit.Unbatched

// MinBatch is said above.
const MinBatch = wire.MinBatch

// UnitsWaiting counts the units of work that wait for their turn.
func (s *DB) UnitsWaiting() int { return s.units.Waiting() }

// Waiting counts those who wait for their turn.
func (l *Lookups[K, V]) Waiting() int { return l.loader.Waiting() }

// BePatient lets those who come wait for the ones before them however long they take.
func (s *DB) BePatient() { s.units.Patience = time.Hour }

// BePatient does the same for questions.
func (l *Lookups[K, V]) BePatient() { l.loader.Patience = time.Hour }
