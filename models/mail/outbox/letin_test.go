package outbox_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/mail"
	"debitdesk/models/mail/outbox"
	"debitdesk/models/upkeep"
)

const wayIn = "https://desk.example/reset/secret-of-one-person"

func (h *house) reset(t *testing.T) (m mail.Mail) {
	t.Helper()
	if err := h.InTx(t.Context(), func(tx *database.Tx) error {
		m = mail.Mail{ID: tx.NewID(), MerchantID: h.merchant, ObjectID: uuid.New(), Kind: mail.PasswordReset,
			To:     "thandi@example.co.za",
			Letter: mail.Letter{Subject: "A new password", Text: "Here: " + wayIn + "\n", HTML: "<a href=" + wayIn + ">"}}
		tx.InsertMail(m)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return m
}

// open tells whether a link lies open in the rows, whatever column it is in.
func (h *house) open(t *testing.T) bool {
	t.Helper()
	var n int
	if err := h.Pool.QueryRow(t.Context(),
		`SELECT count(*) FROM mails WHERE to_jsonb(mails)::text LIKE '%secret-of-one-person%'`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n > 0
}

func TestALinkThatLetsAPersonInIsSealedUntilItHasLeft(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		leaves func(h *house, m mail.Mail) error
		text   string
	}{
		"it waits":         {func(*house, mail.Mail) error { return nil }, wayIn},
		"the relay has it": {func(h *house, m mail.Mail) error { return h.Send(t.Context(), m.ID) }, mail.LinkNotKept},
		"the relay refused it": {func(h *house, m mail.Mail) error {
			h.relay.fail = &mail.Refusal{Err: errors.New("550 no such mailbox")}
			if err := h.Send(t.Context(), m.ID); err == nil {
				return errors.New("the relay took it")
			}
			return nil
		}, mail.LinkNotKept},
		"it stays in the house": {func(h *house, m mail.Mail) error {
			h.Sender = outbox.Keep{}
			return h.Send(t.Context(), m.ID)
		}, wayIn},
		"it stayed in the house until the link was over": {func(h *house, m mail.Mail) error {
			h.Sender = outbox.Keep{}
			if err := h.Send(t.Context(), m.ID); err != nil {
				return err
			}
			if _, err := h.Pool.Exec(t.Context(), `UPDATE mails SET sent_at = $1`, time.Now().Add(-9*24*time.Hour)); err != nil {
				return err
			}
			return upkeep.Store{DB: h.DB}.Tidy(t.Context(), time.Now())
		}, mail.LinkNotKept},
		"a release before queued it": {func(h *house, m mail.Mail) error {
			if _, err := h.Pool.Exec(t.Context(), `UPDATE mails SET body_sealed = NULL, text_body = $1`, m.Text); err != nil {
				return err
			}
			h.Sender = outbox.Keep{}
			return h.Send(t.Context(), m.ID)
		}, wayIn},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			m := h.reset(t)
			if err := c.leaves(h, m); err != nil {
				t.Fatal(err)
			}
			if h.open(t) {
				t.Error("the link lies open in the database")
			}
			if got := h.find(t, m.ID); got.Text != c.text && got.Text != "Here: "+c.text+"\n" || c.text == wayIn &&
				got.HTML != m.HTML && name != "a release before queued it" {
				t.Errorf("it reads %q, %q", got.Text, got.HTML)
			}
		})
	}
}
