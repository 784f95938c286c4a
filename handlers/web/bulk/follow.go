package bulk

import (
	"cmp"
	"context"
	"net/url"

	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/client"
	"debitdesk/models/dryrun"
	"debitdesk/models/fault"
	"debitdesk/models/followup"
	"debitdesk/views/components"
)

// People are those of the team to whom something can be given.
type People func(ctx context.Context, who actor.Actor) ([]components.Option, error)

// Follow is what staff can do about rows of any list: write a note, or give them to a person.
type Follow struct {
	Service *followup.Service
	People  People
	Type    followup.ObjectType
	Act     Act    // with what both have in common
	Rows    Plan   // of the rows
	Seen    string // where a note is seen; "on the page and in the time line" by default
}

// Note adds the same note to each row.
func (f Follow) Note() Act {
	a := f.Act
	a.Key, a.Label, a.Icon, a.Names = "note", "Add note…", "edit", []string{"text"}
	a.Words = func(rows string) string { return "Add a note to " + rows }
	a.Done = func(rows string) string { return "The note was added to " + rows }
	a.Needs, a.Text = actor.Write, "Everyone on the team sees the note "+cmp.Or(f.Seen,
		"on the page and in the time line")+"."
	a.Begin = func(url.Values) Plan { return f.Rows }
	a.Ask = func(_ context.Context, _ actor.Actor, in url.Values, wrong map[string]string) (Fields, error) {
		return Fields{
			Lines: &components.Textarea{Label: "Note", Name: "text", Value: in.Get("text"), Error: wrong["text"], Rows: 4,
				MaxLength: 2000, Required: true, Hint: "No identity or card numbers."},
		}, nil
	}
	a.Do = func(ctx context.Context, who actor.Actor, row Row, in url.Values) error {
		_, err := f.Service.AddNote(ctx, who, f.about(row), in.Get("text"))
		return err
	}
	a.Check = tried(a.Do)
	return a
}

// Assign gives each row to a person.
func (f Follow) Assign() Act {
	a := f.Act
	a.Key, a.Label, a.Icon, a.Names = "assign", "Assign…", "users", []string{"owner"}
	a.Words = func(rows string) string { return "Assign " + rows }
	a.Done = func(rows string) string { return words.Capital(rows) + " assigned" }
	a.Needs, a.Text = actor.Write, "This person looks after them from now on, "+
		"instead of their present owner."
	a.Begin = func(url.Values) Plan { return f.Rows }
	a.Ask = func(ctx context.Context, who actor.Actor, in url.Values, wrong map[string]string) (Fields, error) {
		people, err := f.People(ctx, who)
		s := &components.Select{Label: "Person", Name: "owner", Blank: "Choose a person", Error: wrong["owner"],
			Required: true, Options: append(people, components.Option{Value: nobody, Text: "No owner"})}
		for i := range s.Options {
			s.Options[i].Selected = s.Options[i].Value == in.Get("owner")
		}
		return Fields{Options: s}, err
	}
	a.Do = func(ctx context.Context, who actor.Actor, row Row, in url.Values) error {
		owner, err := uuid.Parse(in.Get("owner"))
		if err != nil && in.Get("owner") != nobody {
			return fault.At("owner", "invalid_choice", "Choose a person of the team.")
		}
		_, err = f.Service.Assign(ctx, who, f.about(row), owner)
		return err
	}
	a.Check = tried(a.Do)
	return a
}

const nobody = "nobody"

// LeaveErased leaves rows out whose client was erased, as the act itself does; of gives the client of each, or none.
func LeaveErased(ctx context.Context, who actor.Actor, clients *client.Service, rows []Row,
	of func(i int) uuid.UUID) error {
	ids := make([]uuid.UUID, len(rows))
	for i := range rows {
		ids[i] = of(i)
	}
	erased, err := clients.Erased(ctx, who, ids)
	for i := range rows {
		if erased[ids[i]] && rows[i].Why == "" {
			rows[i].Why = followup.WhyErased
		}
	}
	return err
}

func (f Follow) about(row Row) []followup.Object {
	return []followup.Object{{Type: f.Type, ID: row.ID}}
}

// tried checks what was typed by doing one row, of which nothing is kept.
func tried(
	do func(context.Context, actor.Actor, Row, url.Values) error,
) func(context.Context, actor.Actor, Row, url.Values) error {
	return func(ctx context.Context, who actor.Actor, row Row, in url.Values) error {
		return do(dryrun.With(ctx), who, row, in)
	}
}
