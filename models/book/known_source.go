package book

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/book/source"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/money"
)

// meant is what the columns of a known layout mean. Those of which it knows nothing are guessed by their content alone,
// and a person says the rest.
func (s *Survey) meant(file source.File) Mapping {
	m := Mapping{Columns: make([]Target, len(s.columns))}
	for n, c := range file.Columns[:min(len(file.Columns), len(m.Columns))] {
		m.Columns[n].Field, m.Columns[n].Guessed = Field(c.Means), c.Guessed
	}
	for n, c := range file.Columns[:min(len(file.Columns), len(m.Columns))] {
		if kind := s.columns[n].kind(); c.Means == "" && kind != "" && !m.Has(kind) &&
			slices.Contains(file.Report.Unknown, c.Name) {
			m.Columns[n].Field, m.Columns[n].Guessed = kind, true
		}
	}
	return m
}

// written keeps what a layout knows about how its columns are written.
func written(m Mapping, columns []source.Column) Mapping {
	for n, c := range columns[:min(len(columns), len(m.Columns))] {
		if c.Decimal != money.Unmarked && m.Columns[n].Field.amounts() {
			m.Columns[n].Decimal = c.Decimal
		}
		if c.Dates != calendar.Unordered && m.Columns[n].Field.dated() {
			m.Columns[n].Dates = c.Dates
		}
	}
	return m
}

// partner finds the client whom a row without a name and an account means: by the reference of the contract alone.
func (k *known) partner(p *plan) (c client.Client, known, ok bool) {
	id, met := k.byReference[p.values.Reference]
	if !met {
		id, met = k.byReference[strings.ToUpper(p.values.Reference)]
	}
	if c, known = k.byID[id]; !met || !known || id == uuid.Nil {
		p.say(Problem, Reference, CauseNoPartner, "no client here has this contract reference, and a file without names and "+
			"accounts cannot make one")
		return c, false, false
	}
	p.say(Warning, Reference, CauseConfirm, "a DebiCheck mandate of the old system does not move: the client has to "+
		"confirm a new one")
	return c, true, true
}
