package clientaccount

import (
	"fmt"

	"debitdesk/models/database"
	"debitdesk/models/mail"
)

// lockedAndMade tells whether the mail of an order was made before. Another that is about to make it waits.
func lockedAndMade(tx *database.Tx, m mail.Mail) (made bool, err error) {
	err = tx.Gorm().Exec(`SELECT pg_advisory_xact_lock(hashtextextended(?, 0))`, m.Kind+m.ObjectID.String()).Error
	if err == nil {
		err = tx.Gorm().Raw(`SELECT EXISTS (SELECT FROM mails WHERE object_id = ? AND kind = ? AND merchant_id = ?)`,
			m.ObjectID, m.Kind, m.MerchantID).Scan(&made).Error
	}
	if err != nil {
		return false, fmt.Errorf("look for the mail of an order: %w", err)
	}
	return made, nil
}
