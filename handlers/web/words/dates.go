package words

import (
	"time"

	"debitdesk/models/calendar"
)

func DateOf(at time.Time) calendar.Date { return calendar.DateOf(at) }
