package merging

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
)

// place is a column of a table that names a client. A test knows every such column of the database, so that a new one
// is named here or among staying.
type place struct {
	table, column string
	key           string // of a row, in SQL, as text
	of            string // the column of its purchase: the row goes where the purchase goes; empty: it has none
	found         string // how the rows of @from are found, where the column has no index or not all of them move
	versioned     bool   // others change its rows by compare-and-set, and must see that it moved
	one           string // what a row is, in words; empty: people are not told of it
	token         string // the column of the token that it is charged on; empty: none
	made          bool   // a person or a program makes such rows: an undo lists those that it leaves
}

// purchasesOf are purchases that moved, by their keys.
const purchasesOf = "purchase_id = ANY(@purchases::uuid[])"

// places are in the order in which they move: purchases first, for others follow them.
var places = []place{
	{table: "purchases", column: "client_id", key: "id", versioned: true, one: "purchase", made: true},
	{table: "mandates", column: "client_id", key: "id", of: "id", one: "mandate"},
	{table: "tokens", column: "client_id", key: "id", of: "id", one: "token", made: true},
	{table: "collections", column: "client_id", key: "id", of: "purchase_id", found: purchasesOf, one: "debit"},
	{table: "invoices", column: "client_id", key: "id", of: "purchase_id",
		found: "kind IN ('invoice', 'credit_note') AND " + purchasesOf, one: "invoice"},
	{table: "template_clients", column: "client_id", key: "id", versioned: true, one: "subscription",
		token: "token_id", made: true},
	{table: "notes", column: "client_id", key: "id", of: "purchase_id", one: "note", made: true},
	{table: "promises", column: "client_id", key: "id", of: "purchase_id", one: "promise", made: true},
	{table: "mails", column: "client_id", key: "id", of: "purchase_id", one: "mail"},
	{table: "sms_messages", column: "client_id", key: "id", of: "purchase_id", one: "SMS"},
	{table: "sms_replies", column: "client_id", key: "id", one: "reply by SMS"},
	{table: "client_references", column: "client_id", key: "reference", one: "reference"},
	{table: "account_verifications", column: "client_id", key: "id", of: "purchase_id", one: "account check"},
	{table: "mandates_replaced", column: "client_id", key: "id", of: "mandate_id", one: "earlier mandate"},
	{table: "plan_runs", column: "client_id", key: "id", of: "purchase_id", found: purchasesOf, one: "run of a plan"},
	{table: "client_stops", column: "client_id", key: "id", one: "earlier stop"},
	{table: "client_requests", column: "client_id", key: "id", versioned: true, one: "request", made: true},
	{table: "batch_rows", column: "client_id", key: "batch_id || '/' || n", of: "purchase_id",
		found: "(purchase_id IS NULL OR " + purchasesOf + ")", one: "batch row"},
	{table: "batch_rows", column: "chosen_client", key: "batch_id || '/' || n"},
	{table: "book_import_rows", column: "client_id", key: "import_id || '/' || n", one: "import row"},
	// A client is told of a price once.
	{table: "price_letters", column: "client_id", key: "change_id || '/' || n", one: "price letter",
		found: `NOT EXISTS (SELECT FROM price_letters l WHERE l.change_id = price_letters.change_id AND l.client_id = @to)`},
	// Whoever looks after the gone one looks after the kept one, unless somebody does already.
	{table: "owners", column: "object_id", key: "object_type", found: `object_type = 'client'
		AND NOT EXISTS (SELECT FROM owners o WHERE o.merchant_id = @m AND o.object_id = @to)`},
}

// staying are the columns that name a client and do not move, with why.
var staying = map[string]string{
	"audit_entries.client_id":     "what happened does not change: the time line of the kept one reads both",
	"client_merges.kept_id":       "what happened",
	"client_page_links.client_id": "a link leads to one record, and ends when that is merged away",
	"client_page_acts.client_id":  "what happened",
	"client_merges.gone_id":       "what happened",
}

func (p place) name() string { return p.table + "." + p.column }

func (p place) where() string {
	where := "merchant_id = @m AND " + p.column + " = @from"
	if p.found != "" {
		where += " AND " + p.found
	}
	return where
}

func (p place) update() string {
	sql := "UPDATE " + p.table + " SET " + p.column + " = @to"
	if p.versioned {
		sql += ", version = version + 1"
	}
	return sql + " WHERE "
}

// countMoves counts what would move, by place.
func (s Store) countMoves(ctx context.Context, merchantID, from, to uuid.UUID) (out []Moving, err error) {
	args := argsOf(merchantID, from, to)
	args["purchases"], err = keysOf(ctx, s.Pool.Query, `SELECT id::text FROM purchases WHERE merchant_id = @m
		AND client_id = @from`, args)
	for _, p := range places {
		if err != nil {
			break
		}
		m := Moving{Place: p.name(), One: p.one}
		if err = s.Pool.QueryRow(ctx, "SELECT count(*) FROM "+p.table+" WHERE "+p.where(), args).Scan(&m.N); err == nil &&
			m.N > 0 {
			out = append(out, m)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("count what hangs on a client: %w", err)
	}
	return out, nil
}

func argsOf(merchantID, from, to uuid.UUID) pgx.NamedArgs {
	return pgx.NamedArgs{"m": merchantID.String(), "from": from.String(), "to": to.String(), "purchases": []string{}}
}

// move has everything that hangs on one client hang on another, and gives the keys of what moved, by place.
func move(tx *database.Tx, merchantID, from, to uuid.UUID) (moved map[string][]string, err error) {
	moved = map[string][]string{}
	if err := tx.Flush(); err != nil {
		return nil, err
	}
	err = tx.Pgx(func(on pgx.Tx) error {
		args := argsOf(merchantID, from, to)
		for _, p := range places {
			keys, err := keysOf(tx.Context(), on.Query, p.update()+p.where()+" RETURNING ("+p.key+")::text", args)
			if err != nil {
				return fmt.Errorf("move %s: %w", p.name(), err)
			}
			if len(keys) > 0 {
				moved[p.name()] = keys
			}
			if p.name() == "purchases.client_id" {
				args["purchases"] = keys
			}
		}
		return nil
	})
	return moved, err
}

// moveBack takes back what move did, as far as it still hangs on @from: with a purchase goes what belongs to it, and a
// subscription whose account stays does too.
func moveBack(tx *database.Tx, m Merge) error {
	if err := tx.Flush(); err != nil {
		return err
	}
	return tx.Pgx(func(on pgx.Tx) error {
		args := argsOf(m.MerchantID, m.KeptID, m.GoneID)
		for _, p := range places {
			args["keys"] = append([]string{}, m.Moved[p.name()]...)
			keys, err := keysOf(tx.Context(), on.Query, p.update()+p.back()+" RETURNING ("+p.key+")::text", args)
			if err != nil {
				return fmt.Errorf("move %s back: %w", p.name(), err)
			}
			if p.name() == "purchases.client_id" {
				args["purchases"] = keys
			}
		}
		return nil
	})
}

// left counts what an undo would leave with the kept client though it came after the merge, or moved with it.
func (s Store) left(ctx context.Context, m Merge) (out []Moving, err error) {
	args := argsOf(m.MerchantID, m.KeptID, m.GoneID)
	args["at"], args["purchases"] = m.MadeAt, append([]string{}, m.Moved["purchases.client_id"]...)
	for _, p := range places {
		if !p.made {
			continue
		}
		args["keys"] = append([]string{}, m.Moved[p.name()]...)
		args["tokens"] = append([]string{}, m.Moved["tokens.client_id"]...)
		stays := "NOT (" + p.follows() + ") AND created_at >= @at"
		if p.token != "" {
			stays = "(" + stays + " OR " + p.keyed() + " AND " + p.token + " IN (SELECT t.id FROM tokens t WHERE " +
				"t.client_id = @from AND NOT t.id = ANY(@tokens::uuid[])))"
		}
		one := Moving{Place: p.name(), One: p.one}
		err := s.Pool.QueryRow(ctx, "SELECT count(*) FROM "+p.table+" WHERE merchant_id = @m AND "+p.column+" = @from AND "+
			stays, args).Scan(&one.N)
		if err != nil {
			return nil, fmt.Errorf("count what an undo leaves: %w", err)
		}
		if one.N > 0 {
			out = append(out, one)
		}
	}
	return out, nil
}

// back are the rows that an undo moves: @keys moved, and @purchases moved back.
func (p place) back() string {
	where := "merchant_id = @m AND " + p.column + " = @from AND (" + p.follows() + ")"
	if p.token != "" {
		where += " AND NOT EXISTS (SELECT FROM tokens t WHERE t.id = " + p.token + " AND t.client_id = @from)"
	}
	return where
}

func (p place) follows() string {
	if p.of == "" {
		return p.keyed()
	}
	return p.keyed() + " OR coalesce(" + p.of + " = ANY(@purchases::uuid[]), false)"
}

func (p place) keyed() string { return "(" + p.key + ")::text = ANY(@keys::text[])" }
