package exchange

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
)

// booked is what follows for an item from a movement that belongs to it.
func (c *change) booked(i Item, e Event) error {
	i = c.current(i)
	words := withWords(e.Reasons, c.s.Rules.Habits.free(e))
	switch {
	case i.Kind == Refunds && !e.Credit:
		c.answer(i, e, bank.RefundSettled, bank.CodeSuccess)
	case i.Kind == Refunds:
		c.answer(i, e, bank.RefundFailed, c.s.meaning(bank.Returned, words).Code)
	case i.Kind != Debits:
	case e.Credit:
		return c.credited(i, e)
	default:
		why := c.s.meaning(bank.Returned, words)
		if why.Trouble != bank.NoTrouble {
			c.aside(i, e, why) // and the money is gone all the same
		}
		c.answer(i, e, why.Kind(), why.Code)
		return c.overtaken(i, e)
	}
	return nil
}

// credited is what follows from money that came in for a debit. After it had come back, the return was reversed, or the
// bank ran the debit once more.
func (c *change) credited(i Item, e Event) error {
	back := i.Outcome == bank.Unpaid || i.Outcome == bank.Disputed || i.Outcome == bank.Recalled
	switch {
	case back && e.BookedOn.After(i.OutcomeOn):
		left, err := c.lastMove(i, false)
		if err == nil && !left.After(e.BookedOn) {
			c.paidAgain(i, e)
		}
		return err
	case i.State == ItemRefused: // whoever reads the refusal must not believe that nobody was debited
		c.contradiction(i, bank.Provisional)
		c.paid(i, e)
	case c.s.Rules.Success[i.Method] == ByBooking:
		c.paid(i, e)
	}
	return nil
}

// overtaken is what follows from a return that is told late: after the money came in once more.
func (c *change) overtaken(i Item, e Event) error {
	in, err := c.lastMove(i, true)
	if err != nil || !in.After(e.BookedOn) {
		return err
	}
	left, err := c.lastMove(i, false)
	if err != nil || left.After(in) {
		return err
	}
	of := e
	of.Path, of.BookedOn = e.Path+".again", in
	c.paidAgain(c.current(i), of)
	return nil
}

func (c *change) paidAgain(i Item, e Event) {
	c.answer(i, e, bank.PaidAgain, bank.CodeSuccess)
	c.find(Finding{MerchantID: i.MerchantID, Kind: PaidAgain, Subject: string(PaidAgain) + ":" + i.ID.String(),
		ItemID: i.ID, MessageID: i.MessageID, Text: fmt.Sprintf("%s of a debit that had failed or come back is on the "+
			"account since %s: the bank reversed the return, or ran the debit again. The debit counts as paid; make sure "+
			"that the client does not pay twice.", money.Format(i.AmountCents, cmp.Or(i.Currency, "ZAR")),
			e.BookedOn.Format("2 Jan 2006"))})
}

// moves are the last days on which money of an item moved each way, as far as documents have told.
type moves struct{ in, out calendar.Date }

// lastMove is the last day on which money of an item came in, or went out; zero: it never did.
func (c *change) lastMove(i Item, in bool) (day calendar.Date, err error) {
	if c.moves == nil {
		if c.moves, err = c.tx.movesOf(slices.Collect(maps.Keys(c.items))); err != nil {
			return day, err
		}
	}
	day = c.moves[i.ID].out
	if in {
		day = c.moves[i.ID].in
	}
	for _, n := range c.entries {
		if n.ItemID == i.ID && n.Credit == in && n.BookedOn.After(day) {
			day = n.BookedOn
		}
	}
	return day, nil
}
