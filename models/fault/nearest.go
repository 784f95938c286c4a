package fault

import (
	"fmt"
	"strings"
)

// DidYouMean asks, after a sentence, for the known word that a word was probably meant to be; empty where none is like
// it.
func DidYouMean(word string, known []string) string {
	if near := nearest(word, known); near != "" {
		return fmt.Sprintf(" Did you mean %q?", near)
	}
	return ""
}

// nearest is the known word that differs from a word by the fewest letters, or begins with it.
func nearest(word string, known []string) (best string) {
	fewest := max(2, len(word)/3) + 1 // further away are other words
	if fewest = min(fewest, len(word)); fewest == 0 {
		return ""
	}
	for _, k := range known {
		d := distance(word, k)
		if strings.HasPrefix(k, word) {
			d = min(d, 1)
		}
		if d < fewest {
			best, fewest = k, d
		}
	}
	return best
}

// distance is how many letters must be added, taken away or changed to make one word of the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}
