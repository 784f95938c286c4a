package debit_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/report"
	"debitdesk/models/statement"
)

// told are the movements of a statement, as its lines say them.
func (h *house) told(f report.Filter) (all []string) {
	h.t.Helper()
	must(h.t, statement.Store{DB: h.store}.Book(ctx, h.who.MerchantID, f, func(b statement.Book) error {
		return b.Each(func(l statement.Line) error {
			all = append(all, fmt.Sprintf("%s %s %q %d", l.Kind, l.Method, l.Account, l.AmountCents))
			return nil
		})
	}))
	return all
}

func TestFiguresOfPastDaysDoNotChangeWhenTheMoneyIsPaidAnotherWay(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	h.said(p, bank.Unpaid, "02")
	until := h.store.Now()
	no := false
	filters := map[string]report.Filter{
		"all": {To: until}, "eft": {To: until, Methods: []string{"eft"}}, "by hand": {To: until, Methods: []string{""}},
		"not from a stored account": {To: until, Tokenized: &no},
		"by the API":                {To: until, Flows: []string{"api"}},
	}
	before := map[string]string{}
	figures := func(name string, f report.Filter) string {
		turnover, err := report.Store{DB: h.store}.Turnover(ctx, h.who.MerchantID, f)
		must(t, err)
		return fmt.Sprintf("%s: %+v %v", name, turnover, h.told(f))
	}
	for name, f := range filters {
		before[name] = figures(name, f)
	}
	h.exec(`UPDATE purchases SET token_id = $1`, uuid.New()) // another account is charged later
	_, err := h.purchases.MarkAsPaid(ctx, h.who, p.ID, nil)
	must(t, err)
	for name, f := range filters {
		if after := figures(name, f); after != before[name] {
			t.Errorf("was %s\nis  %s", before[name], after)
		}
	}
}

func TestARefundBelongsToTheDebitThatItGivesBack(t *testing.T) {
	t.Parallel()
	h := open(t)
	p := h.collected(10000)
	h.to(p.Collection.FinalAt)
	h.refund(p, 2500)
	_, err := h.purchases.SettleRefund(ctx, h.who, p.ID)
	must(t, err)
	want := []string{`collected eft "•••• 9901" 10000`, `refunded eft "•••• 9901" -2500`}
	if got := h.told(report.Filter{Methods: []string{"eft"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}
