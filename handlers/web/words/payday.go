package words

import "debitdesk/models/estimate"

// PayDay is a client's pay day in words, as a sentence or a list goes on: "the 25th", "about the 1st".
func PayDay(p estimate.PayDay) string {
	day := "the " + ordinal(p.Day)
	if p.Day == estimate.LastDay {
		day = "the last business day of the month"
	}
	if p.About {
		return "about " + day
	}
	return day
}
