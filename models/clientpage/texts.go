package clientpage

import (
	"context"

	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/sms"
)

// MayText tells that a client can choose between mail and SMS: there is an address on file, and a number to which SMS
// go.
func (s *Service) MayText(ctx context.Context, c client.Client) bool {
	return c.Email != "" && s.Texts.May(ctx, c.MerchantID, c.Phone) == nil
}

// TextsReady tells that SMS are set up.
func (s *Service) TextsReady() bool { return s.Texts.Ready() }

// codeBySMS tells how the code of an act leaves: it waits for no hours. Conflict where it can be sent in no way.
func (s *Service) codeBySMS(ctx context.Context, c client.Client, wished bool) (bool, error) {
	switch {
	case c.Email != "" && !wished:
		return false, nil
	case c.Email == "" && !s.Texts.Ready():
		return false, fault.New(fault.Conflict, "no_email",
			"There is no e-mail address on file to which a code could be sent.")
	}
	if err := s.Texts.May(ctx, c.MerchantID, c.Phone); err != nil {
		if _, refused := fault.From(err); !refused || c.Email != "" {
			return false, unlessRefused(err)
		}
		return false, fault.New(fault.Conflict, "no_contact",
			"There is no e-mail address on file to which a code could be sent, and no mobile number that takes SMS.")
	}
	return true, nil
}

func unlessRefused(err error) error {
	if _, refused := fault.From(err); refused {
		return nil
	}
	return err
}

// sendCode sends the code of an act the way that was found for it.
func (s *Service) sendCode(tx *database.Tx, v Visit, a Act, code string) error {
	if a.Wish.SMS {
		_, err := s.Texts.Queue(tx, sms.Message{MerchantID: a.MerchantID, BrandID: a.BrandID, ClientID: a.ClientID,
			ObjectID: a.ID, Kind: sms.Code, Attempt: 1, To: v.Client.Phone, ExpiresAt: tx.Now().Add(CodeLasts),
			Text: s.Letters.ClientCodeSMS(v.Client.Addressed(), v.Brand, code)})
		return err
	}
	tx.InsertMail(mail.Mail{ID: tx.NewID(), MerchantID: a.MerchantID, ObjectID: a.ID, Kind: MailCode, Attempt: 1,
		ClientID: a.ClientID, To: v.Client.Email, State: mail.Queued, CreatedAt: tx.Now(),
		Letter: s.Letters.ClientCode(v.Client.Addressed(), v.Brand, code, a)})
	return nil
}

// linkBySMS tells how a link leaves that a client asked for: by SMS where the client says so or has no address, and
// where the number takes SMS; else by mail. Both are false where neither can be.
func (s *Service) linkBySMS(ctx context.Context, c client.Client, wished bool) (bySMS, byMail bool, err error) {
	if c.Email == "" || wished {
		if err = s.Texts.May(ctx, c.MerchantID, c.Phone); err == nil {
			return true, false, nil
		}
	}
	return false, c.Email != "", unlessRefused(err)
}
