// Package mail knows a message to a client and the port that sends it. It must not
// know how a message is worded or which relay takes it.
package mail

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/fault"
)

// Letter is a message in finished words.
type Letter struct {
	Subject     string
	Text, HTML  string       `gorm:"-"` // kept as they are, or sealed
	Attachments []Attachment `gorm:"serializer:json;not null"`
}

// Attachment is a file that goes with a message. One with a reference is not kept:
// whoever needs its bytes has them made, the same each time, so that ten thousand
// invoices do not fill the outbox with ten thousand files.
type Attachment struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Content []byte `json:"content,omitempty"`
	Ref     string `json:"ref,omitempty"`
	// Optional: where the file cannot be made, since its document lacks what it must say, the mail leaves without it.
	Optional bool `json:"optional,omitempty"`
}

// LeftOut tells that a mail leaves without the file, by the refusal to make it.
func (a Attachment) LeftOut(refused error) bool {
	return a.Optional && (fault.Is(refused, fault.Conflict) || fault.Is(refused, fault.NotFound))
}

// Mail is one message of the outbox. (Object, Kind, Attempt) is unique: one
// cause, one mail, whatever runs twice.
type Mail struct {
	ID, MerchantID       uuid.UUID
	ObjectID             uuid.UUID
	Kind                 string
	Attempt              int
	ClientID, PurchaseID uuid.UUID // whose time line shows it; zero for none
	To                   string    `gorm:"column:recipient"`
	CC, BCC              []string  `gorm:"type:text[]"`
	Letter
	State     string // queued, sent, failed
	Error     string // why the last try failed
	Tries     int
	CreatedAt time.Time
	SentAt    time.Time

	Unreadable bool `gorm:"-"` // what is stored of its words was damaged; it is not sent
}

// The kinds of mail whose link or code lets its reader in: as a new member, with a new
// password, or to a client's own page. Their words are sealed while they wait and not
// kept once they have left.
const (
	Invitation    = "invitation"
	PasswordReset = "password_reset"
	ClientPage    = "client_page_link"
	ClientCode    = "client_page_code"
)

// LettingIn are all of them.
var LettingIn = []string{Invitation, PasswordReset, ClientPage, ClientCode}

// LetsIn tells whether the words of the mail hold such a link or code.
func (m Mail) LetsIn() bool { return slices.Contains(LettingIn, m.Kind) }

// LetsStaffIn tells it of mails to people of the business.
func (m Mail) LetsStaffIn() bool { return m.Kind == Invitation || m.Kind == PasswordReset }

// LinkNotKept is what stays of the words of such a mail.
const LinkNotKept = "The link in this mail was for one person only and is not kept.\n"

// Unread is shown in the place of the words of a mail that cannot be read any more.
const Unread = "The words of this mail cannot be read: what is stored of them was damaged.\n"

// The states of a mail.
const (
	Queued = "queued"
	Sent   = "sent"
	Failed = "failed"
)

// Sender hands a message to a relay and asks and tells about its last byte, which
// makes the message the relay's. The message id is the mail's id.
type Sender interface {
	Send(ctx context.Context, m Mail, last LastByte) error
}

// LastByte is who must know when a message leaves the house.
type LastByte struct {
	May  func() error // asked when everything before it is said; an error keeps it back
	Gone func()       // told the moment it has left, before the relay answers
}
