package statement

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"debitdesk/models/database"
	"debitdesk/models/paging"
	"debitdesk/models/report"
)

// Store is where the statements of companies are kept.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler. The file, and who is at it, are columns that no list reads.
func (Statement) TableName() string { return "company_statements" }

// cancelStatement moves an open statement; false when it is over already.
// Compare-and-set from what is open.
func cancelStatement(tx *database.Tx, merchantID, id uuid.UUID) (bool, error) {
	cancelled, err := database.Found(tx.Gorm().Model(&Statement{}).Scopes(database.OfMerchant(merchantID)).
		Where("id = ? AND status IN ?", id, []Status{Pending, Running}).
		UpdateColumns(map[string]any{"status": Cancelled, "file": nil, "claim": nil, "claimed_until": nil,
			"finished_at": tx.Now(), "updated_at": tx.Now()}))
	if err != nil {
		return false, fmt.Errorf("cancel statement: %w", err)
	}
	return cancelled, nil
}

func (s Store) Statement(ctx context.Context, merchantID, id uuid.UUID) (st Statement, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&st, "id = ?", id).Error
	return st, err
}

func (s Store) Statements(ctx context.Context, merchantID uuid.UUID,
	ask paging.Ask) (paging.Page[Statement], error) {
	var found []Statement
	err := database.PageOf(s.Gorm(ctx).Model(&Statement{}), "merchant_id", merchantID, ask).Find(&found).Error
	if err != nil {
		return paging.Page[Statement]{}, err
	}
	return paging.Cut(ask, found), nil
}

// StatementFile gives the file of a finished one; NotFound otherwise.
func (s Store) StatementFile(ctx context.Context, merchantID, id uuid.UUID) ([]byte, error) {
	var row struct{ File []byte }
	err := s.Gorm(ctx).Model(&Statement{}).Scopes(database.OfMerchant(merchantID)).Select("file").
		Where("id = ? AND status = ?", id, Finished).Take(&row).Error
	return row.File, err
}

// free is the scope of statements that somebody can take: nobody is at them. Claims run in real time.
func free(db *gorm.DB) *gorm.DB {
	return db.Where("status = ? OR status = ? AND (claimed_until IS NULL OR claimed_until < clock_timestamp())", Pending,
		Running)
}

// ClaimStatement takes an open statement that nobody is at, and keeps others from it
// for a while of real time; false when there is nothing to do.
func (s Store) ClaimStatement(ctx context.Context, id, claim uuid.UUID,
	holds time.Duration) (Statement, bool, error) {
	var taken []Statement
	now := s.Now()
	err := s.Gorm(ctx).Model(&taken).Scopes(database.AcrossMerchants, free).Where("id = ?", id).
		Clauses(clause.Returning{}).
		UpdateColumns(map[string]any{"status": Running, "claim": claim,
			"claimed_until": gorm.Expr("clock_timestamp() + ?::interval", holds),
			"began_at":      gorm.Expr("coalesce(began_at, ?)", now), "updated_at": now}).Error
	if err != nil {
		return Statement{}, false, fmt.Errorf("claim statement: %w", err)
	}
	if len(taken) == 0 {
		return Statement{}, false, nil
	}
	return taken[0], true, nil
}

// OpenStatements are those that nobody is at, oldest first.
func (s Store) OpenStatements(ctx context.Context, limit int) (ids []uuid.UUID, err error) {
	err = s.Gorm(ctx).Model(&Statement{}).Scopes(database.AcrossMerchants, free).Order("id").Limit(limit).
		Pluck("id", &ids).Error
	if err != nil {
		return nil, fmt.Errorf("find open statements: %w", err)
	}
	return ids, nil
}

// claimed is the scope of the statement at which somebody is with a claim.
func claimed(id, claim uuid.UUID) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB { return db.Where("id = ? AND status = ? AND claim = ?", id, Running, claim) }
}

// FinishStatement keeps the file, or the note of a failure; false when the claim was
// lost or the statement cancelled meanwhile. Compare-and-set of the claim.
func (s Store) FinishStatement(ctx context.Context, st Statement, claim uuid.UUID,
	file []byte) (bool, error) {
	if st.Status != Finished {
		file = nil
	}
	finished, err := database.Found(s.Gorm(ctx).Model(&Statement{}).Scopes(database.OfMerchant(st.MerchantID),
		claimed(st.ID, claim)).UpdateColumns(map[string]any{"status": st.Status, "note": st.Note, "rows": st.Rows,
		"file": file, "finished_at": st.FinishedAt, "updated_at": st.FinishedAt, "claim": nil, "claimed_until": nil}))
	if err != nil {
		return false, fmt.Errorf("finish statement: %w", err)
	}
	return finished, nil
}

// YieldStatement gives a claim back.
func (s Store) YieldStatement(ctx context.Context, id, claim uuid.UUID) error {
	return s.Gorm(ctx).Model(&Statement{}).Scopes(database.AcrossMerchants, claimed(id, claim)).
		UpdateColumns(map[string]any{"status": Pending, "claim": nil, "claimed_until": nil}).Error
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
