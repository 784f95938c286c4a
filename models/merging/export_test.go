package merging

import (
	"maps"
	"slices"
)

// Winning is for tests.
var Winning = winning

// Known are the columns of which it is known what a merge does with them.
func Known() []string {
	known := slices.Collect(maps.Keys(staying))
	for _, p := range places {
		known = append(known, p.name())
	}
	return known
}
