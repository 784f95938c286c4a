// Package bulk does one thing with many rows that a person chose in a list: it rehearses first what will happen and
// what will not, and why, and then does it row by row as a task, each row by the use case that does it singly.
// It must not know what the rows are: acts say that.
package bulk

import (
	"context"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/views/components"
)

// Act is one thing that can be done with many rows.
type Act struct {
	Key   string // in addresses
	Label string // of its button over a list: "Debit again…"
	Icon  string
	Needs actor.Action // as the same act on one row
	Lists []string     // whose rows it takes
	One   string       // what a row is: "purchase"
	// Words says the act with the rows that it is done to: "Debit 38 purchases again". Done is the same when it is over:
	// "38 purchases debited again".
	Words, Done func(rows string) string
	Text        string // what it means, under the question
	Danger      bool   // it cannot be undone
	Debits      bool   // it debits: many together are held against the limits of batches
	Keep        string // the button that does nothing of it: "Keep them"; "Go back" by default
	Ends        string // what else ends with the rows, such as "subscriber": a person types how many
	// Begin prepares a rehearsal or a run with what was typed. The plan is asked part by part, in the order of the rows.
	Begin func(in url.Values) Plan
	Do    func(ctx context.Context, who actor.Actor, row Row, in url.Values) error
	Names []string // of the fields that the form asks for
	// Ask gives the fields, with what was typed and what is wrong with it; nil: nothing is asked.
	Ask func(ctx context.Context, who actor.Actor, in url.Values, wrong map[string]string) (Fields, error)
	// Replans tells that what is typed decides to which rows it is done: where nothing would happen, other answers may.
	Replans bool
	// Check refuses what was typed; row is one to which it would be done. nil: nothing can be wrong.
	Check func(ctx context.Context, who actor.Actor, row Row, in url.Values) error
}

// Plan tells what would become of some rows, in their order; rows that are gone are left out. It comes from the rules
// by which the act itself is refused.
type Plan func(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]Row, error)

// Fields are what an act asks for beside the rows.
type Fields struct {
	Date    *components.DateField
	Lines   *components.Textarea
	Options *components.Select
}

// Row is what becomes of one row.
type Row struct {
	ID    uuid.UUID     `json:"id"`
	Cents int64         `json:"cents,omitempty"` // in rand
	On    calendar.Date `json:"on,omitzero"`     // the debit date; zero where nothing is debited
	From  uuid.UUID     `json:"from,omitzero"`   // the account that is debited
	Day   calendar.Date `json:"day,omitzero"`    // what the use case is given
	Ends  int64         `json:"ends,omitempty"`  // how many others end with it
	Why   string        `json:"why,omitempty"`   // why it will not happen; empty: it will
	Notes int64         `json:"notes,omitempty"` // credit notes that are issued
	Mails int64         `json:"mails,omitempty"` // mails that are sent

	// Settled tells that it will not happen because it has happened. Where that is since the rehearsal, it is done: the
	// act on another row has covered it, such as one mail to a client who is in several rows.
	Settled bool `json:"-"`
	// Once names what is done to the row by one order: the same however often it is tried.
	Once uuid.UUID `json:"-"`

	Name, Second, Href string          `json:"-"`
	Note               string          `json:"-"` // what else happens to it, such as a recall
	Changed            bool            `json:"-"` // since it was chosen
	Pill               components.Pill `json:"-"`
	ChangedAt          int64           `json:"-"` // in microseconds
}

// WhyNot puts into words why a row is left out; empty for nil.
func WhyNot(err error) string {
	if err == nil {
		return ""
	}
	if f, is := fault.From(err); is {
		return words.Capital(f.Words())
	}
	return err.Error()
}

// same tells whether the act still does what was rehearsed.
func (r Row) same(other Row) bool {
	return r.Why == other.Why && r.Cents == other.Cents && r.On == other.On && r.From == other.From &&
		r.Ends == other.Ends && r.Notes == other.Notes && r.Mails == other.Mails
}

// Acts are all acts, in the order of their use.
type Acts []Act

// find gives the act of that name for the rows of a list.
func (a Acts) find(list, key string) (Act, bool) {
	i := slices.IndexFunc(a, func(act Act) bool { return act.Key == key && slices.Contains(act.Lists, list) })
	if i < 0 {
		return Act{}, false
	}
	return a[i], true
}

// Buttons are the acts over a list, for a person; what they may not do is off, with the reason.
func (a Acts) Buttons(list string, who actor.Actor) (out []components.Button) {
	for _, act := range a {
		if !slices.Contains(act.Lists, list) || !who.Changes() {
			continue
		}
		b := components.Button{Label: act.Label, Icon: act.Icon, Value: act.Key}
		if !who.Can(act.Needs) {
			b.Disabled, b.Why = true, "Your role does not allow this."
		}
		out = append(out, b)
	}
	return out
}

// input keeps of a form what the act asks for.
func (a Act) input(form url.Values) url.Values {
	in := url.Values{}
	for _, name := range a.Names {
		if form.Has(name) {
			in.Set(name, form.Get(name))
		}
	}
	return in
}

const rand = money.ZAR
