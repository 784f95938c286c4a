package batch

import (
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"

	"debitdesk/models/bank"
	"debitdesk/models/client"
)

// NameKey is a name as it is compared: its words without accents, in any order and case.
func NameKey(name string) string { return nameKey(name) }

func nameKey(name string) string {
	plain, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn))), strings.ToLower(name))
	if err != nil {
		plain = strings.ToLower(name)
	}
	words := strings.FieldsFunc(plain, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	slices.Sort(words)
	return strings.Join(words, " ")
}

// isNamed tells whether a name is one of those that a client goes by; a client or a row without one has no other.
func isNamed(c client.Client, name string) bool {
	key, known := nameKey(name), false
	for _, own := range []string{c.FullName, c.LegalName, c.BrandName} {
		if own == "" {
			continue
		}
		if known = true; nameKey(own) == key {
			return true
		}
	}
	return !known || key == ""
}

// findNamed is find for a row for which a client is to be made: at an address that several people share, only the one
// of that name is the same person.
func (d *directory) findNamed(v Values) (c client.Client, isNew bool, wrong []Problem) {
	if v.ClientID != uuid.Nil || v.PersonalCode != "" && len(d.byIdentity[v.identity()]) > 0 {
		return d.find(v)
	}
	var same []client.Client
	for _, one := range d.byEmail[strings.ToLower(v.Email)] {
		if nameKey(one.FullName) == nameKey(v.FullName) && !v.differsFrom(one) {
			same = append(same, one)
		}
	}
	switch len(same) {
	case 0:
		return c, true, nil
	case 1:
		return same[0], false, nil
	}
	return d.find(v)
}

// identity is the identity number of a row as clients are found by it.
func (v Values) identity() string { return bank.CleanID(v.PersonalCode.Reveal()).Reveal() }

// differsFrom tells that the row and the client have identity numbers, and not the same.
func (v Values) differsFrom(c client.Client) bool {
	return v.PersonalCode != "" && c.PersonalCode != "" && v.identity() != bank.CleanID(c.PersonalCode.Reveal()).Reveal()
}

// beside names the clients at the address of a new one, but those that the batch made; empty for none.
func (d *directory) beside(v Values) string {
	var ids []string
	for _, c := range d.byEmail[strings.ToLower(v.Email)] {
		if v.Email != "" && !d.made[c.ID] {
			ids = append(ids, c.ID.String())
		}
	}
	slices.Sort(ids)
	if len(ids) == 0 {
		return ""
	}
	return " beside " + strings.Join(ids, " ")
}

// warn says what a person should look at in whom a row bills.
func (d *directory) warn(c client.Client, creates bool, v Values) []Problem {
	at := FullName
	switch {
	case creates && d.beside(v) != "":
		var names []string
		for _, one := range d.byEmail[strings.ToLower(v.Email)] {
			if !d.made[one.ID] {
				names = append(names, one.Name())
			}
		}
		return []Problem{{Field: at, Code: "shared_address", Cause: causeName,
			Message: "a new client is created, though the address belongs to " + strings.Join(names, " and ") + " already"}}
	case c.ID != uuid.Nil && !isNamed(c, v.FullName):
		return []Problem{{Field: at, Code: "other_name", Cause: causeName,
			Message: "the file says " + v.FullName + otherNameSays + c.Name()}}
	}
	return nil
}

const causeName = "other_name"

// MayBeOther tells that a row is ready and yet may mean somebody else than the client whom it bills.
func (r Row) MayBeOther() bool {
	return slices.ContainsFunc(r.Warnings, func(w Warning) bool { return strings.Contains(string(w), otherNameSays) })
}

// otherNameSays is how the warning of another name goes on; its words are kept with the row.
const otherNameSays = ", the client is "
