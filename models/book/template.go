package book

import (
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"debitdesk/models/book/source"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
)

// templateFor finds the template of a row: by its name, else the only one of the same amount and rhythm, else one that
// the import makes. A subscription with an end, of a template without one, gets a template of its own.
func (k *known) templateFor(v Values) subscribe {
	s := subscribe{title: strings.TrimSpace(v.Template), cycle: v.Cycle, cents: v.Cents}
	if s.title == "" {
		s.title = v.Cycle.Label() + " debit order"
	}
	k.findTemplate(v, &s)
	if v.Remaining != nil {
		if most := s.plan().Cycles; most != nil {
			s.passed = max(0, *most-*v.Remaining)
		} else {
			named := v
			named.Template = s.title + " (" + plural.Of(*v.Remaining, "debit") + ")"
			s = subscribe{title: named.Template, cycle: v.Cycle, cents: s.cents, cycles: *v.Remaining}
			k.findTemplate(named, &s)
		}
	}
	s.key = strings.ToLower(s.title) + " " + string(v.Cycle)
	return s
}

func (k *known) findTemplate(v Values, s *subscribe) {
	find := func(fits func(subscription.Template) bool) (subscription.Template, bool) {
		var met []subscription.Template
		for _, t := range k.templates {
			if t.IsSubscription && t.BrandID == k.brand.ID && fits(t) {
				met = append(met, t)
			}
		}
		return first(met), len(met) > 0 && (len(met) == 1 || v.Template != "")
	}
	t, is := find(func(t subscription.Template) bool {
		return strings.EqualFold(t.Name(), s.title) && (v.Template != "" || sameRhythm(t.Plan, v.Cycle))
	})
	if !is && v.Template == "" {
		t, is = find(func(t subscription.Template) bool { return t.TotalCents == v.Cents && sameRhythm(t.Plan, v.Cycle) })
	}
	if is {
		s.template, s.title = t, t.Name()
		if s.cents == 0 {
			s.cents = t.TotalCents
		}
		return
	}
	for n, p := range k.source.Patterns {
		if strings.EqualFold(p.Title, s.title) && p.Whole() && sameRhythm(planFrom(p), v.Cycle) {
			s.pattern = &k.source.Patterns[n]
			return
		}
	}
}

// plan is how the subscription is billed.
func (s subscribe) plan() subscription.Plan {
	switch {
	case s.template.ID != uuid.Nil:
		return s.template.Plan
	case s.pattern != nil:
		return planFrom(*s.pattern)
	}
	plan := planOf(s.cycle)
	if s.cycles > 0 {
		plan.Cycles = &s.cycles
	}
	return plan
}

func planFrom(p source.Pattern) subscription.Plan {
	plan := subscription.Plan{Period: p.Period, Units: subscription.Units(p.Units), DuePeriod: p.DuePeriod,
		DueUnits: subscription.Units(p.DueUnits), ChargeAtEnd: p.ChargeAtEnd, TrialPeriods: p.TrialPeriods}
	if p.Cycles > 0 {
		plan.Cycles = &p.Cycles
	}
	return plan
}

// products are the lines of the template that is made, and the notes on its invoices.
func (s subscribe) products(title string) (lines []purchase.Product, notes string) {
	if s.pattern == nil {
		return []purchase.Product{{Name: title, PriceCents: s.cents, Quantity: decimal.NewFromInt(1)}}, ""
	}
	for _, l := range s.pattern.Lines {
		lines = append(lines, purchase.Product{Name: l.Name, PriceCents: l.Cents, Quantity: decimalOf(l.Quantity, 1),
			DiscountCents: l.Discount, TaxPercent: decimalOf(l.Tax, 0), Category: l.Category, TotalOverrideCents: l.Total})
	}
	return lines, s.pattern.Notes
}

func decimalOf(text string, otherwise int64) decimal.Decimal {
	if d, err := decimal.NewFromString(text); err == nil && len(text) <= len(strconv.Itoa(1<<60)) {
		return d
	}
	return decimal.NewFromInt(otherwise)
}

func first[T any](all []T) (one T) {
	if len(all) > 0 {
		one = all[0]
	}
	return one
}
