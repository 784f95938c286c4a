package find

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
)

var today = calendar.On(2026, 11, 22) // a Sunday

func TestWhatAPersonTypesIsUnderstood(t *testing.T) {
	t.Parallel()
	const id = "01935f3e-7a1b-7c3d-8e4f-9a0b1c2d3e4f"
	whole := uuid.MustParse(id)
	for typed, want := range map[string]Meaning{
		"":                  {},
		"   \u00a0 ":        {},
		"  NKOSI   Thandi ": {Text: "NKOSI Thandi", Words: []string{"nkosi", "thandi"}},
		"Zoë Müller":        {Text: "Zoë Müller", Words: []string{"zoe", "muller"}},
		"INV-2026-000123": {Text: "INV-2026-000123", Words: []string{"inv-2026-000123"},
			Number: "INV-2026-000123"},
		"inv 2026-0001": {Text: "inv 2026-0001", Words: []string{"inv", "2026-0001"},
			Number: "INV-2026-0001"},
		"INV-000123": {Text: "INV-000123", Words: []string{"inv-000123"},
			Prefix: "INV-", Serial: 123},
		"INV-":     {Text: "INV-", Words: []string{"inv-"}, Number: "INV-"},
		"inv-2026": {Text: "inv-2026", Words: []string{"inv-2026"}, Number: "INV-2026"},
		"KSF-1022": {Text: "KSF-1022", Words: []string{"ksf-1022"},
			Prefix: "KSF-", Serial: 1022},
		"R 649": {Text: "R 649", Words: []string{"r", "649"}, Prefix: "R-",
			Serial: 649, Cents: 64900},
		"649,00":   {Text: "649,00", Words: []string{"649,00"}, Cents: 64900},
		"1 234.50": {Text: "1 234.50", Words: []string{"1", "234.50"}, Cents: 123450},
		"000123":   {Text: "000123", Words: []string{"000123"}, Serial: 123},
		"082":      {Text: "082", Words: []string{"082"}, Serial: 82, Phone: "2782"},
		"082 123 4567": {Text: "082 123 4567", Words: []string{"082", "123", "4567"},
			Phone: "27821234567"},
		"+27 82 123":         {Text: "+27 82 123", Words: []string{"+27", "82", "123"}, Phone: "2782123"},
		"Thandi@Example.com": {Text: "Thandi@Example.com", Words: []string{"thandi@example.com"}},
		"3456": {Text: "3456", Words: []string{"3456"}, Digits: "3456",
			Serial: 3456, Cents: 345600},
		"•••• 3456":                              {Text: "•••• 3456", Words: []string{"••••", "3456"}, Digits: "3456"},
		"8501015800085":                          {Text: "8501015800085", Identity: "8501015800085"},
		"850101 5800 085":                        {Text: "850101 5800 085", Identity: "8501015800085"},
		id:                                       {Text: id, First: whole, Last: whole},
		"see https://d/purchases/" + id + "?x=1": {Text: "see https://d/purchases/" + id + "?x=1", First: whole, Last: whole},
		"01935f3e": {Text: "01935f3e", Words: []string{"01935f3e"},
			First: uuid.MustParse("01935f3e-0000-0000-0000-000000000000"),
			Last:  uuid.MustParse("01935f3e-ffff-ffff-ffff-ffffffffffff")},
		"1 Dec": {Text: "1 Dec", Words: []string{"1", "dec"}, Day: calendar.On(2026, 12, 1)},
	} {
		got := Understand(typed, today)
		if !same(got, want) {
			t.Errorf("%q:\n got %+v\nwant %+v", typed, got, want)
		}
	}
}

func same(a, b Meaning) bool {
	words := slices.Equal(a.Words, b.Words)
	a.Words, b.Words = nil, nil
	return words && a.Text == b.Text && a.Phone == b.Phone && a.Identity == b.Identity &&
		a.Digits == b.Digits && a.Number == b.Number &&
		a.Serial == b.Serial && a.Prefix == b.Prefix && a.Cents == b.Cents && a.Day == b.Day && a.First == b.First &&
		a.Last == b.Last
}

func TestDaysAreReadAsPeopleSayThem(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]calendar.Date{
		"today": today, "tomorrow": calendar.On(2026, 11, 23), "tomo": calendar.On(2026, 11, 23),
		"Yesterday": calendar.On(2026, 11, 21),
		"fri":       calendar.On(2026, 11, 27), "Sunday": today, "1 Dec": calendar.On(2026, 12, 1),
		"1 december": calendar.On(2026, 12, 1),
		"dec 1":      calendar.On(2026, 12, 1), "5 Jan": calendar.On(2027, 1, 5), "1/12": calendar.On(2026, 12, 1),
		"2026-12-01": calendar.On(2026, 12, 1), "01/12/2026": calendar.On(2026, 12, 1),
		"15 Aug 2025": calendar.On(2025, 8, 15),
		"to":          {}, "46357": {}, "thandi": {}, "31 Feb": {}, "mo": {}, "R 649": {},
	} {
		if got := DayOf(typed, today); got != want {
			t.Errorf("%q is %s, not %s", typed, got, want)
		}
	}
}

func TestEveryGroupHasItsTurnBeforeOneTakesAll(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sizes, want []int
	}{
		"one":   {[]int{20}, []int{8}},
		"two":   {[]int{20, 20}, []int{5, 3}},
		"many":  {[]int{20, 1, 20, 20}, []int{3, 1, 3, 1}},
		"small": {[]int{1, 2}, []int{1, 2}},
		"none":  {nil, []int{}},
	} {
		var groups []Group
		for _, n := range c.sizes {
			groups = append(groups, Group{Size: n})
		}
		if got := Shares(groups, 8); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, not %v", name, got, c.want)
		}
	}
}

func TestPlacesAreFoundByTheirWords(t *testing.T) {
	t.Parallel()
	places := []Place{{Label: "Purchases"}, {Label: "New purchase"}, {Label: "Move the clock", Also: "sandbox time"},
		{Label: "Set up mandate", Also: "DebiCheck"}, {Label: "Needs attention"}}
	for typed, want := range map[string][]string{
		"purch": {"Purchases", "New purchase"}, "purchase new": {"New purchase"}, "CLOCK": {"Move the clock"},
		"time":      {"Move the clock"},
		"purchases": {"Purchases"}, "debicheck": {"Set up mandate"}, "nothing": nil, "": nil,
	} {
		var got []string
		for _, hit := range FindPlaces(places, Understand(typed, today)) {
			got = append(got, hit.Label)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %q, not %q", typed, got, want)
		}
	}
}
