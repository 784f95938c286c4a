package recurring

// NextStart is the twin of subscription.Plan.Start, for the test that compares the two.
const NextStart = nextStart

// Monthly is what an amount comes to a month.
const Monthly = monthly
