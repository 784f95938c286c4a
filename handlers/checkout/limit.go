package checkout

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Forms that one address may send for one purchase: a slip or two cost nothing,
// guessing account numbers does.
const (
	perMinute  = 20
	remembered = 10_000
)

// limiter counts in this process alone; it lightens the load, no rule rests on it.
type limiter struct {
	mu   sync.Mutex
	seen map[string]*rate.Limiter
}

// wait is how many seconds the caller must wait; 0 lets it pass.
func (l *limiter) wait(key string, now time.Time) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		l.seen = map[string]*rate.Limiter{}
	}
	one := l.seen[key]
	if one == nil {
		if len(l.seen) >= remembered {
			l.forget(now)
		}
		one = rate.NewLimiter(perMinute/60.0, perMinute)
		l.seen[key] = one
	}
	asked := one.ReserveN(now, 1)
	delay := asked.DelayFrom(now)
	if delay == 0 {
		return 0
	}
	asked.CancelAt(now)
	return int(math.Ceil(delay.Seconds()))
}

// forget drops those who were quiet for a minute; when nobody was, everybody.
func (l *limiter) forget(now time.Time) {
	for key, one := range l.seen {
		if one.TokensAt(now) >= perMinute {
			delete(l.seen, key)
		}
	}
	if len(l.seen) >= remembered {
		clear(l.seen)
	}
}
