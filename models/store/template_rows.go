package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/subscription"
)

type templateRow struct {
	ID             uuid.UUID `gorm:"primaryKey"`
	MerchantID     uuid.UUID
	BrandID        uuid.UUID
	UserID         *uuid.UUID
	IsTest         bool
	Title          string
	IsSubscription bool
	Currency       string
	TotalCents     int64
	DueStrict      bool
	Details        string
	Options        string
	Issued         calendar.Date
	Due            *time.Time
	Period         int
	PeriodUnits    string
	DuePeriod      int
	DueUnits       string
	ChargeAtEnd    bool
	TrialPeriods   int
	Cycles         *int
	Paused         bool
	Version        int
	CreatedAt      time.Time
	UpdatedAt      time.Time
	DeletedAt      *time.Time
}

func (templateRow) TableName() string { return "billing_templates" }

func templateRowOf(t subscription.Template) (*templateRow, error) {
	details, err := json.Marshal(t.Details)
	if err != nil {
		return nil, fmt.Errorf("write template: %w", err)
	}
	options, err := json.Marshal(t.Options)
	if err != nil {
		return nil, fmt.Errorf("write template: %w", err)
	}
	p := t.Plan
	return &templateRow{ID: t.ID, MerchantID: t.MerchantID, BrandID: t.BrandID, UserID: orNull(t.UserID), IsTest: t.IsTest, Title: t.Title,
		IsSubscription: t.IsSubscription, Currency: t.Currency, TotalCents: t.TotalCents, DueStrict: t.DueStrict, Details: string(details), Options: string(options),
		Issued: t.Issued, Due: instantOrNull(t.Due), Period: p.Period, PeriodUnits: string(p.Units), DuePeriod: p.DuePeriod, DueUnits: string(p.DueUnits),
		ChargeAtEnd: p.ChargeAtEnd, TrialPeriods: p.TrialPeriods, Cycles: p.Cycles, Paused: t.Paused, Version: t.Version,
		CreatedAt: Instant(t.CreatedAt), UpdatedAt: Instant(t.UpdatedAt), DeletedAt: instantOrNull(t.DeletedAt)}, nil
}

func (r templateRow) domain() (subscription.Template, error) {
	t := subscription.Template{ID: r.ID, MerchantID: r.MerchantID, BrandID: r.BrandID, UserID: orZero(r.UserID), IsTest: r.IsTest, Title: r.Title,
		IsSubscription: r.IsSubscription, Currency: r.Currency, TotalCents: r.TotalCents, DueStrict: r.DueStrict, Issued: r.Issued, Due: utc(r.Due),
		Plan: subscription.Plan{Period: r.Period, Units: subscription.Units(r.PeriodUnits), DuePeriod: r.DuePeriod, DueUnits: subscription.Units(r.DueUnits),
			ChargeAtEnd: r.ChargeAtEnd, TrialPeriods: r.TrialPeriods, Cycles: r.Cycles},
		Paused: r.Paused, Version: r.Version, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(), DeletedAt: utc(r.DeletedAt)}
	if err := json.Unmarshal([]byte(r.Details), &t.Details); err != nil {
		return t, fmt.Errorf("read template %s: %w", r.ID, err)
	}
	if err := json.Unmarshal([]byte(r.Options), &t.Options); err != nil {
		return t, fmt.Errorf("read template %s: %w", r.ID, err)
	}
	return t, nil
}

// InsertTemplate implements subscription.Tx.
func (t *Tx) InsertTemplate(tpl subscription.Template) {
	row, err := templateRowOf(tpl)
	if err != nil {
		t.fail(err)
		return
	}
	t.create(row)
}

// MoveTemplate implements subscription.Tx: compare-and-set on the version.
func (t *Tx) MoveTemplate(tpl subscription.Template) {
	r, err := templateRowOf(tpl)
	if err != nil {
		t.fail(err)
		return
	}
	t.mustMove(`UPDATE billing_templates SET brand_id = $4, title = $5, currency = $6, total_cents = $7, due_strict = $8, details = $9, options = $10,
		issued = $11, due = $12, period = $13, period_units = $14, due_period = $15, due_units = $16, charge_at_end = $17, trial_periods = $18,
		cycles = $19, paused = $20, updated_at = $21, deleted_at = $22, version = version + 1
		WHERE merchant_id = $1 AND id = $2 AND version = $3 AND deleted_at IS NULL`,
		r.MerchantID, r.ID, r.Version, r.BrandID, r.Title, r.Currency, r.TotalCents, r.DueStrict, r.Details, r.Options, r.Issued, r.Due,
		r.Period, r.PeriodUnits, r.DuePeriod, r.DueUnits, r.ChargeAtEnd, r.TrialPeriods, r.Cycles, r.Paused, r.UpdatedAt, r.DeletedAt)
}

// EndSubscribersOf implements subscription.Tx.
func (t *Tx) EndSubscribersOf(merchantID, templateID uuid.UUID, why string) (int, error) {
	n, err := t.exec(`UPDATE template_clients SET status = 'inactive', why = $3, next_on = NULL, next_at = NULL, stored_token = NULL, stored_at = NULL,
		version = version + 1, updated_at = $4 WHERE merchant_id = $1 AND template_id = $2 AND status <> 'inactive'`, merchantID, templateID, why, t.now)
	if err != nil {
		return 0, fmt.Errorf("end subscribers: %w", err)
	}
	return int(n), nil
}
