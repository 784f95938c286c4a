package trail

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/audit/merkle"
	"debitdesk/models/fault"
)

var errNoLog = fault.New(fault.Conflict, "no_log_yet", "Nothing is in the log yet. Entries get there within seconds.")

// Checkpoint gives the newest checkpoint of the log of the caller's merchant.
func (k *Service) Checkpoint(ctx context.Context, who actor.Actor) (merkle.Checkpoint, error) {
	_, at, err := k.current(ctx, who)
	return at, err
}

func (k *Service) current(ctx context.Context, who actor.Actor) (log, merkle.Checkpoint, error) {
	if err := who.May(actor.Manage); err != nil {
		return log{}, merkle.Checkpoint{}, err
	}
	l, err := k.Store.log(ctx, who.MerchantID)
	if err == nil && l.Size == 0 {
		err = errNoLog
	}
	if err != nil {
		return l, merkle.Checkpoint{}, err
	}
	if why := k.sound(l); why != "" {
		return l, merkle.Checkpoint{}, k.refuse(ctx, l, l.Last(), why)
	}
	at, err := merkle.ReadCheckpoint(l.checkpoint)
	return l, at, err
}

// refuse gives no proof of what does not fit, and raises the alarm.
func (k *Service) refuse(ctx context.Context, l log, n int64, why string) error {
	return errors.Join(fault.New(fault.Conflict, "log_does_not_fit", "%s", why),
		k.raise(ctx, Checked{MerchantID: l.merchantID, Broken: n, Why: why}))
}

// LogKeys are the public keys of a log as tools for signed notes read them: the one that signs now first.
func (k *Service) LogKeys(origin string) ([]string, error) {
	keys, err := merkle.Keys(origin, k.Signer.Public())
	if err != nil {
		return nil, err
	}
	now, _ := k.Signer.Sign([]byte(origin))
	first, err := merkle.Key(origin, k.Signer.Public()[now])
	slices.SortFunc(keys, func(a, b string) int {
		switch {
		case a == first:
			return -1
		case b == first:
			return 1
		}
		return cmp.Compare(a, b)
	})
	return keys, err
}

// Place tells where a link of the caller's merchant stands in its log, counted from 1, how many entries that has and
// its name. place is 0 while the link waits.
func (k *Service) Place(ctx context.Context, who actor.Actor, n int64) (place, size int64, origin string, err error) {
	if err := who.May(actor.Manage); err != nil {
		return 0, 0, "", err
	}
	l, err := k.Store.log(ctx, who.MerchantID)
	if err != nil || n < l.First || n > l.Last() {
		return 0, l.Size, l.Origin, err
	}
	return n - l.First + 1, l.Size, l.Origin, nil
}

// Include proves that an entry of the caller's merchant is in the log.
func (k *Service) Include(ctx context.Context, who actor.Actor, entryID uuid.UUID) (merkle.Inclusion, error) {
	if err := who.May(actor.Manage); err != nil {
		return merkle.Inclusion{}, err
	}
	one, err := k.Store.linkOf(ctx, who.MerchantID, entryID)
	if err != nil {
		return merkle.Inclusion{}, err
	}
	l, at, err := k.current(ctx, who)
	if err != nil {
		return merkle.Inclusion{}, err
	}
	if one.N == 0 || one.N > l.Last() {
		return merkle.Inclusion{}, fault.New(fault.Conflict, "not_logged_yet",
			"This entry is not in the log yet. It gets there within seconds.")
	}
	return k.include(ctx, l, at, one)
}

func (k *Service) include(ctx context.Context, l log, at merkle.Checkpoint, one entered) (merkle.Inclusion, error) {
	line, err := leafLine(one.Link, one.entry)
	if err != nil {
		return merkle.Inclusion{}, err
	}
	var failed error
	p, err := l.Include(line, one.N-l.First, at, k.Store.tiles(ctx, l.merchantID, &failed))
	if failed != nil {
		return p, failed
	}
	if err == nil {
		return p, nil
	}
	return p, k.refuse(ctx, l, one.N, wrongEntry(one))
}

// wrongEntry says that an entry cannot be proven.
func wrongEntry(one entered) string {
	return fmt.Sprintf("Entry %s (link %d) was changed after it was logged, or the hashes of the log were.", one.entry.ID,
		one.N)
}

// Since proves that the log of the caller's merchant begins with what an older checkpoint of it held.
func (k *Service) Since(ctx context.Context, who actor.Actor, old merkle.Checkpoint) (merkle.Growth, error) {
	l, at, err := k.current(ctx, who)
	switch {
	case err != nil:
		return merkle.Growth{}, err
	case old.Origin != at.Origin:
		return merkle.Growth{}, fault.New(fault.Invalid, "other_log", "That checkpoint is of another log, %s.", old.Origin)
	case old.Size > at.Size:
		return merkle.Growth{}, fault.New(fault.Conflict, "log_is_shorter",
			"That checkpoint has %d entries and the log has %d: an older database came back, or the history was cut.",
			old.Size, at.Size)
	}
	var failed error
	p, err := l.Since(old.Size, at, k.Store.tiles(ctx, l.merchantID, &failed))
	if failed != nil {
		return p, failed
	}
	if err != nil {
		return p, k.refuse(ctx, l, l.Last(), wrongHashes)
	}
	if err := p.Check(old); err != nil {
		return p, fault.New(fault.Conflict, "history_rewritten",
			"The log does not begin with what that checkpoint held: the history was rewritten.")
	}
	return p, nil
}

// logCheck follows a walk over a chain and compares it with the log.
type logCheck struct {
	log
	at   merkle.Frontier
	gone map[int64]merkle.Hash // leaves whose entries were dropped after their time while their links stay
}

const wrongHashes = "The hashes of the log are not those that its checkpoint was signed over."

func (c *logCheck) recall(kept []int64, tiles merkle.Tiles) error {
	var at []int64
	for _, n := range kept {
		if i := n - c.First; i >= 0 && i < c.Size {
			at = append(at, i)
		}
	}
	leaves, err := c.Leaves(at, tiles)
	c.gone = map[int64]merkle.Hash{}
	for i, leaf := range leaves {
		c.gone[at[i]+c.First] = leaf
	}
	return err
}

// begin is where the chain begins in the log.
func (k *Service) begin(ctx context.Context, l log, base audit.Base) (c logCheck, why string, err error) {
	c.log = l
	if l.Size == 0 {
		return c, "", nil
	}
	if why = k.sound(l); why != "" {
		return c, why, nil
	}
	var failed error
	tiles := k.Store.tiles(ctx, l.merchantID, &failed)
	c.at, err = l.Frontier(base.N+1-l.First, tiles)
	if err == nil {
		err = c.recall(base.Kept, tiles)
	}
	if err != nil && failed == nil {
		return c, wrongHashes, nil //nolint:nilerr // told
	}
	return c, "", failed
}

// see takes the next link of the chain.
func (c *logCheck) see(one entered) error {
	if c.at.Size >= c.Size || one.N != c.First+c.at.Size {
		return nil
	}
	leaf, is := c.gone[one.N]
	if !is || one.entry.ID != uuid.Nil {
		line, err := leafLine(one.Link, one.entry)
		if err != nil {
			return err
		}
		leaf = merkle.Leaf(line)
	}
	c.at.Add(leaf)
	return nil
}

// end tells in words what does not fit once the chain was walked.
func (c *logCheck) end() string {
	switch {
	case c.Size == 0:
		return ""
	case c.at.Size < c.Size:
		return fmt.Sprintf("The log has %d entries; the chain leads to %d.", c.Size, c.at.Size)
	case c.at.Root() != c.Root:
		return "The links do not lead to the root of the log: one of them was rewritten after it was logged."
	}
	return ""
}
