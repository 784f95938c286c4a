package clientpage

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/database/table"
)

// Store is where links, visits and what clients did are kept.
type Store struct{ *database.DB }

var (
	linkTable    = table.New[Link]("client_page_links")
	sessionTable = table.New[Session]("client_page_sessions")
	sessionView  = table.View[openVisit]()
)

// openVisit is the link of a visit, with when the visit ends.
type openVisit struct {
	Link
	Until time.Time
}

func insertLink(tx *database.Tx, l Link) { database.Insert(tx, linkTable, l) }

func insertSession(tx *database.Tx, s Session) { database.Insert(tx, sessionTable, s) }

// link finds a link by its hash, whatever became of it; NotFound when there is none.
func (s Store) link(ctx context.Context, hash []byte) (Link, error) {
	return database.One(ctx, s.DB, linkTable, "token_hash = $1", hash)
}

// openLink notes that a link was opened; false when it does not work any more.
func openLink(tx *database.Tx, l Link, now time.Time) (bool, error) {
	return tx.ExecOne("open a link", `UPDATE client_page_links SET opened_at = coalesce(opened_at, $3)
		WHERE merchant_id = $1 AND id = $2 AND revoked_at IS NULL AND expires_at > $3`, l.MerchantID, l.ID,
		database.Instant(now))
}

// visit finds the link of a visit that goes on; NotFound otherwise. A visit ends with its link.
func (s Store) visit(ctx context.Context, hash []byte, now time.Time) (openVisit, error) {
	return database.First(database.Seek(ctx, s.DB, sessionView, `SELECT `+linkTable.Columns("l")+`, v.expires_at AS until
		FROM client_page_sessions v JOIN client_page_links l ON l.id = v.link_id AND l.merchant_id = v.merchant_id
		WHERE v.token_hash = ? AND v.expires_at > ? AND l.revoked_at IS NULL`, hash, database.Instant(now)))
}

func endSession(tx *database.Tx, hash []byte) {
	tx.Later(`DELETE FROM client_page_sessions WHERE token_hash = $1`, hash)
}

// endLinks ends the links of a client that work, and tells how many there were.
func endLinks(tx *database.Tx, merchantID, clientID uuid.UUID, why string, now time.Time) (int64, error) {
	n, err := tx.Exec(`UPDATE client_page_links SET revoked_at = $4, revoked_why = $3 WHERE merchant_id = $1
		AND client_id = $2 AND revoked_at IS NULL AND expires_at > $4`, merchantID, clientID, why, database.Instant(now))
	if err != nil {
		return 0, fmt.Errorf("end links: %w", err)
	}
	return n, nil
}

// LinksOf are the newest links of a client.
func (s Store) LinksOf(ctx context.Context, merchantID, clientID uuid.UUID, limit int) ([]Link, error) {
	return database.Seek(ctx, s.DB, linkTable, `SELECT `+linkTable.Columns("l")+` FROM client_page_links l
		WHERE l.merchant_id = ? AND l.client_id = ? ORDER BY l.id DESC LIMIT ?`, merchantID, clientID, limit)
}

// sentSince counts the links that were made for a client since a moment.
func sentSince(tx *database.Tx, merchantID, clientID uuid.UUID, since time.Time) (n int, err error) {
	err = tx.Pgx(func(on pgx.Tx) error {
		return on.QueryRow(tx.Context(), `SELECT count(*) FROM client_page_links WHERE merchant_id = $1 AND client_id = $2
			AND created_at > $3`, merchantID, clientID, database.Instant(since)).Scan(&n)
	})
	if err != nil {
		return 0, fmt.Errorf("count links: %w", err)
	}
	return n, nil
}

// known finds the live clients of a merchant with an e-mail address, or a phone number in its stored form, who have an
// address to which a link can be sent.
func (s Store) known(ctx context.Context, merchantID uuid.UUID, email, phone string,
	limit int) ([]client.Client, error) {
	return database.All(ctx, s.DB, client.Table, `merchant_id = $1 AND deleted_at IS NULL AND erased_at IS NULL
		AND email <> '' AND ($2 <> '' AND lower(email) = lower($2) OR $3 <> '' AND phone = $3) ORDER BY id DESC LIMIT $4`,
		merchantID, email, phone, limit)
}

// brandOf is the brand whose purchase a client got last; zero for none.
func (s Store) brandOf(ctx context.Context, merchantID, clientID uuid.UUID) (id uuid.UUID, err error) {
	found, err := database.Seek(ctx, s.DB, brandView, `SELECT p.brand_id AS id FROM purchases p WHERE p.merchant_id = ?
		AND p.client_id = ? ORDER BY p.id DESC LIMIT 1`, merchantID, clientID)
	if err != nil || len(found) == 0 {
		return uuid.Nil, err
	}
	return found[0].ID, nil
}

type idOf struct{ ID uuid.UUID }

var brandView = table.View[idOf]()

// Tidy removes visits that are over, and links a month after they ended.
func (s Store) Tidy(ctx context.Context, now time.Time) error {
	for _, over := range []struct {
		sql    string
		before time.Time
	}{{`DELETE FROM client_page_sessions WHERE ctid = ANY (ARRAY(SELECT ctid FROM client_page_sessions
			WHERE expires_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`, now},
		{`DELETE FROM client_page_links WHERE ctid = ANY (ARRAY(SELECT ctid FROM client_page_links
			WHERE expires_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`, now.Add(-linksKept)}} {
		if err := s.InChunks(ctx, over.sql, over.before); err != nil {
			return fmt.Errorf("tidy the client's page: %w", err)
		}
	}
	return nil
}

// linksKept is how long a link is kept that does not work any more, for the client's page at the desk.
const linksKept = 30 * 24 * time.Hour
