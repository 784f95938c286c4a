package fault

import "errors"

// Again does what lost a race once more, at most so many times in all: whoever loses looks at what is there then. The
// last loss is the conflict that words tell of.
func Again(tries int, words string, try func() error) error {
	var lost error
	for range tries {
		if lost = try(); !errors.Is(lost, ErrLost) {
			return lost
		}
	}
	return New(Conflict, "conflict", "%s", words).Because(lost)
}
