package kit

import (
	"strconv"

	"debitdesk/handlers/web/words"
	"debitdesk/models/calendar"
	"debitdesk/models/money"
	"debitdesk/views/components"
	"debitdesk/views/pages"
)

// Sum is what the rows of a list come to; the zero Sum is not known.
type Sum struct {
	cents    money.Sum
	currency string
}

// SumIn is a sum of a currency.
func SumIn(cents money.Sum, currency string) Sum { return Sum{cents, currency} }

// Rands is a sum in rand.
func Rands(cents int64) Sum { return Sum{money.SumOf(cents), money.ZAR} }

// foot says what everything comes to that the filters let through, and as of when: the figure that led here says the
// same.
func (r *List[T, F]) foot(t Tally) (foot pages.Foot) {
	if r.Count == nil || t.Found == (RowsFound{}) {
		return foot
	}
	foot.Text = "In all " + t.Found.of(r.One, r.many())
	if t.Found.exact {
		foot.Total.Count = strconv.FormatInt(t.Found.n, 10)
		if t.Cents != (Sum{}) {
			foot.Text += " · " + words.SumOf(t.Cents.cents, t.Cents.currency)
			foot.Total.Cents = t.Cents.cents.String()
		}
	}
	foot.Text += ", as of " + r.Desk.Now().In(calendar.SAST).Format(words.MinuteForm) + " SAST"
	return foot
}

// Opens is a figure that leads to the rows it was made of.
func Opens(text, href string, n, cents int64) components.Figure {
	return components.Figure{Text: text, Href: href, Total: components.TotalOf(n, cents)}
}
