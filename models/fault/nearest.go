package fault

// Nearest is the known word that differs from a word by the fewest letters, for a "did you mean"; empty without any.
func Nearest(word string, known []string) (best string) {
	fewest := -1
	for _, k := range known {
		if d := distance(word, k); fewest < 0 || d < fewest {
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
