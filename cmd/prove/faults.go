package prove

import (
	"fmt"
	"slices"
	"strings"

	"debitdesk/models/fault"
)

// Fault is something that goes wrong around the product.
type Fault string

// The faults.
const (
	Kill      Fault = "kill"      // a server ends in the midst of its work
	Failover  Fault = "failover"  // the database ends every connection
	Delayed   Fault = "delayed"   // an answer of the bank comes days later
	Doubled   Fault = "doubled"   // an answer comes twice
	Reordered Fault = "reordered" // of two answers about one debit the later comes first
	Lost      Fault = "lost"      // an answer does not arrive, and comes when the bank repeats itself at the end
)

// Faults are all of them.
var Faults = []Fault{Kill, Failover, Delayed, Doubled, Reordered, Lost}

const none = "none"

// ParseFaults reads a list with commas; "none" is an empty one.
func ParseFaults(text string) (out []Fault, err error) {
	if strings.TrimSpace(text) == none {
		return nil, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		f := Fault(strings.TrimSpace(name))
		if !slices.Contains(Faults, f) {
			return nil, fmt.Errorf("--faults: there is no fault %q; there are %s and %s.%s", f, Names(Faults), none,
				fault.DidYouMean(string(f), append(strings.Split(Names(Faults), ","), none)))
		}
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out, nil
}

// Names is the list as ParseFaults reads it.
func Names(of []Fault) string {
	if len(of) == 0 {
		return none
	}
	names := make([]string, len(of))
	for i, f := range of {
		names[i] = string(f)
	}
	return strings.Join(names, ",")
}
