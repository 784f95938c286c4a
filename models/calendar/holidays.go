package calendar

import (
	"time"

	"github.com/rickar/cal/v2"
	"github.com/rickar/cal/v2/za"
)

// Proclaimed lists days that the President declared public holidays under section 2A of the Public Holidays Act
// (industry: gazettes). A new proclamation is one more row, here or by the command holiday.
func Proclaimed() []Change {
	const election = "Election day"
	return []Change{
		{Day: Date{2011, time.May, 18}, Name: election},
		{Day: Date{2011, time.December, 27}, Name: "Public holiday by proclamation"},
		{Day: Date{2014, time.May, 7}, Name: election},
		{Day: Date{2016, time.August, 3}, Name: election},
		{Day: Date{2016, time.December, 27}, Name: "Public holiday by proclamation"},
		{Day: Date{2019, time.May, 8}, Name: election},
		{Day: Date{2021, time.November, 1}, Name: election},
		{Day: Date{2022, time.December, 27}, Name: "Public holiday by proclamation"},
		{Day: Date{2023, time.December, 15}, Name: "Public holiday by proclamation"},
		{Day: Date{2024, time.May, 29}, Name: election},
	}
}

// statutory names the holidays of one year by the Act alone: a Sunday one makes the Monday a holiday too.
func statutory(year int) map[Date]string {
	days := map[Date]string{}
	for _, h := range za.Holidays {
		actual, observed := h.Calc(year)
		day, moved := fieldsOf(actual), fieldsOf(observed)
		days[day] = wordsOf(h)
		// The library gives 27 December when Christmas is a Sunday; the Act does not, only proclamations did.
		if moved != day && !(h == za.GoodwillDay && day.Weekday() == time.Monday) {
			if _, taken := days[moved]; !taken {
				days[moved] = wordsOf(h) + " (observed)"
			}
		}
	}
	return days
}

func wordsOf(h *cal.Holiday) string {
	if h == za.ReconciliationDay {
		return "Day of Reconciliation"
	}
	return h.Name
}
