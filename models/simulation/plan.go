package simulation

import (
	"math/rand/v2"
	"slices"
)

// outcome is how one debit is to end.
type outcome int

const (
	pays outcome = iota
	noFunds
	otherCode
	disputes
)

// slot is one debit of the plan.
type slot struct {
	client, month int
	ends          outcome
	code          string // of otherCode
	product       int    // in products
}

// products are what the clients of a scenario buy, in cents.
var products = []struct {
	name  string
	cents int64
}{{"Monthly plan", 29900}, {"Family plan", 54950}, {"Basic plan", 14999}, {"Premium plan", 89900}, {"Tuition", 120000}}

// otherCodes are what comes back beside "02": stopped, frozen, closed.
var otherCodes = []string{"04", "06", "12"}

// plan shares the debits out: as many of each outcome as the largest remainder
// gives, in an order that only the seed decides.
func (a Ask) plan() []slot {
	dice := rand.New(rand.NewPCG(uint64(a.Seed), 0x5eed)) //nolint:gosec // a game that must come out the same again
	counts := shares(a.Months*a.Clients, a.Paid, a.Unpaid, 100-a.Paid-a.Unpaid-a.Disputed, a.Disputed)
	var ends []outcome
	for o, n := range counts {
		ends = append(ends, slices.Repeat([]outcome{outcome(o)}, n)...)
	}
	dice.Shuffle(len(ends), func(i, j int) { ends[i], ends[j] = ends[j], ends[i] })
	plans := make([]int, a.Clients) // a client buys the same thing each month
	for i := range plans {
		plans[i] = dice.IntN(len(products))
	}
	out := make([]slot, len(ends))
	for i, end := range ends {
		out[i] = slot{client: i % a.Clients, month: i / a.Clients, ends: end, product: plans[i%a.Clients]}
		if end == otherCode {
			out[i].code = otherCodes[dice.IntN(len(otherCodes))]
		}
	}
	return out
}

// wanted is what the plan comes to.
func (a Ask) wanted() Tally {
	n := shares(a.Months*a.Clients, a.Paid, a.Unpaid, 100-a.Paid-a.Unpaid-a.Disputed, a.Disputed)
	return Tally{Made: a.Months * a.Clients, Paid: n[pays], Unpaid: n[noFunds], Other: n[otherCode],
		Disputed: n[disputes]}
}

// shares divides a number by percentages that come to 100: the whole parts first,
// and what is left goes to the largest remainders, the earlier one where two are alike.
func shares(n int, percents ...int) []int {
	out, order, left := make([]int, len(percents)), make([]int, len(percents)), n
	for i, p := range percents {
		out[i], order[i] = n*p/100, i
		left -= out[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return n*percents[b]%100 - n*percents[a]%100 })
	for _, i := range order[:left] {
		out[i]++
	}
	return out
}
