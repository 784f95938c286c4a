package debit_test

import (
	"testing"
	"time"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// what a tokenising purchase of R100 has come to on a day, by the account it is
// collected from; the action date is Wednesday 3 February 2027.
func TestEveryDocumentedAccountEndsAsItSays(t *testing.T) {
	t.Parallel()
	h := open(t)
	paid, failed, waiting := purchase.Paid, purchase.Failed, purchase.PendingExecute
	cases := []struct {
		account bank.AccountNumber
		day     int // of the look, after the action date
		status  purchase.Status
		state   collection.State
		code    string
		token   token.State
		sum     int64
	}{
		{"4000000000", 0, paid, collection.Provisional, "00", token.Active, 10000},
		{"4000000000", 7, paid, collection.Final, "00", token.Active, 10000},
		{"4000008002", 7, paid, collection.Final, "00", token.Active, 10000},
		{"4000007005", 7, paid, collection.Final, "00", token.Active, 10000},
		{"4000007003", 7, paid, collection.Final, "00", token.Active, 10000},
		{"4000007001", 1, failed, collection.Unpaid, "26", token.Pending, 0},
		{"4000007002", 1, failed, collection.Unpaid, "12", token.Pending, 0},
		{"4000007004", 1, failed, collection.Unpaid, "03", token.Pending, 0},
		{"4000008700", 1, failed, collection.Unpaid, "02", token.Pending, 0},
		{"4000009002", 0, waiting, collection.Submitted, "", token.Pending, 0},
		{"4000009002", 1, failed, collection.Unpaid, "02", token.Pending, 0},
		{"4000009102", 1, failed, collection.Unpaid, "02", token.Pending, 0},
		{"4000009202", 1, failed, collection.Unpaid, "02", token.Pending, 0},
		{"4000009302", 1, failed, collection.Unpaid, "02", token.Pending, 0},
		{"4000009003", 1, failed, collection.Unpaid, "03", token.Pending, 0},
		{"4000009004", 1, failed, collection.Unpaid, "04", token.Pending, 0},
		{"4000009005", 1, failed, collection.Unpaid, "05", token.Pending, 0},
		{"4000009006", 1, failed, collection.Unpaid, "06", token.Pending, 0},
		{"4000009008", 1, failed, collection.Unpaid, "08", token.Pending, 0},
		{"4000009010", 1, failed, collection.Unpaid, "10", token.Pending, 0},
		{"4000009012", 1, failed, collection.Unpaid, "12", token.Pending, 0},
		{"4000009016", 1, failed, collection.Unpaid, "16", token.Pending, 0},
		{"4000009018", 1, failed, collection.Unpaid, "18", token.Pending, 0},
		{"4000009022", 1, failed, collection.Unpaid, "22", token.Pending, 0},
		{"4000009026", 1, failed, collection.Unpaid, "26", token.Pending, 0},
		{"4000009056", 1, failed, collection.Unpaid, "56", token.Pending, 0},
		{"4000009030", 9, paid, collection.Final, "00", token.Active, 10000},
		{"4000009030", 10, purchase.Chargeback, collection.Disputed, "30", token.Blocked, 0},
		{"4000009032", 10, purchase.Chargeback, collection.Disputed, "32", token.Blocked, 0},
		{"4000009034", 10, purchase.Chargeback, collection.Disputed, "34", token.Blocked, 0},
		{"4000009036", 10, purchase.Chargeback, collection.Disputed, "36", token.Blocked, 0},
		{"4000009430", 40, paid, collection.Final, "00", token.Active, 10000},
		{"4000009430", 41, purchase.Chargeback, collection.Disputed, "30", token.Blocked, 0},
		{"4000009430", 72, purchase.Chargeback, collection.Disputed, "30", token.Blocked, 0},
		{"4000009630", 72, paid, collection.Final, "00", token.Active, 10000},
		{"4000009500", 5, paid, collection.Provisional, "00", token.Active, 10000},
		{"4000009500", 6, failed, collection.Unpaid, "02", token.Active, 0},
		{"4000009900", 7, paid, collection.Final, "00", token.Active, 10000},
		{"4000009901", 72, waiting, collection.Submitted, "", token.Pending, 0},
		{"110000001", 7, paid, collection.Final, "00", token.Active, 10000},
		{"110000002", 1, failed, collection.Unpaid, "02", token.Pending, 0},
		{"210000001", 10, purchase.Chargeback, collection.Disputed, "30", token.Blocked, 0},
	}
	action := calendar.On(2027, time.February, 3)
	made := make([]purchase.Record, len(cases))
	for i, c := range cases {
		made[i] = h.tokenise(c.account, 10000)
		if made[i].Status != purchase.PendingExecute || made[i].Collection.ActionDate != action {
			t.Fatalf("%s begins %s with action date %s", c.account.Tail(), made[i].Status, made[i].Collection.ActionDate)
		}
	}
	for day := 0; day <= 72; day++ {
		h.to(action.AddDays(day).At(18, 0))
		for i, c := range cases {
			if c.day != day {
				continue
			}
			rec, k := h.get(made[i].ID), h.token(made[i].ID)
			if rec.Status != c.status || rec.Collection.State != c.state || rec.Collection.Result.Code != c.code ||
				k.State != c.token || h.ledger(rec.ID) != c.sum {
				t.Errorf("%s on day %d: %s, %s %q, token %s, ledger %d; want %s, %s %q, %s, %d", c.account.Reveal(), day,
					rec.Status, rec.Collection.State, rec.Collection.Result.Code, k.State, h.ledger(rec.ID), c.status, c.state, c.code,
					c.token, c.sum)
			}
			if rec.IsRecurringToken != (k.State != token.Pending) {
				t.Errorf("%s: is_recurring_token %t with a token that is %s", c.account.Reveal(), rec.IsRecurringToken, k.State)
			}
			if shown(rec.Purchase) != c.sum {
				t.Errorf("%s: the purchase shows %d, the ledger %d", c.account.Reveal(), shown(rec.Purchase), c.sum)
			}
		}
	}
}
