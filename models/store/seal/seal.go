// Package seal knows how account and identity numbers are kept unreadable at
// rest and still searchable. It must not know what the numbers mean.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// Key is one sealing key; its id is stored beside everything it sealed.
type Key struct {
	ID     string // at most 255 bytes
	Secret []byte // 32 bytes
}

// Box seals with its newest key and opens with any of them (AES-256-GCM).
type Box struct {
	newest string
	aeads  map[string]cipher.AEAD
	index  []byte
}

// NewBox takes the keys, newest first, and the key of the search hash.
func NewBox(keys []Key, indexKey []byte) (*Box, error) {
	if len(keys) == 0 || len(indexKey) < 32 {
		return nil, errors.New("seal: at least one key and a 32-byte index key are needed")
	}
	b := &Box{newest: keys[0].ID, aeads: map[string]cipher.AEAD{}, index: indexKey}
	for _, k := range keys {
		block, err := aes.NewCipher(k.Secret)
		if err != nil {
			return nil, fmt.Errorf("seal: key %s: %w", k.ID, err)
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			return nil, fmt.Errorf("seal: key %s: %w", k.ID, err)
		}
		b.aeads[k.ID] = aead
	}
	return b, nil
}

// Seal hides text. The merchant is bound in: another merchant's row does not open.
// Empty text stays nil.
func (b *Box) Seal(merchant uuid.UUID, text string) []byte {
	if text == "" {
		return nil
	}
	return b.SealBytes(merchant, []byte(text))
}

// SealBytes hides a file or other bytes.
func (b *Box) SealBytes(merchant uuid.UUID, content []byte) []byte {
	aead := b.aeads[b.newest]
	out := make([]byte, 0, 1+len(b.newest)+aead.NonceSize()+len(content)+aead.Overhead())
	out = append(out, byte(len(b.newest)))
	out = append(out, b.newest...)
	nonce := make([]byte, aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails since Go 1.24
	out = append(out, nonce...)
	return aead.Seal(out, nonce, content, merchant[:])
}

// Open reads what Seal wrote. Nil opens as empty text.
func (b *Box) Open(merchant uuid.UUID, sealed []byte) (string, error) {
	out, err := b.OpenBytes(merchant, sealed)
	return string(out), err
}

// OpenBytes reads what SealBytes wrote.
func (b *Box) OpenBytes(merchant uuid.UUID, sealed []byte) ([]byte, error) {
	if len(sealed) == 0 {
		return nil, nil
	}
	n := int(sealed[0])
	if len(sealed) < 1+n {
		return nil, errors.New("seal: cut short")
	}
	aead, ok := b.aeads[string(sealed[1:1+n])]
	if !ok {
		return nil, fmt.Errorf("seal: key %q is not in the key set", sealed[1:1+n])
	}
	rest := sealed[1+n:]
	if len(rest) < aead.NonceSize() {
		return nil, errors.New("seal: cut short")
	}
	out, err := aead.Open(nil, rest[:aead.NonceSize()], rest[aead.NonceSize():], merchant[:])
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return out, nil
}

// Hash finds equal texts of one merchant without opening them. Empty text has none.
func (b *Box) Hash(merchant uuid.UUID, kind, text string) []byte {
	if text == "" {
		return nil
	}
	mac := hmac.New(sha256.New, b.index)
	mac.Write(merchant[:])
	mac.Write([]byte(kind))
	mac.Write([]byte{0})
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
