package clientpage

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
)

var (
	actTable = table.New[Act]("client_page_acts")
	actMove  = actTable.Write(`UPDATE client_page_acts SET @set(wish, state, code_hash, tries, done_at, made_id)
		WHERE merchant_id = @merchant_id AND id = @id AND state = @from`, "from")
)

func insertAct(tx *database.Tx, a Act) { database.Insert(tx, actTable, a) }

// saveAct writes an act that stood in a state; fault.ErrLost when it does not any more.
func saveAct(tx *database.Tx, a Act, from ActState) error {
	won, err := database.Change(tx, actMove, a, string(from))
	if err == nil && !won {
		err = fault.ErrLost
	}
	return err
}

// act finds an act of a client.
func (s Store) act(ctx context.Context, merchantID, clientID, id uuid.UUID) (Act, error) {
	return database.One(ctx, s.DB, actTable, "merchant_id = $1 AND client_id = $2 AND id = $3", merchantID, clientID, id)
}

// lockAct is act for one that this transaction changes.
func lockAct(tx *database.Tx, merchantID, clientID, id uuid.UUID) (Act, error) {
	return database.One(tx.Context(), tx.DB(), actTable,
		"merchant_id = $1 AND client_id = $2 AND id = $3 FOR UPDATE", merchantID, clientID, id)
}

// lockClient lets what one client does on the page happen one after the other, and keeps the client from being deleted
// meanwhile; NotFound for one who was deleted or erased.
func lockClient(tx *database.Tx, merchantID, clientID uuid.UUID) error {
	if _, err := tx.Exec(`SELECT pg_advisory_xact_lock(hashtextextended('client page ' || $1::text, 0))`,
		clientID); err != nil {
		return fmt.Errorf("lock the client's page: %w", err)
	}
	found, err := tx.ExecOne("hold a client", `SELECT 1 FROM clients WHERE merchant_id = $1 AND id = $2
		AND deleted_at IS NULL AND erased_at IS NULL FOR KEY SHARE`, merchantID, clientID)
	if err == nil && !found {
		err = fault.Missing()
	}
	return err
}

// overtake ends what waits for a code of a client.
func overtake(tx *database.Tx, merchantID, clientID uuid.UUID) {
	tx.Later(`UPDATE client_page_acts SET state = 'over', code_hash = NULL WHERE merchant_id = $1 AND client_id = $2
		AND state = 'asked'`, merchantID, clientID)
}

// unfinishedSince counts the acts that a client asked for since a moment and did not finish.
func unfinishedSince(tx *database.Tx, merchantID, clientID uuid.UUID, since time.Time) (int, error) {
	return count(tx, `SELECT count(*) FROM client_page_acts WHERE merchant_id = $1 AND client_id = $2 AND asked_at > $3
		AND state <> 'done'`, merchantID, clientID, database.Instant(since))
}

// doneSince counts what a client did of a kind since a moment; with an object, about that alone.
func doneSince(tx *database.Tx, merchantID, clientID uuid.UUID, kind Kind, object uuid.UUID,
	since time.Time) (int, error) {
	return count(tx, `SELECT count(*) FROM client_page_acts WHERE merchant_id = $1 AND client_id = $2 AND kind = $3
		AND state = 'done' AND done_at > $4 AND ($5::uuid IS NULL OR object_id = $5)`, merchantID, clientID, string(kind),
		database.Instant(since), database.OrNull(object))
}

func count(tx *database.Tx, sql string, args ...any) (n int, err error) {
	if err := tx.Flush(); err != nil {
		return 0, err
	}
	err = tx.Pgx(func(on pgx.Tx) error { return on.QueryRow(tx.Context(), sql, args...).Scan(&n) })
	if err != nil {
		return 0, fmt.Errorf("count acts: %w", err)
	}
	return n, nil
}
