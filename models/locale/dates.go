package locale

import (
	"fmt"
	"strings"
	"time"

	"debitdesk/models/calendar"
)

// Months and days of the week, from January and from Sunday (source: CLDR of December 2025).
var (
	months = map[Language][]string{
		English: strings.Fields("January February March April May June July August September October November December"),
		Afrikaans: strings.Fields("Januarie Februarie Maart April Mei Junie Julie Augustus September Oktober " +
			"November Desember"),
		Zulu: strings.Fields("Januwari Februwari Mashi Ephreli Meyi Juni Julayi Agasti Septhemba Okthoba Novemba Disemba"),
		Xhosa: strings.Fields("Janyuwari Februwari Matshi Epreli Meyi Juni Julayi Agasti Septemba Okthobha Novemba " +
			"Disemba"),
	}
	weekdays = map[Language][]string{
		English:   strings.Fields("Sunday Monday Tuesday Wednesday Thursday Friday Saturday"),
		Afrikaans: strings.Fields("Sondag Maandag Dinsdag Woensdag Donderdag Vrydag Saterdag"),
		Zulu:      strings.Fields("ISonto UMsombuluko ULwesibili ULwesithathu ULwesine ULwesihlanu UMgqibelo"),
		Xhosa:     strings.Fields("Cawe Mvulo Lwesibini Lwesithathu Lwesine Lwesihlanu Mgqibelo"),
	}
)

// Day writes a day: "4 Disemba 2026", in the same order in every language.
func (w Words) Day(d calendar.Date) string { return w.day(d.At(0, 0)) }

// LongDay is Day with the day of the week before it.
func (w Words) LongDay(d calendar.Date) string {
	return w.Weekday(d.Weekday()) + " " + w.Day(d)
}

// Weekday names a day of the week.
func (w Words) Weekday(d time.Weekday) string { return weekdays[w.Language][d] }

// Moment is a day with the hour in South Africa: "4 Disemba 2026, 15:04".
func (w Words) Moment(t time.Time) string {
	t = t.In(calendar.SAST)
	return w.day(t) + ", " + w.Clock(t)
}

// Clock is the hour in South Africa: "15:04".
func (w Words) Clock(t time.Time) string { return t.In(calendar.SAST).Format("15:04") }

func (w Words) day(t time.Time) string {
	return fmt.Sprintf("%d %s %d", t.Day(), months[w.Language][t.Month()-1], t.Year())
}
