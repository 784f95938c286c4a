package collection

import (
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
)

// ServiceType is the speed at which a bank runs a debit order.
type ServiceType string

// The services. Two-day is handed over two business days before the action date, early one business day before.
const (
	TwoDay ServiceType = "two_day"
	Early  ServiceType = "early"
)

// BecauseEFT is why a client may dispute any EFT collection, named as the API names it. Package mandate has the reasons
// of DebiCheck.
const BecauseEFT = "eft"

// Collection is one debit of one account. Instants are UTC; a zero instant, date or id means "none".
type Collection struct {
	ID         uuid.UUID
	MerchantID uuid.UUID
	PurchaseID uuid.UUID
	Attempt    int // 1 for the first collection of a purchase; unique with PurchaseID
	TokenID    uuid.UUID
	MandateID  uuid.UUID
	ClientID   uuid.UUID
	BrandID    uuid.UUID

	Method      bank.Method
	Service     ServiceType
	State       State
	AmountCents int64
	Currency    string

	OriginalDate calendar.Date // the SAST day of due, before it was moved
	ActionDate   calendar.Date // the day the bank is asked to debit
	SubmitAt     time.Time     // the submission deadline, when it is handed over
	ExecuteAt    time.Time     // when the purchase turns pending_execute
	RecallDue    bool          // recalled, and the bank has yet to be told
	ProofDue     bool          // the bank asks for the mandate, and has yet to get it
	SoftBefore   int           // soft unpaids in a row on the token before this success, for the case that it is returned

	TrackingDays  int    // DebiCheck: how long the bank waits for money to arrive
	OnceOff       bool   // DebiCheck: the mandate allows one debit only
	StatementLine string // 30 characters: 10 short name, 14 contract reference, 6 free

	Result        Result `gorm:"column:result_code"`
	ResultAt      time.Time
	ProvisionalAt time.Time
	FinalAt       time.Time // when a provisional success becomes final
	AlertAt       time.Time // when silence of the bank needs a person

	Disputable        bool
	DisputableBecause []string      `gorm:"type:text[];serializer:texts"`
	DisputeDeadline   calendar.Date // last day on which a dispute is refunded without questions
	DisputeUntil      calendar.Date // last day on which it can be disputed at all
	DisputeRows       string        // the rows of the rulebook that both days are by; empty of the release before
	ProofUntil        calendar.Date // of a dispute: the last day to prove the mandate; zero: the bank asks for no proof

	CreatedAt time.Time
	UpdatedAt time.Time

	// Held: its account is being deleted, so that it is not handed over unless that is
	// undone. Only lists and pages read it.
	Held bool `gorm:"->;-:migration"`
}

// Result is the bank's answer: its code, the ISO twin where there is one, and plain words.
type Result struct {
	Code string
	ISO  string
	Text string
}

// ResultOf puts a bank's return code into words.
func ResultOf(code string) Result {
	c := bank.CodeOf(code)
	return Result{c.Code, c.ISO, c.Meaning}
}

// IsZero tells that the bank has not answered.
func (r Result) IsZero() bool { return r == Result{} }

// MayBeDisputed tells whether the client may dispute the collection, and why: false where nothing was or will be
// collected.
func (c Collection) MayBeDisputed() (because []string, may bool) {
	switch c.State {
	case Unpaid, Cancelled, Recalled, DisputeWon, DisputeLost:
		return []string{}, false
	case Scheduled, Submitted, InTracking, Provisional, Successful, Final, Disputed:
	}
	if !c.Disputable {
		return []string{}, false
	}
	return c.DisputableBecause, true
}

// OnHold tells that it would run if its account were not being deleted.
func (c Collection) OnHold() bool { return c.Held && c.State == Scheduled }

// Schedule fills in everything that follows from a plan: dates, deadlines, state scheduled. An EFT collection is always
// disputable; of a DebiCheck collection the mandate decides (package mandate).
func (c *Collection) Schedule(p Plan) {
	c.State, c.Service = Scheduled, TwoDay
	c.OriginalDate, c.ActionDate = p.OriginalDate, p.ActionDate
	c.SubmitAt, c.ExecuteAt = p.SubmitAt, p.ExecuteAt
	c.FinalAt, c.AlertAt = p.FinalAt, p.AlertAt
	c.DisputeDeadline, c.DisputeUntil, c.DisputeRows = p.DisputeDeadline, p.DisputeUntil, p.DisputeRows
	if c.Method == bank.EFT {
		c.Disputable, c.DisputableBecause = true, []string{BecauseEFT}
		return
	}
	c.Service = Early
}
