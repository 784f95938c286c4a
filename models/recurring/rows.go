package recurring

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
)

// Store keeps what was reckoned.
type Store struct{ *database.DB }

type run struct {
	MerchantID uuid.UUID
	AsOf       calendar.Date
}

// due are the merchants with subscriptions that were not reckoned until a day.
func (s Store) due(ctx context.Context, until calendar.Date) (out []run, err error) {
	err = s.Gorm(ctx).Raw(`SELECT m.id AS merchant_id, r.as_of FROM merchants m
			LEFT JOIN recurring_runs r ON r.merchant_id = m.id
		WHERE (r.as_of IS NULL OR r.as_of < ?) AND EXISTS (SELECT FROM template_clients c WHERE c.merchant_id = m.id)
		ORDER BY m.id`, until).Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("whose subscriptions are to be reckoned: %w", err)
	}
	return out, nil
}

// nextStart is the day on which the period of a subscriber c with the template t begins after the one that begins on
// day; as subscription.Plan.Start has it. A test compares the two.
const nextStart = `CASE t.period_units
		WHEN 'months' THEN (date_trunc('month', day.starts::timestamp)
				+ make_interval(months => t.period * day.periods))::date
			+ least(extract(day FROM coalesce(c.anchor, day.starts))::int, extract(day FROM date_trunc('month',
				day.starts::timestamp) + make_interval(months => t.period * day.periods + 1) - interval '1 day')::int) - 1
		WHEN 'weeks' THEN day.starts + 7 * t.period * day.periods
		ELSE day.starts + t.period * day.periods END`

// monthly is what an amount comes to a month, half up. A year has 52 weeks and 365 days.
const monthly = `round(CASE t.period_units WHEN 'months' THEN paid.cents::numeric / t.period
		WHEN 'weeks' THEN paid.cents::numeric * 52 / (12 * t.period)
		ELSE paid.cents::numeric * 365 / (12 * t.period) END)::bigint`

// reckoned are, for each month, who moved (moved) and what came of it. A period that is billed at its end was paid for
// the one before, and the next runs unbilled: it counts until that ends. A first period at a price of its own counts
// with the price of the template.
const reckoned = `WITH ends AS (SELECT e.month::date AS month,
			least((e.month + interval '1 month - 1 day')::date, (@until)::date) AS last
		FROM generate_series((@first)::date - interval '1 month', (@until)::date, interval '1 month') AS e (month)),
	stood AS (SELECT c.id, c.template_id, t.currency, e.month, n.cents, f.since,
			lag(n.cents) OVER (PARTITION BY c.id ORDER BY e.month) AS before
		FROM template_clients c JOIN billing_templates t ON t.id = c.template_id AND t.merchant_id = c.merchant_id
			CROSS JOIN LATERAL (SELECT b.billed_on AS since FROM billing_periods b WHERE b.template_client_id = c.id
				AND b.merchant_id = c.merchant_id AND b.purchase_id IS NOT NULL ORDER BY b.starts_on LIMIT 1) f
			CROSS JOIN ends e
			LEFT JOIN LATERAL (SELECT CASE WHEN p.status NOT IN ('cancelled', 'expired') AND ` + nextStart + ` > e.last
					THEN ` + monthly + ` END AS cents
				FROM (SELECT b.starts_on AS starts, b.purchase_id,
						CASE WHEN t.charge_at_end AND c.first_on IS NULL THEN 2 ELSE 1 END AS periods
					FROM billing_periods b WHERE b.template_client_id = c.id AND b.merchant_id = c.merchant_id
						AND b.purchase_id IS NOT NULL AND b.billed_on <= e.last ORDER BY b.starts_on DESC LIMIT 1) day
					JOIN purchases p ON p.id = day.purchase_id AND p.merchant_id = c.merchant_id
					CROSS JOIN LATERAL (SELECT CASE WHEN p.total_cents = c.first_amount_cents THEN t.total_cents
						ELSE p.total_cents END AS cents) paid) n ON true
		WHERE c.merchant_id = @merchant),
	counted AS MATERIALIZED (SELECT s.*, CASE WHEN s.before IS NULL AND s.cents IS NULL OR s.before = s.cents THEN NULL
			WHEN s.before IS NULL AND s.since >= s.month THEN 'joined' WHEN s.before IS NULL THEN 'back'
			WHEN s.cents IS NULL THEN 'gone' ELSE 'changed' END AS what
		FROM stood s WHERE s.month >= (@first)::date),
	moved AS (INSERT INTO recurring_moves (merchant_id, month, template_client_id, what, before_cents, cents)
		SELECT @merchant, month, id, what, coalesce(before, 0), coalesce(cents, 0) FROM counted WHERE what IS NOT NULL)
	INSERT INTO recurring_months (merchant_id, month, template_id, currency, subscribers, cents, joined, joined_cents,
		back, back_cents, gone, gone_cents, changed, changed_cents)
	SELECT @merchant, month, template_id, min(currency), count(cents), coalesce(sum(cents), 0),
		count(*) FILTER (WHERE what = 'joined'), coalesce(sum(cents) FILTER (WHERE what = 'joined'), 0),
		count(*) FILTER (WHERE what = 'back'), coalesce(sum(cents) FILTER (WHERE what = 'back'), 0),
		count(*) FILTER (WHERE what = 'gone'), coalesce(sum(before) FILTER (WHERE what = 'gone'), 0),
		count(*) FILTER (WHERE what = 'changed'), coalesce(sum(cents - before) FILTER (WHERE what = 'changed'), 0)
	FROM counted GROUP BY month, template_id HAVING count(cents) > 0 OR count(what) > 0`

// reckon makes the months from one on anew. Of several processes one does.
func (s Store) reckon(ctx context.Context, merchantID uuid.UUID, first, until calendar.Date) error {
	err := s.InTx(ctx, func(tx *database.Tx) error {
		var mine bool
		if err := tx.Gorm().Raw(`SELECT pg_try_advisory_xact_lock(hashtextextended('recurring ' || ?::uuid, 0))`,
			merchantID).Row().Scan(&mine); err != nil || !mine {
			return err
		}
		for _, gone := range []string{"recurring_months", "recurring_moves"} {
			if err := tx.Gorm().Exec(`DELETE FROM `+gone+` WHERE merchant_id = ? AND month >= ?`, merchantID,
				first).Error; err != nil {
				return err
			}
		}
		if err := tx.Gorm().Exec(reckoned, map[string]any{"merchant": merchantID, "first": first,
			"until": until}).Error; err != nil {
			return err
		}
		return tx.Gorm().Exec(`INSERT INTO recurring_runs (merchant_id, as_of) VALUES (?, ?)
			ON CONFLICT (merchant_id) DO UPDATE SET as_of = excluded.as_of`, merchantID, until).Error
	})
	if err != nil {
		return fmt.Errorf("reckon subscriptions: %w", err)
	}
	return nil
}

func (s Store) asOf(ctx context.Context, merchantID uuid.UUID) (calendar.Date, error) {
	var found struct{ AsOf calendar.Date }
	err := s.Gorm(ctx).Table("recurring_runs").Scopes(database.OfMerchant(merchantID)).Select("as_of").Find(&found).Error
	if err != nil {
		return calendar.Date{}, fmt.Errorf("until when subscriptions were reckoned: %w", err)
	}
	return found.AsOf, nil
}

func (s Store) ofTemplate(ctx context.Context, merchantID uuid.UUID, ask Ask) *gorm.DB {
	q := s.Gorm(ctx).Table("recurring_months").Scopes(database.OfMerchant(merchantID))
	if ask.Template != uuid.Nil {
		q = q.Where("template_id = ?", ask.Template)
	}
	return q
}

func (s Store) months(ctx context.Context, merchantID uuid.UUID, ask Ask, first, last calendar.Date) (out []Month,
	err error) {
	err = s.ofTemplate(ctx, merchantID, ask).Where("currency = ? AND month BETWEEN ? AND ?", ask.Currency, first, last).
		Select(`month, sum(subscribers)::bigint AS subscribers, sum(cents)::bigint AS cents, sum(joined)::bigint AS joined,
			sum(joined_cents)::bigint AS joined_cents, sum(back)::bigint AS back, sum(back_cents)::bigint AS back_cents,
			sum(gone)::bigint AS gone, sum(gone_cents)::bigint AS gone_cents, sum(changed)::bigint AS changed,
			sum(changed_cents)::bigint AS changed_cents`).Group("month").Order("month DESC").Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("months of subscriptions: %w", err)
	}
	return out, nil
}

// templates are those that bring most in a month, and how many bring anything.
func (s Store) templates(ctx context.Context, merchantID uuid.UUID, ask Ask, month calendar.Date) (out []TemplateMonth,
	count int64, err error) {
	of := func() *gorm.DB {
		return s.Gorm(ctx).Table("recurring_months AS m").
			Where("m.merchant_id = ? AND m.month = ? AND m.currency = ? AND m.subscribers > 0", merchantID, month, ask.Currency)
	}
	if err := of().Count(&count).Error; err != nil {
		return nil, 0, fmt.Errorf("templates that bring most: %w", err)
	}
	err = of().Joins("JOIN billing_templates t ON t.id = m.template_id AND t.merchant_id = m.merchant_id").
		Select("m.template_id, t.title, m.subscribers, m.cents").Order("m.cents DESC, m.template_id").
		Limit(mostTemplates).Find(&out).Error
	if err != nil {
		return nil, 0, fmt.Errorf("templates that bring most: %w", err)
	}
	return out, count, nil
}

// title is the name of a template; another merchant's is not found.
func (s Store) title(ctx context.Context, merchantID, id uuid.UUID) (title string, err error) {
	var found struct{ Title string }
	err = s.Gorm(ctx).Table("billing_templates").Scopes(database.OfMerchant(merchantID)).Select("title").
		Take(&found, "id = ?", id).Error
	return found.Title, err
}

func (s Store) currencies(ctx context.Context, merchantID uuid.UUID, ask Ask, since calendar.Date) (out []string,
	err error) {
	err = s.ofTemplate(ctx, merchantID, ask).
		Where("currency <> ? AND month >= ? AND subscribers > 0", ask.Currency, since).Distinct().
		Order("currency").Pluck("currency", &out).Error
	return out, err
}

func (s Store) moves(ctx context.Context, merchantID uuid.UUID, ask Ask, month calendar.Date, w What, after uuid.UUID,
	most int) (out []Move, err error) {
	q := s.Gorm(ctx).Table("recurring_moves AS v").
		Joins("JOIN template_clients c ON c.id = v.template_client_id AND c.merchant_id = v.merchant_id").
		Joins("JOIN billing_templates t ON t.id = c.template_id AND t.merchant_id = v.merchant_id").
		Joins("JOIN clients k ON k.id = c.client_id AND k.merchant_id = v.merchant_id").
		Where("v.merchant_id = ? AND v.month = ? AND v.what = ? AND t.currency = ? AND v.template_client_id > ?", merchantID,
			month, w, ask.Currency, after)
	if ask.Template != uuid.Nil {
		q = q.Where("c.template_id = ?", ask.Template)
	}
	err = q.Select(`v.template_client_id, c.client_id, c.template_id, ` + client.NameIn("k.") + ` AS client,
		t.title AS template, v.before_cents, v.cents`).Order("v.template_client_id").Limit(most).Find(&out).Error
	if err != nil {
		return nil, fmt.Errorf("who moved in a month: %w", err)
	}
	return out, nil
}
