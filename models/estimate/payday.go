package estimate

import (
	"math"

	"debitdesk/models/calendar"
)

// Try is one debit of a client: its day, and whether it was paid or failed because there was no money. Debits that
// failed for other reasons say nothing about a pay day.
type Try struct {
	On   calendar.Date
	Paid bool
}

// LastDay is the pay day on the last business day of a month.
const LastDay = 31

// PayDay is the day of the month on which a client probably has money.
type PayDay struct {
	Day   int  // 1, 2, 15, 25 or LastDay
	About bool // it may also be a day next to it: the turn of the month is told from other days, but not its own days
	Tries int  // from how many debits it was found
}

// FewestTries is from how many debits a pay day is told.
const FewestTries = 6

// The days on which most salaries and grants are paid in South Africa, and how often a debit is paid that runs on the
// pay day or up to three days after it, and any other.
var (
	payDays = []int{1, 2, 15, 25, LastDay}
	// turn is which of them are so close together that few debits lie between them.
	turn = map[int]bool{1: true, 2: true, LastDay: true}
)

const (
	soon      = 3 // days
	paidSoon  = 0.9
	paidLater = 0.35

	// noPayDay is the weight, before anything is known, that a client's money does not depend on the day; the pay days
	// share the rest.
	noPayDay  = 0.5
	surePayer = 0.65 // of all weight, on one day or the turn of the month
	sureDay   = 0.8  // of the weight of all pay days
)

// PayDayOf finds the pay day behind debits, by Bayes' rule: each pay day is weighed by how likely it makes what was
// paid and what was not, and so is that there is none, in which case any share may be paid, on whatever day. It is
// false where it cannot be said: below six debits, where no day has four fifths of the weight of all pay days, or where
// it may as well be that there is none. The closest three pay days, at the turn of the month, count together.
func PayDayOf(tries []Try, cal *calendar.Calendar) (PayDay, bool) {
	if len(tries) < FewestTries {
		return PayDay{Tries: len(tries)}, false
	}
	weights := Weights(tries, cal)
	var days, atTurn float64
	best := payDays[0]
	for _, day := range payDays {
		days += weights[day]
		if turn[day] {
			atTurn += weights[day]
		}
		if weights[day] > weights[best] {
			best = day
		}
	}
	found := PayDay{Day: best, About: weights[best] < sureDay*days, Tries: len(tries)}
	together := weights[best]
	if turn[best] {
		together = atTurn
	}
	return found, together >= sureDay*days && together >= surePayer*(days+weights[0])
}

// Weights are the weights of the pay days by their day of the month, and under 0 that there is none. They are
// proportional to what each is likely to be, and the largest is 1.
func Weights(tries []Try, cal *calendar.Calendar) map[int]float64 {
	logs, paid := map[int]float64{}, 0
	for _, t := range tries {
		if t.Paid {
			paid++
		}
		for _, day := range payDays {
			share := paidLater
			if since(day, t.On, cal) <= soon {
				share = paidSoon
			}
			if !t.Paid {
				share = 1 - share
			}
			logs[day] += math.Log(share)
		}
	}
	for _, day := range payDays {
		logs[day] += math.Log((1 - noPayDay) / float64(len(payDays)))
	}
	// All shares alike: the integral of p^paid (1-p)^failed over p.
	logs[0] = math.Log(noPayDay) + factorial(paid) + factorial(len(tries)-paid) - factorial(len(tries)+1)
	most := math.Inf(-1)
	for _, l := range logs {
		most = max(most, l)
	}
	for day, l := range logs {
		logs[day] = math.Exp(l - most)
	}
	return logs
}

// factorial is the logarithm of n!.
func factorial(n int) float64 {
	l, _ := math.Lgamma(float64(n + 1))
	return l
}

// since is how many days lie between the newest pay day and a day. That of the next month may be at the end of this.
func since(payDay int, on calendar.Date, cal *calendar.Calendar) int {
	for month := 1; ; month-- {
		if day := cal.PayDay(payDay, on.AddMonths(month, 1)); !day.After(on) {
			return on.DaysSince(day)
		}
	}
}
