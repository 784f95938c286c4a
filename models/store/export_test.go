package store

// What tests explain.
var (
	OverdueQuery = overdue
	NextDueQuery = nextDue
)
