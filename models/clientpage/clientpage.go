// Package clientpage knows the page on which a client sees what it owes and helps itself: the links that lead to it,
// how long they work, what may be done there, and the codes that prove who asks (source: follow-up, sections 9 to 11).
// It must not know how the page looks.
package clientpage

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/amendment"
	"debitdesk/models/client"
	"debitdesk/models/clientstop"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/followup"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/models/texting"
)

// How long things last, in real time (source: follow-up, section 10).
const (
	LinkLasts    = 24 * time.Hour   // a link that can change something
	SessionLasts = 30 * time.Minute // what a link opened
)

// Purpose is why a link was made.
type Purpose string

// The purposes.
const (
	Sent  Purpose = "sent"  // staff sent it
	Asked Purpose = "asked" // the client asked for it
)

// Link leads one client to the page. Of its token only a hash is kept.
type Link struct {
	ID, MerchantID, ClientID, BrandID uuid.UUID `gorm:"<-:create"`
	Hash                              []byte    `gorm:"column:token_hash;<-:create"`
	Purpose                           Purpose   `gorm:"<-:create"`
	AskedBy                           string    `gorm:"<-:create"`
	CreatedAt, ExpiresAt              time.Time `gorm:"<-:create"`
	OpenedAt, RevokedAt               time.Time
	RevokedWhy                        string
}

// usable is nil while the link works.
func (l Link) usable(now time.Time) error {
	switch {
	case !l.RevokedAt.IsZero():
		return fault.New(fault.Conflict, "link_ended", "This link was ended.")
	case !l.ExpiresAt.After(now):
		return fault.New(fault.Conflict, "link_expired", "This link has expired: it works for 24 hours.")
	}
	return nil
}

// Session is what a link opened: it lasts as long as one visit.
type Session struct {
	Hash       []byte `gorm:"column:token_hash"`
	LinkID     uuid.UUID
	MerchantID uuid.UUID
	CreatedAt  time.Time
	ExpiresAt  time.Time
}

// Visit is a client on the page.
type Visit struct {
	Link    Link
	Until   time.Time // when the page closes
	Client  client.Client
	Brand   merchant.Brand
	Session []byte // the hash of its token
}

// Letters words the mails of the page.
type Letters interface {
	// ClientPage brings a link to the page, which works until a moment.
	ClientPage(to client.Details, b merchant.Brand, token string, until time.Time, asked bool) mail.Letter
	// ClientPageSMS is the same in a short message, which is paid for by its length.
	ClientPageSMS(to client.Details, b merchant.Brand, token string) string
	// ClientCode brings the code that confirms an act.
	ClientCode(to client.Details, b merchant.Brand, code string, a Act) mail.Letter
	// ClientCodeSMS is the same in a short message. It does not say what is asked for: others may read it.
	ClientCodeSMS(to client.Details, b merchant.Brand, code string) string
	// ClientDid confirms to the client what was done.
	ClientDid(to client.Details, b merchant.Brand, a Act) mail.Letter
	// ClientAnswer brings the answer to a request.
	ClientAnswer(to client.Details, b merchant.Brand, r Request) mail.Letter
}

// The kinds of mail of the page. The first two let their reader in, so that their words are not kept.
const (
	MailLink = mail.ClientPage
	MailCode = mail.ClientCode
	MailDid  = "client_page_done"
	// MailAnswer is the answer to a request.
	MailAnswer = "client_request_answer"
)

// Service holds the use cases of the page.
type Service struct {
	InTx          func(context.Context, func(*database.Tx) error) error
	Store         Store
	Clients       client.Store
	Merchants     merchant.Store
	Purchases     *purchase.Service
	Stops         *clientstop.Service
	Amendments    *amendment.Service
	Subscriptions *subscription.Service
	Followups     *followup.Service
	Texts         *texting.Service
	Letters       Letters
	Now           func() time.Time // the product's clock, by which days count
	Real          func() time.Time // real time, by which links and codes run out
}

// newToken makes what a link or a cookie holds, 128 bits of chance, and the hash by which it is known again.
func newToken() (token string, hash []byte) {
	var secret [16]byte
	_, _ = rand.Read(secret[:]) // never fails since Go 1.24
	token = base64.RawURLEncoding.EncodeToString(secret[:])
	return token, tokenHash(token)
}

func tokenHash(token string) []byte {
	sum := sha256.Sum256([]byte("client page " + token))
	return sum[:]
}
