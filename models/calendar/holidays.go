package calendar

import (
	"time"

	"github.com/rickar/cal/v2"
	"github.com/rickar/cal/v2/za"
)

// Proclaimed lists days that the President declared public holidays under section 2A of the Public Holidays Act. A new
// declaration is one more row, here, in Settings or by the command holiday. Lists of others lag by weeks.
func Proclaimed() []Change {
	const (
		election = "Election day"
		declared = "Public holiday by proclamation"
	)
	gazette := func(year int, month time.Month, day int, name, known, sure, source string) Change {
		c := Change{Day: Date{year, month, day}, Name: name, Gazetted: known, Source: source, Sure: sure}
		_ = c.KnownFrom.UnmarshalText([]byte(known)) // a test reads them
		return c
	}
	const lists = "vacanza/holidays"
	return []Change{
		gazette(1999, time.June, 2, election, "", "C", lists),
		gazette(1999, time.December, 31, "Year 2000", "", "C", lists),
		gazette(2000, time.January, 2, "Year 2000", "", "C", lists),
		gazette(2004, time.April, 14, election, "", "C", lists),
		gazette(2006, time.March, 1, election, "", "C", lists),
		gazette(2008, time.May, 2, declared, "", "C", lists),
		gazette(2009, time.April, 22, election, "", "C", lists),
		gazette(2011, time.May, 18, election, "", "B", lists),
		gazette(2011, time.December, 27, declared, "", "B", lists),
		gazette(2014, time.May, 7, election, "", "C", lists),
		gazette(2016, time.August, 3, election, "", "C", lists),
		gazette(2016, time.December, 27, declared, "", "B", lists),
		gazette(2019, time.May, 8, election, "", "C", lists),
		gazette(2021, time.November, 1, election, "", "B", lists),
		gazette(2022, time.December, 27, declared, "2022-12-08", "B", "gov.za"),
		gazette(2023, time.December, 15, declared, "", "B", "gov.za"),
		gazette(2024, time.May, 29, election, "2024-02-23", "B", "gov.za"),
		gazette(2026, time.November, 4, election, "2026-08-07", "C", "elections.org.za"),
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
