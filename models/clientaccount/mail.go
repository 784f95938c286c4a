package clientaccount

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/money"
)

// MailStatement is the kind of mail that brings a statement.
const MailStatement = "client_account_statement"

// Letters words the mail.
type Letters interface {
	AccountStatement(st Statement) mail.Letter
}

// MayMail is nil when a statement can be mailed to a client.
func MayMail(c client.Client) error {
	switch {
	case c.Erased():
		return fault.New(fault.Conflict, "client_erased", "The personal data of this client was erased.")
	case c.Email == "":
		return fault.New(fault.Conflict, "no_email",
			"This client has no e-mail address. Add one first: the statement is sent to the address on file.")
	}
	return nil
}

// Mail mails the statement of a client at the end of a day. The file is drawn when the mail leaves, as the account
// stood when it was asked for.
func (s *Service) Mail(ctx context.Context, who actor.Actor, clientID uuid.UUID, day calendar.Date) (mail.Mail,
	error) {
	return s.MailOnce(ctx, who, clientID, day, uuid.Nil)
}

// MailOnce is Mail for an order that has a name: however often it is tried, one mail is made, as long as that is kept.
// Without a name each is one of its own.
func (s *Service) MailOnce(ctx context.Context, who actor.Actor, clientID uuid.UUID, day calendar.Date,
	once uuid.UUID) (m mail.Mail, err error) {
	if err := who.May(actor.Write); err != nil {
		return m, err
	}
	st, err := s.At(ctx, who, clientID, s.Moment(day))
	if err != nil {
		return m, err
	}
	c := st.Client
	if err := MayMail(c); err != nil {
		return m, err
	}
	letter := s.Letters.AccountStatement(st)
	letter.Attachments = append(letter.Attachments, mail.Attachment{Name: st.FileName(), Type: "application/pdf",
		Ref: st.ref()})
	err = s.InTx(ctx, func(tx *database.Tx) error {
		m = mail.Mail{ID: tx.NewID(), MerchantID: c.MerchantID, Kind: MailStatement, Attempt: 1, ClientID: c.ID, To: c.Email,
			CC: c.CC, BCC: c.BCC, Letter: letter, State: mail.Queued, CreatedAt: tx.Now()}
		if m.ObjectID = once; once == uuid.Nil {
			m.ObjectID = m.ID // each is asked for by itself, and kept with the answer
		} else if made, err := lockedAndMade(tx, m); err != nil || made {
			return err
		}
		tx.InsertMail(m)
		owing := st.Account.Owing
		tx.Audit(who, audit.Entry{Action: "client.statement_mailed", ObjectType: "client", ObjectID: c.ID, ClientID: c.ID,
			Text: "The statement of account at the end of " + day.String() + " was mailed: " + owing.Format(money.ZAR) +
				" still owed.",
			After: map[string]any{"mail": m.ID, "as_of": day, "owed_cents": owing}})
		return tx.Answered(m)
	})
	return m, err
}
