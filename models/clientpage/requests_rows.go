package clientpage

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
)

var (
	requestTable = table.New[Request]("client_requests")
	requestMove  = requestTable.Write(`UPDATE client_requests SET @set(state, answer, answered_on, answered_by,
		answerer_id, updated_at), version = version + 1 WHERE merchant_id = @merchant_id AND id = @id
		AND version = @version`)
	requestView = table.View[Request]()
)

func insertRequest(tx *database.Tx, r Request) { database.Insert(tx, requestTable, r) }

// saveRequest writes a request that this transaction holds.
func saveRequest(tx *database.Tx, r Request) error {
	won, err := database.Change(tx, requestMove, r)
	if err == nil && !won {
		err = fault.ErrLost
	}
	return err
}

func lockRequest(tx *database.Tx, merchantID, id uuid.UUID) (Request, error) {
	return database.One(tx.Context(), tx.DB(), requestTable, "merchant_id = $1 AND id = $2 FOR UPDATE", merchantID, id)
}

var requestColumns = `SELECT ` + requestTable.Columns("r") + `, coalesce(` + client.NameIn("c.") + `, '') AS client_name
	FROM client_requests r LEFT JOIN clients c ON c.id = r.client_id `

// request finds a request with the name of its client.
func (s Store) request(ctx context.Context, merchantID, id uuid.UUID) (Request, error) {
	return database.First(database.Seek(ctx, s.DB, requestView, requestColumns+"WHERE r.merchant_id = ? AND r.id = ?",
		merchantID, id))
}

// openRequests are the open ones by the day on which they are due.
func (s Store) openRequests(ctx context.Context, merchantID uuid.UUID, limit int) ([]Request, error) {
	return database.Seek(ctx, s.DB, requestView, requestColumns+
		"WHERE r.merchant_id = ? AND r.state = 'open' ORDER BY r.due_on, r.id LIMIT ?", merchantID, limit)
}

// closedRequests are those that were answered or withdrawn, the newest request first.
func (s Store) closedRequests(ctx context.Context, merchantID uuid.UUID, limit int) ([]Request, error) {
	return database.Seek(ctx, s.DB, requestView, requestColumns+
		"WHERE r.merchant_id = ? AND r.state <> 'open' ORDER BY r.id DESC LIMIT ?", merchantID, limit)
}

// requestsOf are those of a client, the newest first.
func (s Store) requestsOf(ctx context.Context, merchantID, clientID uuid.UUID, limit int) ([]Request, error) {
	return database.Seek(ctx, s.DB, requestView, requestColumns+
		"WHERE r.merchant_id = ? AND r.client_id = ? ORDER BY r.id DESC LIMIT ?", merchantID, clientID, limit)
}
