package debit

// What tests explain.
var (
	OverdueQuery = overdue
	NextDueQuery = nextDue
	ExecuteDue   = executeDue
	RunOut       = Store.runOut
)
