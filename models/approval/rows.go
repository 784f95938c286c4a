package approval

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
)

// Store is where requests are kept.
type Store struct{ *database.DB }

var (
	approvalTable = table.New("approvals", table.Column[Approval]{Name: "input_sealed", Once: true,
		Write: func(box *seal.Box, a *Approval) (any, error) {
			if a.Input == nil {
				return nil, nil
			}
			return box.SealBytes(inputPlace(a), a.Input), nil
		},
		Read: func(box *seal.Box, a *Approval, stored []byte) (err error) {
			a.Input, err = box.OpenBytes(inputPlace(a), stored)
			return err
		}})
	decided = approvalTable.Write(
		`UPDATE approvals SET @set(state, decided_by, decided_name, decision, decided_at, subject),
		input_sealed = NULL, version = version + 1
		WHERE merchant_id = @merchant_id AND id = @id AND state = 'open' AND version = @version
		AND expires_at > @decided_at`)
)

func inputPlace(a *Approval) seal.Place {
	return seal.PlaceOf("approvals", "input_sealed", a.MerchantID, a.ID)
}

// insert refuses a second open request for the same thing.
func insert(tx *database.Tx, a Approval) error {
	database.Insert(tx, approvalTable, a)
	switch err := tx.Flush(); {
	case database.Violates(err, "approvals_one_open"):
		return fault.New(fault.Conflict, "already_asked",
			"Approval was already asked for. The request is still waiting for an answer.")
	case err != nil:
		return fmt.Errorf("add approval: %w", err)
	}
	return nil
}

// end ends an open request; false when it was ended meanwhile.
func end(tx *database.Tx, a Approval) (bool, error) { return database.Change(tx, decided, a) }

// expire ends open requests whose time is over: at most limit, of one merchant or, with the
// zero id, of all.
func expire(tx *database.Tx, merchantID uuid.UUID, limit int) ([]Approval, error) {
	return database.Seek(tx.Context(), tx.DB(), approvalTable,
		`UPDATE approvals SET state = 'expired', decided_at = ?, input_sealed = NULL, version = version + 1
			WHERE id IN (SELECT id FROM approvals
		WHERE state = 'open' AND expires_at <= ? AND (merchant_id = ? OR ?)
		LIMIT ? FOR UPDATE SKIP LOCKED) RETURNING *`,
		tx.Now(), tx.Now(), merchantID, merchantID == uuid.Nil, limit)
}

// Approval finds one of the merchant's.
func (s Store) Approval(ctx context.Context, merchantID, id uuid.UUID) (Approval, error) {
	return database.One(ctx, s.DB, approvalTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// Approvals lists requests, newest first; only open ones or only others. One whose time is over counts as ended.
func (s Store) Approvals(ctx context.Context, merchantID uuid.UUID, open bool,
	ask paging.Ask) ([]Approval, error) {
	of := database.List(ctx, s.DB, approvalTable, "input_sealed").
		Where("(state = 'open' AND expires_at > ?) = ?", s.Now(), open)
	return database.Find(ctx, s.DB, approvalTable, database.PageOf(of, "merchant_id", merchantID, ask))
}

// OpenApproval finds the open request for the same thing.
func (s Store) OpenApproval(ctx context.Context, merchantID uuid.UUID, kind Kind,
	key string) (Approval, bool, error) {
	found, err := database.All(ctx, s.DB, approvalTable,
		"merchant_id = $1 AND kind = $2 AND subject_key = $3 AND state = 'open' AND expires_at > $4 LIMIT 1",
		merchantID, kind, key, s.Now())
	if err != nil || len(found) == 0 {
		return Approval{}, false, err
	}
	return found[0], true, nil
}

// mostOpen is how many requests of one kind stand on a page beside what they are about.
const mostOpen = 50

// openOf lists the open requests of a kind, newest first.
func (s Store) openOf(ctx context.Context, merchantID uuid.UUID, kind Kind) ([]Approval, error) {
	return database.All(ctx, s.DB, approvalTable, `merchant_id = $1 AND kind = $2 AND state = 'open' AND expires_at > $3
		ORDER BY id DESC LIMIT $4`, merchantID, kind, s.Now(), mostOpen)
}

// OpenDeletionOf finds the newest open request to delete the token, alone or with others.
func (s Store) OpenDeletionOf(ctx context.Context, merchantID, tokenID uuid.UUID) (Approval, bool, error) {
	found, err := database.All(ctx, s.DB, approvalTable,
		`merchant_id = $1 AND kind = 'delete_tokens' AND state = 'open' AND expires_at > $2
			AND subject->'tokens' @> to_jsonb($3::text) ORDER BY id DESC LIMIT 1`, merchantID, s.Now(), tokenID.String())
	if err != nil || len(found) == 0 {
		return Approval{}, false, err
	}
	return found[0], true, nil
}

// CountOpenApprovals counts the requests that wait for an answer.
func (s Store) CountOpenApprovals(ctx context.Context, merchantID uuid.UUID) (n int, err error) {
	err = s.Pool.QueryRow(ctx,
		`SELECT count(*) FROM approvals WHERE merchant_id = $1 AND state = 'open' AND expires_at > $2`, merchantID,
		s.Now()).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count approvals: %w", err)
	}
	return n, nil
}
