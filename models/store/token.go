package store

import (
	"context"
	"fmt"
	"strings"

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
	ask paging.Ask) ([]token.Entry, error) {
	where, args := tokenWhere(merchantID, f)
	states := f.States
	if len(states) == 0 {
		states = []token.State{token.Active, token.Blocked}
	}
	names := make([]string, len(states))
	for i, state := range states {
		names[i] = string(state)
	}
	where, args = where+" AND t.state = ANY(?::text[])", append(args, database.TextArray(names))
	direction := "DESC"
	if ask.Newer {
		direction = "ASC"
	}
	if ask.From != uuid.Nil {
		compare := "<"
		if ask.Newer {
			compare = ">"
		}
		where, args = where+" AND t.id "+compare+" ?", append(args, ask.From)
	}
	return database.Seek(ctx, s.DB, tokenEntries, tokenLine+where+fmt.Sprintf(" ORDER BY t.id %s LIMIT %d", direction, ask.Fetch()),
		args...)
}

func tokenWhere(merchantID uuid.UUID, f token.Filter) (string, []any) {
	where, args := "t.merchant_id = ?", []any{merchantID}
	add := func(condition string, arg any) { where, args = where+" AND "+condition, append(args, arg) }
	if f.BankCode != "" {
		add("t.bank_code = ?", f.BankCode)
	}
	if f.ClientID != uuid.Nil {
		add("t.client_id = ?", f.ClientID)
	}
	if !f.UnusedSince.IsZero() {
		add("coalesce(t.last_used_at, t.created_at) < ?", f.UnusedSince)
	}
	if q := database.SearchQuery(f.Search); q != "" {
		add("c.search @@ ?::tsquery", q)
	}
	if f.Needed {
		add(waits("t.id", "blocked", ""), merchantID)
	}
	return where, args
}

// CountTokens implements token.Lister.
func (s *Store) CountTokens(ctx context.Context, merchantID uuid.UUID, f token.Filter,
	limit int64) (map[token.State]int64, error) {
	where, args := tokenWhere(merchantID, f)
	from := tokenFrom
	if f.Search == "" {
		from = " FROM tokens t WHERE "
	}
	var parts []string
	var all []any
	for _, state := range []token.State{token.Active, token.Blocked, token.Deleting, token.Deleted, token.Superseded} {
		parts = append(parts,
			fmt.Sprintf("(SELECT ?::text AS state, count(*) AS n FROM (SELECT 1%s%s AND t.state = ? LIMIT %d) AS part)", from,
				where, limit))
		all = append(append(append(all, string(state)), args...), string(state))
	}
	var rows []struct {
		State string
		N     int64
	}
	if err := s.Gorm(ctx).Raw(strings.Join(parts, " UNION ALL "), all...).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("count tokens: %w", err)
	}
	counts := map[token.State]int64{}
	for _, r := range rows {
		counts[token.State(r.State)] = r.N
	}
	return counts, nil
}

// TokenEntry implements token.Lister.
func (s *Store) TokenEntry(ctx context.Context, merchantID, id uuid.UUID) (token.Entry, error) {
	return database.First(database.Seek(ctx, s.DB, tokenEntries, tokenLine+"t.merchant_id = ? AND t.id = ?", merchantID, id))
}

// accountAt is the place of the account number of a token.
func accountAt(merchantID, tokenID uuid.UUID) seal.Place {
	return seal.PlaceOf("tokens", "account_sealed", merchantID, tokenID)
}
