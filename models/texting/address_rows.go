package texting

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// NewAddress makes the secret part, 128 bits of chance, of the address at which the provider tells of messages. Of
// it only a hash is kept; the one before ends.
func (s Store) NewAddress(ctx context.Context, now time.Time) (secret string, err error) {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	secret = base64.RawURLEncoding.EncodeToString(b[:])
	err = pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM sms_addresses`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO sms_addresses (token_hash, made_at) VALUES ($1, $2)`, hashOf(secret), now)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("make an address for the provider: %w", err)
	}
	return secret, nil
}

// Known tells that this is the secret part of the address.
func (s Store) Known(ctx context.Context, secret string) (known bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM sms_addresses WHERE token_hash = $1)`, hashOf(secret)).
		Scan(&known)
	if err != nil {
		err = fmt.Errorf("look for the provider's address: %w", err)
	}
	return known, err
}

// HasAddress tells that an address was made.
func (s Store) HasAddress(ctx context.Context) (has bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM sms_addresses)`).Scan(&has)
	if err != nil {
		err = fmt.Errorf("look for the provider's address: %w", err)
	}
	return has, err
}

func hashOf(secret string) []byte {
	sum := sha256.Sum256([]byte("sms address " + secret))
	return sum[:]
}
