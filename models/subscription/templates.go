package subscription

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
)

// Create keeps a template. Everything that is wrong is reported at once.
func (s *Service) Create(ctx context.Context, who actor.Actor, in Input) (Template, error) {
	if err := who.May(actor.Bill); err != nil {
		return Template{}, err
	}
	t, err := s.draft(ctx, who, in)
	if err != nil {
		return t, err
	}
	err = s.InTx(ctx, func(tx *database.Tx) error {
		t.ID, t.CreatedAt, t.UpdatedAt, t.Version = tx.NewID(), tx.Now(), tx.Now(), 1
		tx.Create(&t)
		noteTemplate(tx, who, t, "template.created", "The billing template "+t.Name()+" was created.", nil, t.facts())
		return tx.Answered(t)
	})
	return t, err
}

// draft turns a request into a template, or reports everything that is wrong.
func (s *Service) draft(ctx context.Context, who actor.Actor, in Input) (Template, error) {
	t := Template{MerchantID: who.MerchantID, Title: strings.TrimSpace(in.Title), IsSubscription: in.IsSubscription,
		Plan: Default()}
	in.check(&in.Problems)
	if in.IsSubscription { // read-only there: ignored
		in.Pattern.Issued, in.Pattern.Due = t.Issued, nil
		in.Pattern.Options.SkipCapture, in.Pattern.Options.SendReceipt = false, false
		t.Plan, t.Paused = in.Plan, in.Paused
	}
	if err := s.defaultBrand(ctx, who, &in); err != nil {
		return t, err
	}
	in.Pattern.Problems = append(append(fault.Problems{}, in.Problems...), in.Pattern.Problems...)
	p, brand, err := s.Purchases.TemplatePattern(ctx, who, in.Pattern)
	if err != nil {
		return t, err
	}
	t.BrandID, t.UserID, t.IsTest, t.Currency, t.TotalCents = p.BrandID, p.UserID, brand.IsTest, p.Currency, p.TotalCents
	t.DueStrict, t.Details, t.Options = p.DueStrict, p.Details, p.Options
	t.Details.RequestClientDetails = in.Pattern.Details.RequestClientDetails
	t.Issued = in.Pattern.Issued
	if in.Pattern.Due != nil {
		t.Due = *in.Pattern.Due
	}
	return t, nil
}

// defaultBrand: a template that names no brand takes the oldest one of the business
// (API contract 12.19).
func (s *Service) defaultBrand(ctx context.Context, who actor.Actor, in *Input) error {
	if in.Pattern.BrandID != uuid.Nil || in.Problems.Has("brand_id") || in.Problems.Has("brand") {
		return nil
	}
	brands, err := s.Purchases.Merchants().Brands(ctx, who.MerchantID)
	if err == nil && len(brands) > 0 {
		in.Pattern.BrandID = brands[0].ID
	}
	return err
}

// Get finds a template with what is counted of its subscribers.
func (s *Service) Get(ctx context.Context, who actor.Actor, id uuid.UUID) (Template, error) {
	if err := who.May(actor.Read); err != nil {
		return Template{}, err
	}
	return s.Store.Template(ctx, who.MerchantID, id)
}

// SeveralTemplates finds those of some templates that there are, in no order.
func (s *Service) SeveralTemplates(ctx context.Context, who actor.Actor, ids []uuid.UUID) ([]Template, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.TemplatesByID(ctx, who.MerchantID, ids)
}

// List gives a page of templates, newest first.
func (s *Service) List(ctx context.Context, who actor.Actor, f Filter, ask paging.Ask) (paging.Page[Template], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Template]{}, err
	}
	read, err := s.Store.Templates(ctx, who.MerchantID, f, ask)
	if err != nil {
		return paging.Page[Template]{}, err
	}
	return paging.Cut(ask, read), nil
}

// Update replaces a template. What is read-only stays as it is: is_subscription, and
// the plan once a subscriber was launched (source: rules on templates).
func (s *Service) Update(ctx context.Context, who actor.Actor, id uuid.UUID, in Input) (Template, error) {
	if err := who.May(actor.Bill); err != nil {
		return Template{}, err
	}
	return s.changeTemplate(ctx, who, id, func(before Template) (Template, error) {
		asked := in
		asked.IsSubscription = before.IsSubscription
		if before.Locked() != "" {
			asked.Plan = before.Plan
			asked.Problems = withoutPlan(in.Problems)
		}
		asked.Pattern.UserID = before.UserID
		if asked.Pattern.BrandID == uuid.Nil { // left out: the template keeps its brand
			asked.Pattern.BrandID = before.BrandID
		}
		t, err := s.draft(ctx, who, asked)
		t.ID, t.UserID, t.Version, t.CreatedAt = before.ID, before.UserID, before.Version, before.CreatedAt
		t.Price = before.Price
		t.HasActive, t.Launched, t.Counts = before.HasActive, before.Launched, before.Counts
		if err == nil {
			err = s.mayChangePrice(ctx, who, before, t)
		}
		return t, err
	}, func(tx *database.Tx, before, t Template) {
		noteTemplate(tx, who, t, "template.changed", "The billing template "+t.Name()+" was changed.", before.facts(),
			t.facts())
	})
}

// withoutPlan leaves out what was wrong with fields that are read-only.
func withoutPlan(w fault.Problems) (out fault.Problems) {
	for _, f := range w {
		switch f.Path {
		case "subscription_period", "subscription_period_units", "subscription_due_period", "subscription_due_period_units",
			"subscription_charge_period_end", "subscription_trial_periods", "number_of_billing_cycles":
		default:
			out = append(out, f)
		}
	}
	return out
}

// SetPaused pauses a subscription for all its subscribers, or lets it run again. The
// clock of periods runs on; what was missed is not billed later.
func (s *Service) SetPaused(ctx context.Context, who actor.Actor, id uuid.UUID, paused bool) (Template, error) {
	if err := who.May(actor.Bill); err != nil {
		return Template{}, err
	}
	return s.changeTemplate(ctx, who, id, func(t Template) (Template, error) {
		if err := t.MayPause(); err != nil {
			return t, err
		}
		t.Paused = paused
		return t, nil
	}, func(tx *database.Tx, before, t Template) {
		words := "The subscription was resumed."
		if paused {
			words = "The subscription was paused for all its subscribers."
		}
		noteTemplate(tx, who, t, "template.paused", words, map[string]any{"paused": before.Paused},
			map[string]any{"paused": paused})
	})
}

func (s *Service) changeTemplate(ctx context.Context, who actor.Actor, id uuid.UUID,
	decide func(Template) (Template, error), note func(*database.Tx, Template, Template)) (t Template, err error) {
	err = again(func() error {
		before, err := s.Store.Template(ctx, who.MerchantID, id)
		if err != nil {
			return err
		}
		if t, err = decide(before); err != nil {
			return err
		}
		return s.InTx(ctx, func(tx *database.Tx) error {
			t.UpdatedAt = tx.Now()
			if err := moveTemplate(tx, t); err != nil {
				return err
			}
			if !t.Plan.equal(before.Plan) {
				mustBeUnlaunched(tx, t)
			}
			t.Version++
			note(tx, before, t)
			return tx.Answered(t)
		})
	})
	return t, err
}

// Delete ends a template: its subscribers become inactive; purchases that were made stay.
func (s *Service) Delete(ctx context.Context, who actor.Actor, id uuid.UUID) error {
	if err := who.May(actor.Bill); err != nil {
		return err
	}
	return again(func() error {
		t, err := s.Store.Template(ctx, who.MerchantID, id)
		if err != nil {
			return err
		}
		return s.InTx(ctx, func(tx *database.Tx) error {
			t.DeletedAt, t.UpdatedAt = tx.Now(), tx.Now()
			if err := moveTemplate(tx, t); err != nil {
				return err
			}
			ended, err := endSubscribersOf(tx, t.MerchantID, t.ID, "template_deleted")
			if err != nil {
				return err
			}
			noteTemplate(tx, who, t, "template.deleted",
				fmt.Sprintf("The billing template %s was deleted. %s ended.", t.Name(),
					plural.Of(ended, "subscription")), t.facts(),
				map[string]any{"ended": ended})
			return tx.Answered(nil)
		})
	})
}

// MayPause refuses to pause or to resume a template without subscribers.
func (t Template) MayPause() error {
	if t.IsSubscription {
		return nil
	}
	return fault.New(fault.Conflict, "template_not_subscription",
		"This template sends one-time invoices; it has no subscribers, and there is nothing to pause.")
}

func notSubscription() error {
	return fault.New(fault.Conflict, "template_not_subscription",
		"This template sends one-time invoices; it has no subscribers. Use send_invoice.")
}

// pattern is what each purchase of the template has in common.
func (t Template) pattern() purchase.Purchase {
	return purchase.Purchase{MerchantID: t.MerchantID, BrandID: t.BrandID, UserID: t.UserID, TemplateID: t.ID,
		IsTest: t.IsTest, Status: purchase.Created,
		Currency: t.Currency, TotalCents: t.TotalCents, DueStrict: t.DueStrict, Details: t.Details, Options: t.Options}
}
