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
	"slices"
	"sync/atomic"

	"github.com/google/uuid"
)

// Key is one sealing key; its id is stored beside everything it sealed.
type Key struct {
	ID     string // at most 255 bytes
	Secret []byte // 32 bytes
}

// Box seals with its newest key and opens with any of them (AES-256-GCM). Its keys
// can be replaced while it is in use.
type Box struct {
	index []byte
	ring  atomic.Pointer[ring]
	again atomic.Pointer[func() ([]Key, error)]
}

// ring is the keys at one moment.
type ring struct {
	newest string
	aeads  map[string]cipher.AEAD
}

// NewBox takes the keys, newest first, and the key of the search hash.
func NewBox(keys []Key, indexKey []byte) (*Box, error) {
	if len(indexKey) < 32 {
		return nil, errors.New("seal: a 32-byte index key is needed")
	}
	b := &Box{index: indexKey}
	return b, b.Replace(keys)
}

// Replace takes other keys, newest first, from now on.
func (b *Box) Replace(keys []Key) error {
	if len(keys) == 0 {
		return errors.New("seal: at least one key is needed")
	}
	r := &ring{newest: keys[0].ID, aeads: map[string]cipher.AEAD{}}
	for _, k := range keys {
		block, err := aes.NewCipher(k.Secret)
		if err != nil {
			return fmt.Errorf("seal: key %s: %w", k.ID, err)
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			return fmt.Errorf("seal: key %s: %w", k.ID, err)
		}
		r.aeads[k.ID] = aead
	}
	b.ring.Store(r)
	return nil
}

// Again is asked for the keys when something was sealed with one that is not
// known: another process may have got a new one first.
func (b *Box) Again(load func() ([]Key, error)) { b.again.Store(&load) }

// Newest is the id of the key that seals.
func (b *Box) Newest() string { return b.ring.Load().newest }

// SealedBy is the id of the key that sealed it; empty for nothing.
func SealedBy(sealed []byte) string {
	if len(sealed) == 0 || len(sealed) < 1+int(sealed[0]) {
		return ""
	}
	return string(sealed[1 : 1+int(sealed[0])])
}

// Reseal is the same content under the newest key.
func (b *Box) Reseal(at Place, sealed []byte) ([]byte, error) {
	content, err := b.OpenBytes(at, sealed)
	if err != nil {
		return nil, err
	}
	return b.SealBytes(at, content), nil
}

// opener is the key of that id, looked up again where it is not known yet.
func (b *Box) opener(id string) (cipher.AEAD, error) {
	if aead, ok := b.ring.Load().aeads[id]; ok {
		return aead, nil
	}
	if load := b.again.Load(); load != nil {
		keys, err := (*load)()
		if err == nil {
			err = b.Replace(keys)
		}
		if err != nil {
			return nil, err
		}
		if aead, ok := b.ring.Load().aeads[id]; ok {
			return aead, nil
		}
	}
	return nil, fmt.Errorf("seal: key %q is not in the key set", id)
}

// Place is where a sealed value belongs: it opens nowhere else.
type Place struct {
	Owner         uuid.UUID // the merchant, or the user of what is a person's own
	Table, Column string
	Row           string // the row's key; of several columns with / between them
}

// PlaceOf is the place of a value in the row of that id.
func PlaceOf(table, column string, owner, row uuid.UUID) Place {
	return Place{Owner: owner, Table: table, Column: column, Row: row.String()}
}

// bound is what is authenticated beside the content.
func (p Place) bound() []byte {
	return append(p.Owner[:], p.Table+"."+p.Column+"\x00"+p.Row...)
}

// Seal hides text. Its place is bound in: in another row, column or table, or at
// another merchant, it does not open. Empty text stays nil.
func (b *Box) Seal(at Place, text string) []byte {
	if text == "" {
		return nil
	}
	return b.SealBytes(at, []byte(text))
}

// SealBytes hides a file or other bytes.
func (b *Box) SealBytes(at Place, content []byte) []byte {
	r := b.ring.Load()
	aead := r.aeads[r.newest]
	out := make([]byte, 0, 1+len(r.newest)+aead.NonceSize()+len(content)+aead.Overhead())
	out = append(out, byte(len(r.newest))) //nolint:gosec // an id has at most 255 bytes
	out = append(out, r.newest...)
	nonce := make([]byte, aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails since Go 1.24
	out = append(out, nonce...)
	return aead.Seal(out, nonce, content, at.bound())
}

// Open reads what Seal wrote. Nil opens as empty text.
func (b *Box) Open(at Place, sealed []byte) (string, error) {
	out, err := b.OpenBytes(at, sealed)
	return string(out), err
}

// ErrDamaged stands behind everything that does not open: it was changed, or its key is not there.
var ErrDamaged = errors.New("seal: it does not open")

// Damage are the sealed columns of a record that did not open. A record that holds it is read all the same, without
// what they hold, and what is stored there stays as it is until it is replaced.
type Damage struct{ stored map[string][]byte }

// Marked is a record that holds Damage.
type Marked interface {
	Damaged(column string, stored []byte)
	Stored(column string) []byte
}

var _ Marked = (*Damage)(nil)

// Damaged notes a column with what is stored there.
func (d *Damage) Damaged(column string, stored []byte) {
	if d.stored == nil {
		d.stored = map[string][]byte{}
	}
	d.stored[column] = slices.Clone(stored)
}

// Stored is what such a column holds; nil where it opened.
func (d *Damage) Stored(column string) []byte { return d.stored[column] }

// Unreadable tells whether a column did not open.
func (d *Damage) Unreadable(column string) bool { return d.stored[column] != nil }

// Any tells whether one did not.
func (d *Damage) Any() bool { return len(d.stored) > 0 }

// Replace forgets the damage: what the record holds is written from now on.
func (d *Damage) Replace() { d.stored = nil }

// OpenBytes reads what SealBytes wrote. What was sealed before places were bound in
// is bound to its owner alone and opens too, until a rotation of the keys has sealed
// it anew.
func (b *Box) OpenBytes(at Place, sealed []byte) ([]byte, error) {
	out, err := b.openBytes(at, sealed)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return out, err
}

func (b *Box) openBytes(at Place, sealed []byte) ([]byte, error) {
	if len(sealed) == 0 {
		return nil, nil
	}
	n := int(sealed[0])
	if len(sealed) < 1+n {
		return nil, errors.New("seal: cut short")
	}
	aead, err := b.opener(string(sealed[1 : 1+n]))
	if err != nil {
		return nil, err
	}
	rest := sealed[1+n:]
	if len(rest) < aead.NonceSize() {
		return nil, errors.New("seal: cut short")
	}
	nonce, content := rest[:aead.NonceSize()], rest[aead.NonceSize():]
	out, err := aead.Open(nil, nonce, content, at.bound())
	if err != nil {
		out, err = aead.Open(nil, nonce, content, at.Owner[:])
	}
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

// Own seals what the session of a person carries, bound to that person.
type Own struct{ Box *Box }

func ownPlace(of uuid.UUID) Place {
	return Place{Owner: of, Table: "sessions", Column: "data", Row: of.String()}
}

// SealBytes hides bytes.
func (o Own) SealBytes(of uuid.UUID, content []byte) []byte {
	return o.Box.SealBytes(ownPlace(of), content)
}

// OpenBytes reads what SealBytes wrote.
func (o Own) OpenBytes(of uuid.UUID, sealed []byte) ([]byte, error) {
	return o.Box.OpenBytes(ownPlace(of), sealed)
}
