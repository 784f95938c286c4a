package wording

import (
	"context"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
)

// MailTest is the kind of a mail with which a person looks at a message. It is to no client.
const MailTest = "message_test"

// TestsAnHour is how many of them one person may have sent to them.
const TestsAnHour = 10

// Service holds the use cases of messages and their words.
type Service struct {
	Store Store
	// Person tells the address of a person of the team.
	Person func(ctx context.Context, merchantID, id uuid.UUID) (actor.Actor, string, error)
}

// SendTest mails a message that was made up to the person who asks, and tells to which address.
func (s *Service) SendTest(ctx context.Context, who actor.Actor, b merchant.Brand, kind Kind,
	l mail.Letter) (to string, err error) {
	if err := who.May(actor.Write); err != nil {
		return "", err
	}
	if who.Kind != actor.User {
		return "", fault.New(fault.Forbidden, "permission_denied", "Only a person can be sent a test.")
	}
	if _, to, err = s.Person(ctx, who.MerchantID, who.ID); err != nil {
		return "", err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		object := uuid.NewSHA1(who.MerchantID, who.ID[:])
		recent, last, err := testsOf(tx, who, object, tx.Now().Add(-time.Hour))
		if err != nil {
			return err
		}
		if recent >= TestsAnHour {
			return fault.New(fault.Conflict, "too_many_tests",
				"You have had %d tests within an hour. Try again later; the preview shows the same.", TestsAnHour)
		}
		m := mail.Mail{ID: tx.NewID(), MerchantID: who.MerchantID, ObjectID: object, Kind: MailTest, Attempt: last + 1,
			To: to, State: mail.Queued, CreatedAt: tx.Now(), Letter: l}
		tx.InsertMail(m)
		tx.Audit(who, audit.Entry{Action: "message.tested", ObjectType: "brand", ObjectID: b.ID,
			Text:  "A test of the message “" + kind.Title + "” was mailed to the person who asked for it.",
			After: map[string]any{"kind": kind.Name}})
		return nil
	})
	return to, err
}
