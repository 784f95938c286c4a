package collection

// Age is how old a mandate was on the day of a debit, as figures and lists sort debits by it.
type Age string

// The ages. A first debit is the first that was planned under its mandate, however it went.
const (
	AgeFirst  Age = "first"
	AgeMonths Age = "months" // under three months since the client gave the mandate
	AgeYear   Age = "year"   // from three months to a year
	AgeOlder  Age = "older"  // a year and more
)

// Ages lists all of them, the youngest first.
var Ages = []Age{AgeFirst, AgeMonths, AgeYear, AgeOlder}
