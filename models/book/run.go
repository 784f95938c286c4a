package book

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

// doneAtOnce is how many rows one transaction does: they come in together or not at all.
const doneAtOnce = 500

// Consent is the second person's agreement to an import; its zero value: none was given.
type Consent struct {
	ApprovalID uuid.UUID
	Approver   string
}

// Start has an import done as it was rehearsed: seal names that. Work does it.
func (s *Service) Start(ctx context.Context, who actor.Actor, id uuid.UUID, seal string) (Import, error) {
	return s.change(ctx, who, id, func(tx *database.Tx, i *Import) error {
		return s.start(tx, who, i, seal, Consent{})
	})
}

// StartIn is Start in the transaction of a decision; who is the one who asked.
func (s *Service) StartIn(tx *database.Tx, who actor.Actor, id uuid.UUID, seal string, by Consent) error {
	i, err := lockImport(tx, who.MerchantID, id)
	if err != nil {
		return err
	}
	i.UpdatedAt = tx.Now()
	if err := s.start(tx, who, &i, seal, by); err != nil {
		return err
	}
	return saveImport(tx, i)
}

func (s *Service) start(tx *database.Tx, who actor.Actor, i *Import, seal string, by Consent) error {
	if err := s.MayStart(tx.Context(), *i, seal); err != nil {
		return err
	}
	two, d, err := s.NeedsTwo(tx.Context(), *i)
	switch {
	case err != nil:
		return err
	case two && by.ApprovalID == uuid.Nil && who.Kind == actor.User:
		return fault.New(fault.Conflict, "approval_needed", "This import makes mandates for more than %s a debit "+
			"together, so "+
			"a second approver has to agree.", limitWords(d))
	}
	i.State, i.Starter, i.StartedAt = Running, who, tx.Now()
	i.touched(who)
	after := map[string]any{"created": i.Counts.Created, "updated": i.Counts.Updated, "debitable": i.Counts.Debitable,
		"cents": i.Counts.Cents}
	if by.Approver != "" {
		after["approved_by"], after["approval"] = by.Approver, by.ApprovalID
	}
	note(tx, who, *i, "import.started", fmt.Sprintf("The import %s was started: %s added, %s changed.", i.Name,
		plural.Of(i.Counts.Created, "client"), plural.Of(i.Counts.Updated, "client")), nil, after)
	return s.later(tx, who, i)
}

// MayStart is nil when an import can be done as it was rehearsed.
func (s *Service) MayStart(_ context.Context, i Import, seal string) error {
	switch {
	case i.State != Checked:
		return wrongState(i)
	case s.Outdated(i):
		return fault.New(fault.Conflict, "import_outdated", "The import was rehearsed on another day. Rehearse it again: "+
			"first debits may have passed since.")
	case seal != i.Seal():
		return fault.New(fault.Conflict, "import_changed", "The import changed since you looked at it. Look at it again.")
	case i.Counts.Created+i.Counts.Updated == 0:
		return fault.New(fault.Conflict, "nothing_to_do", "Nothing would change: all rows are unchanged, skipped, refused "+
			"or "+
			"held.")
	}
	return nil
}

// run does the next rows, all in one transaction. Each is looked at once more before: what would do something else than
// what was rehearsed is refused.
func (w *Work) run(ctx context.Context, who actor.Actor, seen Import) (more bool, err error) {
	s := w.s
	before, err := w.next(ctx, seen, RowQuery{States: []RowState{Judged},
		Verdicts: []Verdict{Created, Updated, Unchanged}, Limit: doneAtOnce})
	if err != nil {
		return false, err
	}
	if len(before) == 0 {
		return false, s.finish(ctx, who, seen)
	}
	plans, err := w.plans(ctx, seen, before)
	if err != nil {
		return false, err
	}
	some := untilMetAgain(len(plans), func(n int) uuid.UUID { return plans[n].client.ID })
	before, plans = before[:some], plans[:some]
	rows := slices.Clone(before)
	if err := s.dropChanged(seen, plans, rows); err != nil {
		return false, err
	}
	d, err := s.doing(ctx, who, seen, plans)
	if err != nil {
		return false, err
	}
	return true, s.InTx(ctx, func(tx *database.Tx) error {
		many(tx)
		i, err := lockImport(tx, seen.MerchantID, seen.ID)
		if err != nil {
			return err
		}
		if i.State != Running || i.Revision != seen.Revision {
			return fault.ErrLost
		}
		if err := stand(tx, i, Judged, before); err != nil {
			return err
		}
		i.UpdatedAt = tx.Now()
		i.Templates = append(i.Templates, d.makeTemplates(tx)...)
		if err := d.applyAll(tx, i, plans, rows); err != nil {
			return err
		}
		return w.move(tx, &i, before, rows)
	})
}

// untilMetAgain is how many rows come before one that means the same client as an earlier one: what the first does to
// the client has to be seen before the second.
func untilMetAgain(rows int, client func(int) uuid.UUID) int {
	met := map[uuid.UUID]bool{}
	for n := range rows {
		id := client(n)
		if id != uuid.Nil && met[id] {
			return n
		}
		met[id] = true
	}
	return rows
}

// dropChanged refuses rows that would do something else than what was rehearsed.
func (s *Service) dropChanged(i Import, plans []*plan, rows []Row) error {
	gone := map[int]bool{}
	for n, p := range plans {
		if p.dropped(gone) {
			p.verdict, p.reason = Refused, "the row of its client was refused"
		}
		digest, err := s.digest(i, p, rows[n])
		if err != nil {
			return err
		}
		if bytes.Equal(digest, rows[n].Digest) {
			continue
		}
		why := "it would now be " + string(p.verdict)
		if p.reason != "" {
			why = p.reason
		}
		p.verdict, gone[rows[n].N] = Refused, true
		p.say(Problem, "", CauseChanged, "something changed since the rehearsal: %s. Nothing was done", why)
		p.into(i, &rows[n])
		rows[n].Digest = digest
	}
	return nil
}

// doing is what some rows need that are done together.
type doing struct {
	s                   *Service
	who                 actor.Actor
	contract, reference int64 // the next numbers
	fresh               map[string]*subscription.Template
	order               []string
	held                map[uuid.UUID]bool // templates that this transaction makes, or keeps others from changing
	clients             map[uuid.UUID]client.Client
	referred            []reference
	made                map[int]client.Client // by the row that made it
	tokens              map[int]uuid.UUID     // by the row that brought it
}

// doing prepares everything that needs no transaction: numbers, and the templates that are made.
func (s *Service) doing(ctx context.Context, who actor.Actor, i Import, plans []*plan) (*doing, error) {
	d := &doing{s: s, who: who, fresh: map[string]*subscription.Template{}, held: map[uuid.UUID]bool{},
		made: map[int]client.Client{}, tokens: map[int]uuid.UUID{}}
	accounts, items := 0, 0
	for _, p := range plans {
		if !p.verdict.Comes() {
			continue
		}
		if p.makes {
			accounts++
		}
		if p.owes != nil {
			items++
		}
		if sub := p.subscribe; sub != nil && sub.template.ID == uuid.Nil && d.fresh[sub.key] == nil {
			t, err := s.Subscriptions.DraftMovedIn(ctx, who, movedTemplate(i, *sub))
			if sub.pattern != nil && fault.Is(err, fault.Invalid) { // what the file tells of it cannot be billed
				plain := *sub
				plain.pattern = nil
				t, err = s.Subscriptions.DraftMovedIn(ctx, who, movedTemplate(i, plain))
			}
			if err != nil {
				return nil, err
			}
			d.fresh[sub.key] = &t
			d.order = append(d.order, sub.key)
		}
	}
	var err error
	if accounts > 0 {
		if d.contract, err = s.TakeNumbers(ctx, i.BrandID, "contract", accounts); err != nil {
			return nil, err
		}
	}
	if accounts+items > 0 {
		d.reference, err = s.TakeNumbers(ctx, i.BrandID, "purchase", accounts+items)
	}
	return d, err
}

// movedTemplate is a template that an import makes, at the price of the first row that needs it.
func movedTemplate(i Import, s subscribe) subscription.Input {
	title := s.title
	if len([]rune(title)) > 100 {
		title = string([]rune(title)[:100])
	}
	lines, notes := s.products(strings.TrimSpace(title))
	return subscription.Input{Title: title, IsSubscription: true, Plan: s.plan(),
		Pattern: purchase.Input{BrandID: i.BrandID, Details: purchase.Details{Timezone: "Africa/Johannesburg",
			Notes: notes, Products: lines}}}
}

// makeTemplates writes the templates that these rows are the first to need.
func (d *doing) makeTemplates(tx *database.Tx) (ids []uuid.UUID) {
	for _, key := range d.order {
		d.s.Subscriptions.InsertMovedInTemplate(tx, d.who, d.fresh[key])
		d.held[d.fresh[key].ID] = true
		ids = append(ids, d.fresh[key].ID)
	}
	return ids
}

// finish ends an import that has nothing left to do.
func (s *Service) finish(ctx context.Context, who actor.Actor, seen Import) error {
	return s.InTx(ctx, func(tx *database.Tx) error {
		i, err := lockImport(tx, seen.MerchantID, seen.ID)
		if err != nil || i.State != Running {
			return err
		}
		if err := countAnew(tx, &i); err != nil {
			return err
		}
		c := i.Counts
		i.State, i.EndedAt, i.UpdatedAt = Done, tx.Now(), tx.Now()
		note(tx, who, i, "import.done", fmt.Sprintf("%s read: %d created, %d updated, %d unchanged, %d skipped, %d refused, "+
			"%d held.", plural.Of(i.Rows, "row"), c.Created, c.Updated, c.Unchanged, c.Skipped, c.Refused, c.Held), nil,
			map[string]any{"read": i.Rows, "created": c.Created, "updated": c.Updated, "unchanged": c.Unchanged,
				"skipped": c.Skipped, "refused": c.Refused, "held": c.Held})
		return saveImport(tx, i)
	})
}
