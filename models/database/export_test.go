package database

import "time"

// Few units do not wait for each other, and as many callers as are Enough are a group of their own.
var Few = together.few

// Enough is said above.
const Enough = enough

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
