package texting

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"

	"debitdesk/models/database"
)

// address is where the provider tells of messages, of which only a hash is kept.
type address struct {
	TokenHash []byte
	MadeAt    time.Time
}

// TableName implements GORM's Tabler.
func (address) TableName() string { return "sms_addresses" }

// NewAddress makes the secret part, 128 bits of chance, of the address at which the provider tells of messages. Of
// it only a hash is kept; the one before ends.
func (s Store) NewAddress(ctx context.Context, now time.Time) (secret string, err error) {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	secret = base64.RawURLEncoding.EncodeToString(b[:])
	err = s.InTx(ctx, func(tx *database.Tx) error {
		if err := tx.Gorm().Exec(`DELETE FROM sms_addresses`).Error; err != nil {
			return err
		}
		return tx.Gorm().Create(&address{hashOf(secret), now}).Error
	})
	if err != nil {
		return "", fmt.Errorf("make an address for the provider: %w", err)
	}
	return secret, nil
}

// Known tells that this is the secret part of the address.
func (s Store) Known(ctx context.Context, secret string) (bool, error) {
	var n int64
	err := s.Gorm(ctx).Model(&address{}).Where("token_hash = ?", hashOf(secret)).Count(&n).Error
	if err != nil {
		err = fmt.Errorf("look for the provider's address: %w", err)
	}
	return n > 0, err
}

// HasAddress tells that an address was made.
func (s Store) HasAddress(ctx context.Context) (bool, error) {
	var n int64
	err := s.Gorm(ctx).Model(&address{}).Count(&n).Error
	if err != nil {
		err = fmt.Errorf("look for the provider's address: %w", err)
	}
	return n > 0, err
}

func hashOf(secret string) []byte {
	sum := sha256.Sum256([]byte("sms address " + secret))
	return sum[:]
}
