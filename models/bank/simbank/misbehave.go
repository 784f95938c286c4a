package simbank

import (
	"fmt"
	"slices"
	"strings"
)

// Misbehaviour is something that banks do and should not.
type Misbehaviour string

// What the bank can be told to do. The first group is about messages that it takes, the second about each
// answer that it writes from then on.
const (
	RefuseFile  Misbehaviour = "refuse-file"  // refuses the next message as a whole
	RefuseGroup Misbehaviour = "refuse-group" // refuses the first group of the next message
	LoseFile    Misbehaviour = "lose-file"    // takes the next message away and knows nothing of it
	NoAnswer    Misbehaviour = "no-answer"    // runs the messages that it takes, and never answers them

	Twice       Misbehaviour = "twice"        // each answer again as another message
	Copies      Misbehaviour = "copies"       // each answer again with the same bytes under another name
	Halves      Misbehaviour = "halves"       // each answer in two messages
	WrongTotals Misbehaviour = "wrong-totals" // counts, sums and balances are wrong
	UnknownIDs  Misbehaviour = "unknown-ids"  // each answer also speaks of something that the product never sent
	ReturnTwice Misbehaviour = "return-twice" // the return of a camt.054 has another reference in the camt.053
	CRLF        Misbehaviour = "crlf"
	BOM         Misbehaviour = "bom"
	Latin1      Misbehaviour = "latin1" // ISO-8859-1
	Prefixes    Misbehaviour = "prefixes"
	Zipped      Misbehaviour = "zip"
	Growing     Misbehaviour = "growing" // half of an answer under its final name, the rest in the next round
)

// Misbehaviours lists all of them.
func Misbehaviours() []Misbehaviour {
	return []Misbehaviour{RefuseFile, RefuseGroup, LoseFile, NoAnswer, Twice, Copies, Halves, WrongTotals, UnknownIDs,
		ReturnTwice, CRLF, BOM, Latin1, Prefixes, Zipped, Growing}
}

// once are those that one message uses up.
var once = []Misbehaviour{RefuseFile, RefuseGroup, LoseFile}

// ParseMisbehaviours reads a list with commas, such as "twice,crlf".
func ParseMisbehaviours(list string) ([]Misbehaviour, error) {
	var out []Misbehaviour
	for _, word := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
		if !slices.Contains(Misbehaviours(), Misbehaviour(word)) {
			return nil, fmt.Errorf("%q is not a misbehaviour of the simulated bank: use %s", word,
				join(Misbehaviours()))
		}
		out = append(out, Misbehaviour(word))
	}
	return out, nil
}

func join(all []Misbehaviour) string {
	words := make([]string, len(all))
	for i, m := range all {
		words[i] = string(m)
	}
	return strings.Join(words, ", ")
}

func has(all []Misbehaviour, one Misbehaviour) bool { return slices.Contains(all, one) }

// Misbehave tells the bank what to do wrong from now on, in place of what it was told before. Without
// arguments it behaves.
func (b *Bank) Misbehave(all ...Misbehaviour) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told = slices.Clone(all)
}

// forNext gives what the next message meets, and uses it up.
func (b *Bank) forNext() []Misbehaviour {
	told := slices.Clone(b.told)
	b.told = slices.DeleteFunc(b.told, func(m Misbehaviour) bool { return slices.Contains(once, m) })
	return told
}
