package user

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// NewToken makes what a link in a mail holds, 256 bits of chance, and the hash by
// which it is known again. The token itself is kept nowhere but in the mail.
func NewToken() (token string, hash []byte) {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails since Go 1.24
	token = base64.RawURLEncoding.EncodeToString(secret[:])
	return token, TokenHash(token)
}

// TokenHash is what the database knows of a link's token.
func TokenHash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
