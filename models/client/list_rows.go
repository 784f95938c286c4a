package client

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/database"
	"debitdesk/models/database/listing"
	"debitdesk/models/paging"
)

// NameColumns are the name and the address of the client, joined as c, beside a record that a list shows.
var NameColumns = "coalesce(" + NameIn("c.") + ", '') AS client_name, coalesce(c.email, '') AS client_email"

// NameIn is the name of a client in SQL, by the columns of a row such as "c."; null where no client was joined.
func NameIn(row string) string {
	return fmt.Sprintf(
		"coalesce(nullif(%[1]sfull_name, ''), nullif(%[1]slegal_name, ''), nullif(%[1]sbrand_name, ''), %[1]semail)", row)
}

// Clients gives a page of those that were not deleted, newest first.
func (s Store) Clients(ctx context.Context, merchantID uuid.UUID, q Query) (paging.Page[Client], error) {
	var none paging.Page[Client]
	of, find, err := s.list(ctx, merchantID, q)
	if err != nil {
		return none, err
	}
	if q.Sort.By != "" {
		return s.sorted(ctx, merchantID, of, find, q.Ask)
	}
	if find == nil {
		return listing.PageOf[Client](ctx, s.DB, of, q.Ask, nil)
	}
	ids, reached, err := listing.Find(ctx, s.DB, find, q.Ask)
	if err != nil {
		return none, err
	}
	direction, _, _ := database.BesideID("id", q.Ask)
	var clients []Client
	err = s.Gorm(ctx).Scopes(Of(merchantID)).Order("id "+direction).
		Find(&clients, "id = ANY(?::uuid[])", database.IDs(ids)).Error
	return paging.CutAt(q.Ask, clients, reached), err
}

// Sorts are the orders of the list of clients.
var Sorts = paging.Sorts{paging.Created: 0, "name": 0}

// orders are the values by which clients are sorted: the name is the one that lists show.
var orders = map[string]listing.Order{"name": {Type: "text", Index: true, Value: "lower(" + NameIn("") + ")"}}

// sorted is Clients in another order than that of their adding.
func (s Store) sorted(ctx context.Context, merchantID uuid.UUID, of *listing.Walk, find *listing.Search,
	ask paging.Ask) (none paging.Page[Client], err error) {
	by := listing.Sorted{DB: s.DB, Order: orders[ask.Sort.By], From: "clients", ID: "id", Look: of.Most}
	by.Of.And(live, merchantID)
	switch {
	case find != nil:
		if err := by.Search(ctx, find); err != nil {
			return none, err
		}
	default:
		if of.Where != live {
			by.Narrow.And(of.Where, of.Args...)
		}
		if of.Fits != "" {
			by.Fits.And(of.Fits, of.FitArgs...)
		}
	}
	page, err := by.Page(ctx, ask)
	if err != nil {
		return none, err
	}
	var found []Client
	err = s.Gorm(ctx).Scopes(Of(merchantID)).Find(&found, "id = ANY(?::uuid[])", database.IDs(page.Items)).Error
	return listing.Arranged(page, found, func(c Client) uuid.UUID { return c.ID }), err
}

// CountClients counts what Clients would list, up to atMost; -1 where that is too much to be counted.
func (s Store) CountClients(ctx context.Context, merchantID uuid.UUID, q Query, atMost int) (int, error) {
	of, find, err := s.list(ctx, merchantID, q)
	switch {
	case err != nil:
		return 0, err
	case find != nil:
		ids, err := listing.FindAll(ctx, s.DB, find)
		if ids == nil {
			return -1, err
		}
		return min(len(ids), atMost), err
	case of.Fits != "":
		of.Columns = "'' AS state, id, merchant_id, bank_account_sealed, created_at"
		counts, err := listing.Count[string](ctx, s.DB, of)
		if counts == nil {
			return -1, err
		}
		return min(int(counts[""]), atMost), nil
	}
	n, err := of.Count(ctx, s.DB, int64(atMost))
	if err != nil {
		return 0, fmt.Errorf("count clients: %w", err)
	}
	return int(n), nil
}

// storedFor is the condition on a token t that is still the account of its client.
const storedFor = "t.state IN ('active', 'pending', 'blocked')"

// tokenOf is the newest account that is stored for a client; an active one before others.
type tokenOf struct {
	ClientID    uuid.UUID
	AccountMask string
	BankCode    string
}

func (s Store) tokensOf(ctx context.Context, merchantID uuid.UUID, clients []uuid.UUID) (found []tokenOf, err error) {
	err = s.Gorm(ctx).Raw(`SELECT DISTINCT ON (t.client_id) t.client_id, t.account_mask, t.bank_code
		FROM tokens t WHERE t.merchant_id = ? AND t.client_id = ANY(?::uuid[]) AND `+storedFor+`
		ORDER BY t.client_id, t.state <> 'active', t.id DESC`, merchantID, database.IDs(clients)).Find(&found).Error
	return found, err
}

// live is the condition on the clients of a merchant.
const live = "merchant_id = ? AND deleted_at IS NULL"

// list is what a query asks for: the way to it, or how it is searched for.
func (s Store) list(ctx context.Context, merchantID uuid.UUID, q Query) (*listing.Walk, *listing.Search, error) {
	w := &listing.Walk{Columns: columns, From: "clients", Alias: "clients"}
	w.And(live, merchantID)
	if q.Account != nil {
		w.Fitting("(bank_account_sealed IS NOT NULL OR EXISTS (SELECT FROM tokens t WHERE t.client_id = clients.id AND "+
			storedFor+")) = ?", *q.Account)
	}
	if !q.CreatedFrom.IsZero() { // a client gets its id when it is added
		w.And("id >= ?", paging.FromID(q.CreatedFrom))
		w.Fitting("created_at >= ?", q.CreatedFrom)
	}
	if !q.CreatedTo.IsZero() {
		w.And("id < ?", paging.ToID(q.CreatedTo))
		w.Fitting("created_at <= ?", q.CreatedTo)
	}
	w.Unsorted = w.Where != live
	if q.PersonalCode != "" {
		w.Unsorted = false
		w.And("personal_code_hash = ?", IdentityHash(s.Seal, merchantID, q.PersonalCode))
	}
	if beside := q.Facets.Client("clients"); beside.SQL != "" {
		w.Fitting(beside.SQL, beside.Args...)
		w.Most = 2 * listing.MostJoined
	}
	// Programs look a client up by e-mail and take the first result: an address
	// that is somebody's finds exactly those.
	if strings.Contains(q.Text, "@") {
		var found bool
		err := s.Gorm(ctx).Raw(
			"SELECT EXISTS (SELECT FROM clients WHERE merchant_id = ? AND deleted_at IS NULL AND lower(email) = lower(?))",
			merchantID,
			q.Text).
			Scan(&found).Error
		if err != nil {
			return nil, nil, fmt.Errorf("find client by e-mail: %w", err)
		}
		if found {
			w.Unsorted = false
			w.And("lower(email) = lower(?)", q.Text)
			return w, nil, nil
		}
	}
	words := database.SearchFor(merchantID, q.Text)
	if len(words.Words()) == 0 {
		return w, nil, nil
	}
	return w, search(s.DB, words, w), nil
}

// search looks for clients.
func search(db *database.DB, q database.Search, w *listing.Walk) *listing.Search {
	f := &listing.Search{Query: q, Walk: *w, Words: listing.Vector("search")}
	where, args := w.All()
	f.Arms = []listing.Arm{listing.ByWords(db, f, "clients", "clients", where, args...)}
	return f
}

// fewClients are those whose records are looked up one client after the other.
const fewClients = 1_000

// Among looks up the records of the clients that the words of a search find. each finds
// those of one client, who is called k.
func Among(db *database.DB, f *listing.Search, merchantID uuid.UUID, each string, args ...any) listing.Arm {
	return func(ctx context.Context, near listing.Near, ask paging.Ask) ([]uuid.UUID, uuid.UUID, error) {
		everybody := &listing.Walk{From: "clients"} // deleted ones too: their records stay
		everybody.And("merchant_id = ?", merchantID)
		clients, err := paging.Once(ctx, "clients "+merchantID.String()+" "+f.Query.All(), func() ([]uuid.UUID, error) {
			ids, reached, err := listing.Find(ctx, db, search(db, f.Query, everybody), paging.Ask{Limit: fewClients})
			if err != nil || reached != uuid.Nil || len(ids) > fewClients {
				return nil, err
			}
			return append([]uuid.UUID{}, ids...), nil
		})
		if err != nil {
			return nil, uuid.Nil, err
		}
		if clients == nil {
			return listing.ByWalk(db, f)(ctx, near, ask)
		}
		direction, beside, from := database.BesideID("id", ask)
		order := fmt.Sprintf(" ORDER BY id %s LIMIT %d", direction, ask.Fetch())
		ids, err := listing.IDs(
			ctx,
			db,
			"SELECT found.id FROM unnest(?::uuid[]) AS k (client), LATERAL (SELECT id FROM "+each+beside+
				order+") AS found"+order,
			slices.Concat([]any{database.IDs(clients)}, args, from)...)
		return ids, uuid.Nil, err
	}
}

// Keys name clients.
type Keys struct {
	IDs        []uuid.UUID
	Emails     []string
	Identities []bank.IDNumber
}

// Matching finds live clients that have one of some ids, addresses (in any case) or identity numbers: three questions
// to three indexes.
func (s Store) Matching(ctx context.Context, merchantID uuid.UUID, by Keys) ([]Client, error) {
	hashes := make(database.TextArray, len(by.Identities))
	for i, n := range by.Identities {
		hashes[i] = fmt.Sprintf(`\x%x`, IdentityHash(s.Seal, merchantID, n))
	}
	var out []Client
	for _, q := range []struct {
		condition string
		values    database.TextArray
	}{{"id = ANY(?::uuid[])", database.IDs(by.IDs)}, {"lower(email) = ANY(?::text[])", by.Emails},
		{"personal_code_hash = ANY(?::bytea[])", hashes}} {
		if len(q.values) == 0 {
			continue
		}
		var found []Client
		if err := s.Gorm(ctx).Scopes(Live(merchantID)).Where("erased_at IS NULL").Where(q.condition, q.values).Order("id").
			Find(&found).Error; err != nil {
			return nil, fmt.Errorf("match clients: %w", err)
		}
		out = append(out, found...)
	}
	return out, nil
}
