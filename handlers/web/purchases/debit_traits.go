package purchases

import (
	"context"
	"regexp"

	"github.com/google/uuid"

	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/collection"
	"debitdesk/models/facet"
	"debitdesk/models/purchase"
	"debitdesk/views/components"
)

// branchForm is how banks write a branch code.
var branchForm = regexp.MustCompile(`^[0-9]{6}$`)

// debitBankFilter takes debits by the bank of their mandate.
func debitBankFilter() kit.Filter[purchase.DebitFilter] {
	menu := components.Select{Label: "Bank", Blank: "Any bank", Quiet: true}
	for _, b := range bank.Branches() {
		menu.Options = append(menu.Options, components.Option{Value: b.Code, Text: b.Bank})
	}
	return kit.Filter[purchase.DebitFilter]{Key: "bank", Input: kit.ChooseFrom("bank", menu),
		Read: func(l *kit.Listing, f *purchase.DebitFilter) {
			text := l.Query.Get("bank")
			if text != "" && text != purchase.Without && !branchForm.MatchString(text) {
				l.Unknown("bank", "a branch code of a bank")
				return
			}
			f.Traits.Bank = text
		},
		Chip: func(_ *kit.Listing, text string) string {
			if text == purchase.Without {
				return "Bank erased"
			}
			return "Bank: " + words.BankWords(text)
		}}
}

// debitTemplateFilter takes debits by the template that their purchase follows.
func debitTemplateFilter(of *facet.Service) kit.Filter[purchase.DebitFilter] {
	var id uuid.UUID
	one := kit.TemplateFilter(of, func(*purchase.DebitFilter) *uuid.UUID { return &id })
	chip, offer := one.Chip, one.Offer
	one.Read = func(l *kit.Listing, f *purchase.DebitFilter) {
		text := l.Query.Get("template")
		if id, err := uuid.Parse(text); err == nil {
			text = id.String()
		} else if text != "" && text != purchase.Without {
			l.Unknown("template", "a template")
			return
		}
		f.Traits.Template = text
	}
	one.Chip = func(l *kit.Listing, text string) string {
		if text == purchase.Without {
			return "Without a template"
		}
		return chip(l, text)
	}
	one.Offer = func(ctx context.Context, who actor.Actor) ([]components.Option, error) {
		found, err := offer(ctx, who)
		return append(found, components.Option{Value: purchase.Without, Text: "Without a template"}), err
	}
	return one
}

// debitAgeFilter takes debits by how old their mandate was.
func debitAgeFilter() kit.Filter[purchase.DebitFilter] {
	menu := components.Select{Label: "Age of the mandate", Blank: "Any age", Quiet: true}
	for _, a := range collection.Ages {
		menu.Options = append(menu.Options, components.Option{Value: string(a), Text: words.MandateAge(a)})
	}
	return kit.ChoiceFilter("age", "an age of a mandate", "Mandate: ", menu,
		func(f *purchase.DebitFilter) *collection.Age { return &f.Traits.Age })
}
