package trail

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/audit/anchor"
	"debitdesk/models/fault"
)

// Service links entries and checks the chains.
type Service struct {
	Store   Store
	Signer  audit.Signer
	Anchors *anchor.File // nil: nothing is noted outside of the database
	Log     *slog.Logger // hears of alarms; nil: nobody
}

const linkChunk = 5_000

// Link links everything whose order is final, and adds it to the logs. It is safe to repeat and to
// run in several processes at once.
func (k *Service) Link(ctx context.Context) error {
	for {
		if err := k.refresh(); err != nil {
			return err
		}
		done, err := k.linkEntries(ctx, linkChunk)
		if err != nil {
			return err
		}
		k.note(ctx, false, done.Heads...)
		for _, a := range done.Alarms {
			k.tell(ctx, a)
		}
		if done.Entries < linkChunk {
			return k.grow(ctx)
		}
	}
}

// DropPast drops what is past its time, once the part of each chain that goes was found to
// hold. A chain that does not hold raises its alarm, and nothing is dropped while one stands.
func (k *Service) DropPast(ctx context.Context, now time.Time) error {
	bases, err := k.Store.nextBases(ctx, now)
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
	return k.Store.dropPast(ctx, now, bases)
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
	owners, err := k.Store.ChainOwners(ctx)
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
		if base, err := k.Store.Base(ctx, merchantID); err != nil || base.N <= found.Dropped {
			return found, err
		}
	}
}

func (k *Service) walkOnce(ctx context.Context, merchantID uuid.UUID, upTo int64) (Checked, error) {
	out := Checked{MerchantID: merchantID}
	if err := k.refresh(); err != nil {
		return out, err
	}
	var noted audit.Head
	if k.Anchors != nil {
		noted, _ = k.Anchors.Last(merchantID)
	}
	// The log is read first, then the head: links that are added meanwhile come after it.
	logged, err := k.Store.log(ctx, merchantID)
	if err != nil {
		return out, err
	}
	end, err := k.Store.Head(ctx, merchantID)
	if err != nil {
		return out, err
	}
	base, err := k.Store.Base(ctx, merchantID)
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
	check, why, err := k.begin(ctx, logged, base)
	if err != nil {
		return out, err
	}
	if why != "" && upTo == toItsHead {
		_ = broken(logged.Last(), "%s", why)
		return out, nil
	}
	err = k.Store.Walk(ctx, merchantID, func(l audit.Link, e audit.Kept) error {
		if at.N == end.N || at.N == upTo {
			return errStop
		}
		next, n, why := base.Follow(at, l, e)
		if why != "" {
			return broken(n, "%s", why)
		}
		at, out.Links = next, l.N
		if err := check.see(entered{l, e}); err != nil {
			return err
		}
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
	default:
		if why := check.end(); why != "" {
			_ = broken(logged.Last(), "%s", why)
		}
	}
	if out.Why != "" {
		return out, nil
	}
	strays, err := k.Store.strays(ctx, merchantID, 1)
	if err == nil && len(strays) > 0 {
		_ = broken(end.N+1, "Entry %s is not in the chain.", strays[0])
	}
	return out, err
}
