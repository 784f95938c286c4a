package store

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/mandate"
	"debitdesk/models/paging"
	"debitdesk/models/token"
)

//nolint:gosec // columns that are named token are no passwords
var (
	tokenTable = table.New("tokens",
		table.Column[token.Token]{Name: "account_sealed", Write: func(box *seal.Box, k *token.Token) (any, error) {
			return box.Seal(accountAt(k.MerchantID, k.ID), k.Account.Reveal()), nil
		}},
		table.Column[token.Token]{Name: "account_hash", Write: func(box *seal.Box, k *token.Token) (any, error) {
			return hashOfAccount(box, k.MerchantID, k.BankCode, k.Account), nil
		}})
	renewToken = tokenTable.Write(
		`UPDATE tokens SET @set(holder_name, bank_code, account_type, account_sealed, account_mask, account_hash, created_by, updated_at)
		WHERE merchant_id = @merchant_id AND id = @id AND state = 'pending'`)
	moveToken = tokenTable.Write(
		`UPDATE tokens SET @set(state, soft_failures, failures, blocked_code, last_success_at, updated_at, last_used_at),
		ended_at = CASE WHEN @state IN ('deleted', 'superseded') THEN coalesce(ended_at, @updated_at) ELSE ended_at END
		WHERE id = @id AND merchant_id = @merchant_id AND state = @from`, "from")
)

// InsertToken implements purchase.Tx; the account number is sealed here.
func (t *Tx) InsertToken(k token.Token) { database.Insert(t.Tx, tokenTable, k) }

// RenewToken implements purchase.Tx.
func (t *Tx) RenewToken(k token.Token) { database.MustChange(t.Tx, renewToken, k) }

// MoveToken implements purchase.Tx: compare-and-set on the state.
func (t *Tx) MoveToken(k token.Token, from token.State) (bool, error) {
	return database.Change(t.Tx, moveToken, k, from)
}

// SaveToken is MoveToken for a row that this transaction holds.
func (t *Tx) SaveToken(k token.Token, from token.State) { database.Save(t.Tx, moveToken, k, from) }

// HoldToken implements purchase.Tx: it holds the token's row until the commit, so
// that a token cannot be deleted while a charge begins, though other charges may
// begin with it.
func (t *Tx) HoldToken(merchantID, id uuid.UUID) {
	t.Must(
		`SELECT count(*) FROM (SELECT 1 FROM tokens WHERE id = $1 AND merchant_id = $2 AND state = 'active' FOR SHARE) AS held`, id, merchantID)
}

// Token implements purchase.Reader.
func (s *Store) Token(ctx context.Context, merchantID, id uuid.UUID) (token.Token, error) {
	return database.One(ctx, s.DB, tokenTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// TokensWithMandates implements purchase.Reader.
func (s *Store) TokensWithMandates(ctx context.Context, merchantID uuid.UUID,
	ids []uuid.UUID) ([]token.Token, []mandate.Mandate, error) {
	const these = "merchant_id = $1 AND id = ANY($2)"
	return database.Both(ctx, s.DB, tokenTable, these, mandateTable,
		"merchant_id = $1 AND id = ANY(ARRAY(SELECT mandate_id FROM tokens WHERE "+these+"))", merchantID, ids)
}

// TokensOf implements purchase.Reader.
func (s *Store) TokensOf(ctx context.Context, merchantID, clientID uuid.UUID) ([]token.Token, error) {
	return database.All(ctx, s.DB, tokenTable,
		"merchant_id = $1 AND client_id = $2 AND state IN ('active','blocked') ORDER BY id DESC", merchantID, clientID)
}

// TokensOfClients implements batch.Reader.
func (s *Store) TokensOfClients(ctx context.Context, merchantID uuid.UUID,
	clients []uuid.UUID) (map[uuid.UUID][]token.Token, error) {
	found, err := database.All(ctx, s.DB, tokenTable,
		"merchant_id = $1 AND client_id = ANY($2) AND state IN ('active','blocked') ORDER BY id DESC", merchantID, clients)
	out := map[uuid.UUID][]token.Token{}
	for _, k := range found {
		out[k.ClientID] = append(out[k.ClientID], k)
	}
	return out, err
}

// PendingTokensOf implements purchase.Reader. A token whose mandate did not come
// about stays pending for good and is of no interest.
func (s *Store) PendingTokensOf(ctx context.Context, merchantID, clientID uuid.UUID) ([]token.Token, error) {
	return database.All(ctx, s.DB, tokenTable,
		`EXISTS (SELECT FROM purchases p WHERE p.id = tokens.id AND p.status IN ('pending_charge', 'pending_execute'))
		AND merchant_id = $1 AND client_id = $2 AND state = 'pending' ORDER BY id DESC`, merchantID, clientID)
}

// TokenPage implements purchase.Lister: the live tokens of a client.
func (s *Store) TokenPage(ctx context.Context, merchantID, clientID uuid.UUID, ask paging.Ask) ([]token.Token, error) {
	of := database.List(ctx, s.DB, tokenTable).Where("merchant_id = ? AND client_id = ? AND state IN ('active','blocked')", merchantID,
		clientID)
	return database.Find(ctx, s.DB, tokenTable, database.Page(of, ask))
}

//nolint:gosec // columns that are named token are no passwords
var (
	tokenEntries = table.View[token.Entry]()
	tokenLine    = "SELECT " + tokenTable.Columns("t") + ", " + nameOfClient + tokenFrom
)

//nolint:gosec // columns that are named token are no passwords
const tokenFrom = ` FROM tokens t LEFT JOIN clients c ON c.id = t.client_id WHERE `

// Tokens implements token.Lister.
func (s *Store) Tokens(ctx context.Context, merchantID uuid.UUID, f token.Filter,
	ask paging.Ask) (paging.Page[token.Entry], error) {
	states := f.States
	if len(states) == 0 {
		states = []token.State{token.Active, token.Blocked}
	}
	direction, _, _ := database.BesideID("t.id", ask)
	w := tokenWalk(merchantID, f, states)
	if find := s.tokenFinder(merchantID, f, states, w); find != nil {
		ids, reached, err := s.find(ctx, find, ask)
		if err != nil {
			return paging.Page[token.Entry]{}, err
		}
		found, err := database.Seek(ctx, s.DB, tokenEntries, tokenLine+"t.merchant_id = ? AND t.id = ANY(?::uuid[]) ORDER BY t.id "+
			direction, merchantID, idsText(ids))
		return paging.CutAt(ask, found, reached), err
	}
	return walked(ctx, s, tokenEntries, w, ask, func(page string) string {
		return "SELECT " + tokenTable.Columns("t") + ", " + nameOfClient + " FROM (" + page +
			") AS t LEFT JOIN clients c ON c.id = t.client_id ORDER BY t.id " + direction
	})
}

// tokenWalk is the way to the tokens in some states.
func tokenWalk(merchantID uuid.UUID, f token.Filter, states []token.State) *walk {
	w := &walk{columns: "*", alias: "t", where: "true"}
	switch {
	case f.ClientID != uuid.Nil || f.Needed:
		w.from, w.where = "tokens AS t", ""
		w.and("merchant_id = ?", merchantID)
		if f.ClientID != uuid.Nil {
			w.and("client_id = ?", f.ClientID)
		}
		if f.Needed {
			w.and(waits("t.id", "blocked", ""), merchantID)
		}
		w.fitting("state = ANY(?::text[])", database.Texts(states))
	default:
		w.from, w.args = inStates("tokens", "state", merchantID, states)
		w.from += " AS t"
	}
	if f.BankCode != "" {
		w.fitting("bank_code = ?", f.BankCode)
	}
	if !f.UnusedSince.IsZero() {
		w.fitting("coalesce(last_used_at, created_at) < ?", f.UnusedSince)
	}
	return w
}

// tokenFinder searches tokens by the words of their clients; nil without words.
func (s *Store) tokenFinder(merchantID uuid.UUID, f token.Filter, states []token.State, of *walk) *finder {
	q := database.SearchFor(merchantID, f.Search)
	if len(q.Words()) == 0 {
		return nil
	}
	find := &finder{q: q, walk: *of, words: vector("(SELECT c.search FROM clients c WHERE c.id = t.client_id)")}
	find.walk.most = mostJoined
	each, args := "tokens AS t WHERE t.merchant_id = ? AND t.client_id = k.client AND t.state = ANY(?::text[])",
		[]any{merchantID, database.Texts(states)}
	if f.ClientID != uuid.Nil {
		each, args = each+" AND t.client_id = ?", append(args, f.ClientID)
	}
	if f.Needed {
		each, args = each+" AND "+waits("t.id", "blocked", ""), append(args, merchantID)
	}
	if of.fits != "" {
		each, args = each+" AND "+of.fits, append(args, of.fitArgs...)
	}
	find.arms = []arm{s.byClients(find, merchantID, each, args...)}
	return find
}

// CountTokens implements token.Lister.
func (s *Store) CountTokens(ctx context.Context, merchantID uuid.UUID, f token.Filter,
	limit int64) (map[token.State]int64, error) {
	all := []token.State{token.Active, token.Blocked, token.Deleting, token.Deleted, token.Superseded}
	if find := s.tokenFinder(merchantID, f, all, tokenWalk(merchantID, f, all)); find != nil {
		counts, err := s.countFound(ctx, find, "SELECT state FROM tokens WHERE merchant_id = ? AND id", merchantID)
		return statesOf[token.State](counts), err
	}
	counts := map[token.State]int64{}
	for _, state := range all {
		w := tokenWalk(merchantID, f, []token.State{state})
		if w.most = int(limit); w.fits == "" {
			w.columns = "state"
		}
		found, err := s.countWalked(ctx, w)
		switch {
		case err != nil:
			return nil, err
		case found != nil:
			counts[state] = found[string(state)]
		case w.fits == "":
			counts[state] = limit
		default:
			return nil, nil // nobody can say
		}
	}
	return counts, nil
}

// statesOf gives counts their kind of state; nil stays nil.
func statesOf[S ~string](counts map[string]int64) map[S]int64 {
	if counts == nil {
		return nil
	}
	out := make(map[S]int64, len(counts))
	for state, n := range counts {
		out[S(state)] = n
	}
	return out
}

// TokenEntry implements token.Lister.
func (s *Store) TokenEntry(ctx context.Context, merchantID, id uuid.UUID) (token.Entry, error) {
	return database.First(database.Seek(ctx, s.DB, tokenEntries, tokenLine+"t.merchant_id = ? AND t.id = ?", merchantID, id))
}

// accountAt is the place of the account number of a token.
func accountAt(merchantID, tokenID uuid.UUID) seal.Place {
	return seal.PlaceOf("tokens", "account_sealed", merchantID, tokenID)
}
