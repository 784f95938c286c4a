package mandate

import "debitdesk/models/calendar"

// Debit is a stand-in.
type Debit struct {
	AmountCents int64
	Currency    string
	Due         calendar.Date
}

// Judge is a stand-in.
func (m Mandate) Judge(Debit, *calendar.Calendar) ([]string, error) { return nil, nil }
