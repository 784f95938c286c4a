package find

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"debitdesk/models/database"
)

// What is written like a name that nothing was found by. The index knows how words begin; which of those names is meant
// is decided here.
const (
	shortestLike = 4   // runes of a word that may be written wrongly
	mostLike     = 3   // words
	nearNames    = 400 // names that are compared
)

var clientsLike = byWordsUpTo("clients", " AND deleted_at IS NULL", nearRows, nearNames, nearNames) +
	line(clientLine, "best.whole", "(SELECT n FROM tally)") +
	"best JOIN clients t ON t.merchant_id = $1 AND t.id = best.id" + bestFirst

// mayBeLike tells that a text may be a name with letters left out, doubled, exchanged or wrong.
func (m Meaning) mayBeLike() bool {
	return len(m.Words) > 0 && len(m.Words) <= mostLike && !slices.ContainsFunc(m.Words, func(w string) bool {
		runes := []rune(w)
		return len(runes) < shortestLike || strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
	})
}

// like finds the clients whose names are written like what was typed, the most alike first. Names that begin alike are
// looked at first, and where none of them fits, those with the same first letter.
func (s Store) like(ctx context.Context, merchantID uuid.UUID, m Meaning) ([]answer, error) {
	for _, beginnings := range []func([]rune) []string{beginAlike, beginWith} {
		var wanted []database.Beginning
		for _, w := range m.Words {
			var ways database.Beginning
			for _, b := range beginnings([]rune(w)) {
				ways = append(ways, []string{b})
			}
			wanted = append(wanted, ways)
		}
		answers, err := s.ask(ctx, []source{byBeginnings(merchantID, clientsLike, ByLike, wanted)})
		if err != nil {
			return nil, err
		}
		if hits := alike(answers[0].hits, m.Words); len(hits) > 0 {
			return []answer{{kind: Clients, hits: hits, count: len(hits)}}, nil
		}
	}
	return nil, nil
}

// alike keeps the hits with a word like each that was typed, the most alike first.
func alike(hits []Hit, typed []string) []Hit {
	type near struct {
		Hit
		by int
	}
	var found []near
	for _, h := range hits {
		words, by := database.WordsOf(h.Name), 0
		for _, t := range typed {
			best := -1
			for _, w := range words {
				if d := apartBy([]rune(t), []rune(w)); d <= allowed(t) && (best < 0 || d < best) {
					best = d
				}
			}
			if best < 0 {
				by = -1
				break
			}
			by += best
		}
		if by >= 0 {
			h.Score = ByLike
			found = append(found, near{h, by})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return cmp.Compare(a.by, b.by) })
	var out []Hit
	for _, f := range found[:min(len(found), shown)] {
		out = append(out, f.Hit)
	}
	return out
}

// allowed is how many letters of a word may be wrong.
func allowed(word string) int {
	if len([]rune(word)) <= 5 {
		return 1
	}
	return 2
}

// beginAlike are the beginnings of the words that differ from a word by one letter there: as it was typed, with two
// letters exchanged, or without one that is too many.
func beginAlike(w []rune) []string {
	return []string{string(w[:3]), string([]rune{w[0], w[2], w[1]}), string([]rune{w[1], w[0], w[2]}),
		string([]rune{w[0], w[2], w[3]}), string([]rune{w[1], w[2], w[3]}), string([]rune{w[0], w[1], w[3]})}
}

func beginWith(w []rune) []string { return []string{string(w[:1])} }

// apartBy is by how many letters two words differ: left out, too many, wrong, or exchanged with the next.
func apartBy(a, b []rune) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		now := make([]int, len(b)+1)
		now[0] = i
		for j := 1; j <= len(b); j++ {
			wrong := 1
			if a[i-1] == b[j-1] {
				wrong = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+wrong)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, last = last, now
	}
	return last[len(b)]
}
