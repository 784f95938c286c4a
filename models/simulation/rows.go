package simulation

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"debitdesk/models/database"
	"debitdesk/models/fault"
)

// Store is where runs of the simulator are kept.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (Run) TableName() string { return "simulations" }

// insertRun keeps a run; Conflict when another one is open.
func insertRun(tx *database.Tx, r Run) error {
	err := tx.Gorm().Create(&r).Error
	if database.Violates(err, "simulations_one") {
		return fault.New(fault.Conflict, "simulation_running",
			"The simulator is playing already. There is one clock: wait until that is done.")
	}
	return err
}

// Runs lists the newest runs of a merchant.
func (s Store) Runs(ctx context.Context, merchantID uuid.UUID, limit int) (runs []Run, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Order("id DESC").Limit(limit).Find(&runs).Error
	return runs, err
}

// runs is every merchant's: there is one clock.
func (s Store) runs(ctx context.Context) *gorm.DB {
	return s.Gorm(ctx).Model(&Run{}).Scopes(database.AcrossMerchants)
}

// OpenRun tells whether any merchant's run is open.
func (s Store) OpenRun(ctx context.Context) (bool, error) {
	var n int64
	err := s.runs(ctx).Where("state IN ?", []State{Waiting, Running}).Limit(1).Count(&n).Error
	return n > 0, err
}

// ClaimRun takes a waiting run; false when it is taken or over. Claims run in real
// time.
func (s Store) ClaimRun(ctx context.Context, id, claim uuid.UUID, holds time.Duration) (Run, bool, error) {
	var taken []Run
	err := s.Gorm(ctx).Model(&taken).Scopes(database.AcrossMerchants).Clauses(clause.Returning{}).
		Where("id = ? AND state = ?", id, Waiting).
		UpdateColumns(map[string]any{"state": Running, "claim": claim, "claimed_until": until(holds)}).Error
	if err != nil || len(taken) == 0 {
		return Run{}, false, err
	}
	return taken[0], true, nil
}

func until(holds time.Duration) clause.Expr {
	return gorm.Expr("clock_timestamp() + ?::interval", holds)
}

// claimed is the scope of the run at which somebody is with a claim.
func claimed(r Run, claim uuid.UUID) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB {
		return db.Where("id = ? AND claim = ? AND state = ?", r.ID, claim, Running)
	}
}

// HoldRun renews a claim and notes the progress.
func (s Store) HoldRun(ctx context.Context, r Run, claim uuid.UUID, holds time.Duration) error {
	return s.runs(ctx).Scopes(claimed(r, claim)).UpdateColumns(map[string]any{"done_steps": r.Steps,
		"all_steps": r.AllSteps, "claimed_until": until(holds), "updated_at": s.Now()}).Error
}

// FinishRun ends a run that is claimed so.
func (s Store) FinishRun(ctx context.Context, r Run, claim uuid.UUID) error {
	return s.Gorm(ctx).Model(&held{}).Scopes(database.AcrossMerchants, claimed(r, claim)).
		Select("state", "done_steps", "all_steps", "result", "note", "updated_at", "claim", "claimed_until").
		UpdateColumns(held{Run: r}).Error
}

// held is a run with who is at it, and how long; zero: nobody.
type held struct {
	Run
	Claim        uuid.UUID
	ClaimedUntil time.Time
}

// WaitingRuns are those that nobody has taken.
func (s Store) WaitingRuns(ctx context.Context) (ids []uuid.UUID, err error) {
	if err = s.runs(ctx).Where("state = ?", Waiting).Pluck("id", &ids).Error; err != nil {
		return nil, fmt.Errorf("find simulations: %w", err)
	}
	return ids, nil
}

// DropLostRuns ends runs whose worker is gone.
func (s Store) DropLostRuns(ctx context.Context, note string) error {
	return s.runs(ctx).Where("state = ? AND claimed_until < clock_timestamp()", Running).
		UpdateColumns(map[string]any{"state": Failed, "note": note, "claim": nil, "claimed_until": nil}).Error
}
