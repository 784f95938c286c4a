package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
)

func TestFiguresOfAnEmptyMerchantAreNothing(t *testing.T) {
	s := openTidying(t)
	now := s.Now()
	a, err := s.Attention(t.Context(), uuid.New(), report.QueueQuery{Yesterday: now, Month: now})
	if err != nil || !a.Quiet() {
		t.Errorf("attention %+v, %v", a, err)
	}
	items, err := s.AttentionItems(t.Context(), uuid.New(), report.QueueQuery{Yesterday: now, Month: now}, 25)
	if err != nil || len(items.Failed) > 0 {
		t.Errorf("items %+v, %v", items, err)
	}
	if n, err := s.AttentionCount(t.Context(), uuid.New(), now); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	day := calendar.DateOf(now)
	for _, f := range []purchase.DebitFilter{{}, {SubmitBy: now.Add(time.Hour)}, {From: day, To: day}} {
		if got, err := s.TallyDebits(t.Context(), uuid.New(), f, 0); got.N != 0 || err != nil {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if wrong, err := s.WrongFigures(t.Context()); len(wrong) > 0 || err != nil {
		t.Errorf("%v, %v", wrong, err)
	}
}
