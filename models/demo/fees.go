package demo

import (
	"context"

	"debitdesk/models/calendar"
	"debitdesk/models/journal"
)

// fees are what the bank took, as finance record it from its statement: the debit orders of the month that ended, and
// the debits that came back a week ago.
func (st *story) fees() {
	monthEnd := calendar.On(st.today.Year, st.today.Month, 0)
	st.fee(monthEnd, journal.Draft{What: "Debit order fees", Reference: "FEE-" + monthEnd.String()[:7],
		Gross: 287_50, VAT: 37_50})
	returned := st.today.AddDays(-7)
	st.fee(returned, journal.Draft{What: "Fees for debits that were returned", Reference: "RET-" + returned.String(),
		Gross: 57_50, VAT: 7_50})
}

// fee is recorded on the afternoon after the day of the statement.
func (st *story) fee(day calendar.Date, d journal.Draft) {
	d.Kind, d.Day, d.FromBank = journal.FeeTaken, day, true
	st.on(st.today.DaysSince(day.AddDays(1)), afternoon, func(ctx context.Context) error {
		_, err := st.s.Books.Record(ctx, st.admin, d)
		return err
	})
}
