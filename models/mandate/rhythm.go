package mandate

import "time"

// Rhythm says when a mandate is collected, as a client reads it on a handset: "each month on the 25th", "once". It is
// empty where nobody chose a rhythm.
func (m Mandate) Rhythm() string {
	switch {
	case m.AllowsOneDebit():
		return "once"
	case m.PeriodUnits == "days":
		return "as often as every day"
	case m.PeriodUnits == "weeks" && m.DeductionDay >= 1 && m.DeductionDay <= 7:
		return "each week on " + time.Weekday(m.DeductionDay%7).String()
	case m.PeriodUnits == "months" && m.DeductionDay == LastDay:
		return "on the last day of each month"
	case m.PeriodUnits == "months" && m.DeductionDay >= 1:
		return "each month on the " + Ordinal(m.DeductionDay)
	}
	return ""
}
