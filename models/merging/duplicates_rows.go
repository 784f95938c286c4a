package merging

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/client"
	"debitdesk/models/database"
)

// found are two clients who may be the same one, with what is the same.
type found struct {
	later, first uuid.UUID
	same         []string
}

// shared are the clients of whom others have the same number or address, each with the oldest who has the same: first
// what several have is looked for in indexes, and then the few who have it.
var shared = `WITH shared AS (
	SELECT 1 AS n, 'identity number' AS same, id,
		first_value(id) OVER (PARTITION BY personal_code_hash ORDER BY id) AS first
	FROM clients WHERE merchant_id = @m AND deleted_at IS NULL AND personal_code_hash = ANY (ARRAY(
		SELECT personal_code_hash FROM clients WHERE merchant_id = @m AND deleted_at IS NULL
			AND personal_code_hash IS NOT NULL GROUP BY 1 HAVING count(*) > 1))
	UNION ALL
	SELECT 2, 'account and name', id, first_value(id) OVER (PARTITION BY bank_account_hash, ` + name + ` ORDER BY id)
	FROM clients WHERE merchant_id = @m AND deleted_at IS NULL AND bank_account_hash = ANY (ARRAY(
		SELECT bank_account_hash FROM clients WHERE merchant_id = @m AND deleted_at IS NULL
			AND bank_account_hash IS NOT NULL GROUP BY 1 HAVING count(*) > 1))
	UNION ALL
	SELECT 3, 'e-mail address and name', id, first_value(id) OVER (PARTITION BY lower(email), ` + name + ` ORDER BY id)
	FROM clients WHERE merchant_id = @m AND deleted_at IS NULL AND lower(email) = ANY (ARRAY(
		SELECT lower(email) FROM clients WHERE merchant_id = @m AND deleted_at IS NULL AND email <> ''
			GROUP BY 1 HAVING count(*) > 1)))`

var name = "lower(" + client.NameIn("") + ")"

// duplicates lists pairs, those first whose later client was added last; from is the last pair of the page before.
func (s Store) duplicates(ctx context.Context, merchantID uuid.UUID, from Place, limit int) (out []found, err error) {
	where, args := "", pgx.NamedArgs{"m": merchantID.String(), "limit": limit}
	if from != (Place{}) {
		where = " AND (id, first) < (@later::uuid, @first::uuid)"
		args["later"], args["first"] = from.Later.String(), from.First.String()
	}
	rows, err := s.Pool.Query(ctx, shared+` SELECT id::text, first::text, array_agg(same ORDER BY n) FROM shared
		WHERE id <> first AND NOT EXISTS (SELECT FROM clients_apart a WHERE a.merchant_id = @m
			AND a.first_id = least(id, first) AND a.later_id = greatest(id, first))`+where+`
		GROUP BY id, first ORDER BY id DESC, first DESC LIMIT @limit`, args)
	if err == nil {
		var later, first string
		var same []string
		_, err = pgx.ForEachRow(rows, []any{&later, &first, &same}, func() error {
			out = append(out, found{uuid.MustParse(later), uuid.MustParse(first), append([]string{}, same...)})
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("look for duplicates: %w", err)
	}
	return out, nil
}

// several gives those of some clients that were not deleted.
func (s Store) several(ctx context.Context, merchantID uuid.UUID,
	ids []uuid.UUID) (map[uuid.UUID]client.Client, error) {
	var all []client.Client
	err := s.Gorm(ctx).Scopes(client.Live(merchantID)).Find(&all, "id = ANY(?::uuid[])", database.IDs(ids)).Error
	out := make(map[uuid.UUID]client.Client, len(all))
	for _, c := range all {
		out[c.ID] = c
	}
	return out, err
}

// sameAccount finds other clients with an account of the client on their record.
func (s Store) sameAccount(ctx context.Context, c client.Client, most int) (others []client.Client,
	err error) {
	if c.BankAccount == "" {
		return nil, nil
	}
	err = s.Gorm(ctx).Scopes(client.Live(c.MerchantID)).Order("id").Limit(most).Find(&others,
		"bank_account_hash = ? AND id <> ?", client.AccountHash(s.Seal, c.MerchantID, c.BankAccount), c.ID).Error
	return others, err
}
