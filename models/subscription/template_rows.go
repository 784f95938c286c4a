package subscription

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/database/table"
	"debitdesk/models/paging"
)

// Store is where templates and subscribers are kept.
type Store struct{ *database.DB }

var (
	templateTable = table.New[Template]("billing_templates")
	templateMove  = templateTable.Write(`UPDATE billing_templates SET @set, version = version + 1
		WHERE merchant_id = @merchant_id AND id = @id AND version = @version AND deleted_at IS NULL`)
)

func insertTemplate(tx *database.Tx, t Template) { database.Insert(tx, templateTable, t) }

// moveTemplate is a compare-and-set on the version: the transaction ends with fault.ErrLost
// when another was quicker.
func moveTemplate(tx *database.Tx, t Template) { database.MustChange(tx, templateMove, t) }

// holdTemplate keeps a template as it was read while a client is added to it or a subscription begins: its deletion
// waits, and ends that subscriber too, and a change of its plan waits, and finds it locked. The transaction ends with
// fault.ErrLost when it was deleted or changed already.
func holdTemplate(tx *database.Tx, t Template) {
	tx.MustHold(
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
	tx.Must(
		`SELECT count(*) FROM (SELECT 1) AS plan WHERE NOT EXISTS (SELECT FROM template_clients
			WHERE merchant_id = $1 AND template_id = $2 AND activated_at IS NOT NULL)`,
		t.MerchantID,
		t.ID,
	)
}

// endSubscribersOf makes all subscribers of a template inactive and counts them.
func endSubscribersOf(tx *database.Tx, merchantID, templateID uuid.UUID, why string) (int, error) {
	n, err := tx.Exec(
		`UPDATE template_clients SET status = 'inactive', why = $3, next_on = NULL, next_at = NULL,
			stored_token = NULL, stored_at = NULL,
		version = version + 1, updated_at = $4 WHERE merchant_id = $1 AND template_id = $2 AND status <> 'inactive'`,
		merchantID,
		templateID,
		why,
		tx.Now(),
	)
	if err != nil {
		return 0, fmt.Errorf("end subscribers: %w", err)
	}
	return int(n), nil
}

// Template finds a template that was not deleted, with what is counted of it.
func (s Store) Template(ctx context.Context, merchantID, id uuid.UUID) (Template, error) {
	t, err := database.One(ctx, s.DB, templateTable, "merchant_id = $1 AND id = $2 AND deleted_at IS NULL", merchantID, id)
	if err != nil {
		return t, err
	}
	one := []Template{t}
	err = s.countSubscribers(ctx, merchantID, one)
	return one[0], err
}

// TemplatesByID finds those of some templates that there are, in no order.
func (s Store) TemplatesByID(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) ([]Template, error) {
	found, err := database.All(ctx, s.DB, templateTable, "merchant_id = $1 AND id = ANY($2) AND deleted_at IS NULL",
		merchantID, ids)
	if err != nil {
		return nil, err
	}
	return found, s.countSubscribers(ctx, merchantID, found)
}

// TemplateNames are the names of some templates, of deleted ones too.
func (s Store) TemplateNames(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	found, err := database.All(ctx, s.DB, templateTable, "merchant_id = $1 AND id = ANY($2)", merchantID, ids)
	out := make(map[uuid.UUID]string, len(found))
	for _, t := range found {
		out[t.ID] = t.Name()
	}
	return out, err
}

// AnyTemplate finds a template, deleted or not, without its counts.
func (s Store) AnyTemplate(ctx context.Context, merchantID, id uuid.UUID) (Template, error) {
	return database.One(ctx, s.DB, templateTable, "merchant_id = $1 AND id = $2", merchantID, id)
}

// pricesBegun lists templates of all merchants whose planned price has begun by a day.
func (s Store) pricesBegun(ctx context.Context, day calendar.Date, limit int) ([]Template, error) {
	return database.Seek(ctx, s.DB, templateTable, templateTable.Select+
		`price_change ->> 'applied' = 'false' AND price_change ->> 'from' <= ? AND deleted_at IS NULL
		ORDER BY price_change ->> 'from' LIMIT ?`, day.String(), limit)
}

// Templates lists a page, newest first, one more than the page has.
func (s Store) Templates(ctx context.Context, merchantID uuid.UUID, f Filter,
	ask paging.Ask) ([]Template, error) {
	where, args := database.Bound("merchant_id")+" AND deleted_at IS NULL", []any{merchantID}
	if f.IsSubscription != nil {
		where, args = where+" AND is_subscription = ?", append(args, *f.IsSubscription)
	}
	if f.BrandID != uuid.Nil {
		where, args = where+" AND brand_id = ?", append(args, f.BrandID)
	}
	if words := strings.TrimSpace(f.Search); words != "" {
		where, args = where+" AND position(lower(?) IN lower(title)) > 0", append(args, words)
	}
	direction, beside, from := database.BesideID("id", ask)
	query := templateTable.Select + where + beside +
		fmt.Sprintf(" ORDER BY merchant_id %[1]s, id %[1]s LIMIT %[2]d", direction, ask.Fetch())
	out, err := database.Seek(ctx, s.DB, templateTable, query, append(args, from...)...)
	if err != nil {
		return nil, err
	}
	return out, s.countSubscribers(ctx, merchantID, out)
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
