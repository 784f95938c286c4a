package exchange

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/collection"
)

// Banks give our ids back in many ways: as they were, in one place alone while another has an id of their own, in
// capitals, with hyphens, or cut short. Every id that came is tried, and one that we know wins. Where none is known, a
// mandate's reference with amount and day names a debit if it is the only one.

// agreement is a debit as the bank knows it without our ids.
type agreement struct {
	reference string // of the mandate: the bank's, or ours
	cents     int64
	on        calendar.Date // booked
}

// agreements are how an event may name a debit without an id of ours: by the mandate's reference, or by a text for the
// payer's statement that holds our contract reference.
func (h Habits) agreements(e Event) (all []agreement) {
	if e.Kind != OnEntry || !e.HasAmount || e.BookedOn.IsZero() {
		return nil
	}
	var references []string
	if h.at(AtMandate) {
		references = []string{e.MandateReference}
	}
	if h.at(AtText) {
		references = append(references, contracts(e.StatementLine)...)
	}
	for _, reference := range references {
		if reference != "" {
			all = append(all, agreement{reference, askedCents(e), e.BookedOn})
		}
	}
	return all
}

// contractWords is how many words of a text are tried as a contract reference (ours).
const contractWords = 6

// contracts are what may be contract references in a text: where a debit's statement text has it, and its words.
func contracts(text string) (found []string) {
	const from, to = collection.ShortNameWidth, collection.ShortNameWidth + collection.ReferenceWidth
	if len(text) >= to && len(text) <= to+collection.FreeWidth {
		found = append(found, strings.TrimSpace(text[from:to]))
	}
	for _, word := range strings.Fields(text) {
		if len(word) >= 6 && len(word) <= collection.ReferenceWidth && strings.ContainsAny(word, "0123456789") &&
			len(found) < contractWords {
			found = append(found, word)
		}
	}
	return found
}

// askedCents is what a debit or refund was asked for, by the bank's own account of an amount with its fee in it.
func askedCents(e Event) int64 {
	if e.InstructedCents > 0 {
		return e.InstructedCents
	}
	return e.AmountCents
}

// given are the ids of an event that are believed.
func (h Habits) given(e Event) (texts []string) {
	for _, id := range idsIn(e) {
		if h.at(id.place) {
			texts = append(texts, id.text)
		}
	}
	return texts
}

// wholeIDs are those of them that were not cut.
func (h Habits) wholeIDs(e Event) (ids []uuid.UUID) {
	for _, text := range h.given(e) {
		if id, is := parseHexID(idDigits(text)); is {
			ids = append(ids, id)
		}
	}
	return ids
}

// mostWords is how many words of a text are tried as ids (ours).
const mostWords = 40

// noReference are the words that banks write in the place of a reference. (seen in answers of banks, all of them)
var noReference = map[string]bool{"": true, "NOTPROVIDED": true, "NONREF": true, "NOREF": true, "NONE": true,
	"NOREFERENCE": true, "NOTAVAILABLE": true, "NOTAPPLICABLE": true, "NA": true, "NULL": true, "NIL": true,
	"UNKNOWN": true}

// RefersToNothing tells that a text in the place of a reference is none: a word for it, zeros, or signs alone.
func RefersToNothing(text string) bool {
	return noReference[strings.Map(func(r rune) rune {
		if r == '0' || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, text)]
}

// shortID is what is left of an id of ours that was cut: at least half of its 32 digits.
var shortID = regexp.MustCompile(`^[0-9a-f]{16,31}$`)

// idDigits are the digits of an id, however a bank writes them.
func idDigits(text string) string {
	if len(text) > 40 {
		return ""
	}
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return -1
		}
		return r
	}, text))
}

// named finds which items events may be about, without locking them.
func (c *change) named(events []Event) (ids []uuid.UUID, err error) {
	short, agreed := map[string]bool{}, map[agreement]bool{}
	for _, e := range events {
		whole := false
		for _, text := range c.s.Rules.Habits.given(e) {
			digits := idDigits(text)
			if id, is := parseHexID(digits); is {
				ids, whole = append(ids, id), true
			} else if shortID.MatchString(digits) {
				short[digits] = true
			}
		}
		if !whole {
			for _, a := range c.s.Rules.Habits.agreements(e) {
				agreed[a] = true
			}
		}
	}
	if c.cut, err = c.tx.idsBeginning(short); err != nil {
		return nil, err
	}
	if c.agreed, err = c.tx.agreed(agreed); err != nil {
		return nil, err
	}
	for _, id := range c.cut {
		ids = append(ids, id)
	}
	for _, id := range c.agreed {
		ids = append(ids, id)
	}
	if c.recalls, err = c.recallsIn(events); err != nil {
		return nil, err
	}
	for _, r := range c.recalls {
		ids = append(ids, r.debitID)
	}
	return ids, nil
}

// itemOf is the item that an event is about; found is false when the bank names none that we know. When it names two,
// nobody can say which is meant: that is a finding, and counts for neither.
func (c *change) itemOf(e Event) (i Item, found, two bool) {
	other := uuid.Nil
	see := func(id uuid.UUID) {
		known, is := c.items[id]
		switch {
		case !is:
		case !found:
			i, found = known, true
		case known.ID != i.ID:
			other = known.ID
		}
	}
	for _, text := range c.s.Rules.Habits.given(e) {
		digits := idDigits(text)
		if id, is := parseHexID(digits); is {
			see(id)
		} else if id, is := c.cut[digits]; is {
			see(id)
		}
	}
	if !found {
		for _, a := range c.s.Rules.Habits.agreements(e) {
			if id, is := c.agreed[a]; is {
				see(id)
			}
		}
	}
	if other == uuid.Nil {
		return i, found, false
	}
	for _, id := range []uuid.UUID{i.ID, other} {
		of := c.items[id]
		c.differs(of, "two_ids:"+c.document.ID.String()+":"+e.Path, fmt.Sprintf(
			"%s names two different items in one place. It was not counted for either.", c.document.FileName))
	}
	return Item{}, false, true
}
