package handlers_test

import (
	"net/http"
	"net/url"
	"testing"

	"debitdesk/cmd/app"
	"debitdesk/handlers/handlertest"
	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/merchant"
	"debitdesk/models/rulebook"
)

func TestTheRulesAreShownWithTheirDatesAndSources(t *testing.T) {
	t.Parallel()
	s := handlertest.New(t)
	s.Page(s.A.Staff, "GET", "/rules", nil).Want(http.StatusOK).
		Contains("Time in which a dispute is refunded at once", "60 days", "13 Apr 2026", "hyphen.co.za", "The press",
			"Your bank", "VAT rate").
		Lacks("40 days", "dispute.auto_days<", "15,5", "by_debit_date")
	s.Page(s.A.Staff, "GET", "/rules?on=2026-11-04", nil).Want(http.StatusOK).Contains("Election day")
	s.Page(s.A.Staff, "GET", "/rules?on=2026-04-12", nil).Want(http.StatusOK).Contains("40 days")
	s.Page(s.A.Staff, "GET", "/rules?show=over", nil).Want(http.StatusOK).Contains("40 days", "15,5", "Withdrawn")
	s.Page(s.A.Staff, "GET", "/rules?show=coming", nil).Want(http.StatusOK).Contains("End of PASA").Lacks("60 days")
	s.Page(s.A.Staff, "GET", "/rules?show=replaceable", nil).Want(http.StatusOK).
		Contains("Time in which a debit can be returned unpaid").Lacks("VAT rate")
	s.Page(s.A.Staff, "GET", "/rules?on=soon&show=what&key=x", nil).Want(http.StatusOK).Contains("Enter a date")
	for _, key := range rulebook.Default().Keys() {
		if words.RuleName(key) == "" {
			t.Errorf("%s has no name on the page", key)
		}
	}
}

func TestABanksOwnValueIsShownBesideTheSchemes(t *testing.T) {
	t.Parallel()
	book, err := rulebook.Default().ForBank("Acme", "", []rulebook.Instead{{Key: "eft.return_window", Value: 3.0,
		From: "2026-01-01", Proof: "letter of N Botha"}})
	if err != nil {
		t.Fatal(err)
	}
	by := collection.TimetableBy(book).WithLead(3, 1)
	s := handlertest.NewWith(t, func(o *app.Options) { o.Timetable = &by })
	s.Page(s.A.Staff, "GET", "/rules", nil).Want(http.StatusOK).Contains("3 business days", "letter of N Botha", "at Acme")
	s.Page(s.A.Owner, "GET", "/settings/calendar", nil).Want(http.StatusOK).
		Contains("at 12:00 SAST, three business days before", "at least three days ahead").
		Lacks("two business days", "48 hours ahead")
}

func TestAHolidayIsAddedByTheOperatorWhereSeveralBusinessesAre(t *testing.T) {
	t.Parallel()
	s := handlertest.New(t)
	const day = "/calendar/holidays?day=2027-01-11"
	s.Page(s.A.Owner, "GET", day, nil).Want(http.StatusOK).Contains("Several businesses use this installation").
		Lacks("Add public holiday")
	s.Page(s.A.Owner, "POST", "/calendar/holidays", url.Values{"day": {"2027-01-11"}, "name": {"Election day"}}).
		Want(http.StatusForbidden)
	if n := s.Count(`SELECT count(*) FROM proclaimed_days`); n != 0 {
		t.Errorf("%d days were added", n)
	}
}

func TestAnAdminChoosesAStricterRuleAndEndsIt(t *testing.T) {
	t.Parallel()
	s := handlertest.New(t)
	const path = "/settings/rules"
	s.Page(s.A.Staff, "GET", path, nil).Want(http.StatusForbidden)
	s.Page(s.A.Owner, "GET", path, nil).Want(http.StatusOK).
		Contains("Longest time in tracking", "10 days", "Limit of failed debits in a month", "7 years",
			"Nothing is stricter").
		Lacks("Time to answer a request about personal data")
	today := calendar.DateOf(s.Store.Now())
	form := func(key, value, from string) url.Values {
		return url.Values{"key": {key}, "value": {value}, "from": {from}}
	}
	s.Page(s.A.Owner, "POST", path, form("ratio.unpaid", "12,5", today.String())).Want(http.StatusUnprocessableEntity).
		Contains("less than the 10", "cannot change backwards", `value="12,5"`)
	s.Page(s.A.Owner, "POST", path, form("", "x", "soon")).Want(http.StatusUnprocessableEntity).
		Contains("no rule of that name", "is not a number", "is not a day")
	s.Page(s.A.Owner, "POST", path, form("ratio.unpaid", "7,5 %", today.AddDays(1).String())).
		Want(http.StatusSeeOther)
	s.Page(s.A.Owner, "GET", path, nil).Want(http.StatusOK).Contains("7,5", "Coming", "End it")
	s.Page(s.A.Staff, "GET", "/rules?show=coming", nil).Want(http.StatusOK).Contains("your own rule", "Your business")
	var id string
	if err := s.Store.Pool.QueryRow(t.Context(), `SELECT id::text FROM own_rules`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	brand, err := merchant.Store{DB: s.Store}.Brand(t.Context(), s.A.ID, s.A.BrandID) // what debits are planned by
	if err != nil || len(brand.OwnRules) != 1 || brand.OwnRules[0].Value != 750 ||
		brand.Rules(rulebook.Default()).On("ratio.unpaid", rulebook.AnyStream, today.AddDays(1)).Int() != 750 {
		t.Errorf("%+v %v", brand.OwnRules, err)
	}
	s.Page(s.A.Owner, "GET", path+"/"+id+"/end", nil).Want(http.StatusOK).Contains("It has not begun")
	s.Page(s.B.Owner, "POST", path+"/"+id+"/end", nil).Want(http.StatusNotFound)
	s.Page(s.A.Owner, "POST", path+"/"+id+"/end", nil).Want(http.StatusSeeOther)
	s.Page(s.A.Owner, "POST", path+"/"+id+"/end", nil).Want(http.StatusConflict)
}
