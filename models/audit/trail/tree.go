package trail

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"debitdesk/models/audit"
	"debitdesk/models/audit/merkle"
)

// log is a merchant's log as it is kept.
type log struct {
	merkle.Tree
	merchantID uuid.UUID
	checkpoint string
	accepted   int64 // up to this link the chain is taken in as it stands
}

// leafLine is what a leaf of the log is a hash over: the line of the exported chain, byte for byte. Leaves that were
// logged stay what they are: if the file gets another form one day, this stays.
func leafLine(l audit.Link, e audit.Kept) ([]byte, error) { return json.Marshal(lineOfLink(l, e)) }

// growChunks is how many chunks one round adds, so that entries are linked meanwhile when many have to catch up.
const growChunks = 20

// grow adds to the logs what was linked since. One transaction adds at most a chunk; the one row of audit_progress
// lets one process do so at a time.
func (k *Service) grow(ctx context.Context) error {
	for range growChunks {
		waits, err := k.Store.waiting(ctx)
		if err != nil || !waits {
			return err
		}
		done, err := k.growLogs(ctx, linkChunk)
		if err != nil {
			return err
		}
		for _, a := range done.Alarms {
			k.tell(ctx, a)
		}
		if done.Entries == 0 {
			return nil
		}
	}
	return nil
}

// growth is what one step adds to a log.
type growth struct {
	leaves []merkle.Hash
	n      int64  // the link that does not fit, when one does not
	why    string // in words
}

// follow makes leaves of the links that come next. Whatever was changed between linking and now is not taken in, unless
// the chain was accepted as it stands: then a link that is missing has a leaf without anything.
func (g *growth) follow(at audit.Head, base audit.Base, next []entered, asItStands int64) error {
	for _, one := range next {
		accepted := one.N <= asItStands
		for accepted && at.N+1 < one.N {
			at = audit.Head{MerchantID: at.MerchantID, N: at.N + 1}
			if err := g.add(audit.Link{N: at.N}, audit.Kept{}); err != nil {
				return err
			}
		}
		after, n, why := base.Follow(at, one.Link, one.entry)
		if why != "" && !accepted {
			g.n, g.why = n, why
			return nil
		}
		if why != "" {
			after = at.After(one.Link)
		}
		at = after
		if err := g.add(one.Link, one.entry); err != nil {
			return err
		}
	}
	return nil
}

func (g *growth) add(l audit.Link, e audit.Kept) error {
	line, err := leafLine(l, e)
	g.leaves = append(g.leaves, merkle.Leaf(line))
	return err
}

// sound tells in words why the checkpoint of a log is not to be followed by another, empty when it is.
func (k *Service) sound(l log) string {
	if l.Size == 0 {
		return ""
	}
	keys, err := merkle.Keys(l.Origin, k.Signer.Public())
	if err != nil {
		return "The keys of the log cannot be read."
	}
	at, err := merkle.OpenCheckpoint(l.checkpoint, keys)
	switch {
	case err != nil:
		return "The signature of the log’s checkpoint is not valid, or its key is not in the key file."
	case at.Origin != l.Origin || at.Size != l.Size || at.Root != l.Root:
		return fmt.Sprintf("The log has size %d; its signed checkpoint says something else.", l.Size)
	}
	return ""
}

// alarmAbout is an alarm that leaves the chain going on.
func (k *Service) alarmAbout(merchantID uuid.UUID, n int64, why string) Alarm {
	return Alarm{MerchantID: merchantID, FoundAt: k.Store.Now(), N: n, Why: why}
}
