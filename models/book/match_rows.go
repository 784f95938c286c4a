package book

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/bank"
	"debitdesk/models/database"
	"debitdesk/models/paging"
	"debitdesk/models/subscription"
	"debitdesk/models/token"
)

// hasher finds accounts without their numbers.
func (s Store) hasher(merchantID uuid.UUID) func(string, bank.AccountNumber) []byte {
	return func(branch string, number bank.AccountNumber) []byte {
		return token.HashOfAccount(s.Seal, merchantID, branch, number)
	}
}

// mostTemplates is how many templates of a business rows are held against.
const mostTemplates = 2000

// templates are the subscriptions that rows may name, the oldest first.
func (s Store) templates(ctx context.Context, merchantID uuid.UUID) ([]subscription.Template, error) {
	yes := true
	return subscription.Store{DB: s.DB}.Templates(ctx, merchantID, subscription.Filter{IsSubscription: &yes},
		paging.Ask{Limit: mostTemplates, Newer: true})
}

// referred finds clients by the references of the business. What the import itself has made is not counted.
func (s Store) referred(ctx context.Context, i Import, references []string) (map[string]uuid.UUID, error) {
	out := map[string]uuid.UUID{}
	if len(references) == 0 {
		return out, nil
	}
	rows, err := s.Pool.Query(ctx, `SELECT reference, client_id::text FROM client_references
		WHERE merchant_id = $1 AND reference = ANY($2) AND import_id <> $3`, i.MerchantID.String(), references, i.ID.String())
	if err != nil {
		return nil, fmt.Errorf("find references: %w", err)
	}
	var ref, id string
	_, err = pgx.ForEachRow(rows, []any{&ref, &id}, func() (err error) {
		out[ref], err = uuid.Parse(id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find references: %w", err)
	}
	return out, nil
}

// contracted adds clients by the references of their mandates, where no reference of the business names one.
func (s Store) contracted(ctx context.Context, i Import, contracts []string, to map[string]uuid.UUID) error {
	rows, err := s.Pool.Query(ctx, `SELECT contract_reference, client_id::text FROM mandates WHERE merchant_id = $1
		AND brand_id = $2 AND contract_reference = ANY($3)`, i.MerchantID.String(), i.BrandID.String(), contracts)
	var ref, id string
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&ref, &id}, func() error {
			if _, there := to[ref]; !there {
				to[ref] = idFrom(id)
			}
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("find references of mandates: %w", err)
	}
	return nil
}

// madeBy tells which of some clients an import has made.
func (s Store) madeBy(ctx context.Context, i Import, clients []uuid.UUID) (out []uuid.UUID, err error) {
	if len(clients) == 0 {
		return nil, nil
	}
	rows, err := s.Pool.Query(ctx, `SELECT client_id::text FROM book_import_rows WHERE import_id = $1
		AND client_id = ANY($2::uuid[]) AND state = 'applied' AND verdict = 'created'`, i.ID.String(), database.IDs(clients))
	if err != nil {
		return nil, fmt.Errorf("find what an import made: %w", err)
	}
	return pgx.CollectRows(rows, rowID)
}

func rowID(r pgx.CollectableRow) (id uuid.UUID, err error) {
	var text string
	if err = r.Scan(&text); err != nil {
		return id, err
	}
	return uuid.Parse(text)
}

// knowMore reads what stands beside the clients that rows may mean: references, accounts and subscriptions; and which
// references of mandates are in use.
func (s Store) knowMore(ctx context.Context, i Import, k *known, contracts []string) error {
	ids := make([]uuid.UUID, 0, len(k.byID))
	for id := range k.byID {
		ids = append(ids, id)
	}
	k.accounts, k.running = map[uuid.UUID][]storedAccount{}, map[uuid.UUID][]runningSub{}
	k.owing = map[uuid.UUID][]Owed{}
	for _, ask := range []struct {
		sql  string
		args []any
		see  func(pgx.CollectableRow) error
	}{
		{`SELECT client_id::text, reference FROM client_references WHERE merchant_id = $1 AND client_id = ANY($2::uuid[])`,
			[]any{i.MerchantID.String(), database.IDs(ids)}, func(r pgx.CollectableRow) error {
				var id, ref string
				err := r.Scan(&id, &ref)
				k.referenceOf[idFrom(id)] = ref
				return err
			}},
		{`SELECT client_id::text, id::text, mandate_id::text, account_hash FROM tokens WHERE merchant_id = $1
			AND client_id = ANY($2::uuid[])
			AND brand_id = $3 AND method = 'eft' AND state IN ('active', 'blocked') ORDER BY id DESC`,
			[]any{i.MerchantID.String(), database.IDs(ids), i.BrandID.String()}, func(r pgx.CollectableRow) error {
				var of, id, mandate string
				var one storedAccount
				err := r.Scan(&of, &id, &mandate, &one.hash)
				one.id, one.mandate = idFrom(id), idFrom(mandate)
				k.accounts[idFrom(of)] = append(k.accounts[idFrom(of)], one)
				return err
			}},
		{`SELECT s.client_id::text, s.template_id::text, coalesce((s.override -> 'products' -> 0 ->> 'price')::bigint,
				t.total_cents) FROM template_clients s JOIN billing_templates t ON t.id = s.template_id
			WHERE s.merchant_id = $1 AND s.client_id = ANY($2::uuid[]) AND s.status <> 'inactive'`,
			[]any{i.MerchantID.String(), database.IDs(ids)}, func(r pgx.CollectableRow) error {
				var of, id string
				var one runningSub
				err := r.Scan(&of, &id, &one.cents)
				one.template = idFrom(id)
				k.running[idFrom(of)] = append(k.running[idFrom(of)], one)
				return err
			}},
		{`SELECT client_id::text, total_cents, reference, sast_day(due) FROM purchases WHERE merchant_id = $1
			AND client_id = ANY($2::uuid[]) AND taken_over`,
			[]any{i.MerchantID.String(), database.IDs(ids)}, func(r pgx.CollectableRow) error {
				var of string
				var one Owed
				err := r.Scan(&of, &one.Cents, &one.Reference, &one.Due)
				k.owing[idFrom(of)] = append(k.owing[idFrom(of)], one)
				return err
			}},
		{`SELECT contract_reference FROM mandates WHERE brand_id = $1 AND contract_reference = ANY($2)`,
			[]any{i.BrandID.String(), contracts}, func(r pgx.CollectableRow) error {
				var ref string
				err := r.Scan(&ref)
				k.contracts[ref] = true
				return err
			}},
	} {
		rows, err := s.Pool.Query(ctx, ask.sql, ask.args...)
		if err == nil {
			_, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (struct{}, error) { return struct{}{}, ask.see(r) })
		}
		if err != nil {
			return fmt.Errorf("look at what rows may mean: %w", err)
		}
	}
	if k.scans != nil {
		return s.provenBy(ctx, i, k, ids)
	}
	return nil
}

// refer keeps references of clients.
func refer(tx *database.Tx, i Import, all []reference) {
	if len(all) == 0 {
		return
	}
	texts, ids := make([]string, len(all)), make([]uuid.UUID, len(all))
	for n, r := range all {
		texts[n], ids[n] = r.text, r.clientID
	}
	tx.Later(`INSERT INTO client_references (merchant_id, reference, client_id, import_id)
		SELECT $1, u.reference, u.client_id, $4 FROM unnest($2::text[], $3::uuid[]) AS u (reference, client_id)`,
		i.MerchantID, texts, ids, i.ID)
}

func idFrom(text string) uuid.UUID {
	id, _ := uuid.Parse(text)
	return id
}

// ImportOf finds the import that a client came in with, and the group; the zero import when there is none.
func (s Store) ImportOf(ctx context.Context, merchantID, clientID uuid.UUID) (i Import, group string, err error) {
	var id string
	err = s.Pool.QueryRow(ctx, `SELECT import_id::text, group_name FROM book_import_rows WHERE merchant_id = $1
		AND client_id = $2 AND state = 'applied' AND verdict = 'created'`, merchantID.String(),
		clientID.String()).Scan(&id, &group)
	if errors.Is(err, pgx.ErrNoRows) {
		return i, "", nil
	}
	if err != nil {
		return i, "", fmt.Errorf("find the import of a client: %w", err)
	}
	i, err = s.Import(ctx, merchantID, idFrom(id))
	return i, group, err
}

// OwnerOf finds the merchant of an import, for the command line; NotFound when there is none.
func (s Store) OwnerOf(ctx context.Context, id uuid.UUID) (uuid.UUID, error) {
	i, err := database.One(ctx, s.DB, importTable, "id = $1", id)
	return i.MerchantID, err
}
