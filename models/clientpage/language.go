package clientpage

import (
	"context"

	"debitdesk/models/audit"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/locale"
)

// ChooseLanguage notes in which language a client wants to read pages and mails; it comes before what staff set. It
// needs no code: it gives nothing away and the client can choose again. Errors: Invalid for a language that the brand
// does not offer.
func (s *Service) ChooseLanguage(ctx context.Context, v Visit, language, ip, requestID string) error {
	l, known := locale.Parse(language)
	if !known || v.Brand.Reads(language) != l {
		return fault.At("language", "invalid_choice", "Choose one of the languages on your page.")
	}
	return s.InTx(ctx, func(tx *database.Tx) error {
		c, err := client.Lock(tx, v.Client.MerchantID, v.Client.ID)
		switch {
		case err != nil:
			return err
		case c.Erased():
			return fault.Missing()
		case c.ChosenLanguage == language:
			return nil
		}
		client.SetChosenLanguage(tx, c.MerchantID, c.ID, language)
		tx.Audit(v.who(ip, requestID), audit.Entry{Action: "client_page.language", ObjectType: "client", ObjectID: c.ID,
			ClientID: c.ID, Text: "The client chose on its own page to read in " + l.Name() + ".",
			Before: map[string]any{"chosen_language": c.ChosenLanguage},
			After:  map[string]any{"chosen_language": language}})
		return nil
	})
}
