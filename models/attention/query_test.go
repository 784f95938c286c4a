package attention

import (
	"testing"
	"time"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
)

func TestAttentionSpansAreWholeDaysInSAST(t *testing.T) {
	at := func(month time.Month, day int) time.Time { return calendar.On(2026, month, day).At(0, 0) }
	s := &Service{Now: func() time.Time { return at(time.November, 20) }}
	q := s.query(actor.Actor{}, Everyones)
	if !q.Yesterday.Equal(at(time.November, 19)) || !q.Month.Equal(at(time.October, 21)) {
		t.Errorf("%s, %s", q.Yesterday, q.Month)
	}
}
