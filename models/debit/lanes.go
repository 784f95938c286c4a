package debit

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/google/uuid"

	"debitdesk/models/bank"
)

// A day on which many debits are due is worked off in lanes, each with transactions of its own: while one reckons, the
// database works for another.

// mostLanes leaves connections and processors to the people who look at pages meanwhile.
const mostLanes = 4

func lanes() int { return min(max(runtime.GOMAXPROCS(0), 2), mostLanes) }

// inLanes repeats a chunk until it finds nothing. Once a chunk was full, there is work for several lanes. A chunk takes
// records that no other transaction holds, and counts them in the Done of its lane.
func (s *Service) inLanes(done *Done, chunk func(*Done) (int, error)) error {
	n, err := chunk(done)
	if err != nil || n == 0 {
		return err
	}
	if n < s.chunk() {
		return sweep(func() (int, error) { return chunk(done) })
	}
	parts := make([]Done, lanes())
	err = abreast(len(parts), func(lane int) error {
		return sweep(func() (int, error) { return chunk(&parts[lane]) })
	})
	for _, part := range parts {
		done.Add(part)
	}
	return err
}

// abreast runs so many lanes at once and waits for all. One that panics has failed.
func abreast(n int, run func(lane int) error) error {
	wrong := make([]error, n)
	var all sync.WaitGroup
	for lane := range n {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					wrong[lane] = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
				}
			}()
			wrong[lane] = run(lane)
		})
	}
	all.Wait()
	return errors.Join(wrong...)
}

// byAccount divides messages about debits into lanes. What is about one account stays in one lane and in its order: a
// success after a failure is something else than a failure after a success.
func byAccount(messages []bank.Message, tokens map[uuid.UUID]uuid.UUID, n int) [][]bank.Message {
	out := make([][]bank.Message, n)
	for _, m := range messages {
		account := tokens[m.InstructionID] // zero when the debit is not ours
		lane := int(account[len(account)-1]) % n
		out[lane] = append(out[lane], m)
	}
	return out
}
