package demo

import (
	"context"

	"debitdesk/models/mandate"
)

// terms are what a member is asked to confirm. Limits follow from the price.
func terms(how mandate.Method, kind mandate.ValueType, cents int64) *mandate.Ask {
	most := cents
	if kind == mandate.Variable {
		most = cents * 3 / 2
	}
	return &mandate.Ask{ValueType: string(kind), AuthenticationType: string(how), DebitSequence: string(mandate.Recurring),
		AdjustmentCategory: string(mandate.Never), AllowDateAdjustment: true, VerifyAccount: true, MaxAmountCents: &most}
}

// confirms asks for a DebiCheck mandate over the order's price, so many days ago:
// in the morning, when real time is open.
func (m *member) confirms(daysAgo int, o order) {
	o.product, o.byMember = "DebiCheck mandate: "+o.product, m.n%2 == 0
	m.on(daysAgo, morning, m.joins(true))
	m.on(daysAgo, morning, m.buys(func() order { return o }))
}

// packs is a mandate for the weekly class pack, on any day: its debits cannot be
// disputed.
func packs(how mandate.Method) order {
	o := weekly
	o.mandate, o.rhythm = terms(how, mandate.Fixed, o.cents), "days"
	return o
}

// membership is a mandate for a monthly membership.
func (m *member) membership(how mandate.Method, kind mandate.ValueType) order {
	o := m.offer(0)
	o.mandate = terms(how, kind, o.cents)
	return o
}

// confirmed pays each week under a mandate that was confirmed at once.
func (m *member) confirmed() {
	m.confirms(33, packs(mandate.RealTime))
	for daysAgo := 32; daysAgo > 0; daysAgo -= 7 {
		m.isChargedFor(daysAgo, 4, weekly)
	}
}

// isBeingAsked has an SMS with hours left to answer.
func (m *member) isBeingAsked() {
	m.on(1, afternoon, m.joins(true))
	m.on(1, afternoon, m.buys(func() order { return m.membership(mandate.Delayed, mandate.Fixed) }))
}

// inTracking had no money on the day; the bank still waits for some.
func (m *member) inTracking() {
	m.confirms(26, packs(mandate.RealTime))
	m.isChargedFor(12, 5, weekly)
}

// paysByUse pays another amount each month, which may be disputed.
func (m *member) paysByUse() {
	o := m.membership(mandate.Delayed, mandate.Variable)
	m.confirms(31, o)
	for i, daysAgo := range []int{29, 15, 2} {
		use := m.offer(0)
		use.product, use.cents = "Sessions used", use.cents*int64(8+2*i)/10
		m.isChargedFor(daysAgo, 6, use)
	}
}

// registered answered neither in 120 seconds nor in 48 hours.
func (m *member) registered() {
	o := packs(mandate.RealTime)
	o.mandate.DelayedOnFailure = true
	m.confirms(24, o)
	m.isChargedFor(20, 6, weekly)
	m.isChargedFor(3, 7, weekly)
}

func (m *member) declined() { m.confirms(2, m.membership(mandate.RealTime, mandate.Fixed)) }

func (m *member) didNotAnswer() { m.confirms(1, m.membership(mandate.RealTime, mandate.Fixed)) }

// sevenFailures has no money, seven times in a row.
func (m *member) sevenFailures() {
	m.confirms(34, packs(mandate.RealTime))
	for daysAgo := 33; daysAgo > 5; daysAgo -= 4 {
		m.isChargedFor(daysAgo, 3, weekly)
	}
}

// cancelledAtTheBank took the permission back on the next day.
func (m *member) cancelledAtTheBank() { m.confirms(12, packs(mandate.RealTime)) }

// paidInTracking had no money on the day, and some three days later.
func (m *member) paidInTracking() {
	m.confirms(28, packs(mandate.RealTime))
	m.isChargedFor(25, 5, weekly)
}

func (m *member) unpaidOnce() {
	m.confirms(30, packs(mandate.RealTime))
	m.isChargedFor(12, 6, weekly)
}

// askedTwice: the bank's system failed, and the second request went through.
func (m *member) askedTwice() {
	m.confirms(19, packs(mandate.RealTime))
	m.on(19, beforeTen, func(ctx context.Context) error {
		_, err := m.s.Purchases.AskAgain(ctx, m.who(), m.last(), mandate.RealTime)
		return err
	})
	m.isChargedFor(16, 5, weekly)
}

// leftWithMandate asked for everything to be deleted.
func (m *member) leftWithMandate() {
	m.confirms(27, packs(mandate.RealTime))
	m.isChargedFor(22, 6, weekly)
	m.on(5, afternoon, func(ctx context.Context) error {
		return m.s.Deletions.DeleteToken(ctx, m.who(), m.client.ID,
			m.token)
	})
}

// confirmedLate answered the fallback in its last hour.
func (m *member) confirmedLate() {
	o := packs(mandate.RealTime)
	o.mandate.DelayedOnFailure = true
	m.confirms(17, o)
	m.isChargedFor(13, 6, weekly)
}
