package book

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

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
	found, err := clientsBy(s.Gorm(ctx).Raw(`SELECT reference, client_id FROM client_references
		WHERE merchant_id = ? AND reference = ANY(?::text[]) AND import_id <> ?`, i.MerchantID,
		database.TextArray(references), i.ID))
	if err != nil {
		return nil, fmt.Errorf("find references: %w", err)
	}
	for _, f := range found {
		out[f.Reference] = f.ClientID
	}
	return out, nil
}

// referring is a reference of a client.
type referring struct {
	Reference string
	ClientID  uuid.UUID
}

func clientsBy(by *gorm.DB) (found []referring, err error) {
	err = by.Find(&found).Error
	return found, err
}

// contracted adds clients by the references of their mandates, where no reference of the business names one.
func (s Store) contracted(ctx context.Context, i Import, contracts []string, to map[string]uuid.UUID) error {
	found, err := clientsBy(s.Gorm(ctx).Raw(`SELECT contract_reference AS reference, client_id FROM mandates
		WHERE merchant_id = ? AND brand_id = ? AND contract_reference = ANY(?::text[])`, i.MerchantID, i.BrandID,
		database.TextArray(contracts)))
	if err != nil {
		return fmt.Errorf("find references of mandates: %w", err)
	}
	for _, f := range found {
		if _, there := to[f.Reference]; !there {
			to[f.Reference] = f.ClientID
		}
	}
	return nil
}

// madeBy tells which of some clients an import has made.
func (s Store) madeBy(ctx context.Context, i Import, clients []uuid.UUID) (out []uuid.UUID, err error) {
	if len(clients) == 0 {
		return nil, nil
	}
	err = s.Gorm(ctx).Raw(`SELECT client_id FROM book_import_rows WHERE import_id = ? AND client_id = ANY(?::uuid[])
		AND state = 'applied' AND verdict = 'created'`, i.ID, database.IDs(clients)).Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("find what an import made: %w", err)
	}
	return out, nil
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
	var found []struct {
		ClientID, ID, MandateID, TemplateID uuid.UUID
		AccountHash                         []byte
		Reference                           string
		Cents                               int64
		Due                                 Day
	}
	for _, ask := range []struct {
		of  *gorm.DB
		see func(n int)
	}{
		{s.Gorm(ctx).Raw(`SELECT client_id, reference FROM client_references WHERE merchant_id = ?
			AND client_id = ANY(?::uuid[])`, i.MerchantID, database.IDs(ids)), func(n int) {
			k.referenceOf[found[n].ClientID] = found[n].Reference
		}},
		{s.Gorm(ctx).Raw(`SELECT client_id, id, mandate_id, account_hash FROM tokens WHERE merchant_id = ?
			AND client_id = ANY(?::uuid[]) AND brand_id = ? AND method = 'eft' AND state IN ('active', 'blocked')
			ORDER BY id DESC`, i.MerchantID, database.IDs(ids), i.BrandID), func(n int) {
			k.accounts[found[n].ClientID] = append(k.accounts[found[n].ClientID],
				storedAccount{id: found[n].ID, mandate: found[n].MandateID, hash: found[n].AccountHash})
		}},
		{s.Gorm(ctx).Raw(`SELECT s.client_id, s.template_id, coalesce((s.override -> 'products' -> 0 ->> 'price')::bigint,
				t.total_cents) AS cents FROM template_clients s JOIN billing_templates t ON t.id = s.template_id
			WHERE s.merchant_id = ? AND s.client_id = ANY(?::uuid[]) AND s.status <> 'inactive'`, i.MerchantID,
			database.IDs(ids)), func(n int) {
			k.running[found[n].ClientID] = append(k.running[found[n].ClientID],
				runningSub{template: found[n].TemplateID, cents: found[n].Cents})
		}},
		{s.Gorm(ctx).Raw(`SELECT client_id, total_cents AS cents, reference, sast_day(due) AS due FROM purchases
			WHERE merchant_id = ? AND client_id = ANY(?::uuid[]) AND taken_over`, i.MerchantID, database.IDs(ids)),
			func(n int) {
				k.owing[found[n].ClientID] = append(k.owing[found[n].ClientID],
					Owed{Cents: found[n].Cents, Reference: found[n].Reference, Due: found[n].Due})
			}},
		{s.Gorm(ctx).Raw(`SELECT contract_reference AS reference FROM mandates WHERE brand_id = ?
			AND contract_reference = ANY(?::text[])`, i.BrandID, database.TextArray(contracts)), func(n int) {
			k.contracts[found[n].Reference] = true
		}},
	} {
		found = nil
		if err := ask.of.Find(&found).Error; err != nil {
			return fmt.Errorf("look at what rows may mean: %w", err)
		}
		for n := range found {
			ask.see(n)
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
	texts, ids := make(database.TextArray, len(all)), make([]uuid.UUID, len(all))
	for n, r := range all {
		texts[n], ids[n] = r.text, r.clientID
	}
	tx.Exec(`INSERT INTO client_references (merchant_id, reference, client_id, import_id)
		SELECT ?::uuid, u.reference, u.client_id, ?::uuid FROM unnest(?::text[], ?::uuid[]) AS u (reference, client_id)`,
		i.MerchantID, i.ID, texts, database.IDs(ids))
}

// ImportOf finds the import that a client came in with, and the group; the zero import when there is none.
func (s Store) ImportOf(ctx context.Context, merchantID, clientID uuid.UUID) (i Import, group string, err error) {
	var row []struct {
		ImportID  uuid.UUID
		GroupName string
	}
	err = s.Gorm(ctx).Raw(`SELECT import_id, group_name FROM book_import_rows WHERE merchant_id = ? AND client_id = ?
		AND state = 'applied' AND verdict = 'created' LIMIT 1`, merchantID, clientID).Find(&row).Error
	if err != nil {
		return i, "", fmt.Errorf("find the import of a client: %w", err)
	}
	if len(row) == 0 {
		return i, "", nil
	}
	i, err = s.Import(ctx, merchantID, row[0].ImportID)
	return i, row[0].GroupName, err
}

// OwnerOf finds the merchant of an import, for the command line; NotFound when there is none.
func (s Store) OwnerOf(ctx context.Context, id uuid.UUID) (uuid.UUID, error) {
	var i Import
	err := s.Gorm(ctx).Scopes(database.AcrossMerchants).Take(&i, "id = ?", id).Error
	return i.MerchantID, err
}
