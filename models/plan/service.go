package plan

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

// Service holds the use cases of plans, and does what is due.
type Service struct {
	Store         Store
	Purchases     *purchase.Service
	Subscriptions *subscription.Service
	Promises      func(ctx context.Context, merchantID uuid.UUID,
		purchases []uuid.UUID) (map[uuid.UUID]calendar.Date, error) // the days of open promises
	// Raise writes a note on purchases and has them need attention, though somebody put them off.
	Raise     func(tx *database.Tx, who actor.Actor, notes []Note) error
	Now       func() time.Time
	Calendar  *calendar.Calendar
	Timetable collection.Timetable
	// Failed hears of a step that failed for a reason of ours; nil: nothing does.
	Failed func(ctx context.Context, r Run, err error)

	Chunk int // runs in one round; 0: 500
}

// Note is what a person is asked to do about a purchase.
type Note struct {
	PurchaseID, ClientID uuid.UUID
	Text                 string
}

// Input is a plan as it is written.
type Input struct {
	Name                string
	BrandID, TemplateID uuid.UUID // zero: all
	Steps               Steps
	HoldOut             int            // basis points of the clients who are left to the old way, for comparison
	Wrong               fault.Problems // of what was typed
}

// Create makes a plan. It answers for debits that fail from now on.
func (s *Service) Create(ctx context.Context, who actor.Actor, in Input) (p Plan, err error) {
	if err := who.May(actor.Manage); err != nil {
		return p, err
	}
	wrong := s.check(&in)
	if err := wrong.Err(); err != nil {
		return p, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		p = Plan{ID: tx.NewID(), MerchantID: who.MerchantID, Name: in.Name, BrandID: in.BrandID, TemplateID: in.TemplateID,
			State: Active, Version: 1, HoldOut: in.HoldOut, CreatedAt: tx.Now(), CreatedBy: who.Name, UpdatedAt: tx.Now()}
		p.Salt = p.ID.String()
		if err := free(tx, p); err != nil {
			return err
		}
		insertPlan(tx, p, Version{p.ID, 1, who.MerchantID, in.Steps.clone(), tx.Now(), who.Name})
		e := p.entry("plan.created", "The plan “"+p.Name+"” was made.")
		e.After = told(p, in.Steps)
		tx.Audit(who, e)
		return tx.Answered(p)
	})
	if database.Violates(err, "plans_one") {
		err = errSecond
	}
	return p, err
}

var errSecond = fault.At("brand_id", "taken",
	"Another plan answers for these debits already. Change that one, or end it first.")

// free refuses a plan whose brand or template is not there, or is another plan's.
func free(tx *database.Tx, p Plan) error {
	brand, template, err := place(tx, p.MerchantID, p.BrandID, p.TemplateID)
	switch {
	case err != nil:
		return err
	case !brand:
		return fault.At("brand_id", "invalid_choice", "Choose a brand of your business.")
	case !template:
		return fault.At("template_id", "invalid_choice", "Choose a template of your business.")
	}
	if second, err := taken(tx, p); err != nil || second {
		if err == nil {
			err = errSecond
		}
		return err
	}
	return nil
}

// Change writes a new version of a plan, which new runs follow; what is under way goes on by the version that it began
// with, until Move is asked for. Brand and template stay.
func (s *Service) Change(ctx context.Context, who actor.Actor, id uuid.UUID, in Input) (p Plan, err error) {
	if err := who.May(actor.Manage); err != nil {
		return p, err
	}
	wrong := s.check(&in)
	if err := wrong.Err(); err != nil {
		return p, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		if p, err = lockPlan(tx, who.MerchantID, id); err != nil {
			return err
		}
		if p.State == Ended {
			return errEnded
		}
		old, err := Store{tx.DB()}.Version(tx.Context(), who.MerchantID, id, p.Version)
		if err != nil {
			return err
		}
		before := told(p, old.Steps)
		p.Name, p.Version, p.HoldOut, p.UpdatedAt = in.Name, p.Version+1, in.HoldOut, tx.Now()
		if err := changePlan(tx, p); err != nil {
			return err
		}
		tx.Create(&Version{p.ID, p.Version, who.MerchantID, in.Steps.clone(), tx.Now(), who.Name})
		e := p.entry("plan.changed", "The plan “"+p.Name+
			"” was changed. What is under way goes on by the steps it began with.")
		e.Before, e.After = before, told(p, in.Steps)
		tx.Audit(who, e)
		return tx.Answered(p)
	})
	return p, err
}

var errEnded = fault.New(fault.Conflict, "plan_ended", "This plan has ended. Copy it to begin again.")

// SetState pauses a plan, lets it go on, or ends it for good. What is under way rests while a plan is paused, and ends
// with it.
func (s *Service) SetState(ctx context.Context, who actor.Actor, id uuid.UUID, to State) (p Plan, err error) {
	if err := who.May(actor.Manage); err != nil {
		return p, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		if p, err = lockPlan(tx, who.MerchantID, id); err != nil {
			return err
		}
		switch {
		case p.State == Ended:
			return errEnded
		case p.State == to:
			return tx.Answered(p)
		}
		before := p.State
		p.State, p.UpdatedAt = to, tx.Now()
		if err := changePlan(tx, p); err != nil {
			return err
		}
		e := p.entry("plan."+string(to), "The plan “"+p.Name+"” goes on.")
		e.Before, e.After = map[string]any{"state": before}, map[string]any{"state": to}
		switch to {
		case Paused:
			e.Text = "The plan “" + p.Name + "” was paused."
		case Ended:
			n, err := endRuns(tx, who.MerchantID, id, "plan_ended")
			if err != nil {
				return err
			}
			e.Text, e.After["runs_ended"] = "The plan “"+p.Name+"” was ended, with what was under way.", n
		case Active:
		}
		tx.Audit(who, e)
		return tx.Answered(p)
	})
	return p, err
}

func (p Plan) entry(action, text string) audit.Entry {
	return audit.Entry{Action: action, ObjectType: "plan", ObjectID: p.ID, Text: text}
}

func told(p Plan, steps Steps) map[string]any {
	m := map[string]any{"name": p.Name, "version": p.Version, "hold_out_basis_points": p.HoldOut}
	for _, b := range Branches {
		if len(steps[b]) > 0 {
			m[string(b)] = steps.Sentence(b)
		}
	}
	return m
}

const longestName = 80

// name checks what a plan is called.
func name(in *Input, wrong *fault.Problems) {
	in.Name = strings.TrimSpace(in.Name)
	switch n := utf8.RuneCountInString(in.Name); {
	case n == 0:
		wrong.Add("name", "required", "Enter a name for the plan.")
	case n > longestName:
		wrong.Add("name", "max_length", "A name has at most %d characters.", longestName)
	}
}
