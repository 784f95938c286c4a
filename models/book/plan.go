package book

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/batch"
	"debitdesk/models/book/source"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/money"
	"debitdesk/models/plural"
	"debitdesk/models/subscription"
)

// plan is what one row does: the rehearsal shows it, and the run does it.
type plan struct {
	known     *known
	values    Values
	verdict   Verdict
	findings  []Finding
	client    client.Client  // that is there; none: it is made
	details   client.Details // as they will be
	changes   []Change
	refer     string // the reference that is added
	makes     bool   // an account with its mandate
	token     uuid.UUID
	mandate   uuid.UUID // of the token
	scans     []Scan    // that are kept with the mandate
	earliest  Day
	adds      int        // the row of the client that the import makes, to which this one adds; 0: none
	accountOf int        // the row that brings the account; 0: this one, or one that is stored
	subscribe *subscribe // nil: none is made
	owes      *Owed      // nil: nothing is taken over
	reason    string
}

// subscribe is the subscription that a row makes.
type subscribe struct {
	key      string // of its template: title and cycle
	title    string
	template subscription.Template // none: it is made
	cycle    Cycle
	cents    int64
	due      Day
	pattern  *source.Pattern // the template as the file tells it; nil: it does not
	cycles   int             // of the template that is made; 0: no end
	passed   int             // periods that were billed before
}

func dayOfMoment(at time.Time) Day { return calendar.DateOf(at) }

// judge says what a row does, given what is known.
func (k *known) judge(row Row, l Line) *plan {
	p := &plan{values: l.Values, findings: l.Findings, earliest: k.guard.Earliest(l.Values)}
	if l.Values.Totals || l.Values.Aside || row.LeftOut || k.skips(l) {
		p.verdict = Skipped
		p.reason = reasonOfSkip(row, l)
		return p
	}
	if l.Values.More > 0 {
		k.adding(p, row)
		p.conclude()
		return p
	}
	if c, known, ok := k.find(p, row); ok {
		if known {
			p.client = c
		}
		k.details(p)
		k.account(p)
		k.subscription(p, row)
		k.evidence(p, row)
		k.owed(p)
		k.settled(p)
	}
	p.conclude()
	return p
}

// skips tells a row that a person wants left out, by its cause.
func (k *known) skips(l Line) bool {
	return slices.ContainsFunc(l.Findings, func(f Finding) bool {
		return f.Cause == CauseTwice && f.Level == Note
	})
}

func reasonOfSkip(row Row, l Line) string {
	if row.LeftOut {
		return "a person left the row out"
	}
	for _, f := range l.Findings {
		if f.Cause == CauseTotals || f.Cause == CauseAside || f.Cause == CausePlanned || f.Cause == CauseTwice {
			return f.Words()
		}
	}
	return "left out"
}

func (p *plan) say(level Level, f Field, cause, format string, args ...any) {
	p.findings = append(p.findings, Finding{Level: level, Cause: cause, Field: f, Message: fmt.Sprintf(format, args...)})
}

// find tells which client a row means: by our id, by the reference, by the identity number, by the e-mail address with
// the name. A name alone joins nobody, and two that disagree are a question for a person.
func (k *known) find(p *plan, row Row) (c client.Client, known, ok bool) {
	v := p.values
	if v.ClientID != uuid.Nil {
		if c, known = k.byID[v.ClientID]; !known {
			p.say(Problem, ClientID, CauseUnknownID, "no client of this business has this id")
		}
		return c, known, known
	}
	var met []client.Client
	meet := func(c client.Client) {
		if !slices.ContainsFunc(met, func(o client.Client) bool { return o.ID == c.ID }) {
			met = append(met, c)
		}
	}
	byReference, referred := k.byReference[v.Reference]
	if k.source.OnlyJoins {
		return k.partner(p)
	}
	if referred {
		meet(k.byID[byReference])
	}
	if id := v.Details.PersonalCode; id != "" {
		same := k.byIdentity[id.Reveal()]
		if named := namedLike(same, v.Details.FullName); len(named) == 1 {
			same = named
		}
		for _, c := range same {
			meet(c)
		}
	}
	if len(met) > 1 {
		p.say(Problem, cmp.Or(map[bool]Field{true: Reference}[referred], Identity), CauseAmbiguous,
			"it could be %s: give our client id", namesOf(met))
		return c, false, false
	}
	if len(met) == 1 {
		return met[0], true, true
	}
	return k.byAddress(p, row)
}

// byAddress finds a client by the e-mail address: one of that name is the same person, one of another name may be.
func (k *known) byAddress(p *plan, row Row) (c client.Client, known, ok bool) {
	v := p.values
	same := k.byEmail[strings.ToLower(v.Details.Email)]
	if v.Details.Email == "" || len(same) == 0 {
		return c, false, true
	}
	others := slices.DeleteFunc(slices.Clone(same), func(c client.Client) bool {
		return v.isAnother(c,
			k.referenceOf[c.ID])
	})
	named := namedLike(others, v.Details.FullName)
	switch {
	case len(named) == 1:
		return named[0], true, true
	case len(named) > 1:
		p.say(Problem, Email, CauseAmbiguous, "%s have this address and this name: give our client id",
			plural.Of(len(named), "client"))
		return c, false, false
	case len(others) == 0:
		return c, false, true
	}
	switch k.chose(row, CauseOtherName) {
	case choiceNew:
		return c, false, true
	case choiceSame:
		if len(others) == 1 {
			return others[0], true, true
		}
	}
	p.say(Problem, FullName, CauseOtherName, "the file says %s, and %s has this address already", v.Details.FullName,
		namesOf(others))
	return c, false, false
}

// isAnother tells that a row and a client have identity numbers or references, and not the same.
func (v Values) isAnother(c client.Client, reference string) bool {
	return v.Details.PersonalCode != "" && c.PersonalCode != "" &&
		v.Details.PersonalCode.Reveal() != bank.CleanID(c.PersonalCode.Reveal()).Reveal() ||
		v.Reference != "" && reference != "" && v.Reference != reference
}

func namedLike(all []client.Client, name string) (out []client.Client) {
	for _, c := range all {
		if batch.NameKey(c.FullName) == batch.NameKey(name) {
			out = append(out, c)
		}
	}
	return out
}

func namesOf(all []client.Client) string {
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.Name()
	}
	return strings.Join(names, " or ")
}

// conclude gives the row its verdict.
func (p *plan) conclude() {
	if bad, is := worst(p.findings); is {
		p.verdict, p.reason = Refused, bad.Words()
		if bad.Level == Hold {
			p.verdict = Held
		}
		return
	}
	switch {
	case p.client.ID == uuid.Nil && p.adds == 0:
		p.verdict = Created
	case len(p.changes) > 0:
		p.verdict = Updated
	default:
		p.verdict = Unchanged
	}
}

// digest names everything that a row does. A template counts by its name, for an earlier row may have made it.
func (p *plan) digest(row Row) (string, error) {
	sub := ""
	if s := p.subscribe; s != nil {
		sub = fmt.Sprint(s.key, " ", s.cents, " ", s.due)
		if s.passed > 0 || p.values.Paused || p.values.Invoices != "" {
			sub = fmt.Sprint(sub, " ", s.passed, p.values.Paused, p.values.Invoices)
		}
	}
	var scans []string
	for _, s := range p.scans {
		scans = append(scans, s.ID.String())
	}
	if p.owes != nil {
		sub = fmt.Sprint(sub, " owes ", *p.owes)
	}
	var adds []int
	if p.values.More > 0 {
		adds = []int{p.values.More, p.values.AccountOf}
	}
	facts, err := json.Marshal(struct {
		Cells    []string
		Verdict  Verdict
		Client   uuid.UUID
		Changes  []Change
		Refer    string
		Makes    bool
		Earliest Day
		Sub      string
		Scans    []string `json:",omitempty"`
		Adds     []int    `json:",omitempty"`
	}{row.Cells, p.verdict, p.client.ID, p.changes, p.refer, p.makes, p.earliest, sub, scans, adds})
	return string(facts), err
}

// into writes what is planned on the row.
func (p *plan) into(i Import, row *Row) {
	row.State, row.Verdict, row.Reason, row.Findings, row.Changes = Judged, p.verdict, p.reason, p.findings, p.changes
	for n, f := range row.Findings {
		if at := i.Mapping.Column(f.Field); f.Column == 0 && f.Field != "" && at >= 0 {
			row.Findings[n].Column, row.Findings[n].Name = at+1, i.ColumnName(at)
		}
	}
	if bad, is := worst(row.Findings); is {
		row.Reason = bad.Words()
	}
	row.Name = cmp.Or(p.values.Details.FullName, p.client.Name(), p.values.Reference)
	if p.client.ID == uuid.Nil && p.values.Details.FullName == "" {
		row.Name = cmp.Or(p.values.Reference, p.values.Details.Email)
	}
	row.GroupName = cmp.Or(p.values.Group, restOf(i.Mapping))
	row.ClientID, row.Debitable, row.Cents, row.FirstOn = p.client.ID, p.makes && p.verdict.Comes(), 0, Day{}
	if s := p.subscribe; s != nil && p.verdict.Comes() {
		row.Cents, row.FirstOn = s.cents, s.due
	}
}

// DefaultGroup is the group of all rows of a file without a column of groups.
const DefaultGroup = "All"

// noGroup is the group of the rows that name none, beside those that do: "All" would promise the others as well.
const noGroup = "Without a group"

func restOf(m Mapping) string {
	if m.Has(GroupOf) {
		return noGroup
	}
	return DefaultGroup
}

// say lists a change for a person.
func (p *plan) change(what, was, is string) { p.changes = append(p.changes, Change{what, was, is}) }

func (s subscribe) words() string {
	return fmt.Sprintf("%s, %s %s, first on %s", s.title, money.Format(s.cents, money.ZAR), s.cycle,
		s.due.Format(dayForm))
}
