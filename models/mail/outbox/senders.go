package outbox

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/mail"
)

// Keep is the sender without a relay: the mail stays in the outbox, where the
// sandbox mail page shows it, and counts as sent.
type Keep struct{}

// Send implements mail.Sender.
func (Keep) Send(context.Context, mail.Mail, mail.LastByte) error { return nil }

// WithFiles is a sender whose mails bring the files that they only name.
type WithFiles struct {
	mail.Sender
	// File makes the file of a reference.
	File func(ctx context.Context, merchantID uuid.UUID, ref string) ([]byte, error)
}

// Send implements mail.Sender.
func (w WithFiles) Send(ctx context.Context, m mail.Mail, last mail.LastByte) error {
	named := m.Attachments
	m.Attachments = nil
	for _, a := range named {
		if a.Ref != "" {
			var err error
			a.Content, err = w.File(ctx, m.MerchantID, a.Ref)
			if a.LeftOut(err) {
				continue
			}
			if err != nil {
				return fmt.Errorf("attach %s: %w", a.Name, err)
			}
		}
		m.Attachments = append(m.Attachments, a)
	}
	return w.Sender.Send(ctx, m, last)
}
