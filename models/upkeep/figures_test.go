package upkeep_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/purchase"
	"debitdesk/models/storetest"
	"debitdesk/models/upkeep"
)

func TestFiguresOfAnEmptyMerchantAreNothing(t *testing.T) {
	s := storetest.Open(t)
	now := s.Now()
	day := calendar.DateOf(now)
	for _, f := range []purchase.DebitFilter{{}, {SubmitBy: now.Add(time.Hour)}, {From: day, To: day}} {
		if got, err := (purchase.Store{DB: s.DB}).TallyDebits(t.Context(), uuid.New(), f, 0); got.N != 0 || err != nil {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if wrong, err := (upkeep.Store{DB: s.DB}).WrongFigures(t.Context()); len(wrong) > 0 || err != nil {
		t.Errorf("%v, %v", wrong, err)
	}
}
