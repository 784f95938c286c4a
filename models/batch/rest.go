package batch

import (
	"errors"
	"strings"

	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

// rest reads the due date and what else a row may carry.
func (r *reading) rest() {
	v := &r.line.Values
	r.due()
	v.Reference = r.text(Reference, 128)
	v.Notes = r.lines(Notes, 10_000)
	v.Currency = r.Mapping.Currency
	if v.Currency == "" {
		v.Currency = money.ZAR
	}
	if text, ok := r.cell(Currency); ok {
		switch strings.ToUpper(text) {
		case money.ZAR, "R", "RAND":
			v.Currency = money.ZAR
		default:
			r.wrong(Currency, "invalid_choice", CauseChoice, expected(Currency, "ZAR", text))
		}
	}
	r.charge()
	r.method()
}

func (r *reading) due() {
	text, ok := r.cell(Due)
	if !ok {
		r.line.Values.Due = r.Mapping.Due
		if r.Mapping.Due.IsZero() {
			r.wrong(Due, "required", RequiredOf(Due), "expected a date such as 2026-12-01, found nothing")
		}
		return
	}
	order := r.target(Due).Dates
	due, err := calendar.ParseWritten(text, order)
	switch {
	case errors.Is(err, calendar.ErrOrder):
		r.wrong(Due, "ambiguous", CauseDateOrder, expected(Due, "2026-12-01", text)+
			"; choose whether the day or the month comes first")
	case errors.Is(err, calendar.ErrNotOrder):
		r.wrong(Due, "order", CauseDateOrder, expected(Due, orderWords[order], text))
	case errors.Is(err, calendar.ErrNoSuch):
		r.wrong(Due, "invalid", CauseDate, expected(Due, "a day that exists", text))
	case err != nil:
		r.wrong(Due, "invalid", CauseDate, expected(Due, "2026-12-01", text))
	case due.Year < 2000 || due.Year > 2099:
		r.wrong(Due, "invalid", CauseDate, expected(Due, "a day of this century", text))
	default:
		r.line.Values.Due = due
		if due.Before(r.Today) {
			r.warn(Due, "due_past", CausePast, "the due date "+due.String()+" has passed")
		}
		if due.After(r.Today.AddDays(farAhead)) {
			r.warn(Due, "due_far", CauseFar, "the due date "+due.String()+" is more than a year away")
		}
	}
}

// farAhead is from how many days on a due date is likelier a slip than meant (ours).
const farAhead = 366

var orderWords = map[calendar.Order]string{calendar.DayFirst: "the day first, as 25/12/2026",
	calendar.MonthFirst: "the month first, as 12/25/2026",
	calendar.YearFirst:  "the year first, as 2026-12-25"}

var answers = map[string]bool{"yes": true, "y": true, "ja": true, "j": true, "true": true, "1": true, "x": true,
	"waar": true, "charge": true,
	"no": false, "n": false, "nee": false, "false": false, "0": false, "onwaar": false, "-": false}

func (r *reading) charge() {
	text, ok := r.cell(Charge)
	if !ok {
		return
	}
	yes, known := answers[strings.ToLower(text)]
	if !known {
		r.wrong(Charge, "invalid_choice", CauseChoice, expected(Charge, "yes or no", text))
		return
	}
	r.line.Values.Charge = yes
}

func (r *reading) method() {
	text, ok := r.cell(Method)
	if !ok {
		return
	}
	switch letters := strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(text)); letters {
	case purchase.EFT, "eftdebitorder", "debitorder", "debietorder":
		r.line.Values.Method = purchase.EFT
	case purchase.DebiCheck:
		r.line.Values.Method = purchase.DebiCheck
	default:
		r.wrong(Method, "invalid_choice", CauseChoice, expected(Method, "eft or debicheck", text))
	}
}
