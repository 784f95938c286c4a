package leaving

// Tables are those whose rows are in a book, and those that are not, with the reason.
func Tables() (in []string, without map[string]string) {
	without = map[string]string{}
	for _, f := range files() {
		in = append(in, f.tables...)
	}
	for _, a := range apart {
		for _, name := range a.tables {
			without[name] = a.Why
		}
	}
	return in, without
}

// Asked is how many queries a book took.
func Asked(b *Book) int { return b.shot.asked }

// RowsOfStep is how many rows Next writes.
const RowsOfStep = rowsOfStep
