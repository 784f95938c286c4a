package demo

import (
	"context"
	"crypto/sha256"
	"encoding/base64"

	"debitdesk/models/mandate"
)

// offers are what the gym sells, in cents.
var offers = []struct {
	name  string
	cents int64
}{
	{"Monthly membership", 64900}, {"Off-peak membership", 44900}, {"Family membership", 119900},
	{"Student membership", 39900},
	{"Personal training, 4 sessions", 152000}, {"Monthly membership", 64900}, {"Pool and spa membership", 79900},
}

var weekly = order{product: "Weekly class pack", cents: 22500}

// fates are the special members, in the order in which they come; everybody
// else is an ordinary one. Each ends in another state of the product.
var fates = []fate{
	{"", (*member).ordinary},
	{"9002", (*member).runsDry},
	{"", (*member).waitsForLink},
	{"", (*member).sawLink},
	{"9030", (*member).disputes},
	{"", (*member).overdue},
	{"", (*member).refunded},
	{"9012", (*member).closedAccount},
	{"", (*member).firstDebitUnderWay},
	{"", (*member).paidAtTheDesk},
	{"9500", (*member).returnsLate},
	{"", (*member).cancelled},
	{"", (*member).newAndUnsent},
	{"", (*member).refundPending},
	{"", (*member).missedTheDate},
	{"9901", (*member).bankIsSilent},
	{"9102", (*member).paysOnSecondTry},
	{"", (*member).signedOnPaper},
	{"", (*member).leftTheGym},
	{"", (*member).storedToday},
	{"", (*member).partlyRefunded},
	{"9004", (*member).stoppedPayment},
	{"", (*member).ordinary},
	{"9034", (*member).disputes},
	{"", (*member).ordinary},
	{"", (*member).confirmed},
	{"8480", (*member).isBeingAsked},
	{"9302", (*member).inTracking},
	{"", (*member).paysByUse},
	{"8480", (*member).registered},
	{"8002", (*member).declined},
	{"8700", (*member).sevenFailures},
	{"8480", (*member).didNotAnswer},
	{"8600", (*member).cancelledAtTheBank},
	{"9202", (*member).paidInTracking},
	{"9102", (*member).unpaidOnce},
	{"8500", (*member).askedTwice},
	{"", (*member).leftWithMandate},
	{"8120", (*member).confirmedLate},
}

type fate struct {
	ending string // of the account
	live   func(*member)
}

// member plans the life of the nth one. The second round of special members is
// thinner, so that most of a large demo pays.
func (st *story) member(n int) {
	f := fate{"", (*member).ordinary}
	if round := n / len(fates); round == 0 || n%(2*round+1) == 0 {
		f = fates[n%len(fates)]
	}
	m := &member{story: st, n: n, details: person(n+st.seed, f.ending)}
	st.members = append(st.members, m)
	f.live(m)
}

func (m *member) offer(k int) order {
	o := offers[(m.n+k)%len(offers)]
	return order{product: o.name, cents: o.cents}
}

// signsUp stores the account without taking money, so many days ago: on even
// numbers by the link, otherwise by the program that has it on record.
func (m *member) signsUp(daysAgo int) {
	byLink := m.n%2 == 0
	m.on(daysAgo, morning, m.joins(!byLink))
	m.on(daysAgo, morning, m.buys(func() order {
		return order{product: "Storing the account", storing: true, byMember: !byLink, due: m.dueAhead(daysAgo, 14)}
	}))
	if byLink {
		m.on(daysAgo, morning, m.mailed)
		m.on(daysAgo, afternoon, m.gives)
	}
}

// isCharged makes a purchase and charges it, to be debited so many days later.
func (m *member) isCharged(daysAgo, ahead, k int) { m.isChargedFor(daysAgo, ahead, m.offer(k)) }

func (m *member) isChargedFor(daysAgo, ahead int, o order) {
	m.on(daysAgo, beforeTen, m.buys(func() order {
		o.due = m.dueAhead(daysAgo, ahead)
		return o
	}))
	m.on(daysAgo, beforeTen, m.charged)
}

// ordinary pays and goes on paying: each week, or each month with something
// beside it.
func (m *member) ordinary() {
	since := 34 - m.n*5%9
	m.signsUp(since)
	m.isCharged(6, 9+m.n*3%16, 0)
	if m.n%3 != 1 {
		for daysAgo := since - 1; daysAgo > 0; daysAgo -= 7 {
			m.isChargedFor(daysAgo, 7+m.n%3, weekly)
		}
		return
	}
	m.isCharged(since-1, 7+m.n%3, 0)
	m.isCharged(16-m.n*3%9, 7+m.n%2, 0)
}

// runsDry is unpaid twice for want of money, which blocks the account.
func (m *member) runsDry() {
	m.signsUp(33)
	m.isCharged(30, 7, 0)
	m.isCharged(18, 7, 0)
	m.on(2, beforeTen, m.buys(func() order { o := m.offer(0); o.due = m.dueAhead(2, 14); return o }))
}

func (m *member) waitsForLink() {
	m.on(2, morning, m.joins(false))
	m.on(2, morning, m.buys(func() order {
		return order{product: "Storing the account", storing: true,
			due: m.dueAhead(2, 14)}
	}))
	m.on(2, morning, m.mailed)
}

func (m *member) sawLink() {
	m.waitsForLink()
	m.on(1, afternoon, m.opens)
}

// disputes takes the money back ten days after the debit.
func (m *member) disputes() {
	m.signsUp(34)
	m.isCharged(33, 8+m.n%4, 0)
}

func (m *member) overdue() {
	m.on(20, morning, m.joins(false))
	m.on(20, morning, m.buys(func() order { o := m.offer(0); o.due = m.dueAhead(20, 16); return o }))
	m.on(20, morning, m.mailed)
	m.on(19, afternoon, m.opens)
}

func (m *member) refunded() {
	m.paidOnce()
	m.on(8, afternoon, m.refunds(nil))
}

func (m *member) refundPending() {
	m.paidOnce()
	m.on(0, lastThing, m.refunds(nil))
}

func (m *member) partlyRefunded() {
	m.paidOnce()
	half := int64(15000)
	m.on(9, afternoon, m.refunds(&half))
}

func (m *member) paidOnce() {
	m.signsUp(32)
	m.isCharged(28, 7, 0)
}

func (m *member) refunds(cents *int64) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := m.s.Purchases.Refund(ctx, m.who(), m.last(), cents)
		return err
	}
}

func (m *member) closedAccount() {
	m.signsUp(24)
	m.isCharged(22, 7, 0)
}

func (m *member) stoppedPayment() {
	m.signsUp(17)
	m.isCharged(16, 8, 0)
}

// firstDebitUnderWay gave the account together with the first payment.
func (m *member) firstDebitUnderWay() {
	m.on(1, morning, m.joins(false))
	m.on(1, afternoon, m.buys(func() order { o := m.offer(0); o.storing = true; return o }))
	m.on(1, afternoon, m.mailed)
	m.on(1, afternoon, m.gives)
}

func (m *member) paidAtTheDesk() {
	m.on(15, morning, m.joins(false))
	m.on(15, morning, m.buys(func() order { o := m.offer(0); o.due = m.dueAhead(15, 9); return o }))
	m.on(15, morning, m.mailed)
	m.on(11, afternoon, func(ctx context.Context) error {
		_, err := m.s.Purchases.MarkAsPaid(ctx, m.who(), m.last(), nil)
		return err
	})
}

// returnsLate looks paid until the last day of the return window.
func (m *member) returnsLate() {
	m.signsUp(26)
	m.isCharged(21, 7, 0)
}

func (m *member) cancelled() {
	m.signsUp(14)
	m.isCharged(6, 12, 0)
	m.on(3, afternoon, func(ctx context.Context) error {
		_, err := m.s.Purchases.Cancel(ctx, m.who(), m.last())
		return err
	})
}

func (m *member) newAndUnsent() {
	m.on(1, morning, m.joins(false))
	m.on(1, beforeTen, m.buys(func() order { o := m.offer(0); o.due = m.dueAhead(1, 14); return o }))
}

// missedTheDate was to pay by a strict date.
func (m *member) missedTheDate() {
	m.on(18, morning, m.joins(false))
	m.on(18, morning, m.buys(func() order { o := m.offer(4); o.due, o.strict = m.dueAhead(18, 12), true; return o }))
	m.on(18, morning, m.mailed)
}

func (m *member) bankIsSilent() {
	m.signsUp(27)
	m.isCharged(22, 7, 0)
}

// paysOnSecondTry is unpaid once; the retry goes through.
func (m *member) paysOnSecondTry() {
	m.signsUp(29)
	m.isCharged(25, 7, 0)
	m.isCharged(13, 7, 0)
}

// signedOnPaper gave a form at the desk, whose scan is kept.
func (m *member) signedOnPaper() {
	m.on(23, morning, m.joins(false))
	m.on(23, morning, m.buys(func() order {
		return order{product: "Storing the account", storing: true,
			due: m.dueAhead(23, 14)}
	}))
	m.on(23, beforeTen, func(ctx context.Context) error {
		sum := sha256.Sum256(scan)
		return m.give(ctx, m.who(), mandate.SignedPaper,
			mandate.Evidence{Name: "signed-mandate.png", ContentType: "image/png",
				SizeBytes: int64(len(scan)), SHA256: sum[:], Content: scan})
	})
	m.isCharged(21, 7, 0)
	m.isCharged(1, 8, 0)
}

// leftTheGym asked for the account to be deleted.
func (m *member) leftTheGym() {
	m.paidOnce()
	m.on(4, afternoon, func(ctx context.Context) error {
		return m.s.Deletions.DeleteToken(ctx, m.who(), m.client.ID,
			m.token)
	})
}

func (m *member) storedToday() {
	m.signsUp(0)
}

// scan stands for a photograph of the form: one white pixel.
var scan, _ = base64.StdEncoding.DecodeString(
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")
