package database

import (
	"cmp"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database/seal"
	"debitdesk/models/database/table"
	"debitdesk/models/mail"
	"debitdesk/models/queue"
)

var (
	// Mails is the table of the outbox.
	Mails = table.New("mails",
		table.Column[mail.Mail]{Name: "text_body", Write: func(box *seal.Box, m *mail.Mail) (any, error) {
			text, _, _ := BodyOf(box, *m)
			return text, nil
		}, Read: func(_ *seal.Box, m *mail.Mail, stored []byte) error {
			m.Text = cmp.Or(string(stored), m.Text)
			return nil
		}},
		table.Column[mail.Mail]{Name: "html_body", Write: func(box *seal.Box, m *mail.Mail) (any, error) {
			_, html, _ := BodyOf(box, *m)
			return html, nil
		}, Read: func(_ *seal.Box, m *mail.Mail, stored []byte) error {
			m.HTML = cmp.Or(string(stored), m.HTML)
			return nil
		}},
		// Of a mail whose link lets its reader in; the two above are empty then.
		table.Column[mail.Mail]{Name: "body_sealed", Write: func(box *seal.Box, m *mail.Mail) (any, error) {
			_, _, sealed := BodyOf(box, *m)
			return sealed, nil
		}, Read: OpenBody},
		table.Column[mail.Mail]{Name: "next_try_at", Write: func(_ *seal.Box, m *mail.Mail) (any, error) {
			return m.CreatedAt,
				nil
		}})
	insertMail = Mails.Write(
		`INSERT INTO mails (@columns) VALUES (@values) ON CONFLICT (object_id, kind, attempt) DO NOTHING`)
)

// sealedBody is what is sealed of a mail.
type sealedBody struct {
	Text string `json:"text"`
	HTML string `json:"html"`
}

// BodyOf is how the words of a mail are kept: as they are, or sealed.
func BodyOf(box *seal.Box, m mail.Mail) (text, html string, sealed []byte) {
	if !m.LetsIn() || m.Text == mail.LinkNotKept {
		return m.Text, m.HTML, nil
	}
	b, _ := json.Marshal(sealedBody{m.Text, m.HTML}) // texts always encode
	return "", "", box.SealBytes(seal.PlaceOf("mails", "body_sealed", m.MerchantID, m.ID), b)
}

// OpenBody puts the words of a mail into it that BodyOf sealed; some in their place where they cannot be read any more.
func OpenBody(box *seal.Box, m *mail.Mail, stored []byte) error {
	var body sealedBody
	b, err := box.OpenBytes(seal.PlaceOf("mails", "body_sealed", m.MerchantID, m.ID), stored)
	if err == nil && len(b) > 0 {
		err = json.Unmarshal(b, &body)
		m.Text, m.HTML = body.Text, body.HTML
	}
	if errors.Is(err, seal.ErrDamaged) {
		m.Unreadable, m.Text, err = true, mail.Unread, nil
	}
	return err
}

// Queued is a mail that nobody has tried to send.
func Queued(m mail.Mail) mail.Mail {
	m.State, m.Error, m.Tries, m.SentAt = mail.Queued, "", 0, time.Time{}
	return m
}

// AttachmentsJSON writes names, types and bytes, which always encode.
func AttachmentsJSON(files []mail.Attachment) string {
	if len(files) == 0 {
		return "[]"
	}
	b, _ := json.Marshal(files)
	return string(b)
}

// InsertMail puts a mail into the outbox and enqueues its sending. One cause is
// One mail: when the same object, kind and attempt has one, nothing happens.
// Left out, the id and the moment are those of the transaction.
func (t *Tx) InsertMail(m mail.Mail) {
	if m.ID == uuid.Nil {
		m.ID = t.NewID()
	}
	if m.CreatedAt.IsZero() {
		m.CreatedAt = t.now
	}
	Write(t, insertMail, Queued(m))
	t.Enqueue(queue.SendMail{MailID: m.ID}) // finds nothing when the mail was there already
}
