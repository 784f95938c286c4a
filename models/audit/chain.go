package audit

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/fault"
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
	Kept       []int64 // in their order
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
}

// Chains is where the chains are kept.
type Chains interface {
	// LinkEntries links at most limit entries whose order is final and that are not linked
	// yet, in one transaction. A head that is unsound is not extended: its alarm is raised,
	// and the entries of its merchant wait until the chain is accepted.
	LinkEntries(ctx context.Context, limit int, with Extending) (Linked, error)
	// AcceptChain signs the last link of a merchant as it stands, links what waits, ends the
	// alarm and keeps the entry.
	AcceptChain(ctx context.Context, who actor.Actor, merchantID uuid.UUID, sign func(Head) Head, e Entry) (Head, error)
	// RaiseAlarm keeps an alarm; false when the merchant has one already.
	RaiseAlarm(ctx context.Context, a Alarm) (fresh bool, err error)
	// Alarms are those of a merchant; with the zero id, of all.
	Alarms(ctx context.Context, merchantID uuid.UUID) ([]Alarm, error)
	// HashAt is the hash of a merchant's nth link, the last one that was dropped included; nil
	// when there is none.
	HashAt(ctx context.Context, merchantID uuid.UUID, n int64) ([]byte, error)
	// Head gives the head of a merchant's chain; the zero Head when there is none.
	Head(ctx context.Context, merchantID uuid.UUID) (Head, error)
	// Base gives where a merchant's chain begins; the zero Base when nothing was dropped.
	Base(ctx context.Context, merchantID uuid.UUID) (Base, error)
	// NextBases are what the bases are to be when what is past its time at a moment is
	// dropped; none when nothing is to go yet.
	NextBases(ctx context.Context, now time.Time) ([]Base, error)
	// DropPast drops it, unless the bases would be other ones by now or an alarm stands.
	DropPast(ctx context.Context, now time.Time, bases []Base) error
	// Walk visits the links of a merchant in their order, each with its entry; an entry that is gone
	// has the zero id.
	Walk(ctx context.Context, merchantID uuid.UUID, visit func(Link, Kept) error) error
	// Strays lists entries that should be linked by now and are not, oldest first.
	Strays(ctx context.Context, merchantID uuid.UUID, limit int) ([]uuid.UUID, error)
	// ChainOwners lists the merchants that have entries.
	ChainOwners(ctx context.Context) ([]uuid.UUID, error)
}

// Service links entries and checks the chains.
type Service struct {
	Chains  Chains
	Signer  Signer
	Anchors Anchors      // nil: nothing is noted outside of the database
	Log     *slog.Logger // hears of alarms; nil: nobody
}

const linkChunk = 5_000

// Link links everything whose order is final. It is safe to repeat and to run in
// several processes at once.
func (k *Service) Link(ctx context.Context) error {
	for {
		if err := k.refresh(); err != nil {
			return err
		}
		done, err := k.Chains.LinkEntries(ctx, linkChunk, k)
		if err != nil {
			return err
		}
		k.note(ctx, false, done.Heads...)
		for _, a := range done.Alarms {
			k.tell(ctx, a)
		}
		if done.Entries < linkChunk {
			return nil
		}
	}
}

// DropPast drops what is past its time, once the part of each chain that goes was found to
// hold. A chain that does not hold raises its alarm, and nothing is dropped while one stands.
func (k *Service) DropPast(ctx context.Context, now time.Time) error {
	bases, err := k.Chains.NextBases(ctx, now)
	if err != nil || len(bases) == 0 {
		return err
	}
	for i, b := range bases {
		found, err := k.walk(ctx, b.MerchantID, b.N)
		if err != nil {
			return err
		}
		if found.Holds() && string(found.last) != string(b.Hash) {
			found.Broken, found.Why = b.N, fmt.Sprintf("Link %d is not the one that the links before it lead to.", b.N)
		}
		if !found.Holds() {
			return k.raise(ctx, found)
		}
		bases[i].KeyID, bases[i].Signature = k.Signer.Sign(b.Signed())
	}
	return k.Chains.DropPast(ctx, now, bases)
}

// Checked is what a walk over a chain found.
type Checked struct {
	MerchantID uuid.UUID
	Links      int64 // those that were dropped after their time included
	Dropped    int64
	last       []byte // the hash of the last link that was looked at
	Broken     int64  // the number of the first link that does not hold; 0: none
	Why        string // in words, when something does not hold
}

// Holds tells whether everything fits.
func (c Checked) Holds() bool { return c.Why == "" }

// Verify walks the chain of the caller's merchant from its first link to its head.
func (k *Service) Verify(ctx context.Context, who actor.Actor) (Checked, error) {
	if err := who.May(actor.Manage); err != nil {
		return Checked{}, err
	}
	return k.verify(ctx, who.MerchantID)
}

// VerifyAll walks the chains of all merchants, for whoever runs the program.
func (k *Service) VerifyAll(ctx context.Context, who actor.Actor) ([]Checked, error) {
	if who.Kind != actor.Operator {
		return nil, fault.New(fault.Forbidden, "permission_denied", "Only the command line can check every merchant.")
	}
	owners, err := k.Chains.ChainOwners(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Checked, 0, len(owners))
	for _, id := range owners {
		one, err := k.verify(ctx, id)
		if err != nil {
			return out, err
		}
		out = append(out, one)
	}
	return out, nil
}

// errStop ends a walk at the first link that does not hold.
var errStop = fmt.Errorf("the chain is broken here")

func (k *Service) verify(ctx context.Context, merchantID uuid.UUID) (Checked, error) {
	out, err := k.walk(ctx, merchantID, toItsHead)
	if err != nil {
		return out, err
	}
	return out, k.raise(ctx, out)
}

// toItsHead has a walk go over the whole chain.
const toItsHead = -1

// walk checks a chain from where it begins, up to the nth link alone or to its head. Links
// that are dropped meanwhile are missed: then it is walked again.
func (k *Service) walk(ctx context.Context, merchantID uuid.UUID, upTo int64) (Checked, error) {
	for {
		found, err := k.walkOnce(ctx, merchantID, upTo)
		if err != nil || found.Holds() {
			return found, err
		}
		if base, err := k.Chains.Base(ctx, merchantID); err != nil || base.N <= found.Dropped {
			return found, err
		}
	}
}

func (k *Service) walkOnce(ctx context.Context, merchantID uuid.UUID, upTo int64) (Checked, error) {
	out := Checked{MerchantID: merchantID}
	if err := k.refresh(); err != nil {
		return out, err
	}
	var noted Head
	if k.Anchors != nil {
		noted, _ = k.Anchors.Last(merchantID)
	}
	// The head is read first: links that are added meanwhile come after it.
	end, err := k.Chains.Head(ctx, merchantID)
	if err != nil {
		return out, err
	}
	base, err := k.Chains.Base(ctx, merchantID)
	if err != nil {
		return out, err
	}
	at := base.Head()
	at.MerchantID, out.Links, out.Dropped = merchantID, base.N, base.N
	broken := func(n int64, why string, args ...any) error {
		out.Broken, out.Why = n, fmt.Sprintf(why, args...)
		return errStop
	}
	if base.Dropped() && !k.Signer.Check(base.KeyID, base.Signed(), base.Signature) {
		_ = broken(base.N, "The signature of what was dropped is not valid.")
		return out, nil
	}
	err = k.Chains.Walk(ctx, merchantID, func(l Link, e Kept) error {
		if at.N == end.N || at.N == upTo {
			return errStop
		}
		next := at.Next(e)
		switch {
		case l.N != next.N:
			return broken(next.N, "Link %d is missing.", next.N)
		case e.ID == uuid.Nil && slices.Contains(base.Kept, l.N):
			next.Hash = l.Hash // the link after it is a hash over this one
		case e.ID == uuid.Nil:
			return broken(l.N, "The entry of link %d is missing.", l.N)
		case string(l.Hash) != string(next.Hash):
			return broken(l.N, "Entry %s (link %d) was changed after it was written.", e.ID, l.N)
		}
		at, out.Links = at.After(l), l.N
		if at.N == noted.N && string(at.Hash) != string(noted.Hash) {
			return broken(at.N, "Link %d is not the one that is noted outside the database.", at.N)
		}
		return nil
	})
	if err != nil && err != errStop { //nolint:errorlint // the very value
		return out, err
	}
	out.last = at.Hash
	switch {
	case out.Why != "":
	case upTo != toItsHead:
		if at.N != upTo {
			_ = broken(at.N+1, "The chain ends at link %d and should reach %d.", at.N, upTo)
		}
		return out, nil
	case noted.N > end.N:
		_ = broken(end.N+1, "The chain ends at link %d; outside the database link %d is noted.", end.N, noted.N)
	case at.N != end.N:
		_ = broken(at.N+1, "The chain ends at link %d and should reach %d.", at.N, end.N)
	case end.N > 0 && string(at.Hash) != string(end.Hash):
		_ = broken(end.N, "The last link is not the one that was signed.")
	case end.N > 0 && !k.Signer.Check(end.KeyID, end.Signed(), end.Signature):
		_ = broken(end.N, "The signature of the last link is not valid.")
	}
	if out.Why != "" {
		return out, nil
	}
	strays, err := k.Chains.Strays(ctx, merchantID, 1)
	if err == nil && len(strays) > 0 {
		_ = broken(end.N+1, "Entry %s is not in the chain.", strays[0])
	}
	return out, err
}
