// Package thorough says how much of a large or random test is done. Of what repeats one question with many values,
// make test asks a share that is the same each time and finds any fault of a kind; make test-long asks everything.
package thorough

import (
	"flag"
	"hash/fnv"
	"os"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// Env switches everything on. make test-long sets it.
const Env = "DEBITDESK_TEST_LONG"

// All tells whether everything is asked.
func All() bool { return os.Getenv(Env) != "" }

// Times is how often something is repeated: the first number in make test, the second where all is asked.
func Times(short, long int) int {
	if All() {
		return long
	}
	return short
}

// OneIn tells whether this one of many alike is done: one in so many by the hash of its name, and every one where all
// is asked.
func OneIn(n uint32, name string) bool {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name))
	return sum.Sum32()%n == 0 || All()
}

// shortChecks is how many random histories of rows a property is tried with; rapid does four times as many by itself.
const shortChecks = 25

// shortSeed makes these histories the same each time, unless the command line names a seed.
const shortSeed = 1

var lessOften = sync.OnceFunc(func() {
	if All() {
		return
	}
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, n := range map[string]int{"rapid.checks": shortChecks, "rapid.seed": shortSeed} {
		if !given[name] {
			_ = flag.Set(name, strconv.Itoa(n))
		}
	}
})

// Check tries a property whose every history writes to a database.
func Check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	lessOften()
	rapid.Check(t, property)
}
