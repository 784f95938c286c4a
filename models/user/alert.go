package user

import (
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/mail"
)

// MailAlert is the mail about a change that directs money.
const MailAlert = "money_alert"

// AlertLetters writes that mail.
type AlertLetters interface {
	Alert(e audit.Entry, to User, b Business) mail.Letter
}

// Alert tells every admin of a business of a change that directs money, whoever made it, in its transaction.
func Alert(tx *database.Tx, e audit.Entry, words AlertLetters) error {
	s, ctx := Store{DB: tx.DB()}, tx.Context()
	admins, err := s.Admins(ctx, e.MerchantID)
	if err != nil {
		return err
	}
	b, err := s.Business(ctx, e.MerchantID)
	if err != nil {
		return err
	}
	for i, to := range admins {
		tx.InsertMail(mail.Mail{MerchantID: e.MerchantID, ObjectID: e.ID, Kind: MailAlert, Attempt: i + 1, To: to.Email,
			State: mail.Queued, Letter: words.Alert(e, to, b)})
	}
	return nil
}
