package purchase

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/table"
)

var (
	amendments    = table.New[Amendment]("amendments")
	amendmentMove = amendments.Write(
		`UPDATE amendments SET @set(state, moved, finished_at) WHERE merchant_id = @merchant_id
			AND id = @id AND state = 'open'`,
	)
)

func insertAmendment(tx *database.Tx, a Amendment) { database.Insert(tx, amendments, a) }

// moveAmendment ends the transaction with fault.ErrLost when the amendment is not open any more.
func moveAmendment(tx *database.Tx, a Amendment) { database.MustChange(tx, amendmentMove, a) }

// Amendment finds one; NotFound for unknown ids and those of others.
func (s Store) Amendment(ctx context.Context, merchantID, id uuid.UUID) (Amendment, error) {
	return database.One(ctx, s.DB, amendments, "merchant_id = $1 AND id = $2", merchantID, id)
}

// AmendmentOf gives the newest amendment that replaces a token; NotFound when there is none.
func (s Store) AmendmentOf(ctx context.Context, merchantID, oldTokenID uuid.UUID) (Amendment, error) {
	return database.One(ctx, s.DB, amendments, "merchant_id = $1 AND old_token_id = $2 ORDER BY id DESC LIMIT 1",
		merchantID, oldTokenID)
}

// OpenReplacements gives the open amendments in which some tokens are to replace another, by the tokens.
func (s Store) OpenReplacements(ctx context.Context, merchantID uuid.UUID,
	newIDs []uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	found, err := database.All(ctx, s.DB, amendments,
		"merchant_id = $1 AND state = 'open' AND purchase_id = ANY($2::uuid[])", merchantID, database.IDs(newIDs))
	open := make(map[uuid.UUID]uuid.UUID, len(found))
	for _, a := range found {
		open[a.NewID] = a.ID
	}
	return open, err
}
