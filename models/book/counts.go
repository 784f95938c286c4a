package book

import "slices"

// Counts are the rows of an import by what becomes of them. Read is always their sum.
type Counts struct {
	Fresh     int   `json:"new"`
	Created   int   `json:"created"`
	Updated   int   `json:"updated"`
	Unchanged int   `json:"unchanged"`
	Skipped   int   `json:"skipped"`
	Refused   int   `json:"refused"`
	Held      int   `json:"held"`
	Warned    int   `json:"warned"`    // of those that come in
	Applied   int   `json:"applied"`   // rows that were done
	Undone    int   `json:"undone"`    // rows that were taken back
	Debitable int   `json:"debitable"` // accounts that can be debited once they are switched on
	Cents     int64 `json:"cents"`     // of one debit of each subscription that comes in
}

// Sum adds up the rows of every kind.
func (c Counts) Sum() int {
	return c.Fresh + c.Created + c.Updated + c.Unchanged + c.Skipped + c.Refused + c.Held
}

// ToDo is how many rows a run does.
func (c Counts) ToDo() int { return c.Created + c.Updated + c.Unchanged }

// with is what is counted once rows have moved on: what each was is taken away, and what it is now is added. The
// statement that counts everything anew goes by the same columns.
func (c Counts) with(before, after []Row) Counts {
	for _, r := range before {
		c.add(r, -1)
	}
	for _, r := range after {
		c.add(r, 1)
	}
	return c
}

func (c *Counts) add(r Row, n int) {
	*c.of(r.Verdict) += n
	if r.Verdict.Comes() && slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Level == Warning }) {
		c.Warned += n
	}
	switch r.State {
	case Applied:
		c.Applied += n
	case Taken:
		c.Undone += n
	case Fresh, Judged:
	}
	if r.Debitable {
		c.Debitable += n
	}
	c.Cents += int64(n) * r.Cents
}

// of is where rows of a verdict are counted.
func (c *Counts) of(v Verdict) *int {
	switch v {
	case Created:
		return &c.Created
	case Updated:
		return &c.Updated
	case Unchanged:
		return &c.Unchanged
	case Skipped:
		return &c.Skipped
	case Refused:
		return &c.Refused
	case Held:
		return &c.Held
	}
	return &c.Fresh
}
