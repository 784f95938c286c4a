package clientpage

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
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

// requests lists a page of the register, newest first.
func (s Store) requests(ctx context.Context, merchantID uuid.UUID, f RequestFilter,
	ask paging.Ask) (paging.Page[Request], error) {
	list := database.List(ctx, s.DB, requestTable).Where("merchant_id = ?", merchantID)
	if f.State != "" {
		list = list.Where("state = ?", string(f.State))
	}
	if f.ClientID != uuid.Nil {
		list = list.Where("client_id = ?", f.ClientID)
	}
	found, err := database.Find(ctx, s.DB, requestTable, database.Page(list, ask))
	if err != nil {
		return paging.Page[Request]{}, err
	}
	page := paging.Cut(ask, found)
	ids := make([]uuid.UUID, len(page.Items))
	for i, r := range page.Items {
		ids[i] = r.ID
	}
	named, err := database.Seek(ctx, s.DB, requestView, requestColumns+
		"WHERE r.merchant_id = ? AND r.id = ANY(?::text[]::uuid[])", merchantID, database.TextArray(texts(ids)))
	names := make(map[uuid.UUID]string, len(named))
	for _, r := range named {
		names[r.ID] = r.ClientName
	}
	for i := range page.Items {
		page.Items[i].ClientName = names[page.Items[i].ID]
	}
	return page, err
}

func texts(ids []uuid.UUID) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.String()
	}
	return out
}
