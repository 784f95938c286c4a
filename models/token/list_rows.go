package token

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/paging"
)

//nolint:gosec // columns that are named token are no passwords
var entryLine = "SELECT t.*, " + client.NameColumns + ` FROM tokens t LEFT JOIN clients c ON c.id = t.client_id WHERE `

// Tokens gives one page, newest first; tokens that wait for their first collection are left
// out unless asked for.
func (s Store) Tokens(ctx context.Context, merchantID uuid.UUID, f Filter,
	ask paging.Ask) (paging.Page[Entry], error) {
	states := f.States
	if len(states) == 0 {
		states = []State{Active, Blocked}
	}
	direction, _, _ := database.BesideID("t.id", ask)
	w := walk(merchantID, f, states)
	if find := s.search(merchantID, f, states, w); find != nil {
		ids, reached, err := listing.Find(ctx, s.DB, find, ask)
		if err != nil {
			return paging.Page[Entry]{}, err
		}
		var found []Entry
		err = s.Gorm(ctx).Raw(entryLine+"t.merchant_id = ? AND t.id = ANY(?::uuid[]) ORDER BY t.id "+direction, merchantID,
			database.IDs(ids)).Find(&found).Error
		return paging.CutAt(ask, found, reached), err
	}
	return listing.PageOf[Entry](ctx, s.DB, w, ask, func(page string) string {
		return "SELECT t.*, " + client.NameColumns + " FROM (" + page +
			") AS t LEFT JOIN clients c ON c.id = t.client_id ORDER BY t.id " + direction
	})
}

// walk is the way to the tokens in some states.
func walk(merchantID uuid.UUID, f Filter, states []State) *listing.Walk {
	w := &listing.Walk{Columns: "*", Alias: "t", Where: "true"}
	switch {
	case f.Concern != "" && f.ClientID == uuid.Nil:
		w.From, w.Args = listing.Waiting("tokens", string(f.Concern), "", merchantID)
		w.From, w.Key, w.Called = w.From+" AS t", "object_id", "object_id"
		w.Ordered, w.Unsorted = true, true
		w.Fitting("state = ANY(?::text[])", database.Texts(states))
	case f.ClientID != uuid.Nil:
		w.From, w.Where, w.By = "tokens AS t", "", "client_id"
		w.And("merchant_id = ? AND client_id = ?", merchantID, f.ClientID)
		if f.Concern != "" {
			w.And(listing.Waits("t.id", string(f.Concern), ""), merchantID)
		}
		w.Fitting("state = ANY(?::text[])", database.Texts(states))
	default:
		w.From, w.Args = listing.InStates("tokens", "state", merchantID, states)
		w.From += " AS t"
	}
	if beside := f.Facets.Token("t"); beside.SQL != "" {
		w.Fitting(beside.SQL, beside.Args...)
	}
	w.FittingTime("t.created_at", f.CreatedFrom, f.CreatedTo)
	if !f.UnusedSince.IsZero() {
		w.Fitting("coalesce(last_used_at, created_at) < ?", f.UnusedSince)
	}
	w.Most = listing.MostJoined
	return w
}

// search looks for tokens by the words of their clients; nil without words.
func (s Store) search(merchantID uuid.UUID, f Filter, states []State, of *listing.Walk) *listing.Search {
	q := database.SearchFor(merchantID, f.Search)
	if len(q.Words()) == 0 {
		return nil
	}
	find := &listing.Search{
		Query: q,
		Walk:  *of,
		Words: listing.Vector("(SELECT c.search FROM clients c WHERE c.id = t.client_id)"),
	}
	find.Walk.Most = listing.MostJoined
	each, args := "tokens AS t WHERE t.merchant_id = ? AND t.client_id = k.client AND t.state = ANY(?::text[])",
		[]any{merchantID, database.Texts(states)}
	if f.ClientID != uuid.Nil {
		each, args = each+" AND t.client_id = ?", append(args, f.ClientID)
	}
	if f.Concern != "" {
		each, args = each+" AND "+listing.Waits("t.id", string(f.Concern), ""), append(args, merchantID)
	}
	if of.Fits != "" {
		each, args = each+" AND "+of.Fits, append(args, of.FitArgs...)
	}
	find.Arms = []listing.Arm{client.Among(s.DB, find, merchantID, each, args...)}
	return find
}

// CountTokens counts by state what the filter lets through, up to limit each; nil where that
// is too much to be counted.
func (s Store) CountTokens(ctx context.Context, merchantID uuid.UUID, f Filter,
	limit int64) (map[State]int64, error) {
	all := []State{Active, Blocked, Deleting, Deleted, Superseded}
	if find := s.search(merchantID, f, all, walk(merchantID, f, all)); find != nil {
		return listing.CountFound[State](ctx, s.DB, find, "SELECT state FROM tokens WHERE merchant_id = ? AND id", merchantID)
	}
	counts := map[State]int64{}
	others := f
	if others.Concern = ""; f.Concern != "" && !others.Narrow() {
		n, err := listing.CountWaiting(ctx, s.DB, merchantID, string(f.Concern))
		counts[Concerns[f.Concern]] = n
		return counts, err
	}
	fits := walk(merchantID, f, all).Fits != ""
	parts, err := database.EachAtOnce(ctx, all, func(ctx context.Context, state State) (map[State]int64, error) {
		w := walk(merchantID, f, []State{state})
		if w.Most = listing.MostJoined; !fits {
			w.Most, w.Columns = int(limit), "state"
		}
		return listing.Count[State](ctx, s.DB, w)
	})
	if err != nil {
		return nil, err
	}
	for n, state := range all {
		switch {
		case parts[n] != nil:
			counts[state] = parts[n][state]
		case fits:
			return nil, nil // nobody can say
		default:
			counts[state] = limit
		}
	}
	return counts, nil
}

// TokenEntries finds those of some tokens that there are, live or not.
func (s Store) TokenEntries(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (found []Entry, err error) {
	err = s.Gorm(ctx).Raw(entryLine+"t.merchant_id = ? AND t.id = ANY(?::uuid[])", merchantID, database.IDs(ids)).
		Find(&found).Error
	return found, err
}

// TokenEntry finds one token, live or not; NotFound otherwise.
func (s Store) TokenEntry(ctx context.Context, merchantID, id uuid.UUID) (found Entry, err error) {
	err = s.Gorm(ctx).Raw(entryLine+"t.merchant_id = ? AND t.id = ?", merchantID, id).Take(&found).Error
	return found, err
}
