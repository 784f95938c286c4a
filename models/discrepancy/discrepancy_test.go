package discrepancy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"debitdesk/models/calendar"
	"debitdesk/models/discrepancy"
)

var thursday = calendar.On(2027, time.January, 14)

func item(key string, ours, theirs int64) discrepancy.Item {
	return discrepancy.Item{Key: key, Name: key, Day: thursday, Ours: ours, Theirs: theirs}
}

// dayOf is the difference of a day whose items stand apart by the effects of the lines.
func dayOf(items ...discrepancy.Item) (difference int64, all []discrepancy.Item) {
	for _, i := range items {
		if !i.Loose {
			difference += i.Theirs - i.Ours
		}
	}
	return difference, items
}

func TestADifferenceOfADayIsExplainedByItsClosestCause(t *testing.T) {
	friday := item("KSF-1", 0, 15000)
	friday.Day = thursday.AddDays(1)
	loose := discrepancy.Item{Name: "EFT", Day: thursday, Theirs: 45000, Loose: true}
	back := item("KSF-7", -15000, 0)
	back.Return = true
	noise := []discrepancy.Item{item("N-1", 7000, 0), item("N-2", 0, 7000)}
	for what, c := range map[string]struct {
		items  []discrepancy.Item
		beside []discrepancy.Item
		kind   discrepancy.Kind
		says   string
	}{
		"a movement to match": {[]discrepancy.Item{item("KSF-2", 45000, 0), loose}, nil, discrepancy.Loose,
			"R\u00a0450,00 came in on Thu 14 Jan 2027 and belongs to nothing yet. KSF-2 expects just that,"},
		"a movement of a sum": {[]discrepancy.Item{item("DD-1", 900000, 855000), loose}, nil, discrepancy.Loose,
			"If it belongs to what is expected here, the day adds up once it is matched."},
		"cut-off": {[]discrepancy.Item{item("KSF-1", 15000, 0)}, []discrepancy.Item{friday}, discrepancy.Shifted,
			"KSF-1: R\u00a0150,00 is expected on Thu 14 Jan 2027, and the bank booked it on Fri 15 Jan 2027."},
		"twice": {[]discrepancy.Item{item("KSF-3", 15000, 30000)}, nil, discrepancy.Twice, "which is twice as much"},
		"sign": {[]discrepancy.Item{item("KSF-4", 15000, -15000)}, nil, discrepancy.Turned,
			"The difference is twice the amount."},
		"digits": {[]discrepancy.Item{item("KSF-5", 15600, 16500)}, nil, discrepancy.Transposed,
			"R\u00a0156,00 is expected, and the bank booked R\u00a0165,00."},
		"fee": {[]discrepancy.Item{item("DD-1", 60000, 59310)}, nil, discrepancy.Netted,
			"The rest, R\u00a06,90, may be its fee."},
		"return here": {[]discrepancy.Item{back}, nil, discrepancy.Returned, "the bank did not book it"},
		"return there": {[]discrepancy.Item{item("KSF-8", 0, -15000)}, nil, discrepancy.Returned,
			"no return of it is known here"},
		"one list": {[]discrepancy.Item{item("KSF-9", 15000, 0)}, nil, discrepancy.Alone, "the bank booked nothing for it"},
	} {
		difference, items := dayOf(append(c.items, noise...)...)
		got := discrepancy.Between(difference, items, c.beside)
		if len(got) == 0 || got[0].Kind != c.kind || got[0].Of != 1 || !strings.Contains(got[0].Between("ZAR"), c.says) {
			t.Errorf("%s: %+v", what, got)
		}
	}
	if got := discrepancy.Between(0, noise, nil); got != nil {
		t.Errorf("no difference: %+v", got)
	}
}

func TestTwoItemsTogetherAreOfferedWhenNoneAloneIsTheDifference(t *testing.T) {
	items := []discrepancy.Item{item("A", 15000, 0), item("B", 7000, 0), item("C", 0, 1000)}
	got := discrepancy.Between(-22000, items, nil)
	if len(got) != 1 || got[0].Kind != discrepancy.Pair || got[0].Items[0].Key != "A" || got[0].Items[1].Key != "B" {
		t.Fatalf("%+v", got)
	}
	if says := got[0].Between("ZAR"); !strings.HasSuffix(says, "It is the only pair of 3 that does.") {
		t.Error(says)
	}
	for range 4 {
		items = append(items, item("A", 15000, 0), item("B", 7000, 0))
	}
	got = discrepancy.Between(-22000, items, nil)
	if len(got) != 3 || got[2].Of != 25 ||
		!strings.HasSuffix(got[2].Between("ZAR"), "This could be chance: 25 pairs of 55 give this amount.") {
		t.Errorf("%+v", got)
	}
}

func TestADifferenceFromAListThatIsNotHere(t *testing.T) {
	ours := func(key string, cents int64) discrepancy.Item { return item(key, cents, 0) }
	back, payout := ours("back", -15000), ours("PO-77", -64220)
	back.Return, payout.Fee = true, 690
	november := ours("late", 8800)
	november.Day = thursday.AddDays(2)
	list := []discrepancy.Item{ours("one", 45000), back, payout, ours("half", 26000), ours("digits", 15600),
		ours("twice", 3300), ours("twice", 3300), ours("a", 100001), ours("b", 20002)}
	for difference, want := range map[int64]discrepancy.Kind{45000: discrepancy.Alone, -45000: discrepancy.Alone,
		15000: discrepancy.Returned, 690: discrepancy.Netted, 52000: discrepancy.Turned, 900: discrepancy.Transposed,
		3300: discrepancy.Twice, 8800: discrepancy.Shifted, 120003: discrepancy.Pair, -120003: discrepancy.Pair} {
		got := discrepancy.Against(difference, list, []discrepancy.Item{november})
		if len(got) == 0 || got[0].Kind != want || got[0].Against("ZAR") == "" || got[0].Title() == "" {
			t.Errorf("%d: %+v, want %s", difference, got, want)
		}
	}
	if got := discrepancy.Against(77, list, nil); len(got) != 0 {
		t.Errorf("found %+v", got)
	}
}

// The largest are looked at, and what is found grows with none of it.
func TestTheWorkIsBounded(t *testing.T) {
	var many []discrepancy.Item
	for n := range 50_000 {
		many = append(many, item(fmt.Sprint(n), 100, 0))
	}
	got := discrepancy.Against(200, many, nil)
	if len(got) != 3 || got[0].Kind != discrepancy.Turned || got[0].Of != discrepancy.MostItems {
		t.Errorf("%d, %+v", len(got), got[0])
	}
	if got = discrepancy.Between(-200, many, nil); len(got) != 3 || got[0].Of != 1999*1000 || got[0].Among != 1999*1000 {
		t.Errorf("%d, %+v", len(got), got[0])
	}
}
