// Package discrepancy knows what a difference between two lists of money may come of: what accountants look for, each
// with its evidence. It finds causes among the items that it is given and reads nothing itself. It must not know which
// lists they are, or what a person can do about a cause.
package discrepancy

import (
	"cmp"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
)

// Item is something that may explain a difference.
type Item struct {
	Key          string // what it is of: the same in both lists, and on every day; empty: nobody knows
	Name         string // as people call it
	Day          calendar.Date
	Ours, Theirs int64 // what our list and the other one have; money out is below zero
	Loose        bool  // it is in their list and belongs to nothing of ours, so their sum has it not yet
	Return       bool  // money that went back
	Fee          int64 // what was taken off on the way

	PurchaseID, MovementID, RecordID uuid.UUID // that it can be opened by
	File                             string
}

// effect is what the item adds to the difference, which is their sum less ours.
func (i Item) effect() int64 {
	if i.Loose {
		return -i.Theirs
	}
	return i.Theirs - i.Ours
}

// settles tells that a movement without a match has just the money that another item lacks.
func (i Item) settles(other Item) bool {
	return !other.Loose && other.Theirs == 0 && other.Ours == i.Theirs
}

// Kind is a cause of differences.
type Kind string

// The causes, those with the strongest evidence first.
const (
	Loose      Kind = "loose"      // it is in their list, and belongs to nothing of ours
	Shifted    Kind = "shifted"    // it is on a neighbouring day in the other list
	Twice      Kind = "twice"      // it was booked twice
	Turned     Kind = "turned"     // it was booked the wrong way round
	Transposed Kind = "transposed" // two digits changed places
	Netted     Kind = "netted"     // a fee was taken off
	Returned   Kind = "returned"   // it went back, which only one list has
	Alone      Kind = "alone"      // it is in one list only
	Pair       Kind = "pair"       // two items make it together
)

var ranks = []Kind{Loose, Shifted, Twice, Turned, Transposed, Netted, Returned, Alone, Pair}

// Cause is one thing that would explain the whole difference.
type Cause struct {
	Kind  Kind
	Items []Item // what is concerned: two of a pair, and of what is on two days; else one
	// Of is how many causes of this kind there are, and Among how many items or pairs were looked at: the more there
	// are, the more likely it is chance.
	Of, Among int
}

const (
	mostShown = 3 // causes of one kind
	// MostItems is how many items are looked at. Each is looked at once, and pairs are found by their sums, so that the
	// work grows with the items and not with their pairs.
	MostItems = 2000
	// mostFee is the share of a sum that may be a fee, in percent.
	mostFee = 10
)

// Between finds what explains a difference, their sum less ours, among the items of a day whose sums differ, and those
// of the days beside it.
func Between(difference int64, day, beside []Item) []Cause {
	day, beside = atMost(day), atMost(beside)
	f := found{}
	if difference == 0 {
		return nil
	}
	elsewhere := byKey(beside)
	for _, i := range day {
		if i.effect() != difference {
			continue
		}
		kind, with := kindOf(i), []Item{i}
		if other, is := opposite(i, elsewhere[i.Key]); is && i.Key != "" {
			kind, with = Shifted, append(with, other)
		}
		if n := slices.IndexFunc(day, i.settles); kind == Loose && n >= 0 {
			with = append(with, day[n])
		}
		f.add(kind, len(day), with...)
	}
	if len(f) == 0 {
		f.pairs(day, Item.effect, difference)
	}
	return f.ranked()
}

// kindOf is the closest reason why the two sums of an item differ.
func kindOf(i Item) Kind {
	switch {
	case i.Loose:
		return Loose
	case i.Ours != 0 && i.Theirs == 2*i.Ours:
		return Twice
	case i.Ours != 0 && i.Theirs == -i.Ours:
		return Turned
	case i.Ours*i.Theirs > 0 && swapped(i.Ours, i.Theirs):
		return Transposed
	case i.Ours > i.Theirs && i.Theirs > 0 && (i.Ours-i.Theirs)*100 <= i.Ours*mostFee:
		return Netted
	case i.Return && (i.Ours == 0 || i.Theirs == 0), i.Ours == 0 && i.Theirs < 0:
		return Returned
	}
	return Alone
}

func byKey(items []Item) map[string][]Item {
	of := map[string][]Item{}
	for _, i := range items {
		of[i.Key] = append(of[i.Key], i)
	}
	return of
}

// opposite finds the same item with the opposite effect.
func opposite(i Item, others []Item) (Item, bool) {
	n := slices.IndexFunc(others, func(o Item) bool { return o.effect() == -i.effect() })
	if n < 0 {
		return Item{}, false
	}
	return others[n], true
}

// Against finds what explains a difference from a list that nobody has here, among the items of our list in some days
// and those of the days beside them. Which of the two lists has more is not known.
func Against(difference int64, days, beside []Item) []Cause {
	days, beside = atMost(days), atMost(beside)
	f, want := found{}, abs(difference)
	if want == 0 {
		return nil
	}
	seen := map[Item]bool{}
	for _, i := range days {
		cents := abs(i.Ours)
		same := Item{Key: i.Key, Day: i.Day, Ours: i.Ours, Return: i.Return}
		switch {
		case cents == want && seen[same] && i.Key != "":
			f.add(Twice, len(days), i)
		case cents == want && i.Return:
			f.add(Returned, len(days), i)
		case cents == want:
			f.add(Alone, len(days), i)
		case 2*cents == want:
			f.add(Turned, len(days), i)
		case i.Fee != 0 && abs(i.Fee) == want:
			f.add(Netted, len(days), i)
		case want%9 == 0 && swaps(cents, want):
			f.add(Transposed, len(days), i)
		}
		seen[same] = true
	}
	for _, i := range beside {
		if abs(i.Ours) == want {
			f.add(Shifted, len(beside), i)
		}
	}
	if len(f) == 0 {
		ours := func(i Item) int64 { return i.Ours }
		f.pairs(days, ours, want)
		f.pairs(days, ours, -want)
	}
	return f.ranked()
}

// found are the causes that were found, by their kind.
type found map[Kind][]Cause

func (f found) add(kind Kind, among int, items ...Item) {
	of := f[kind]
	if len(of) < mostShown {
		of = append(of, Cause{Kind: kind, Items: items, Among: among})
	}
	of[0].Of++
	f[kind] = of
}

// pairs finds two items that come to a sum, and counts all such pairs.
func (f found) pairs(items []Item, cents func(Item) int64, sum int64) {
	before := map[int64][]int{}
	for n, i := range items {
		with := before[sum-cents(i)]
		if cents(i) == 0 {
			continue
		}
		for _, other := range with[:min(len(with), mostShown)] {
			f.add(Pair, len(items)*(len(items)-1)/2, items[other], i)
		}
		if more := len(with) - mostShown; more > 0 {
			f[Pair][0].Of += more
		}
		before[cents(i)] = append(before[cents(i)], n)
	}
}

// ranked are the causes, those with the strongest evidence first.
func (f found) ranked() (out []Cause) {
	for _, kind := range ranks {
		for _, c := range f[kind] {
			c.Of = f[kind][0].Of
			out = append(out, c)
		}
	}
	return out
}

// atMost are the largest items.
func atMost(items []Item) []Item {
	if len(items) <= MostItems {
		return items
	}
	items = slices.SortedStableFunc(slices.Values(items), func(x, y Item) int {
		return -cmp.Compare(max(abs(x.Ours), abs(x.Theirs)), max(abs(y.Ours), abs(y.Theirs)))
	})
	return items[:MostItems]
}

func abs(n int64) int64 { return max(n, -n) }

// swapped tells that two amounts differ by two neighbouring digits that changed places: 1 560 and 1 650.
func swapped(a, b int64) bool { return swapsTo(abs(a), abs(b)) }

// swaps tells that an amount changes by so much when two neighbouring digits of it change places.
func swaps(cents, by int64) bool { return swapsTo(cents, cents+by) || swapsTo(cents, cents-by) }

func swapsTo(from, to int64) bool {
	for unit := int64(1); from/unit >= 10; unit *= 10 {
		low, high := from/unit%10, from/unit/10%10
		if low != high && from+(low-high)*9*unit == to {
			return true
		}
	}
	return false
}
