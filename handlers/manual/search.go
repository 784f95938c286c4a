package manual

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Hit is a section that was found, with the words around the first match.
type Hit struct {
	Chapter *Chapter
	Section Section
	Snippet []Piece
}

// Piece is a part of a snippet; Found is what was looked for.
type Piece struct {
	Text  string
	Found bool
}

const (
	longestQuery = 100 // runes
	mostWords    = 8
	mostHits     = 30
	aroundHit    = 90 // bytes before the first match, twice as many after it
)

// Search finds the sections that hold all words of a query, best first.
func (b *Book) Search(query string) (hits []Hit) {
	words := wordsOf(query)
	if len(words) == 0 {
		return nil
	}
	marks, each := begins(words...), make([]*regexp.Regexp, len(words))
	for i, w := range words {
		each[i] = begins(w)
	}
	type ranked struct {
		Hit
		score int
	}
	var found []ranked
	for _, c := range b.Chapters {
		for _, s := range c.Sections {
			if score := scoreOf(each, c, s); score > 0 {
				found = append(found, ranked{Hit{c, s, snippet(s.Text, marks)}, score})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	for _, f := range found[:min(len(found), mostHits)] {
		hits = append(hits, f.Hit)
	}
	return hits
}

// Query is what a person typed, cut to a length that is worth looking for.
func Query(typed string) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(typed, "\x00", ""), "")), " ")
	if utf8.RuneCountInString(text) > longestQuery {
		text = strings.TrimSpace(string([]rune(text)[:longestQuery]))
	}
	return text
}

// wordsOf are the words to look for, each as what a word of the text may begin with.
func wordsOf(query string) (words []string) {
	for _, w := range strings.Fields(folded(Query(query))) {
		if len(w) > 3 { // "mandates" finds "mandate"
			w = strings.TrimSuffix(w, "s")
		}
		if w != "" && len(words) < mostWords {
			words = append(words, w)
		}
	}
	return words
}

// folded makes "Cut-off" and "cutoff" the same.
func folded(text string) string { return strings.ToLower(strings.ReplaceAll(text, "-", "")) }

// begins finds these words at the beginning of a word; group 1 is what was found.
func begins(words ...string) *regexp.Regexp {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = regexp.QuoteMeta(w)
	}
	return regexp.MustCompile(`(?i)(?:^|[^\pL\pN])(` + strings.Join(quoted, "|") + ")")
}

// scoreOf is 0 where a word is missing; a word in a title counts more than one in the text.
func scoreOf(words []*regexp.Regexp, c *Chapter, s Section) (score int) {
	title, chapter, text := folded(s.Title), folded(c.Title), s.folded
	for _, at := range words {
		one := min(len(at.FindAllStringIndex(text, -1)), 5)
		if at.MatchString(title) {
			one += 20
		}
		if one > 0 && at.MatchString(chapter) {
			one += 5
		}
		if one == 0 {
			return 0
		}
		score += one
	}
	return score
}

// snippet is the text around the first word that was found, with each of them marked.
func snippet(text string, marks *regexp.Regexp) (pieces []Piece) {
	from := 0
	if at := marks.FindStringIndex(text); at != nil {
		from = wordStart(text, at[0]-aroundHit)
	}
	to := wordStart(text, from+3*aroundHit)
	part := strings.TrimSpace(text[from:to])
	if from > 0 {
		part = "… " + part
	}
	if to < len(strings.TrimSpace(text)) {
		part += " …"
	}
	last := 0
	for _, at := range marks.FindAllStringSubmatchIndex(part, -1) {
		pieces = append(pieces, Piece{part[last:at[2]], false}, Piece{part[at[2]:at[3]], true})
		last = at[3]
	}
	return append(pieces, Piece{part[last:], false})
}

// wordStart is the beginning of the word that follows a place in a text.
func wordStart(text string, at int) int {
	if at <= 0 {
		return 0
	}
	if at >= len(text) {
		return len(text)
	}
	if space := strings.IndexByte(text[at:], ' '); space >= 0 {
		return at + space + 1
	}
	return len(text)
}
