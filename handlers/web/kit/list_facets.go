package kit

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/batch"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/facet"
	"debitdesk/models/fault"
	"debitdesk/views/components"
)

// offer reads what the filters of the list offer to choose from.
func (r *List[T, F]) offer(ctx context.Context, who actor.Actor, l *Listing) error {
	var offering []Filter[F]
	for _, one := range r.Filters {
		if one.Offer != nil {
			offering = append(offering, one)
		}
	}
	options, err := database.EachAtOnce(ctx, offering, func(ctx context.Context,
		one Filter[F]) ([]components.Option, error) {
		return one.Offer(ctx, who)
	})
	l.offers = map[string][]components.Option{}
	for n, one := range offering {
		l.offers[one.Key] = options[n]
	}
	return err
}

// offered is the select of a filter, in which what is chosen stands too, be it among what is offered or not.
func (f Filter[F]) offered(l *Listing, text string) components.Select {
	s := f.Select
	s.Options = slices.Clone(l.offers[f.Key])
	if text != "" && !slices.ContainsFunc(s.Options, func(o components.Option) bool { return o.Value == text }) {
		s.Options = append(s.Options, components.Option{Value: text, Text: f.Chip(l, text)})
	}
	return s
}

// optionText is what an option of a filter says; otherwise where it is not offered.
func (l *Listing) optionText(key, value, otherwise string) string {
	for _, o := range l.offers[key] {
		if o.Value == value {
			return o.Text
		}
	}
	return otherwise
}

// facetFilter is a select by which a facet is chosen.
func facetFilter[F any, S ~string](key, what, label, blank string, options []components.Option,
	into func(*F) *S) Filter[F] {
	return ChoiceFilter(
		key,
		what,
		label+": ",
		components.Select{Label: label, Blank: blank, Quiet: true, Options: options},
		into,
	)
}

// AnswerFilter is by what the bank said last. It offers the codes that occur.
func AnswerFilter[F any](of *facet.Service, into func(*F) *facet.Filter) Filter[F] {
	return Filter[F]{Key: "answer", Select: components.Select{Label: "Last bank answer", Blank: "Any answer", Quiet: true},
		Read: func(l *Listing, f *F) {
			if a := facet.Answer(l.Query.Get("answer")); a == "" || a.Known() {
				into(f).Answer = a
			} else {
				l.Unknown("answer", "an answer of a bank")
			}
		},
		Chip: func(_ *Listing, text string) string { return "Last bank answer: " + answerWords(facet.Answer(text)) },
		Offer: func(ctx context.Context, who actor.Actor) (out []components.Option, err error) {
			for _, a := range facet.Answers {
				out = append(out, components.Option{Value: string(a), Text: words.Capital(answerWords(a))})
			}
			codes, err := of.Codes(ctx, who)
			for _, code := range codes {
				out = append(out, components.Option{Value: code, Text: bank.Label(code)})
			}
			return out, err
		}}
}

func answerWords(a facet.Answer) string {
	switch a {
	case facet.Collected:
		return "collected"
	case facet.Failed:
		return "failed, for any reason"
	case facet.Disputed:
		return "disputed"
	case facet.Waiting:
		return "not answered yet"
	case facet.Never:
		return "never debited"
	}
	return bank.Label(string(a))
}

// MethodFilter is by the way in which debits run.
func MethodFilter[F any](into func(*F) *bank.Method) Filter[F] {
	return facetFilter("method", "a method", "Method", "Any method", []components.Option{
		{Value: string(bank.EFT), Text: "EFT"}, {Value: string(bank.DebiCheck), Text: "DebiCheck"}}, into)
}

// BankFilter is by the bank of the account.
func BankFilter[F any](into func(*F) *facet.Filter) Filter[F] {
	var options []components.Option
	for _, b := range bank.Branches() {
		options = append(options, components.Option{Value: b.Code, Text: b.Bank})
	}
	return facetFilter(
		"bank",
		"a bank that we know",
		"Bank",
		"Any bank",
		options,
		func(f *F) *string { return &into(f).BankCode },
	)
}

// HealthFilter is by how the debits of the account went.
func HealthFilter[F any](into func(*F) *facet.Filter) Filter[F] {
	return facetFilter("health", "a token health", "Token health", "Any health", []components.Option{
		{Value: string(facet.Sound), Text: "Last debit collected"}, {Value: string(facet.Failing), Text: "Last debit failed"},
		{Value: string(facet.Unused), Text: "Never debited"}, {Value: string(facet.Blocked), Text: "Blocked"}},
		func(f *F) *facet.Health { return &into(f).Health })
}

// FailedAgainFilter takes what failed more than once.
func FailedAgainFilter[F any](label string, into func(*F) *facet.Filter) Filter[F] {
	return TickFilter("failed_again", label, label, func(f *F) *bool { return &into(f).FailedAgain })
}

// MakerFilter is by who made a purchase, or asked for an account: a kind of maker, or one person of the team.
func MakerFilter[F any](of *facet.Service, label string, into func(*F) *facet.Filter) Filter[F] {
	kinds := []components.Option{{Value: string(facet.People), Text: "A person of your team"},
		{Value: string(facet.Programs), Text: "A program (API)"}, {Value: string(facet.Batches), Text: "A batch"},
		{Value: string(facet.Subscriptions), Text: "A subscription"}}
	return Filter[F]{Key: "made_by", Select: components.Select{Label: label, Blank: "Anyone", Quiet: true},
		Read: func(l *Listing, f *F) {
			text := l.Query.Get("made_by")
			if slices.Contains(facet.Makers, facet.Maker(text)) {
				into(f).MadeBy = text
			} else if id := l.id("made_by"); id != uuid.Nil {
				into(f).MadeBy = id.String()
			}
		},
		Chip: func(l *Listing, text string) string {
			said := "one person"
			for _, k := range kinds {
				if k.Value == text {
					said = words.LowerFirst(k.Text)
				}
			}
			return label + " " + l.optionText("made_by", text, said)
		},
		Offer: func(ctx context.Context, who actor.Actor) ([]components.Option, error) {
			team, err := of.Team(ctx, who)
			return append(slices.Clone(kinds), choices(team)...), err
		}}
}

func choices(found []facet.Choice) (out []components.Option) {
	for _, one := range found {
		out = append(out, components.Option{Value: one.ID.String(), Text: one.Name})
	}
	return out
}

// DebitDateFilters are by the debit date: by where today lies, and by exact dates.
func DebitDateFilters[F any](label string, into func(*F) *facet.Filter) []Filter[F] {
	from := func(f *F) *calendar.Date { return &into(f).DebitFrom }
	to := func(f *F) *calendar.Date { return &into(f).DebitTo }
	return []Filter[F]{DatePeriodFilter("debit", label, from, to), FromDate("debit_from", label+" from", from),
		ToDate("debit_to", label+" to", to)}
}

// TemplateFilter narrows a list to what follows one template.
func TemplateFilter[F any](of *facet.Service, into func(*F) *uuid.UUID) Filter[F] {
	return Filter[F]{Key: "template", Select: components.Select{Label: "Template", Blank: "Any template", Quiet: true},
		Read: func(l *Listing, f *F) { *into(f) = l.id("template") },
		Chip: func(l *Listing, text string) string {
			return "Template " + l.optionText("template", text, "chosen before")
		},
		Offer: func(ctx context.Context, who actor.Actor) ([]components.Option, error) {
			found, err := of.Templates(ctx, who)
			return choices(found), err
		}}
}

// BatchFilter narrows a list to what one batch made. It offers the newest batches.
func BatchFilter[F any](find FindBatch, of *facet.Service, into func(*F) *uuid.UUID) Filter[F] {
	return Filter[F]{Key: "batch", Select: components.Select{Label: "Batch", Blank: "Any batch", Quiet: true},
		Chip: func(l *Listing, _ string) string { return "Batch " + l.batch },
		Find: func(ctx context.Context, who actor.Actor, l *Listing, f *F) (err error) {
			*into(f), err = l.narrowToBatch(ctx, who, find)
			return err
		},
		Offer: func(ctx context.Context, who actor.Actor) ([]components.Option, error) {
			found, err := of.Batches(ctx, who)
			if fault.Is(err, fault.Forbidden) {
				return nil, nil
			}
			return choices(found), err
		}}
}

// FindBatch finds a batch of the merchant; NotFound otherwise.
type FindBatch func(ctx context.Context, who actor.Actor, id uuid.UUID) (batch.Batch, error)

// narrowToBatch reads the batch that the address narrows a list to. One that is not there is left out with a notice.
func (l *Listing) narrowToBatch(ctx context.Context, who actor.Actor, find FindBatch) (uuid.UUID, error) {
	text := l.Query.Get("batch")
	if text == "" {
		return uuid.Nil, nil
	}
	id, err := uuid.Parse(text)
	if err == nil {
		var b batch.Batch
		if b, err = find(ctx, who, id); err == nil {
			l.batch = b.Name
			return id, nil
		}
		if !fault.Is(err, fault.NotFound) {
			return uuid.Nil, err
		}
	}
	l.Unknown("batch", "a batch")
	return uuid.Nil, nil
}
