package rulebook

import (
	"fmt"
	"slices"
	"strings"

	"debitdesk/models/calendar"
)

// Own is a stricter value that a merchant chose in the place of the scheme's.
type Own struct {
	ID        string        `json:"id"`
	Key       string        `json:"key"`
	Value     int64         `json:"value"` // in the unit of the rule
	From      calendar.Date `json:"from"`  // inclusive
	To        calendar.Date `json:"to"`    // exclusive; zero: until further notice
	KnownFrom calendar.Date `json:"known_from"`
	By        string        `json:"by"` // who chose it
}

// Ownable is a rule of which a merchant may choose a stricter value.
type Ownable struct {
	Key, Stream string
	Most        int64 // the largest value that makes sense where a larger one is stricter
}

// OwnRules are the rules of which a merchant may choose a stricter value, in the order of the page: those that are
// applied wherever they decide. How often an instalment is presented cannot be less than once, and nobody is asked yet
// about personal data here (popia.answer_days).
var OwnRules = []Ownable{
	{Key: "dc.tracking_days", Stream: DebiCheck},
	{Key: "rm.tracking_days", Stream: RM},
	{Key: "ratio.unpaid", Stream: AnyStream},
	{Key: "ratio.dispute", Stream: AnyStream},
	{Key: "retention.mandate", Stream: AnyStream, Most: 99},
}

// ForMerchant is the book with the stricter values of a merchant: each answer counts them.
func (b *Book) ForMerchant(merchant string, own []Own) *Book {
	if len(own) == 0 {
		return b
	}
	c := *b
	c.merchant, c.own = merchant, map[string][]Row{}
	for _, o := range own {
		r, known := b.Scheme(o.Key, o.From)
		if !known {
			continue // a rule that is no more
		}
		r.ID = fmt.Sprintf("%s/%s/%s%s/%s", o.Key, r.Stream, merchantRule, merchant, o.ID)
		r.Scope, r.Value, r.Status, r.Note = merchantRule+merchant, Int(o.Value), InForce, ""
		r.From, r.To, r.KnownFrom, r.KnownTo = o.From, o.To, o.KnownFrom, calendar.Date{}
		r.Sure, r.Source = "", Source{Site: o.By, Title: "chosen by your business", Kind: "merchant"}
		c.own[o.Key] = append(c.own[o.Key], r)
	}
	return &c
}

// Scheme is the scheme's row of a rule that a merchant may replace, as it holds on a day.
func (b *Book) Scheme(key string, day calendar.Date) (Row, bool) {
	i := slices.IndexFunc(b.byKey[key], func(r Row) bool {
		return r.Scope == Scheme && r.Override == ByTighter && r.Status == InForce && r.Holds(day)
	})
	if i < 0 {
		return Row{}, false
	}
	return b.byKey[key][i], true
}

// Stricter tells whether a value is stricter than that of a row which a merchant may replace.
func (r Row) Stricter(value int64) bool {
	own := r
	own.Value = Int(value)
	return own.stricter(r)
}

// LargerIsStricter tells of a rule that its larger value is the stricter one.
func LargerIsStricter(key string) bool { return slices.Contains(larger, key) }

// OfMerchant tells whether the row is a merchant's own.
func (r Row) OfMerchant() bool {
	return strings.HasPrefix(r.Scope, merchantRule)
}
