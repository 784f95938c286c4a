package book

import (
	"context"
	"fmt"
	"strings"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
)

// TypeExample is a digit of an account type, what it means by the provider's pages, and up to three accounts that have
// it, masked.
type TypeExample struct {
	Digit, Means string
	Examples     []string
}

// TypeExamples shows the digits of account types of a layout about whose digits public sources disagree; none for other
// files.
func (s *Service) TypeExamples(ctx context.Context, who actor.Actor, i Import) (out []TypeExample, err error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	at := i.Mapping.Column(Type)
	if !i.Source.AskTypes || at < 0 {
		return nil, nil
	}
	found := map[string][]string{}
	err = s.each(ctx, i, RowQuery{}, func(rows []Row) error {
		for _, r := range rows {
			if at < len(r.Cells) && len(found[Tidy(r.Cells[at])]) < samples {
				digit := Tidy(r.Cells[at])
				found[digit] = append(found[digit], i.example(r))
			}
		}
		return nil
	})
	for _, one := range []TypeExample{{Digit: "1", Means: "current, by the provider’s pages"},
		{Digit: "2", Means: "savings, by the provider’s pages"}, {Digit: "3", Means: "transmission"}} {
		if one.Examples = found[one.Digit]; len(one.Examples) > 0 {
			out = append(out, one)
		}
	}
	return out, err
}

// example is an account of a row for a person who may know it.
func (i Import) example(r Row) string {
	cell := func(f Field) string {
		if at := i.Mapping.Column(f); at >= 0 && at < len(r.Cells) {
			return Tidy(r.Cells[at])
		}
		return ""
	}
	branch := bank.CleanBranch(cell(Branch))
	return strings.TrimSpace(fmt.Sprintf("Row %d, %s: %s", r.N, bank.MaskNumbers(cell(FullName)),
		named(branch, bank.CleanAccount(cell(Account)))))
}
