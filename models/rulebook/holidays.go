package rulebook

import "debitdesk/models/calendar"

// HolidayKey is the key of declared public holidays; the value of such a row is the name of the day.
const HolidayKey = "calendar.holiday"

// Holidays are the days that a calendar knows by declaration, as rows. A day that is no holiday after all has none as
// its value.
func Holidays(cal *calendar.Calendar) []Row {
	var rows []Row
	for _, d := range cal.Declared() {
		r := Row{Key: HolidayKey, Stream: AnyStream, Scope: Scheme, Value: Text(d.Name), From: d.Day, To: d.Day.AddDays(1),
			JudgedBy: "action_date", KnownFrom: d.KnownFrom, Sure: d.Sure, Status: InForce, Override: ByBank,
			Source: Source{Site: d.Source, Title: "Declared under section 2A of the Public Holidays Act", Kind: "gazette",
				Published: d.Gazetted}}
		if d.Open {
			r.Value, r.Note = Value{}, d.Name
		}
		rows = append(rows, r.named())
	}
	return rows
}
