package database

import "time"

// Few is how many callers are served without waiting for each other, and Enough how many are a group of their own.
const (
	Few    = few
	Enough = enough
)

// UnitsWaiting counts the units of work that wait for their turn.
func (s *DB) UnitsWaiting() int { return s.units.count() }

// Waiting counts those who wait for their turn.
func (l *Lookups[K, V]) Waiting() int { return l.groups.count() }

func (g *groups[T]) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting)
}

// BePatient lets those who come wait for the ones before them however long they take.
func (s *DB) BePatient() { s.units.patient = time.Hour }

// BePatient does the same for questions.
func (l *Lookups[K, V]) BePatient() { l.groups.patient = time.Hour }
