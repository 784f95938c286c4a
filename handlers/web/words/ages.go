package words

import "debitdesk/models/collection"

// MandateAge says how old a mandate was on the day of a debit.
func MandateAge(a collection.Age) string {
	switch a {
	case collection.AgeFirst:
		return "First debit"
	case collection.AgeMonths:
		return "Under 3 months"
	case collection.AgeYear:
		return "3 to 12 months"
	case collection.AgeOlder:
		return "Over a year"
	}
	return "Another age"
}
