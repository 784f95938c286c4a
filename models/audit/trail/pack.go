package trail

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/audit/merkle"
)

// packForm is the first word of an exported chain; another form gets another number. The third form had no log. In
// the second form the first line was not signed, and the first had other names for the same; all are still checked.
const packForm, thirdForm, secondForm, firstForm = "debitdesk audit 4", "debitdesk audit 3", "debitdesk audit 2",
	"debitdesk audit 1"

// packHead is the first line of an exported chain. Keys are the public halves of those that signed it. The signature is
// over the line itself, as it is without the signature: who it is of and when it was exported are signed, too.
type packHead struct {
	Pack       string            `json:"pack"`
	MerchantID uuid.UUID         `json:"merchant_id"`
	Merchant   string            `json:"merchant"`
	MadeAt     time.Time         `json:"made_at"`
	Base       packBase          `json:"base"`
	Head       packEnd           `json:"head"`
	Log        *packLog          `json:"log,omitempty"`
	Keys       map[string][]byte `json:"keys"`
	KeyID      string            `json:"key_id,omitempty"`
	Signature  []byte            `json:"signature,omitempty"`
}

// packLink is every further line: a link with its entry, which is left out where it is gone.
type packLink struct {
	N     int64      `json:"n"`
	Hash  []byte     `json:"hash"`
	Entry *packEntry `json:"entry,omitempty"`
	Leaf  []byte     `json:"leaf,omitempty"` // the leaf of the log, where the entry is gone
}

// Export writes a merchant's chain as lines of JSON that can be checked without the database. It tells how many links
// were written.
func (k *Service) Export(ctx context.Context, who actor.Actor, merchant string, keys map[string][]byte,
	to io.Writer) (links int64, err error) {
	if err := who.May(actor.Manage); err != nil {
		return 0, err
	}
	logged, err := k.Store.log(ctx, who.MerchantID)
	if err != nil {
		return 0, err
	}
	end, err := k.Store.Head(ctx, who.MerchantID) // what is linked meanwhile comes after it
	if err != nil {
		return 0, err
	}
	base, err := k.Store.Base(ctx, who.MerchantID)
	if err != nil {
		return 0, err
	}
	inLog, leaves, err := k.packLog(ctx, logged, base)
	if err != nil {
		return 0, err
	}
	out := bufio.NewWriter(to)
	lines := json.NewEncoder(out)
	first := packHead{Pack: packForm, MerchantID: who.MerchantID, Merchant: merchant, MadeAt: k.Store.Now(),
		Base: packBase(base), Head: packEnd(end), Log: inLog, Keys: keys}
	signed, err := first.signed()
	if err != nil {
		return 0, err
	}
	first.KeyID, first.Signature = k.Signer.Sign(signed)
	if err := lines.Encode(first); err != nil {
		return 0, err
	}
	err = k.Store.Walk(ctx, who.MerchantID, func(l audit.Link, e audit.Kept) error {
		if l.N > end.N {
			return errStop
		}
		links++
		line := lineOfLink(l, e)
		if leaf, is := leaves.gone[l.N]; is && line.Entry == nil {
			line.Leaf = leaf[:]
		}
		return lines.Encode(line)
	})
	if err != nil && err != errStop { //nolint:errorlint // the very value
		return links, err
	}
	return links, out.Flush()
}

// ErrNoPack is what CheckPack gives for a file that is no exported chain.
var ErrNoPack = errors.New("this is not an audit that was exported")

// Pack is what a look at an exported chain found.
type Pack struct {
	Checked

	Merchant string
	MadeAt   time.Time
	Unsigned bool   // the merchant's name and the moment are not signed, as in files of earlier releases
	KeyID    string // that signed the last link
	Public   []byte // its public half, as the file says it
	Log      merkle.Checkpoint
}

// CheckPack walks an exported chain from its first link to its head, and tells whether its log began with what an older
// checkpoint of it held; nil: none. check tells whether a signature is that of a key, whose public half stands in the
// file.
func CheckPack(from io.Reader, since *merkle.Checkpoint, check SignedBy) (Pack, error) {
	lines := bufio.NewReader(from)
	var h packHead
	if first, err := lineOf(lines); err != nil || h.read(first) != nil {
		return Pack{}, ErrNoPack
	}
	out := Pack{Merchant: h.Merchant, MadeAt: h.MadeAt, KeyID: h.Head.KeyID, Public: h.Keys[h.Head.KeyID],
		Unsigned: h.Pack == firstForm || h.Pack == secondForm}
	out.MerchantID, out.Links, out.Dropped = h.MerchantID, h.Base.N, h.Base.N
	h.Base.MerchantID, h.Head.MerchantID = h.MerchantID, h.MerchantID
	base, end := audit.Base(h.Base), audit.Head(h.Head)
	broken := func(n int64, why string) (Pack, error) {
		out.Broken, out.Why = n, why
		return out, nil
	}
	if !out.Unsigned {
		signed, err := h.signed()
		if err != nil {
			return Pack{}, err
		}
		if !check(h.KeyID, h.Keys[h.KeyID], signed, h.Signature) {
			return broken(0, "The signature of the first line of the file is not valid.")
		}
	}
	if base.Dropped() && !check(base.KeyID, h.Keys[base.KeyID], base.Signed(), base.Signature) {
		return broken(base.N, "The signature of what was dropped is not valid.")
	}
	logged, why := h.log(since, check)
	if why != "" {
		return broken(0, why)
	}
	if logged != nil {
		out.Log = logged.end
	}
	at := base.Head()
	for {
		line, raw, err := h.next(lines)
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return broken(at.N+1, fmt.Sprintf("The file cannot be read after link %d: %v.", at.N, err))
		}
		var e audit.Kept
		if line.Entry != nil {
			e = audit.Kept(*line.Entry)
		}
		next, n, why := base.Follow(at, audit.Link{MerchantID: h.MerchantID, N: line.N, EntryID: e.ID, Hash: line.Hash}, e)
		if why != "" {
			return broken(n, why)
		}
		if why := logged.see(line, raw); why != "" {
			return broken(line.N, why)
		}
		at, out.Links = next, next.N
	}
	switch {
	case at.N != end.N:
		return broken(at.N+1, fmt.Sprintf("The chain ends at link %d and should reach %d.", at.N, end.N))
	case end.N > 0 && string(at.Hash) != string(end.Hash):
		return broken(end.N, "The last link is not the one that was signed.")
	case end.N > 0 && !check(end.KeyID, out.Public, end.Signed(), end.Signature):
		return broken(end.N, "The signature of the last link is not valid.")
	}
	if why := logged.finish(); why != "" {
		return broken(end.N, why)
	}
	return out, nil
}
