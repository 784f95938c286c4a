package bankfiles

import (
	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
	"debitdesk/models/discrepancy"
	"debitdesk/models/money"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// causeAdvice says what clears each cause of a difference.
var causeAdvice = map[discrepancy.Kind]string{
	discrepancy.Loose:      "Match it to its debit or refund.",
	discrepancy.Shifted:    "Nothing is missing. Accept the difference of both days, with a note.",
	discrepancy.Twice:      "Take back the match of the second movement. If the bank did debit twice, refund the client.",
	discrepancy.Turned:     "Look at the movement in the bank’s file. If it belongs elsewhere, take back its match.",
	discrepancy.Transposed: "Compare both with the bank’s statement. If it belongs elsewhere, take back its match.",
	discrepancy.Netted:     "Record the fee in the books, and accept the difference with a note.",
	discrepancy.Returned:   "Look whether the file with the return has arrived, and match the return if it waits.",
	discrepancy.Alone:      "Look among the movements without a match, and whether a statement is missing.",
	discrepancy.Pair:       "Look at both before you change anything.",
}

// causesOf words what would explain the difference of a day.
func causesOf(all []discrepancy.Cause, day date, may bool) (out []pages.Cause) {
	for _, c := range all {
		v := pages.Cause{Title: c.Title(), Evidence: c.Between(money.ZAR), Advice: causeAdvice[c.Kind]}
		add := func(text, href string) { v.Links = append(v.Links, components.Link{Text: text, Href: href}) }
		for _, i := range c.Items {
			switch {
			case i.MovementID != uuid.Nil && may:
				add("Match "+i.Name, movementPath(i.MovementID, "match"))
			case i.MovementID != uuid.Nil:
				add("Open "+i.Name, movementPath(i.MovementID))
			case i.Day != day:
				add("Open "+i.Day.Format("Mon 2 Jan 2006"), dayHref(i.Day))
			case i.PurchaseID != uuid.Nil:
				add("Open "+i.Name, words.PurchasePath(i.PurchaseID))
			case i.File != "":
				add("Open the file "+i.File, filePath(i.File))
			}
		}
		switch c.Kind {
		case discrepancy.Twice, discrepancy.Turned, discrepancy.Transposed:
			add("Movements of the day", bookedHref(day))
		case discrepancy.Alone, discrepancy.Returned:
			add("Movements without a match", UnmatchedHref)
			add("Files from the bank", receivedPath)
		case discrepancy.Netted:
			add("Fees and payouts", "/books/fees")
		case discrepancy.Loose, discrepancy.Shifted, discrepancy.Pair: // what each is of is enough
		}
		if may && (c.Kind == discrepancy.Shifted || c.Kind == discrepancy.Netted) {
			add("Accept the difference", "#accept")
		}
		out = append(out, v)
	}
	return out
}
