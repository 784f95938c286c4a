package purchase

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/database/listing"
)

// trait is one of the traits of a filter: what it is called where sums are kept, and how a debit, called c, tells it.
type trait struct{ name, value, sql string }

// traitsOf are those that a filter asks for. The database tells them as debit_traits does.
func traitsOf(t Traits) (out []trait) {
	for _, one := range []trait{
		{"bank", t.Bank, `(SELECT universal_branch(m.bank_code) FROM mandates m
			WHERE m.merchant_id = c.merchant_id AND m.id = c.mandate_id)`},
		{"template", t.Template, `(SELECT coalesce(p.template_id::text, '') FROM purchases p
			WHERE p.merchant_id = c.merchant_id AND p.id = c.purchase_id)`},
		{"age", string(t.Age), `(SELECT mandate_age(NOT EXISTS (SELECT FROM collections e WHERE e.mandate_id = m.id
			AND e.id < c.id), sast_day(m.consent_at), c.action_date) FROM mandates m
			WHERE m.merchant_id = c.merchant_id AND m.id = c.mandate_id)`},
	} {
		if one.value != "" {
			one.value = strings.TrimPrefix(one.value, Without)
			out = append(out, one)
		}
	}
	return out
}

// debitTraits is what a filter asks of the traits of debits, called c.
func debitTraits(t Traits) (where string, args []any) {
	for _, one := range traitsOf(t) {
		where, args = where+" AND "+one.sql+" = ?", append(args, one.value)
	}
	return where, args
}

// fewDebits tells that what a filter lets through is quickly looked up by its days and states. Of what stands in
// other records, few may be spread over days with many debits.
func (s Store) fewDebits(ctx context.Context, merchantID uuid.UUID, f DebitFilter) (bool, error) {
	f.Traits = Traits{}
	all, err := s.TallyDebits(ctx, merchantID, f, listing.MostJoined+1)
	return all.N <= listing.MostJoined, err
}

// traitKept is the one trait of a filter by which answers are summed up, if nothing else must be looked at.
func traitKept(f DebitFilter) (trait, bool) {
	asked := traitsOf(f.Traits)
	if len(asked) != 1 || f.Code != "" || len(f.States) > 0 || !f.SubmitBy.IsZero() || !f.SubmitAt.IsZero() {
		return trait{}, false
	}
	return asked[0], true
}

// tallyByTrait takes the answered debits from what is kept by day and trait, and counts the others one by one.
func (s Store) tallyByTrait(ctx context.Context, merchantID uuid.UUID, f DebitFilter, by trait,
	limit int64) (t Tally, err error) {
	outcomes := slices.DeleteFunc(slices.Clone(f.Outcomes), func(o collection.Outcome) bool {
		return o == collection.OutcomeOpen
	})
	others := slices.DeleteFunc(collection.States(), func(state collection.State) bool {
		return slices.Contains(collection.StatesOf(collection.Answered...), state) ||
			len(f.Outcomes) > 0 && !slices.Contains(f.Outcomes, state.Outcome())
	})
	if len(f.Outcomes) == 0 {
		outcomes = collection.Answered
	}
	if len(others) > 0 {
		rest := f
		rest.Outcomes, rest.States = nil, others
		if t, err = s.TallyDebits(ctx, merchantID, rest, limit); err != nil {
			return t, err
		}
	}
	kept := f
	kept.Outcomes = nil
	where, args := debitWhere(merchantID, kept)
	var known Tally
	if err := s.Gorm(ctx).Raw(`SELECT least(coalesce(sum(n), 0), 9223372036854775807)::bigint AS n,
			least(coalesce(sum(cents), 0), 9223372036854775807)::bigint AS cents FROM debit_trait_sums
		WHERE `+keptByDay(where)+` AND trait = ? AND value = ? AND outcome = ANY(?::text[])`,
		append(args, by.name, by.value, database.Texts(outcomes))...).Take(&known).Error; err != nil {
		return t, fmt.Errorf("sum up debits by trait: %w", err)
	}
	return Tally{N: min(t.N+known.N, limit), Cents: t.Cents + known.Cents}, nil
}
