package mandate_test

import (
	"encoding/json"
	"testing"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/mandate"
)

func at(hour, minute, second int) time.Time {
	return calendar.On(2026, 11, 20).At(hour, minute).Add(time.Duration(second) * time.Second)
}

func TestTheWindowIsOpenFromThreeUntilHalfPastEight(t *testing.T) {
	w := mandate.DefaultWindow()
	for _, c := range []struct {
		now  time.Time
		open bool
	}{
		{at(0, 0, 0), false}, {at(2, 59, 59), false}, {at(3, 0, 0).Add(-time.Microsecond), false}, {at(3, 0, 0), true},
		{at(12, 0, 0), true},
		{at(20, 29, 59), true}, {at(20, 30, 0).Add(-time.Microsecond), true}, {at(20, 30, 0), false}, {at(23, 59, 59), false},
		{time.Date(2026, 11, 20, 1, 0, 0, 0, time.UTC), true},    // 03:00 SAST
		{time.Date(2026, 11, 20, 18, 30, 0, 0, time.UTC), false}, // 20:30 SAST
		{time.Date(2026, 11, 20, 23, 0, 0, 0, time.UTC), false},  // 01:00 SAST of the next day
	} {
		if w.Open(c.now) != c.open {
			t.Errorf("%s: open is %v", c.now, !c.open)
		}
	}
}

func TestTheWindowTellsWhenItClosesAndOpens(t *testing.T) {
	w := mandate.DefaultWindow()
	if got := w.ClosesAt(at(19, 0, 0).UTC()); !got.Equal(at(20, 30, 0)) {
		t.Errorf("closes at %s", got)
	}
	for _, c := range []struct{ now, opens time.Time }{
		{at(2, 0, 0), at(3, 0, 0)}, {at(2, 59, 59), at(3, 0, 0)}, {at(20, 30, 0), at(27, 0, 0)},
		{at(23, 59, 59), at(27, 0, 0)},
		{at(22, 0, 0).UTC(), at(27, 0, 0)}, {at(0, 30, 0).UTC(), at(3, 0, 0)},
	} {
		if got := w.OpensAt(c.now); !got.Equal(c.opens) || !w.Open(got) {
			t.Errorf("%s: opens at %s, want %s", c.now, got, c.opens)
		}
	}
}

func TestTheRefusalNamesTheWindowTheTimeAndTheWayOut(t *testing.T) {
	const want = "Real-time DebiCheck runs from 03:00 to 20:30 SAST; it is now 21:14 SAST. " +
		"Use authentication_type DELAYED."
	if got := mandate.DefaultWindow().Refusal(at(21, 14, 59).UTC()); got != want {
		t.Errorf("got %q", got)
	}
}

func TestTheWindowIsASetting(t *testing.T) {
	var w mandate.Window
	if err := json.Unmarshal([]byte(`{"opens":"06:00","closes":"19:00"}`), &w); err != nil || w.Open(at(5, 59, 59)) ||
		!w.Open(at(6, 0, 0)) || !w.Open(at(18, 59, 59)) || w.Open(at(19, 0, 0)) {
		t.Errorf("got %v, %v", w, err)
	}
	if text, _ := json.Marshal(mandate.DefaultWindow()); string(text) != `{"opens":"03:00","closes":"20:30"}` {
		t.Errorf("written as %s", text)
	}
}
