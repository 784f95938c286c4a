package merging

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
)

// Moving is how many rows of a place move.
type Moving struct {
	Place string // table and column
	One   string // what one of them is; empty: people are not told of it
	N     int
}

// Words are the rows in words: "3 purchases".
func (m Moving) Words() string { return plural.Of(m.N, m.One) }

// Look is what a merge of two clients does now: the page shows it, and the merge does it.
type Look struct {
	Keep, Gone client.Client
	Fields     []Field
	Moves      []Moving
	Refused    []string // why it cannot be done, in sentences
	Notes      []string // what to know before, in sentences
}

// Digest is the same as long as the merge does the same.
func (l Look) Digest() string {
	text := &strings.Builder{}
	for _, c := range []client.Client{l.Keep, l.Gone} {
		fmt.Fprintln(text, c.ID, c.UpdatedAt.UnixMicro())
	}
	for _, m := range l.Moves {
		fmt.Fprintln(text, m.Place, m.N)
	}
	for _, line := range append(append([]string{}, l.Refused...), l.Notes...) {
		fmt.Fprintln(text, line)
	}
	sum := sha256.Sum256([]byte(text.String()))
	return hex.EncodeToString(sum[:12])
}

// Err is why the merge is refused; nil: it is not.
func (l Look) Err() error {
	if len(l.Refused) == 0 {
		return nil
	}
	return fault.New(fault.Conflict, "cannot_merge", "%s", strings.Join(l.Refused, " "))
}

// Look tells what merging does: the first client is kept, and the second becomes one with it.
func (s *Service) Look(ctx context.Context, who actor.Actor, keep, gone uuid.UUID) (Look, error) {
	if err := who.May(mayMerge); err != nil {
		return Look{}, err
	}
	return s.look(ctx, who.MerchantID, keep, gone)
}

func (s *Service) look(ctx context.Context, merchantID, keep, gone uuid.UUID) (l Look, err error) {
	if l.Keep, err = s.Store.live(ctx, merchantID, keep); err != nil {
		return l, err
	}
	if l.Gone, err = s.Store.live(ctx, merchantID, gone); err != nil {
		return l, err
	}
	if keep == gone {
		return l, fault.At("with", "invalid", "This is the same client. Choose another one.")
	}
	l.Fields = fieldsOf(l.Keep.Details, l.Gone.Details)
	for _, c := range []client.Client{l.Keep, l.Gone} {
		l.Refused = append(l.Refused, forbids(c)...)
	}
	waits, err := s.Store.waits(ctx, merchantID, keep, gone)
	if err != nil {
		return l, err
	}
	l.Refused = append(l.Refused, waits...)
	both, err := s.Store.bothPay(ctx, merchantID, keep, gone)
	if err != nil {
		return l, err
	}
	for _, title := range both {
		l.Notes = append(l.Notes, "Both are subscribed to “"+title+"”, so the client is billed twice for it. "+
			"End one of the subscriptions if that is wrong.")
	}
	l.Moves, err = s.Store.countMoves(ctx, merchantID, gone, keep)
	return l, err
}

// forbids says why a client cannot be merged with any other.
func forbids(c client.Client) (out []string) {
	if c.Erased() {
		return []string{"The personal data of a client was erased: there is nothing to merge."}
	}
	if !c.StoppedAt.IsZero() {
		out = append(out, "All debits of "+c.Name()+" are stopped. Undo the stop first.")
	}
	if !c.ParkedAt.IsZero() {
		out = append(out, c.Name()+" came in with an import and is parked. Switch its group on first.")
	}
	if c.Any() {
		out = append(out, "A number of "+c.Name()+" cannot be read. Enter it again first.")
	}
	return out
}
