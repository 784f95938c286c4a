package find

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
)

// Kind is what was found.
type Kind string

// The kinds of records, in the order in which a tie between them is settled.
const (
	Clients   Kind = "client"
	Purchases Kind = "purchase"
	Invoices  Kind = "invoice"
	Mandates  Kind = "mandate"
	Tokens    Kind = "token"
	Batches   Kind = "batch"
	Templates Kind = "template"
)

// Kinds are all of them.
var Kinds = []Kind{Clients, Purchases, Invoices, Mandates, Tokens, Batches, Templates}

// Hit is a record that was found, with what tells it from others.
type Hit struct {
	Kind     Kind
	ID       uuid.UUID
	Of       uuid.UUID // the purchase of an invoice
	Name     string    // the client, or the record's own
	Second   string    // an e-mail address, or the bank
	Mark     string    // a reference, a number, or the masked account
	State    string
	Cents    int64
	Currency string
	Day      calendar.Date
	Score    Score
}

// The groups of places.
const (
	Pages  = "Pages"
	Acts   = "Actions"
	Manual = "Manual"
)

// Place is a page or an act of the product. Also are other words by which it is known.
type Place struct{ Group, Label, Href, Icon, Also string }

// PlaceHit is a place that was found.
type PlaceHit struct {
	Place
	Score Score
}

// Score says how well something fits what was typed. The highest comes first.
type Score int

// What counts most: what only one record has, then what a person is likely to mean.
const (
	ByID     Score = 100
	ByNumber Score = 95 // of an invoice, an identity number, or the digits of an account
	Exactly  Score = 90 // a place that is called so
	ByWhole  Score = 80 // words of a record that are typed in full
	ByAmount Score = 70
	ByLabel  Score = 65 // words of what a place is called
	ByWords  Score = 60 // beginnings of words
	ByOther  Score = 50 // other words of a place
	ByLike   Score = 40 // names that are written like it
)

// FindPlaces finds places whose words begin with what was typed, best first.
func FindPlaces(places []Place, m Meaning) []PlaceHit {
	var out []PlaceHit
	for _, p := range places {
		if score := p.score(m); score > 0 {
			out = append(out, PlaceHit{p, score})
		}
	}
	slices.SortStableFunc(out, func(a, b PlaceHit) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

func (p Place) score(m Meaning) Score {
	label := database.WordsOf(p.Label)
	switch {
	case len(m.Words) == 0:
		return 0
	case database.Fold(p.Label) == strings.Join(m.Words, " "):
		return Exactly
	case begins(label, m.Words):
		return ByLabel
	case begins(append(label, database.WordsOf(p.Also)...), m.Words):
		return ByOther
	}
	return 0
}

// begins tells whether each typed word begins one of a text.
func begins(words, typed []string) bool {
	for _, t := range typed {
		if !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, t) }) {
			return false
		}
	}
	return true
}

// Group is what is shown together. Best is the score of its best.
type Group struct {
	Name string
	Best Score
	Size int
}

// fairShare is how many of a group are shown before every group has had its turn.
const fairShare = 3

// Shares says how many of each group are shown, at most most together: those of the best groups first, some of each
// before more of any. The groups are in the order in which they are shown.
func Shares(groups []Group, most int) []int {
	shares := make([]int, len(groups))
	for _, upTo := range []int{fairShare, most} {
		for i, g := range groups {
			more := min(g.Size, upTo) - shares[i]
			more = max(0, min(more, most))
			shares[i] += more
			most -= more
		}
	}
	return shares
}
