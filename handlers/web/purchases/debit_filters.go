package purchases

import (
	"net/url"
	"regexp"
	"strconv"
	"time"

	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/purchase"
)

// debitStates are narrower ways in which a debit went than its outcome, by their names in the address.
var debitStates = map[string]struct {
	states []collection.State
	words  string
}{
	"scheduled":  {[]collection.State{collection.Scheduled}, "Not with the bank yet"},
	"standing":   {collection.StatesOf(collection.Outcomes...), "Not withdrawn"},
	"settled":    {[]collection.State{collection.Successful, collection.Final}, "Collected for good"},
	"returnable": {[]collection.State{collection.Provisional}, "Collected, may still be returned"},
	"undecided": {append(collection.StatesOf(collection.OutcomeOpen), collection.Provisional),
		"Not answered, or may still be returned"},
	"withdrawn":    {[]collection.State{collection.Cancelled, collection.Recalled}, "Withdrawn"},
	"dispute_open": {[]collection.State{collection.Disputed}, "Disputed, not decided"},
	"dispute_won":  {[]collection.State{collection.DisputeWon}, "Dispute won"},
	"dispute_lost": {[]collection.State{collection.DisputeLost}, "Dispute lost"},
}

// reasonFilter takes debits that failed or were disputed for one reason, by the bank's code.
var reasonFilter = kit.Filter[purchase.DebitFilter]{
	Key: "reason",
	Read: func(l *kit.Listing, f *purchase.DebitFilter) {
		text := l.Query.Get("reason")
		if text != "" && !codeForm.MatchString(text) {
			l.Unknown("reason", "a code of the banks")
			return
		}
		f.Code = text
	},
	Chip: func(_ *kit.Listing, text string) string {
		if text == purchase.NoCode {
			return "Without a reason"
		}
		return bank.Label(text)
	},
}

// codeForm is how the banks write a code; new ones come up.
var codeForm = regexp.MustCompile(`^[0-9A-Za-z_]{1,20}$`)

// readOutcome reads how debits went: by their outcome, or narrower.
func readOutcome(l *kit.Listing, f *purchase.DebitFilter) {
	asked := l.Query.Get("outcome")
	if f.Outcomes = debitOutcomes[asked]; f.Outcomes != nil || asked == "" {
		return
	}
	if f.States = debitStates[asked].states; f.States == nil {
		l.Unknown("outcome", "an outcome of a debit")
	}
}

// submitAtFilter takes what waits for one cut-off.
var submitAtFilter = kit.Filter[purchase.DebitFilter]{
	Key: "submit_at",
	Read: func(l *kit.Listing, f *purchase.DebitFilter) {
		if text := l.Query.Get("submit_at"); text != "" {
			at, err := time.ParseInLocation(submitForm, text, calendar.SAST)
			if err != nil {
				l.Unknown("submit_at", "the time of a cut-off")
			}
			f.SubmitAt = at
		}
	},
	Chip: func(_ *kit.Listing, text string) string {
		at, _ := time.ParseInLocation(submitForm, text, calendar.SAST) // it was read before
		return "To the bank at " + words.Moment(at).Text
	},
}

// DebitsOf is the list of the debits of some days that went so, and that run in one way; empty: in any.
func DebitsOf(outcome string, method bank.Method, from, to calendar.Date) string {
	q := url.Values{"debit_from": {from.String()}, "debit_to": {to.String()}, "outcome": {outcome}}
	if method != "" {
		q.Set("method", string(method))
	}
	return kit.Address(debitsPath, q)
}

// DebitsAtHref is the list of the debits that go to the bank at one cut-off.
func DebitsAtHref(cutOff time.Time) string {
	return kit.Address(debitsPath, url.Values{"submit_at": {cutOff.In(calendar.SAST).Format(submitForm)}})
}

// numberFilter takes debits by a number of their debit date, from one up to most.
func numberFilter(key string, most int, chip func(string) string,
	into func(*purchase.DebitFilter) *int) kit.Filter[purchase.DebitFilter] {
	return kit.Filter[purchase.DebitFilter]{Key: key, Read: func(l *kit.Listing, f *purchase.DebitFilter) {
		text := l.Query.Get(key)
		if text == "" {
			return
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > most {
			l.Unknown(key, "a number from 1 to "+strconv.Itoa(most))
			return
		}
		*into(f) = n
	}, Chip: func(_ *kit.Listing, text string) string { return chip(text) }}
}

func weekdayChip(text string) string {
	n, _ := strconv.Atoi(text) // it was read before
	return "On a " + time.Weekday(n%7).String()
}

func monthDayChip(text string) string { return "On day " + text + " of the month" }
