package mandate

import "debitdesk/models/calendar"

// NextDeduction is the first deduction day of the mandate on or after a day; the day itself where none is named.
func (m Mandate) NextDeduction(from calendar.Date) calendar.Date { return m.nextDay(from) }
