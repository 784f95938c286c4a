package subscription

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/paging"
)

// Store is where templates and subscribers are kept.
type Store struct{ *database.DB }

// TableName implements GORM's Tabler.
func (Template) TableName() string { return "billing_templates" }

// standing is the scope of the templates of a merchant that were not deleted.
func standing(merchantID uuid.UUID) func(*gorm.DB) *gorm.DB {
	return func(db *gorm.DB) *gorm.DB { return db.Where("merchant_id = ? AND deleted_at IS NULL", merchantID) }
}

// moveTemplate is a compare-and-set on the version: fault.ErrLost when another was quicker.
func moveTemplate(tx *database.Tx, t Template) error {
	was := t.Version
	t.Version++
	return database.OneRow(tx.Gorm().Model(&t).Scopes(standing(t.MerchantID)).Where("version = ?", was).
		Select("*").Omit("id", "merchant_id", "created_at").UpdateColumns(t))
}

// holdTemplate keeps a template as it was read while a client is added to it or a subscription begins: its deletion
// waits, and ends that subscriber too, and a change of its plan waits, and finds it locked. The transaction ends with
// fault.ErrLost when it was deleted or changed already.
func holdTemplate(tx *database.Tx, t Template) {
	tx.CheckLock(
		"billing_templates",
		`SELECT count(*) FROM (SELECT FROM billing_templates WHERE merchant_id = $1 AND id = $2 AND version = $3
			AND deleted_at IS NULL FOR SHARE) AS held`,
		t.MerchantID,
		t.ID,
		t.Version,
	)
}

// mustBeUnlaunched follows the change of a plan, which waited for those who hold the template: the transaction ends
// with fault.ErrLost when one of them launched a subscriber.
func mustBeUnlaunched(tx *database.Tx, t Template) {
	tx.Check(
		`SELECT count(*) FROM (SELECT 1) AS plan WHERE NOT EXISTS (SELECT FROM template_clients
			WHERE merchant_id = $1 AND template_id = $2 AND activated_at IS NOT NULL)`,
		t.MerchantID,
		t.ID,
	)
}

// endSubscribersOf makes all subscribers of a template inactive and counts them.
func endSubscribersOf(tx *database.Tx, merchantID, templateID uuid.UUID, why string) (int, error) {
	ended := tx.Gorm().Exec(`UPDATE template_clients SET status = 'inactive', why = ?, next_on = NULL, next_at = NULL,
			stored_token = NULL, stored_at = NULL,
		version = version + 1, updated_at = ? WHERE merchant_id = ? AND template_id = ? AND status <> 'inactive'`, why,
		tx.Now(), merchantID, templateID)
	if ended.Error != nil {
		return 0, fmt.Errorf("end subscribers: %w", ended.Error)
	}
	return int(ended.RowsAffected), nil
}

// Template finds a template that was not deleted, with what is counted of it.
func (s Store) Template(ctx context.Context, merchantID, id uuid.UUID) (Template, error) {
	one := make([]Template, 1)
	if err := s.Gorm(ctx).Scopes(standing(merchantID)).Take(&one[0], "id = ?", id).Error; err != nil {
		return one[0], err
	}
	err := s.countSubscribers(ctx, merchantID, one)
	return one[0], err
}

// TemplatesByID finds those of some templates that there are, in no order.
func (s Store) TemplatesByID(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (found []Template, err error) {
	if err := s.Gorm(ctx).Scopes(standing(merchantID)).Where("id IN ?", ids).Find(&found).Error; err != nil {
		return nil, err
	}
	return found, s.countSubscribers(ctx, merchantID, found)
}

// TemplateNames are the names of some templates, of deleted ones too.
func (s Store) TemplateNames(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	var found []Template
	err := s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("id IN ?", ids).Find(&found).Error
	out := make(map[uuid.UUID]string, len(found))
	for _, t := range found {
		out[t.ID] = t.Name()
	}
	return out, err
}

// AnyTemplate finds a template, deleted or not, without its counts.
func (s Store) AnyTemplate(ctx context.Context, merchantID, id uuid.UUID) (t Template, err error) {
	err = s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Take(&t, "id = ?", id).Error
	return t, err
}

// pricesBegun lists templates of all merchants whose planned price has begun by a day.
func (s Store) pricesBegun(ctx context.Context, day calendar.Date, limit int) (found []Template, err error) {
	err = s.Gorm(ctx).Scopes(database.AcrossMerchants).
		Where("price_change ->> 'applied' = 'false' AND price_change ->> 'from' <= ? AND deleted_at IS NULL", day.String()).
		Order("price_change ->> 'from'").Limit(limit).Find(&found).Error
	return found, err
}

// Templates lists a page, newest first, one more than the page has.
func (s Store) Templates(ctx context.Context, merchantID uuid.UUID, f Filter,
	ask paging.Ask) (found []Template, err error) {
	of := s.Gorm(ctx).Where("deleted_at IS NULL")
	if f.IsSubscription != nil {
		of = of.Where("is_subscription = ?", *f.IsSubscription)
	}
	if f.BrandID != uuid.Nil {
		of = of.Where("brand_id = ?", f.BrandID)
	}
	if words := strings.TrimSpace(f.Search); words != "" {
		of = of.Where("position(lower(?) IN lower(title)) > 0", words)
	}
	if err := database.PageOf(of, "merchant_id", merchantID, ask).Find(&found).Error; err != nil {
		return nil, err
	}
	return found, s.countSubscribers(ctx, merchantID, found)
}

// countSubscribers fills in what is counted of templates.
func (s Store) countSubscribers(ctx context.Context, merchantID uuid.UUID, list []Template) error {
	if len(list) == 0 {
		return nil
	}
	ids, at := make([]uuid.UUID, len(list)), map[uuid.UUID]int{}
	for i, t := range list {
		ids[i], at[t.ID] = t.ID, i
		list[i].Counts = map[Status]int64{}
	}
	var rows []struct {
		TemplateID uuid.UUID
		Status     string
		N          int64
		Launched   bool
		NextOn     calendar.Date
	}
	err := s.Gorm(ctx).Raw(`SELECT template_id, status, count(*) AS n, bool_or(activated_at IS NOT NULL) AS launched,
		min(next_on) FILTER (WHERE status = 'active') AS next_on FROM template_clients
		WHERE merchant_id = ? AND template_id = ANY(?::uuid[]) GROUP BY template_id, status`, merchantID,
		database.IDs(ids)).Scan(&rows).Error
	if err != nil {
		return fmt.Errorf("count subscribers: %w", err)
	}
	for _, r := range rows {
		t := &list[at[r.TemplateID]]
		t.Counts[Status(r.Status)] = r.N
		t.Launched = t.Launched || r.Launched
		if !r.NextOn.IsZero() {
			t.NextOn = r.NextOn
		}
		t.HasActive = t.HasActive || r.Status == string(Active)
	}
	return nil
}
