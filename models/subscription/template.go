// Package subscription knows billing templates, who subscribes to them, and on
// which days a period is billed. It must not know how requests arrive or how rows
// are kept.
package subscription

import (
	"time"

	"github.com/google/uuid"

	"debitdesk/models/calendar"
	"debitdesk/models/purchase"
)

// Units are what a period is counted in.
type Units string

// The units of periods.
const (
	Days   Units = "days"
	Weeks  Units = "weeks"
	Months Units = "months"
)

// Plan says when a subscription bills (source: POST /billing/, subscription
// fields). Its zero value is no plan; Default is what fields left out stand for.
type Plan struct {
	Period       int   // 1 to 256
	Units        Units `gorm:"column:period_units"`
	DuePeriod    int   // 1 to 256: how long after the billing date a purchase is due
	DueUnits     Units
	ChargeAtEnd  bool // bill when a period ends, not when it starts
	TrialPeriods int  // 0 to 256 free periods at the beginning
	Cycles       *int // how many periods are billed; nil: endless
}

func (p Plan) equal(q Plan) bool {
	cycles := p.Cycles == nil && q.Cycles == nil || p.Cycles != nil && q.Cycles != nil && *p.Cycles == *q.Cycles
	p.Cycles, q.Cycles = nil, nil
	return cycles && p == q
}

// Default is the plan of a template whose fields were left out.
func Default() Plan {
	return Plan{Period: 1, Units: Months, DuePeriod: 7, DueUnits: Days}
}

// Template is a stored pattern: it sends invoices, or it runs subscriptions.
type Template struct {
	ID, MerchantID uuid.UUID
	BrandID        uuid.UUID
	UserID         uuid.UUID `gorm:"<-:create"` // the dashboard user who made it; zero otherwise
	IsTest         bool      `gorm:"<-:create"`
	Title          string
	IsSubscription bool `gorm:"<-:create"` // never changes
	Currency       string
	TotalCents     int64
	DueStrict      bool
	Details        purchase.Details `gorm:"serializer:json"` // copied unchanged to each purchase
	Options        purchase.Options `gorm:"serializer:json"`
	// Price is the price from a date on; nil: it never changed for a date.
	Price                *PriceChange  `gorm:"column:price_change;serializer:json"`
	Issued               calendar.Date // one-time invoices; zero: the day they are sent
	Due                  time.Time     // one-time invoices
	Plan                 Plan          `gorm:"embedded"`
	Paused               bool
	Version              int // counts changes, for compare-and-set
	CreatedAt, UpdatedAt time.Time
	DeletedAt            time.Time

	// What is read beside it.
	HasActive bool             `gorm:"-"` // a subscriber is active
	Launched  bool             `gorm:"-"` // a subscriber was ever active: the plan is read-only
	Counts    map[Status]int64 `gorm:"-"`
	NextOn    calendar.Date    `gorm:"-"` // the next billing date of any subscriber; zero: none
}

// Name is what people read: the title or, where a program gave none, what the first
// line is for.
func (t Template) Name() string {
	if t.Title == "" && len(t.Details.Products) > 0 {
		return t.Details.Products[0].Name
	}
	return t.Title
}

// Locked says why the plan cannot be changed; empty when it can.
func (t Template) Locked() string {
	switch {
	case !t.IsSubscription:
		return "Only subscriptions have a plan."
	case t.Launched:
		return "This plan already has subscribers, and changing it would move their dates. " +
			"Create a new template, or pause this one."
	}
	return ""
}
