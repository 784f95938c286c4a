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
	BodySealed   []byte // of a mail whose link lets its reader in; the two above are empty then
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

func (s *Store) mailRowOf(m mail.Mail) mailRow {
	text, html, sealed := s.bodyOf(m)
	return mailRow{
		ID: m.ID, MerchantID: m.MerchantID, ObjectID: m.ObjectID, Kind: m.Kind, Attempt: m.Attempt,
		ClientID: orNull(m.ClientID), PurchaseID: orNull(m.PurchaseID),
		Recipient: m.To, CC: m.CC, BCC: m.BCC, Subject: m.Subject, TextBody: text, HTMLBody: html, BodySealed: sealed,
		Attachments: attachmentsJSON(m.Attachments), State: mail.Queued, NextTryAt: &m.CreatedAt, CreatedAt: m.CreatedAt,
	}
}

// sealedBody is what is sealed of a mail.
type sealedBody struct {
	Text string `json:"text"`
	HTML string `json:"html"`
}

// bodyOf is how the words of a mail are kept: as they are, or sealed.
func (s *Store) bodyOf(m mail.Mail) (text, html string, sealed []byte) {
	if !m.LetsIn() || m.Text == mail.LinkNotKept {
		return m.Text, m.HTML, nil
	}
	b, _ := json.Marshal(sealedBody{m.Text, m.HTML}) // texts always encode
	return "", "", s.seal.SealBytes(placeOf("mails", "body_sealed", m.MerchantID, m.ID), b)
}

func (s *Store) mailOf(r mailRow) (mail.Mail, error) {
	m := mail.Mail{
		ID: r.ID, MerchantID: r.MerchantID, ObjectID: r.ObjectID, Kind: r.Kind, Attempt: r.Attempt,
		ClientID: orZero(r.ClientID), PurchaseID: orZero(r.PurchaseID), To: r.Recipient, CC: r.CC, BCC: r.BCC,
		Letter: mail.Letter{Subject: r.Subject, Text: r.TextBody, HTML: r.HTMLBody},
		State:  r.State, Error: r.Error, Tries: r.Tries, CreatedAt: r.CreatedAt.UTC(), SentAt: orZero(r.SentAt).UTC(),
	}
	if len(r.BodySealed) > 0 {
		var body sealedBody
		b, err := s.seal.OpenBytes(placeOf("mails", "body_sealed", r.MerchantID, r.ID), r.BodySealed)
		if err == nil {
			err = json.Unmarshal(b, &body)
		}
		if err != nil {
			return mail.Mail{}, fmt.Errorf("read the words of mail %s: %w", r.ID, err)
		}
		m.Text, m.HTML = body.Text, body.HTML
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
	row := t.s.mailRowOf(m)
	once := clause.OnConflict{Columns: []clause.Column{{Name: "object_id"}, {Name: "kind"}, {Name: "attempt"}}, DoNothing: true}
	stmt := t.s.dry.WithContext(t.ctx).Clauses(once).Create(&row).Statement
	t.later(stmt.SQL.String(), stmt.Vars...)
	t.Enqueue(queue.SendMail{MailID: m.ID}) // finds nothing when the mail was there already
}
