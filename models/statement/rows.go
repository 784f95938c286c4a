package statement

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
	"debitdesk/models/report"
)

var statementTable = table.New[Statement]("company_statements")

// Store is where the statements of companies are kept.
type Store struct{ *database.DB }

func insertStatement(tx *database.Tx, s Statement) { database.Insert(tx, statementTable, s) }

// cancelStatement moves an open statement; false when it is over already.
// Compare-and-set from what is open.
func cancelStatement(tx *database.Tx, merchantID, id uuid.UUID) (bool, error) {
	n, err := tx.Exec(
		`UPDATE company_statements SET status = 'cancelled', file = NULL, claim = NULL, claimed_until = NULL,
			finished_at = $3, updated_at = $3
		WHERE merchant_id = $1 AND id = $2 AND status IN ('pending', 'running')`,
		merchantID,
		id,
		tx.Now(),
	)
	if err != nil {
		return false, fmt.Errorf("cancel statement: %w", err)
	}
	return n == 1, nil
}

func (s Store) Statement(ctx context.Context, merchantID, id uuid.UUID) (Statement, error) {
	return database.One(ctx, s.DB, statementTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

func (s Store) Statements(ctx context.Context, merchantID uuid.UUID,
	ask paging.Ask) (paging.Page[Statement], error) {
	found, err := database.Find(
		ctx,
		s.DB,
		statementTable,
		database.PageOf(database.List(ctx, s.DB, statementTable), "merchant_id", merchantID, ask),
	)
	if err != nil {
		return paging.Page[Statement]{}, err
	}
	return paging.Cut(ask, found), nil
}

// StatementFile gives the file of a finished one; NotFound otherwise.
func (s Store) StatementFile(ctx context.Context, merchantID, id uuid.UUID) (file []byte, err error) {
	err = s.Pool.QueryRow(ctx,
		`SELECT file FROM company_statements WHERE merchant_id = $1 AND id = $2 AND status = 'finished'`,
		database.Native([]any{merchantID, id})...).Scan(&file)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.Missing()
	}
	return file, err
}

const statementFree = `(status = 'pending' OR status = 'running'
	AND (claimed_until IS NULL OR claimed_until < clock_timestamp()))`

// ClaimStatement takes an open statement that nobody is at, and keeps others from it
// for a while of real time; false when there is nothing to do. Claims run in real time.
func (s Store) ClaimStatement(ctx context.Context, id, claim uuid.UUID,
	holds time.Duration) (Statement, bool, error) {
	var merchantID uuid.UUID
	now := s.Now()
	err := s.Pool.QueryRow(ctx,
		`UPDATE company_statements SET status = 'running', claim = $2, claimed_until = clock_timestamp() + $3::interval,
		began_at = coalesce(began_at, $4), updated_at = $4 WHERE id = $1 AND `+statementFree+` RETURNING merchant_id`,
		database.Native([]any{id, claim, holds, now})...).Scan((*[16]byte)(&merchantID))
	if errors.Is(err, pgx.ErrNoRows) {
		return Statement{}, false, nil
	}
	if err != nil {
		return Statement{}, false, fmt.Errorf("claim statement: %w", err)
	}
	st, err := s.Statement(ctx, merchantID, id)
	return st, err == nil, err
}

// OpenStatements are those that nobody is at, oldest first.
func (s Store) OpenStatements(ctx context.Context, limit int) ([]uuid.UUID, error) {
	rows, err := s.Pool.Query(ctx, `SELECT id::text FROM company_statements WHERE status IN ('pending', 'running') AND `+
		statementFree+` ORDER BY id LIMIT $1`, limit)
	if err != nil {
		return nil, fmt.Errorf("find open statements: %w", err)
	}
	ids, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) (id uuid.UUID, err error) {
		var text string
		if err = r.Scan(&text); err == nil {
			id, err = uuid.Parse(text)
		}
		return id, err
	})
	if err != nil {
		return nil, fmt.Errorf("find open statements: %w", err)
	}
	return ids, nil
}

// FinishStatement keeps the file, or the note of a failure; false when the claim was
// lost or the statement cancelled meanwhile. Compare-and-set of the claim.
func (s Store) FinishStatement(ctx context.Context, st Statement, claim uuid.UUID,
	file []byte) (bool, error) {
	if st.Status != Finished {
		file = nil
	}
	tag, err := s.Pool.Exec(
		ctx,
		`UPDATE company_statements SET status = $3, note = $4, rows = $5, file = $6, finished_at = $7, updated_at = $7,
			claim = NULL, claimed_until = NULL
		WHERE id = $1 AND status = 'running' AND claim = $2`,
		database.Native([]any{st.ID, claim, string(st.Status), st.Note, st.Rows, file, st.FinishedAt})...)
	if err != nil {
		return false, fmt.Errorf("finish statement: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

// YieldStatement gives a claim back.
func (s Store) YieldStatement(ctx context.Context, id, claim uuid.UUID) error {
	_, err := s.Pool.Exec(
		ctx,
		`UPDATE company_statements SET status = 'pending', claim = NULL, claimed_until = NULL
			WHERE id = $1 AND status = 'running' AND claim = $2`,
		database.Native([]any{id, claim})...)
	return err
}

// Book reads the movements of a merchant in one snapshot and calls fn with them. Sums
// and movements of one snapshot.
func (s Store) Book(ctx context.Context, merchantID uuid.UUID, f report.Filter, fn func(Book) error) error {
	return pgx.BeginTxFunc(ctx, s.Pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly},
		func(tx pgx.Tx) error {
			sums, err := sumsOf(ctx, tx, merchantID, f)
			if err != nil {
				return fmt.Errorf("sums of a statement: %w", err)
			}
			return fn(Book{Sums: sums, Each: func(each func(Line) error) error {
				return lines(ctx, tx, merchantID, f, each)
			}})
		})
}

func sumsOf(ctx context.Context, tx pgx.Tx, merchantID uuid.UUID, f report.Filter) (sums Sums, err error) {
	args := pgx.NamedArgs{}
	err = tx.QueryRow(ctx, `SELECT coalesce(sum(e.n), 0)::bigint,
		coalesce(sum(e.cents) FILTER (WHERE e.sign >= 0), 0)::text,
		coalesce(-sum(e.cents) FILTER (WHERE e.sign < 0), 0)::text FROM `+report.SumsOf(merchantID, f, args),
		args).
		Scan(&sums.Rows, &sums.InCents, &sums.OutCents)
	if err == nil && !f.From.IsZero() {
		before, args := f, pgx.NamedArgs{}
		before.From, before.To = time.Time{}, f.From.Add(-time.Microsecond)
		err = tx.QueryRow(ctx, `SELECT coalesce(sum(e.cents), 0)::text FROM `+report.SumsOf(merchantID, before, args),
			args).Scan(&sums.OpeningCents)
	}
	sums.ClosingCents = sums.OpeningCents.Plus(sums.InCents).Minus(sums.OutCents)
	return sums, err
}

func lines(ctx context.Context, tx pgx.Tx, merchantID uuid.UUID, f report.Filter,
	each func(Line) error) error {
	args := pgx.NamedArgs{}
	rows, err := tx.Query(
		ctx,
		`SELECT m.at, m.kind, m.purchase_id, coalesce(nullif(p.reference, ''), p.reference_generated),
			coalesce(nullif(p.payer_name, ''), p.payer_email),
		coalesce(t.account_mask, ''), coalesce(d.method, ''), m.code, m.amount_cents
		FROM (SELECT e.*`+report.MovementsOf(merchantID, f, args)+`) AS m JOIN purchases p ON p.id = m.purchase_id
			LEFT JOIN collections d ON d.id = m.collection_id LEFT JOIN tokens t ON t.id = d.token_id
		ORDER BY m.day, m.at, m.id`,
		args,
	)
	if err != nil {
		return fmt.Errorf("lines of a statement: %w", err)
	}
	var l Line
	into := []any{&l.At, &l.Kind, (*[16]byte)(&l.PurchaseID), &l.Reference, &l.Payer, &l.Account, &l.Method, &l.Code,
		&l.AmountCents}
	if _, err := pgx.ForEachRow(rows, into, func() error { return each(l) }); err != nil {
		return fmt.Errorf("lines of a statement: %w", err)
	}
	return nil
}
