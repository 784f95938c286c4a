package merchant

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// PrefixInReference is how many characters of a prefix stand in the contract reference of a mandate, which the client
// reads on the bank statement.
const PrefixInReference = 4

// mistaken tells whether references that begin with these prefixes could be the same: that of a mandate begins with the
// first four characters, and that of a purchase is the prefix and a number.
func mistaken(one, other string) bool {
	short, long := one, other
	if len(short) > len(long) {
		short, long = long, short
	}
	rest, begins := strings.CutPrefix(long, short)
	return one[:min(PrefixInReference, len(one))] == other[:min(PrefixInReference, len(other))] ||
		begins && strings.Trim(rest, "0123456789") == ""
}

// FreePrefix is a prefix for a new brand beside those that are there.
func FreePrefix(all []Brand) string {
	free := func(prefix string) bool {
		return !slices.ContainsFunc(all, func(b Brand) bool { return mistaken(prefix, b.ReferencePrefix) })
	}
	for second := 'D'; second <= 'Z'; second++ {
		if prefix := "D" + string(second); free(prefix) {
			return prefix
		}
	}
	return ""
}

// ownPrefix refuses a prefix with which the references of two brands of a business could be the same. It keeps two
// people from taking one prefix at once.
func ownPrefix(tx *database.Tx, merchantID, brandID uuid.UUID, prefix string) error {
	if err := Lock(tx, merchantID); err != nil {
		return err
	}
	all, err := Store{tx.DB()}.Brands(tx.Context(), merchantID)
	if err != nil {
		return err
	}
	for _, b := range all {
		if b.ID != brandID && mistaken(prefix, b.ReferencePrefix) {
			return fault.At("reference_prefix", "unique",
				"The brand “%s” has the prefix %s. References of both could be the same: "+
					"choose a prefix that begins otherwise.",
				b.Name, b.ReferencePrefix)
		}
	}
	return nil
}
