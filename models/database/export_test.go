package database

// AtOnce is how many groups are served at a time.
var AtOnce = atOnce

// UnitsWaiting counts the units of work that wait for their turn.
func (s *DB) UnitsWaiting() int { return s.units.count() }

// Waiting counts those who wait for their turn.
func (l *Lookups[K, V]) Waiting() int { return l.groups.count() }

func (g *groups[T]) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting)
}
