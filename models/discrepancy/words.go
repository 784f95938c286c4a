package discrepancy

import (
	"fmt"
	"strings"

	"debitdesk/models/money"
	"debitdesk/models/plural"
)

var titles = map[Kind]string{Loose: "A movement without a match", Shifted: "It is on another day",
	Twice: "Booked twice", Turned: "Money in and money out mixed up", Transposed: "Two digits changed places",
	Netted:   "A fee was taken off",
	Returned: "A return that one list does not have", Alone: "It is in one list only",
	Pair: "Two that make the difference together"}

// Title names the cause.
func (c Cause) Title() string { return titles[c.Kind] }

// between words the evidence where both lists are known: what was expected, and what the bank booked.
func (c Cause) between(currency string) string {
	i := c.Items[0]
	sum := func(cents int64) string { return sumOf(cents, currency) }
	switch c.Kind {
	case Loose:
		way := "came in"
		if i.Theirs < 0 {
			way = "went out"
		}
		said := fmt.Sprintf("%s %s on %s and belongs to nothing yet.", sum(abs(i.Theirs)), way, dayOf(i))
		if len(c.Items) > 1 {
			return said + fmt.Sprintf(" %s expects just that, and the bank booked nothing for it.", c.Items[1].Name)
		}
		return said + " If it belongs to what is expected here, the day adds up once it is matched."
	case Shifted:
		other := c.Items[1]
		if i.Ours != 0 {
			return fmt.Sprintf("%s: %s is expected on %s, and the bank booked it on %s.", i.Name, sum(i.Ours), dayOf(i),
				dayOf(other))
		}
		return fmt.Sprintf("%s: the bank booked %s on %s, and it is expected on %s.", i.Name, sum(i.Theirs), dayOf(i),
			dayOf(other))
	case Twice:
		return fmt.Sprintf("%s: %s is expected, and the bank booked %s, which is twice as much.", i.Name, sum(i.Ours),
			sum(i.Theirs))
	case Turned:
		return fmt.Sprintf("%s: %s is expected, and the bank booked %s. The difference is twice the amount.", i.Name,
			sum(i.Ours), sum(i.Theirs))
	case Transposed:
		return fmt.Sprintf("%s: %s is expected, and the bank booked %s.", i.Name, sum(i.Ours), sum(i.Theirs))
	case Netted:
		return fmt.Sprintf("%s: %s is expected, and the bank booked %s. The rest, %s, may be its fee.", i.Name, sum(i.Ours),
			sum(i.Theirs), sum(i.Ours-i.Theirs))
	case Returned:
		if i.Theirs == 0 {
			return fmt.Sprintf("%s: the return of %s is known here, and the bank did not book it.", i.Name, sum(abs(i.Ours)))
		}
		return fmt.Sprintf("%s: the bank took back %s, and no return of it is known here.", i.Name, sum(abs(i.Theirs)))
	case Pair:
		return fmt.Sprintf("%s and %s come to %s.", named(i, i.effect(), currency),
			named(c.Items[1], c.Items[1].effect(), currency), sum(i.effect()+c.Items[1].effect()))
	case Alone:
	}
	switch {
	case i.Theirs == 0:
		return fmt.Sprintf("%s: %s is expected, and the bank booked nothing for it.", i.Name, sum(i.Ours))
	case i.Ours == 0:
		return fmt.Sprintf("%s: the bank booked %s, and nothing is expected for it.", i.Name, sum(i.Theirs))
	}
	return fmt.Sprintf("%s: %s is expected, and the bank booked %s.", i.Name, sum(i.Ours), sum(i.Theirs))
}

func dayOf(i Item) string { return i.Day.Format("Mon 2 Jan 2006") }

func named(i Item, cents int64, currency string) string {
	return i.Name + " (" + sumOf(cents, currency) + ")"
}

// sumOf has the minus of print, for hyphens are in references.
func sumOf(cents int64, currency string) string {
	return strings.Replace(money.Format(cents, currency), "-", "\u2212", 1)
}

// Between says what speaks for the cause, where both lists are known.
func (c Cause) Between(currency string) string { return c.between(currency) + c.chance("The day has") }

// Against says what speaks for the cause, where only our list is known.
func (c Cause) Against(currency string) string {
	i := c.Items[0]
	it := named(i, i.Ours, currency) + ", " + dayOf(i)
	text := map[Kind]string{
		Shifted:    it + ", is beside these days: the other list may have it within them.",
		Twice:      it + ", is here twice with the same amount.",
		Turned:     it + ", makes twice its amount when it is booked as a debit in one list and as a credit in the other.",
		Transposed: it + ", makes this difference when two digits that stand side by side change places.",
		Netted:     it + ": that much was taken off as a fee. The other list may have the payout before the fee.",
		Returned:   it + ": the other list may have the debit and not its return.",
		Alone:      it + ": the other list may not have it, or have it twice.",
	}[c.Kind]
	if c.Kind == Pair {
		text = it + ", and " + named(c.Items[1], c.Items[1].Ours, currency) + ", " + dayOf(c.Items[1]) +
			", come to it together."
	}
	return text + c.chance("There are")
}

// chance says how far the cause may be chance; empty where it is the only one of its kind and no pair.
func (c Cause) chance(begin string) string {
	switch {
	case c.Kind == Pair && c.Of > 1:
		return fmt.Sprintf(" This could be chance: %s of %s give this amount.", plural.Of(c.Of, "pair"),
			plural.Number(c.Among))
	case c.Kind == Pair && c.Among > 1:
		return fmt.Sprintf(" It is the only pair of %s that does.", plural.Number(c.Among))
	case c.Of > 1:
		return fmt.Sprintf(" This could be chance: %s %s like this.", begin, plural.Number(c.Of))
	}
	return ""
}
