package handlers_test

import (
	"fmt"
	"testing"
	"time"

	"debitdesk/models/calendar"
)

// An invoice bears the day on which it got its number, though the purchase was made before, so that numbers and days
// run in one order. A day that the business named for it, and that is to come, stays.
func TestAnInvoiceBearsTheDayOfItsNumber(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 1)
	made := func(issued calendar.Date) string {
		t.Helper()
		return o.API("POST", "/purchases/", fmt.Sprintf(`{"client_id":%q,"brand_id":%q,"issued":%q,
			"purchase":{"products":[{"name":"m","price":11500}]}}`, o.clients[0], o.A.BrandID, issued)).Want(201).Text("id")
	}
	first := calendar.DateOf(o.Store.Now())
	late, early := made(first), made(first.AddDays(20))
	if err := o.Store.Clock.MoveTo(t.Context(), o.Store.Now().Add(13*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]calendar.Date{late: first.AddDays(13), early: first.AddDays(20)} {
		o.API("POST", "/purchases/"+id+"/resend_invoice/", nil).Want(200)
		if n := o.Count(`SELECT count(*) FROM invoices WHERE purchase_id = $1 AND issued = $2 AND year = $3`, id, want,
			want.Year); n != 1 {
			t.Errorf("%d invoices bear %s", n, want)
		}
	}
}
