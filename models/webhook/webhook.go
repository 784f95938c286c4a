package webhook

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/fault"
	"debitdesk/models/weblink"
)

// WebhookTest is the event of a test delivery; nobody chooses it.
const WebhookTest = "webhook.test"

// The types of object that an event can be about.
const (
	ObjectPurchase   = "purchase"
	ObjectPayment    = "payment"
	ObjectSubscriber = "billing_template_client"
	ObjectWebhook    = "webhook"
	ObjectPayout     = "payout" // none exist here; the family's filter knows the name
)

// SourceTypes are the types of object that the log of deliveries can be narrowed to.
var SourceTypes = []string{ObjectPurchase, ObjectPayment, ObjectPayout, ObjectSubscriber}

// Webhook is an address of the merchant that wants to hear of events. Each has its
// own key pair; the private half never leaves the store unsealed but to sign.
type Webhook struct {
	ID, MerchantID       uuid.UUID
	Title, Callback      string
	AllEvents            bool
	Events               []string  `gorm:"type:text[];serializer:texts"` // empty when AllEvents
	PublicKey            string    // PEM
	FailingSince         time.Time // zero: the last delivery was taken
	LastOKAt             time.Time `gorm:"column:last_ok_at"`
	Failures             int       // in a row
	Version              int
	CreatedAt, UpdatedAt time.Time
}

// ShownCallback is the callback as people and programs see it: older ones may carry a user name and password.
func (w Webhook) ShownCallback() string { return weblink.HideLogin(w.Callback) }

// Wants tells whether the webhook is to hear of events of that type.
func (w Webhook) Wants(event string) bool { return w.AllEvents || slices.Contains(w.Events, event) }

// Input is what somebody chooses for a webhook.
type Input struct {
	Problems        fault.Problems // of its shape, reported with the rest
	Title, Callback string
	AllEvents       bool
	Events          []string
}

// State is where a delivery stands.
type State string

// The states of a delivery.
const (
	Pending   State = "pending"
	Delivered State = "delivered"
	Failed    State = "failed"  // its nine attempts are used up
	Dropped   State = "dropped" // its webhook was deleted
)

// States lists all of them.
var States = []State{Pending, Delivered, Failed, Dropped}

// Delivery is one event on its way to one address. Times are of the product's clock.
type Delivery struct {
	ID, MerchantID, EventID, SourceID uuid.UUID
	WebhookID                         uuid.UUID // zero: the success_callback of a purchase
	Seq                               int64
	EventType                         string    `gorm:"column:type;->;-:migration"`
	ObjectType                        string    `gorm:"->;-:migration"`
	ObjectID                          uuid.UUID `gorm:"->;-:migration"`
	Address                           string
	State                             State
	Resend                            bool // asked for by a person
	Attempts                          int
	FirstAt                           time.Time // of the first attempt
	NextAt                            time.Time // of the next one; zero when it is over
	DoneAt                            time.Time
	CreatedAt                         time.Time
	LastStatus                        int `gorm:"default:null"` // HTTP; 0: no answer
	LastError                         string
	// BehindAt is when the delivery is tried for which a pending one waits; zero when it waits for none.
	BehindAt time.Time `gorm:"->;-:migration"`

	// Body is what is sent, nil when it was dropped with its webhook; Tries are the
	// attempts, oldest first. Both are read only where a delivery is shown in full.
	Body  []byte    `gorm:"-"`
	Tries []Attempt `gorm:"-"`
}

// ShownAddress is the address as people and programs see it: older ones may carry a user name and password.
func (d Delivery) ShownAddress() string { return weblink.HideLogin(d.Address) }

// Attempt is one try to deliver.
type Attempt struct {
	Number int
	At     time.Time
	TookMS int
	Status int    // HTTP; 0: no answer
	Error  string // empty when it was taken
	Answer string // the first 2 kB of the answer's body
}

// DeliveryFilter narrows a list of deliveries; zero values narrow nothing.
type DeliveryFilter struct {
	WebhookID, EventID, ObjectID uuid.UUID
	ObjectType                   string
	State                        State
}

// EventFilter narrows a list of events; zero values narrow nothing. From and To are inclusive.
type EventFilter struct {
	Types             []string
	ObjectID, EventID uuid.UUID
	From, To          time.Time
}
