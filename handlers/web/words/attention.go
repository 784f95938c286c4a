package words

// What is done first about some of what needs attention, in the queue and in the lists behind it.
const (
	MakeFit   = "Change price or mandate…"
	TakeOver  = "Take over…"
	PlanDebit = "Plan a debit…"
)
