// Package approval knows what needs a second person: who asked, who may agree, and
// that what was agreed to happens once. It must not know pages or how mails are worded.
package approval

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/batch"
	"debitdesk/models/book"
	"debitdesk/models/clientstop"
	"debitdesk/models/database"
	"debitdesk/models/deletion"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/task"
	"debitdesk/models/user"
	"debitdesk/models/webhook"
)

// Kind says what a second person is asked to agree to.
type Kind string

// The kinds of request.
const (
	DeleteTokens Kind = "delete_tokens"
	SendBatch    Kind = "send_batch"
	StopClient   Kind = "stop_client" // of staff, who may not do it themselves
	ImportBook   Kind = "import_book"
)

// State is where a request stands.
type State string

// The states of a request.
const (
	Open      State = "open"
	Approved  State = "approved"
	Refused   State = "refused"
	Withdrawn State = "withdrawn"
	Expired   State = "expired"
)

// Lifetime is how long a request waits for its answer, by the product's clock (ours).
const Lifetime = 7 * 24 * time.Hour

// maxWords is how long a reason or an answer is, in bytes.
const maxWords = 1000

// Totals are what depends on a request, in numbers. Of a deletion: stored accounts,
// the debits that are planned from them and the subscriptions that are charged on
// them; of a batch: rows, clients that are made and debits that are planned; of many: rows. Cents is
// what they add up to. Digest is the same as long as the effects of a deletion read
// the same.
type Totals struct {
	Tokens        int    `json:"tokens,omitempty"`
	Waiting       int    `json:"waiting,omitempty"`
	Subscriptions int    `json:"subscriptions,omitempty"`
	Rows          int    `json:"rows,omitempty"`
	Creates       int    `json:"creates,omitempty"`
	Debits        int    `json:"debits,omitempty"`
	Cents         int64  `json:"cents,omitempty"`
	Digest        string `json:"digest,omitempty"`
}

// Subject is what a request is about, and what it meant when it was asked. Its JSON
// is how it is stored.
type Subject struct {
	Tokens []uuid.UUID `json:"tokens,omitempty"`
	// Choices is what becomes of the debits and subscriptions that hang on the tokens.
	Choices   map[uuid.UUID]deletion.Choice `json:"choices,omitempty"`
	Batch     uuid.UUID                     `json:"batch,omitzero"`
	Client    uuid.UUID                     `json:"client,omitzero"` // whose debits are stopped
	Import    uuid.UUID                     `json:"import,omitzero"`
	Seal      string                        `json:"seal,omitempty"` // what was rehearsed of the import
	Order     *batch.Order                  `json:"order,omitempty"`
	Loosening *Loosening                    `json:"loosening,omitempty"`
	Setting   *Setting                      `json:"setting,omitempty"`
	Work      *Work                         `json:"work,omitempty"` // that is done to many
	Name      string                        `json:"name"`           // in words, numbers masked
	Totals    Totals                        `json:"stakes"`
	Shown     []string                      `json:"shown,omitempty"` // what it did in words, as shown to who decided
}

// Approval is one request with its answer.
type Approval struct {
	ID, MerchantID uuid.UUID
	Kind           Kind
	Subject        Subject `gorm:"serializer:json"`
	SubjectKey     string  // one open request for the same thing
	Reason         string
	State          State
	AskedBy        uuid.UUID `gorm:"not null"`
	AskedName      string
	DecidedBy      uuid.UUID
	DecidedName    string
	Decision       string // what the second person wrote
	DecidedAt      time.Time
	ExpiresAt      time.Time
	Version        int
	CreatedAt      time.Time

	// Input is of the work that is done to many, until the request is over.
	Input           []byte     `gorm:"column:input_sealed;serializer:sealed"`
	database.Damage `gorm:"-"` // the work that cannot be read
}

// Stands is the state at a moment: what nobody answered in time is expired, even
// before that is written down.
func (a Approval) Stands(now time.Time) State {
	if a.State == Open && !a.ExpiresAt.After(now) {
		return Expired
	}
	return a.State
}

// Letters writes the mails about requests in finished words.
type Letters interface {
	// Asked tells somebody who may agree that a request waits.
	Asked(a Approval, to user.User, m merchant.Merchant) mail.Letter
	// Decided tells who asked what became of it.
	Decided(a Approval, to user.User, m merchant.Merchant) mail.Letter
	// Withdrawn tells who asked, and who was asked, that what was asked for has changed.
	Withdrawn(a Approval, to user.User, m merchant.Merchant) mail.Letter
	// Loosened tells an admin that a second person is needed less often.
	Loosened(by string, before, after merchant.Demands, to user.User, m merchant.Merchant) mail.Letter
}

// Service holds the use cases of requests for a second person.
type Service struct {
	Store     Store
	Purchases *purchase.Service
	Deletions *deletion.Service
	Stops     *clientstop.Service
	Batches   *batch.Service
	Imports   *book.Service
	Brands    *merchant.Service
	Webhooks  *webhook.Service
	Tasks     *task.Service
	Works     map[string]Worker // what is done to many, by the kinds of their tasks
	Letters   Letters
	Now       func() time.Time
	// MatchEFT switches the rule for EFT payments on or off, and says what that does; nil: there is none.
	MatchEFT func(tx *database.Tx, who actor.Actor, on bool) ([]string, error)
}

func (s *Service) people() user.Store        { return user.Store{DB: s.Store.DB} }
func (s *Service) merchants() merchant.Store { return merchant.Store{DB: s.Store.DB} }

// SamePerson tells whether two people may be one: the same account, or accounts
// under the same address. What follows a plus sign is only a label of a mailbox.
func SamePerson(a, b user.User) bool {
	return a.ID == b.ID || mailbox(a.Email) != "" && mailbox(a.Email) == mailbox(b.Email)
}

func mailbox(address string) string {
	address = strings.ToLower(strings.TrimSpace(address))
	local, domain, found := strings.Cut(address, "@")
	if !found {
		return address
	}
	local, _, _ = strings.Cut(local, "+")
	return local + "@" + domain
}

func words(path, text string, required bool, why string) (string, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "" && required:
		return text, fault.At(path, "required", "%s", why)
	case len(text) > maxWords:
		return text, fault.At(path, "max_length", "Write at most %d characters.", maxWords)
	}
	return text, nil
}

// mayDecide are the colleagues who could answer a request: not who asked for it or had a hand in it.
func mayDecide(all []user.User, makers ...user.User) []user.User {
	var out []user.User
	for _, u := range all {
		if u.Actor().Can(actor.Approve) &&
			!slices.ContainsFunc(makers, func(m user.User) bool { return SamePerson(u, m) }) {
			out = append(out, u)
		}
	}
	return out
}
