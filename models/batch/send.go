package batch

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/plural"
)

// FirstFew is how many rows are sent before a batch waits for a person, when that was asked for.
const FirstFew = 3

// longestHold is the longest hold window.
const longestHold = 24 * time.Hour

// Order says how a batch is sent.
type Order struct {
	GoodOnly       bool // leave out the bad rows; else there may be none
	FirstFew       bool // send three, then wait
	AcceptWarnings bool
	Hold           time.Duration // before anything is sent
	// Rows and Cents are what the button said, Fingerprint and Revision what the person saw; a batch that changed since is
	// not sent.
	Rows        int
	Cents       int64
	Fingerprint string
	Revision    int
}

// Sees is the order of somebody who looks at a batch as it is now.
func (o Order) Sees(b Batch) Order {
	o.Rows, o.Cents, o.Fingerprint, o.Revision = b.Counts.Ready, b.Counts.ReadyCents, b.Seal(), b.Revision
	return o
}

// saw tells whether the order is about the batch as it is now.
func (o Order) saw(b Batch) bool {
	return o.Rows == b.Counts.Ready && o.Cents == b.Counts.ReadyCents && o.Fingerprint == b.Seal()
}

// Seal is the fingerprint as text.
func (b Batch) Seal() string { return hex.EncodeToString(b.Fingerprint) }

// Start sends a batch: from here on it goes on by itself.
func (s *Service) Start(ctx context.Context, who actor.Actor, id uuid.UUID, in Order) (Batch, error) {
	d, err := merchant.Store(s.Store).Demands(ctx, who.MerchantID)
	if err != nil {
		return Batch{}, err
	}
	if _, err := s.Refresh(ctx, who, id); err != nil {
		return Batch{}, err
	}
	begin, err := s.beginning(ctx, who, id, in, d.MaySend, nil)
	if err != nil {
		return Batch{}, err
	}
	b, err := s.change(ctx, who, id, begin)
	return b, s.sayChanges(ctx, who, id, in, err)
}

// changedShown is how many changed rows a refusal names.
const changedShown = 10

// sayChanges names what changed since a person looked, where that is why nothing was sent.
func (s *Service) sayChanges(ctx context.Context, who actor.Actor, id uuid.UUID, in Order, err error) error {
	if !fault.HasCode(err, "batch_changed") {
		return err
	}
	b, wrong := s.Store.Batch(ctx, who.MerchantID, id)
	if wrong != nil {
		return wrong
	}
	text := fmt.Sprintf("You looked at %s of %s; now there are %s of %s.", plural.Of(in.Rows, "invoice"),
		money.Format(in.Cents, money.ZAR), plural.Of(b.Counts.Ready, "invoice"), money.Format(b.Counts.ReadyCents, money.ZAR))
	if in.Rows == b.Counts.Ready && in.Cents == b.Counts.ReadyCents {
		text = "The number and the sum are the same, but the rows are not."
	}
	if in.Revision > 0 && in.Revision < b.Revision {
		rows, wrong := s.Store.rows(ctx, who.MerchantID, id,
			RowQuery{Since: in.Revision + 1, Limit: changedShown + 1})
		if wrong != nil {
			return wrong
		}
		text += namesOf(rows)
	}
	return fault.New(fault.Conflict, "batch_changed",
		"The batch changed since you looked at it, and nothing was sent. %s Look at it again.", text)
}

func namesOf(rows []Row) string {
	if len(rows) == 0 {
		return ""
	}
	var names []string
	for _, r := range rows[:min(len(rows), changedShown)] {
		names = append(names, strconv.Itoa(r.N))
	}
	if len(rows) > changedShown {
		names = append(names, "others")
	}
	return " Changed: " + plural.Pick(len(rows), "row ", "rows ") + strings.Join(names, ", ") + "."
}

// Consent is who agreed that a batch is sent.
type Consent struct {
	ApprovalID uuid.UUID
	Approver   string
}

// StartIn is Start in the transaction of a decision; who is the one who asked.
func (s *Service) StartIn(ctx context.Context, tx *database.Tx, who actor.Actor, id uuid.UUID, in Order,
	by Consent) (Batch, error) {
	begin, err := s.beginning(ctx, who, id, in, actor.Actor.Sends,
		map[string]any{"approved_by": by.Approver, "approval": by.ApprovalID})
	if err != nil {
		return Batch{}, err
	}
	return s.changeIn(tx, who, id, begin)
}

// MayStart tells whether a batch could be sent as it is now, and gives it.
func (s *Service) MayStart(ctx context.Context, who actor.Actor, id uuid.UUID, in Order) (Batch, error) {
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, err
	}
	b, err := s.Refresh(ctx, who, id)
	if err != nil {
		return b, err
	}
	_, err = s.Store.sentBefore(ctx, b)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return b, err
	}
	return b, mayStart(b, in, err == nil && !b.Started())
}

// beginning sets a batch on its way if who may send that many cents; also is kept in
// the audit beside what it sends.
func (s *Service) beginning(ctx context.Context, who actor.Actor, id uuid.UUID, in Order,
	may func(who actor.Actor, cents int64) error, also map[string]any) (func(*database.Tx, *Batch) error, error) {
	if err := who.May(actor.Bill); err != nil {
		return nil, err
	}
	before, err := s.Store.Batch(ctx, who.MerchantID, id)
	if err != nil {
		return nil, err
	}
	brand, err := merchant.Store(s.Store).Brand(ctx, who.MerchantID, before.BrandID)
	if err != nil {
		return nil, err
	}
	_, err = s.Store.sentBefore(ctx, before)
	sentBefore := err == nil && !before.Started()
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	return func(tx *database.Tx, b *Batch) error {
		if err := mayStart(*b, in, sentBefore); err != nil {
			return err
		}
		if err := may(who, b.Counts.AllCents()); err != nil {
			return err
		}
		if _, err := moveRows(tx, *b, []RowState{Bad}, Skipped, "Left out: it had problems.", nil); err != nil {
			return err
		}
		b.State, b.Starter, b.StartedAt, b.EndedAt, b.Note = Running, who, tx.Now(), time.Time{}, ""
		b.touched(who)
		b.pace(tx.Now())
		dropMends(tx, *b) // what was sent cannot be undone
		b.GoodOnly, b.WarningsAccepted = in.GoodOnly, in.AcceptWarnings
		b.HoldUntil, b.PauseAfter = time.Time{}, 0
		if in.Hold > 0 {
			b.HoldUntil = tx.Now().Add(in.Hold)
		}
		if in.FirstFew {
			b.PauseAfter = b.Counts.Sent + b.Counts.Voided + FirstFew
		}
		after := map[string]any{"rows": b.Counts.Ready, "total_cents": b.Counts.ReadyCents, "left_out": b.Counts.Bad,
			"creates": b.Counts.Creates,
			"debits":  b.Counts.Debits, "fingerprint": b.Seal()}
		maps.Copy(after, also)
		tx.Audit(who, audit.Entry{Action: "batch.started", ObjectType: "batch", ObjectID: b.ID,
			Text: fmt.Sprintf("Sending %s of %s was started.", plural.Of(b.Counts.Ready, "invoice"),
				money.Format(b.Counts.ReadyCents, brand.Currency)), After: after})
		forWorkers(tx, *b)
		return nil
	}, nil
}

func mayStart(b Batch, in Order, sentBefore bool) error {
	var wrong fault.Problems
	switch {
	case !b.in(Checked):
		return wrongState(b)
	case b.Counts.Ready == 0:
		return fault.New(fault.Conflict, "nothing_to_send",
			"No row is ready to be sent. Fix the rows with problems first.")
	case !in.saw(b):
		return fault.New(fault.Conflict, "batch_changed",
			"The batch changed since you looked at it: now %s of %s are ready. Look at it again.",
			plural.Of(b.Counts.Ready, "invoice"),
			money.Format(b.Counts.ReadyCents, money.ZAR))
	}
	if b.Counts.Unusual > 0 {
		wrong.Add(
			"unusual",
			"required",
			"%s %s far from what is usual. Tick in Check those that are right, or leave them out.",
			plural.Of(b.Counts.Unusual, "amount"),
			plural.Is(b.Counts.Unusual),
		)
	}
	if b.Counts.Bad > 0 && !in.GoodOnly {
		wrong.Add("good_only", "required", "%s %s problems. Fix %s, or choose to send only the good ones.",
			plural.Of(b.Counts.Bad, "row"), plural.Has(b.Counts.Bad), plural.Pick(b.Counts.Bad, "it", "them"))
	}
	if (b.Counts.Warned > 0 || sentBefore) && !in.AcceptWarnings {
		wrong.Add("warnings", "required", "Look at the warnings and tick that they are right.")
	}
	if in.Hold < 0 || in.Hold > longestHold {
		wrong.Add("hold", "max_value", "Hold it for at most 24 hours.")
	}
	return wrong.Err()
}
