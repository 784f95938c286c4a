package report

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/models/purchase"
)

// ClientArrears are what one client has not paid although it was due. Purchases counts them.
type ClientArrears struct {
	ClientID  uuid.UUID
	Name      string
	Purchases int64
	Oldest    calendar.Date // its due day
	Ages      Ageing
	Owing     money.Sum
}

// Arrears are what clients of a merchant had not paid by a day although it was due before it, in one currency. Clients
// are those with the largest arrears, the largest first.
type Arrears struct {
	Day       calendar.Date
	Currency  string
	Purchases int64
	Count     [ageCount]int64 // purchases by age
	Ages      Ageing
	Owing     money.Sum
	Debtors   int64
	Clients   []ClientArrears
	Others    map[string]int64 // purchases in arrears in other currencies, which are not in the sums
}

// mostDebtors is how many clients the report names: those with the largest arrears.
const mostDebtors = 100

// late is a purchase whose due day has passed, as it stands now.
type late struct {
	ClientID uuid.UUID
	Due      time.Time
	Currency string
	Standing
}

// InArrears are the statuses in which a purchase whose due day has passed is in arrears: it is still to be paid, is
// being collected late, or was paid and then disputed.
var InArrears = append(slices.Clip(purchase.Owing), purchase.Chargeback)

// Arrears are what is owed now although it was due before today.
func (s *Money) Arrears(ctx context.Context, who actor.Actor, currency string) (a Arrears, err error) {
	if err := who.May(actor.Read); err != nil {
		return a, err
	}
	a = Arrears{Day: calendar.DateOf(s.Store.Now()), Currency: cmp.Or(currency, money.ZAR), Others: map[string]int64{}}
	of := map[uuid.UUID]*ClientArrears{}
	err = s.Store.eachLate(ctx, who.MerchantID, a.Day.At(0, 0), func(l late) { a.add(of, l) })
	if err != nil {
		return a, err
	}
	for _, c := range of {
		a.Clients = append(a.Clients, *c)
	}
	a.Debtors = int64(len(a.Clients))
	slices.SortFunc(a.Clients, func(x, y ClientArrears) int {
		return cmp.Or(y.Owing.Minus(x.Owing).Sign(), x.Oldest.Compare(y.Oldest), bytes.Compare(x.ClientID[:], y.ClientID[:]))
	})
	a.Clients = a.Clients[:min(mostDebtors, len(a.Clients))]
	return a, s.Store.nameDebtors(ctx, who.MerchantID, a.Clients)
}

// add counts a purchase. What was paid although its status has not followed yet is owed no more.
func (a *Arrears) add(of map[uuid.UUID]*ClientArrears, l late) {
	cents := l.OwedCents()
	switch {
	case cents <= 0:
		return
	case l.Currency != a.Currency:
		a.Others[l.Currency]++
		return
	}
	due := calendar.DateOf(l.Due)
	age, sum := AgeOf(due, a.Day), money.SumOf(cents)
	a.Purchases++
	a.Count[age]++
	a.Ages[age], a.Owing = a.Ages[age].Plus(sum), a.Owing.Plus(sum)
	c := of[l.ClientID]
	if c == nil {
		c = &ClientArrears{ClientID: l.ClientID, Oldest: due}
		of[l.ClientID] = c
	}
	c.Purchases++
	c.Ages[age], c.Owing = c.Ages[age].Plus(sum), c.Owing.Plus(sum)
	if due.Before(c.Oldest) {
		c.Oldest = due
	}
}
