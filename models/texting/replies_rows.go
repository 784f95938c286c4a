package texting

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"debitdesk/models/database"
	"debitdesk/models/locale"
	"debitdesk/models/merchant"
	"debitdesk/models/sms"
)

// keptReply is a reply with its words, sealed.
type keptReply struct {
	Reply
	database.Damage
	TextSealed []byte `gorm:"serializer:sealed"`
}

// TableName implements GORM's Tabler.
func (keptReply) TableName() string { return "sms_replies" }

// insertReply keeps a reply; false when it was told before.
func insertReply(tx *database.Tx, r Reply) (bool, error) {
	return database.Found(tx.Gorm().Clauses(clause.OnConflict{DoNothing: true,
		Columns: []clause.Column{{Name: "provider"}, {Name: "provider_id"}}}).
		Create(&keptReply{Reply: r, TextSealed: []byte(r.Text)}))
}

// RepliesOf lists the newest answers of a client.
func (s Store) RepliesOf(ctx context.Context, merchantID, clientID uuid.UUID, limit int) ([]Reply, error) {
	var found []keptReply
	err := s.Gorm(ctx).Scopes(database.OfMerchant(merchantID)).Where("client_id = ?", clientID).Order("id DESC").
		Limit(limit).Find(&found).Error
	list := make([]Reply, len(found))
	for i, r := range found {
		list[i] = r.Reply
		if list[i].Text = string(r.TextSealed); r.Unreadable("text_sealed") {
			list[i].Text = sms.Unread
		}
	}
	return list, err
}

// sender is the name under which a message goes out: that of its brand, else of the business.
func (s Store) sender(ctx context.Context, merchantID, brandID uuid.UUID) (name string, err error) {
	err = s.Gorm(ctx).Raw(`SELECT coalesce((SELECT name FROM brands WHERE merchant_id = ? AND id = ?),
		(SELECT name FROM merchants WHERE id = ?), '')`, merchantID, brandID, merchantID).Scan(&name).Error
	if err != nil {
		err = fmt.Errorf("find the sender: %w", err)
	}
	return name, err
}

// reads is the language in which the client of a message reads what its brand sends; without a brand, what the
// merchant's first one does.
func (s Store) reads(ctx context.Context, m sms.Message) (locale.Language, error) {
	var found struct{ Language, OfferedLanguages, Wished string }
	err := s.Gorm(ctx).Raw(`SELECT b.language, b.offered_languages, coalesce((
			SELECT coalesce(nullif(chosen_language, ''), language) FROM clients WHERE merchant_id = ? AND id = ?), '') AS wished
		FROM brands b WHERE b.merchant_id = ? ORDER BY b.id = ? DESC, b.id LIMIT 1`, m.MerchantID, m.ClientID, m.MerchantID,
		m.BrandID).Scan(&found).Error
	if err != nil {
		return locale.English, fmt.Errorf("find the language of a client: %w", err)
	}
	return merchant.BrandInput{Language: found.Language, OfferedLanguages: found.OfferedLanguages}.Reads(found.Wished), nil
}

// reachedSince tells that something else reached the client, or is on its way, since an hour before a message was
// queued.
func (s Store) reachedSince(ctx context.Context, m sms.Message) (yes bool, err error) {
	since := m.CreatedAt.Add(-time.Hour)
	err = s.Gorm(ctx).Raw(`SELECT EXISTS (SELECT FROM mails WHERE merchant_id = ? AND client_id = ?
			AND state <> 'failed' AND coalesce(sent_at, created_at) > ?)
		OR EXISTS (SELECT FROM sms_messages WHERE merchant_id = ? AND client_id = ? AND id <> ?
			AND state IN ('sent', 'delivered') AND sent_at > ?)`,
		m.MerchantID, m.ClientID, since, m.MerchantID, m.ClientID, m.ID, since).Scan(&yes).Error
	if err != nil {
		err = fmt.Errorf("look for what reached the client: %w", err)
	}
	return yes, err
}
