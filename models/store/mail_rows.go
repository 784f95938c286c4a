package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"debitdesk/models/mail"
	"debitdesk/models/queue"
)

type mailRow struct {
	ID           uuid.UUID `gorm:"primaryKey"`
	MerchantID   uuid.UUID
	ObjectID     uuid.UUID
	Kind         string
	Attempt      int
	ClientID     *uuid.UUID
	PurchaseID   *uuid.UUID
	Recipient    string
	CC           textArray
	BCC          textArray
	Subject      string
	TextBody     string
	HTMLBody     string
	Attachments  string
	State        string
	Error        string
	Tries        int
	NextTryAt    *time.Time // product time
	ClaimedUntil *time.Time // real time
	CreatedAt    time.Time
	SentAt       *time.Time
}

func (mailRow) TableName() string { return "mails" }

func mailRowOf(m mail.Mail) mailRow {
	return mailRow{
		ID: m.ID, MerchantID: m.MerchantID, ObjectID: m.ObjectID, Kind: m.Kind, Attempt: m.Attempt,
		ClientID: orNull(m.ClientID), PurchaseID: orNull(m.PurchaseID),
		Recipient: m.To, CC: m.CC, BCC: m.BCC, Subject: m.Subject, TextBody: m.Text, HTMLBody: m.HTML,
		Attachments: attachmentsJSON(m.Attachments), State: mail.Queued, NextTryAt: &m.CreatedAt, CreatedAt: m.CreatedAt,
	}
}

func (r mailRow) domain() (mail.Mail, error) {
	m := mail.Mail{
		ID: r.ID, MerchantID: r.MerchantID, ObjectID: r.ObjectID, Kind: r.Kind, Attempt: r.Attempt,
		ClientID: orZero(r.ClientID), PurchaseID: orZero(r.PurchaseID), To: r.Recipient, CC: r.CC, BCC: r.BCC,
		Letter: mail.Letter{Subject: r.Subject, Text: r.TextBody, HTML: r.HTMLBody},
		State:  r.State, Error: r.Error, Tries: r.Tries, CreatedAt: r.CreatedAt.UTC(), SentAt: orZero(r.SentAt).UTC(),
	}
	if err := json.Unmarshal([]byte(r.Attachments), &m.Attachments); err != nil {
		return mail.Mail{}, fmt.Errorf("read attachments of mail %s: %w", r.ID, err)
	}
	return m, nil
}

// attachmentsJSON writes names, types and bytes, which always encode.
func attachmentsJSON(files []mail.Attachment) string {
	if len(files) == 0 {
		return "[]"
	}
	b, _ := json.Marshal(files)
	return string(b)
}

// InsertMail puts a mail into the outbox and enqueues its sending. One cause is
// one mail: when the same object, kind and attempt has one, nothing happens.
// Left out, the id and the moment are those of the transaction.
func (t *Tx) InsertMail(m mail.Mail) {
	if m.ID == uuid.Nil {
		m.ID = t.NewID()
	}
	if m.CreatedAt.IsZero() {
		m.CreatedAt = t.now
	}
	row := mailRowOf(m)
	once := clause.OnConflict{Columns: []clause.Column{{Name: "object_id"}, {Name: "kind"}, {Name: "attempt"}}, DoNothing: true}
	stmt := t.s.dry.WithContext(t.ctx).Clauses(once).Create(&row).Statement
	t.later(stmt.SQL.String(), stmt.Vars...)
	t.Enqueue(queue.SendMail{MailID: m.ID}) // finds nothing when the mail was there already
}
