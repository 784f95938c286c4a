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

// LostUnless is what stopped a change that found no row: err, or else that another was quicker.
func LostUnless(err error) error {
	if err == nil {
		return ErrLost
	}
	return err
}
