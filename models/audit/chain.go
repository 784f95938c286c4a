package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Kept is an entry exactly as it is stored: what a link is a hash over. Before and
// After are the texts of the stored JSON, empty for none.
type Kept struct {
	ID, MerchantID                      uuid.UUID
	At                                  time.Time
	ActorKind, ActorName, IP, RequestID string
	ActorID                             uuid.UUID
	Action, ObjectType                  string
	ObjectID, ClientID, PurchaseID      uuid.UUID
	Text, Before, After                 string
}

// Link is one step of a merchant's chain. N counts from 1.
type Link struct {
	MerchantID uuid.UUID
	N          int64
	EntryID    uuid.UUID
	Hash       []byte
}

// Head is the last link of a merchant's chain, signed with a key that is not in
// the database. The zero Head is the beginning of a chain.
type Head struct {
	MerchantID uuid.UUID
	N          int64
	Hash       []byte
	KeyID      string
	Signature  []byte
}

// Signed are the bytes that the signature of a head is over.
func (h Head) Signed() []byte {
	out := append([]byte("debitdesk audit head\x00"), h.MerchantID[:]...)
	out = binary.BigEndian.AppendUint64(out, uint64(h.N)) //nolint:gosec // a count
	return append(out, h.Hash...)
}

// Base is where a chain begins once its past was dropped after its time: the last link
// that went. Kept are numbers of links behind it whose entries went too, since they were
// linked only after newer ones. It is signed as a head is, so that nobody who has the
// database alone can take entries away and call it a drop.
type Base struct {
	MerchantID uuid.UUID
	N          int64
	Hash       []byte
	Kept       []int64 `gorm:"-"` // in their order
	KeyID      string
	Signature  []byte
}

// Signed are the bytes that the signature of a base is over.
func (b Base) Signed() []byte {
	out := append([]byte("debitdesk audit base\x00"), b.MerchantID[:]...)
	for _, n := range append([]int64{b.N}, b.Kept...) {
		out = binary.BigEndian.AppendUint64(out, uint64(n)) //nolint:gosec // a count
	}
	return append(out, b.Hash...)
}

// Dropped tells whether something of the chain went.
func (b Base) Dropped() bool { return b.KeyID != "" }

// Head is the link after which the chain goes on.
func (b Base) Head() Head { return Head{MerchantID: b.MerchantID, N: b.N, Hash: b.Hash} }

// Next is the link of an entry after a head.
func (h Head) Next(e Kept) Link {
	return Link{MerchantID: e.MerchantID, N: h.N + 1, EntryID: e.ID, Hash: hashOf(h.Hash, h.N+1, e)}
}

// After is the head once a link was added; it is not signed yet.
func (h Head) After(l Link) Head { return Head{MerchantID: l.MerchantID, N: l.N, Hash: l.Hash} }

// Follow goes one link on from a head. A link that does not fit is told by its number, and why; an entry that is gone
// has the zero id, which only a dropped past allows.
func (b Base) Follow(at Head, l Link, e Kept) (next Head, broken int64, why string) {
	wanted := at.Next(e)
	switch {
	case l.N != wanted.N:
		return at, wanted.N, fmt.Sprintf("Link %d is missing.", wanted.N)
	case e.ID == uuid.Nil && slices.Contains(b.Kept, l.N): // the link after it is a hash over this one
	case e.ID == uuid.Nil:
		return at, l.N, fmt.Sprintf("The entry of link %d is missing.", l.N)
	case string(l.Hash) != string(wanted.Hash):
		return at, l.N, fmt.Sprintf("Entry %s (link %d) was changed after it was written.", e.ID, l.N)
	}
	return at.After(l), 0, ""
}

// hashOf is SHA-256 over the hash before, the number and each field with its
// length in front, so that no two entries read the same.
func hashOf(before []byte, n int64, e Kept) []byte {
	sum := sha256.New()
	field := func(b []byte) {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(b)))
		sum.Write(size[:])
		sum.Write(b)
	}
	number := func(v int64) {
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], uint64(v)) //nolint:gosec // the bits, whatever the sign
		field(b[:])
	}
	field(before)
	number(n)
	for _, id := range []uuid.UUID{e.ID, e.MerchantID, e.ActorID, e.ObjectID, e.ClientID, e.PurchaseID} {
		field(id[:])
	}
	number(e.At.UnixMicro())
	for _, text := range []string{e.ActorKind, e.ActorName, e.IP, e.RequestID, e.Action, e.ObjectType, e.Text, e.Before,
		e.After} {
		field([]byte(text))
	}
	return sum.Sum(nil)
}

// Signer signs heads and knows its signatures again.
type Signer interface {
	Sign(data []byte) (keyID string, signature []byte)
	Check(keyID string, data, signature []byte) bool
	Public() map[string][]byte // the public halves of its keys, by their ids
}
