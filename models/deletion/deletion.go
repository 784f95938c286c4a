package deletion

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/plural"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// UndoTime is how long a deletion from the dashboard can be taken back (ours: the
// API deletes at once).
const UndoTime = 10 * time.Minute

// MaxDeleted is how many tokens one deletion can be about.
const MaxDeleted = 100

// DeletionState is where a deletion from the dashboard stands.
type DeletionState string

// The states of a deletion.
const (
	DeletionWaiting DeletionState = "waiting" // the tokens are out of use, and can come back
	DeletionDone    DeletionState = "done"
	DeletionUndone  DeletionState = "undone"
)

// Deletion is a deletion of stored accounts that can be taken back until a moment
// of the product's clock. Tokens holds the state that each of them had before.
type Deletion struct {
	ID, MerchantID uuid.UUID
	Tokens         map[uuid.UUID]token.State `gorm:"serializer:json;not null"`
	// Choices are by purchase or subscriber; for all others the least harmful holds.
	Choices    map[uuid.UUID]Choice `gorm:"serializer:json;not null"`
	AskedBy    uuid.UUID            `gorm:"not null"`
	AskedName  string
	Reason     string
	ApprovalID uuid.UUID // zero: nobody had to agree
	Approver   string
	State      DeletionState
	Until      time.Time
	EndedAt    time.Time
	CreatedAt  time.Time
}

// IDs are the tokens in the order in which their rows are locked.
func (d Deletion) IDs() []uuid.UUID {
	ids := make([]uuid.UUID, 0, len(d.Tokens))
	for id := range d.Tokens {
		ids = append(ids, id)
	}
	return database.InOrder(ids)
}

// asker is who is named in the audit when the product ends what a person began.
func (d Deletion) asker() actor.Actor {
	return actor.Actor{Kind: actor.User, ID: d.AskedBy, Name: d.AskedName, MerchantID: d.MerchantID}
}

// ImpactTotals are what a deletion is about, in numbers, and a digest of how it reads.
type ImpactTotals struct {
	Tokens, Waiting, Subscriptions int // stored accounts; debits and subscriptions that hang on them
	Cents                          int64
	Digest                         string // empty: not known
}

// TotalsOf adds up impacts.
func TotalsOf(impacts []Impact) (s ImpactTotals) {
	for _, i := range impacts {
		s.Tokens, s.Waiting, s.Subscriptions, s.Cents = s.Tokens+1, s.Waiting+i.Debits(), s.Subscriptions+i.Subscriptions(),
			s.Cents+i.Cents()
	}
	s.Digest = Digest(impacts)
	return s
}

// Beyond tells whether more or other things are at stake than were seen.
func (s ImpactTotals) Beyond(seen ImpactTotals) bool {
	return s.Tokens > seen.Tokens || s.Waiting > seen.Waiting || s.Subscriptions > seen.Subscriptions ||
		s.Cents > seen.Cents || seen.Digest != "" && s.Digest != seen.Digest
}

// changed says to somebody what is not as it was seen.
func (s ImpactTotals) changed(seen ImpactTotals) error {
	if seen.Digest = ""; s.Beyond(seen) {
		return fault.New(fault.Conflict, "stakes_grew",
			"More depends on it now than you were shown: %s, %s. Look at it again.",
			plural.Of(s.Waiting, "scheduled purchase"), plural.Of(s.Subscriptions, "subscription"))
	}
	return fault.New(fault.Conflict, "stakes_grew", "What depends on it changed since you looked. Look at it again.")
}

// DeletionInput says which stored accounts are deleted, what becomes of what hangs on them,
// and who agreed to it.
type DeletionInput struct {
	Tokens     []uuid.UUID
	Choices    map[uuid.UUID]Choice // by purchase or subscriber
	Reason     string
	ApprovalID uuid.UUID
	Approver   string
	Seen       *ImpactTotals // what the person saw; nil: it was not shown
}

// StartDeletion takes stored accounts out of use at once. When UndoTime is over they are
// deleted for good and what was chosen happens, all in one; until then nothing that
// could not be taken back. Those that are gone already are left out; NotFound when
// none is left. Invalid at choice-<id>; Conflict stakes_grew when it reads otherwise
// than the person saw.
func (s *Service) StartDeletion(ctx context.Context, who actor.Actor, in DeletionInput) (Deletion, error) {
	if err := who.May(actor.DeleteTokens); err != nil {
		return Deletion{}, err
	}
	if err := s.alone(ctx, who); err != nil {
		return Deletion{}, err
	}
	return s.deleting(ctx, func(tx *database.Tx) (Deletion, error) {
		return s.StartDeletionIn(tx.Context(), tx, who, in)
	})
}

// startDeletionOf is StartDeletion of one stored account, answered with its purchase.
func (s *Service) startDeletionOf(ctx context.Context, who actor.Actor, clientID, tokenID uuid.UUID,
	answer func(*database.Tx, purchase.Record) error) error {
	t, err := s.Purchases.Tokens().Token(ctx, who.MerchantID, tokenID)
	if err != nil {
		return err
	}
	if !t.Live() || clientID != uuid.Nil && t.ClientID != clientID {
		return fault.Missing()
	}
	source, err := s.Purchases.Load(ctx, who.MerchantID, tokenID)
	if err != nil {
		return err
	}
	source.TokenLeaving = true
	_, err = s.deleting(ctx, func(tx *database.Tx) (Deletion, error) {
		d, err := s.StartDeletionIn(tx.Context(), tx, who, DeletionInput{Tokens: []uuid.UUID{tokenID}})
		if err != nil {
			return d, err
		}
		return d, answer(tx, source)
	})
	return err
}

// NeedsSecond tells whether a second approver must agree before this person deletes
// stored accounts.
func (s *Service) NeedsSecond(ctx context.Context, who actor.Actor) (bool, error) {
	err := s.alone(ctx, who)
	if fault.HasCode(err, "approval_needed") {
		return true, nil
	}
	return false, err
}

// alone: where the merchant wants a second person, nobody deletes alone in the
// dashboard. Programs are held to their scopes (API contract 3.7).
func (s *Service) alone(ctx context.Context, who actor.Actor) error {
	if who.Kind != actor.User {
		return nil
	}
	d, err := s.Purchases.Merchants().Demands(ctx, who.MerchantID)
	if err == nil && d.Deletions {
		err = fault.New(fault.Conflict, "approval_needed",
			"Your business requires a second approver to delete tokens. Ask for approval on the token’s page in the dashboard.")
	}
	return err
}

func (s *Service) deleting(ctx context.Context, do func(*database.Tx) (Deletion, error)) (d Deletion, err error) {
	err = fault.Again(purchase.Tries, "These accounts are in use at the moment. Try again.", func() error {
		return s.Purchases.InTx(ctx, func(tx *database.Tx) (wrong error) {
			d, wrong = do(tx)
			return wrong
		})
	})
	return d, err
}

// StartDeletionIn is StartDeletion in the transaction of a decision; who is the one who asked.
// More depending on it than was seen is the conflict stakes_grew.
func (s *Service) StartDeletionIn(ctx context.Context, tx *database.Tx, who actor.Actor, in DeletionInput) (Deletion,
	error) {
	d := Deletion{ID: tx.NewID(), MerchantID: who.MerchantID, Tokens: map[uuid.UUID]token.State{}, AskedBy: who.ID,
		AskedName: who.Name,
		Reason:    strings.TrimSpace(in.Reason), ApprovalID: in.ApprovalID, Approver: in.Approver, State: DeletionWaiting,
		Until: tx.Now().Add(UndoTime), CreatedAt: tx.Now()}
	impacts, err := s.takeOut(ctx, tx, &d, in)
	if err != nil {
		return d, err
	}
	totals := TotalsOf(impacts)
	var wrong fault.Problems
	for n := range impacts {
		wrong = append(wrong, impacts[n].Choose(in.Choices)...)
	}
	d.Choices = Chosen(impacts)
	switch {
	case len(d.Tokens) == 0:
		return d, fault.Missing()
	case len(d.Tokens) > MaxDeleted:
		return d, fault.New(fault.Invalid, "max_length", "At most %d tokens can be deleted at once.", MaxDeleted)
	case in.Seen != nil && totals.Beyond(*in.Seen):
		return d, totals.changed(*in.Seen)
	case len(wrong) > 0:
		return d, wrong.Err()
	}
	tx.Create(&d)
	for _, i := range impacts {
		leaveToken(tx, who.MerchantID, i.Token.ID, true)
		tx.Audit(who, audit.Entry{Action: "token.deleting", ObjectType: "token", ObjectID: i.Token.ID,
			ClientID: i.Token.ClientID, PurchaseID: i.Token.ID,
			Text: fmt.Sprintf("The token %s is out of use. The deletion can be undone until %s.", i.Token.AccountMask,
				calendar.SayInstant(d.Until)),
			Before: map[string]any{"state": d.Tokens[i.Token.ID]},
			After:  d.told("state", token.Deleting, "waiting_charges", i.Debits(), "effects", i.Lines())})
	}
	return d, nil
}

// takeOut takes the tokens out of use, and lists what their deletion does: no charge
// can begin with them any more, so what hangs on them now is all.
func (s *Service) takeOut(ctx context.Context, tx *database.Tx, d *Deletion, in DeletionInput) ([]Impact, error) {
	ids := database.InOrder(in.Tokens)
	var out []token.Token
	for _, id := range ids {
		t, err := s.Purchases.Tokens().Token(ctx, d.MerchantID, id)
		switch {
		case fault.Is(err, fault.NotFound) || err == nil && !t.Live():
			continue
		case err != nil:
			return nil, err
		}
		d.Tokens[id] = t.State
		if won, err := token.Turn(tx, d.MerchantID, id, t.State, token.Deleting); err != nil || !won {
			return nil, fault.LostUnless(err)
		}
		t.State = token.Deleting
		out = append(out, t)
	}
	impacts := make([]Impact, len(out))
	for n, t := range out {
		var err error
		if impacts[n], err = s.impact(ctx, t, ids, d.Until); err != nil {
			return nil, err
		}
	}
	return impacts, nil
}

// told is what the audit keeps of a deletion, with more pairs.
func (d Deletion) told(pairs ...any) map[string]any {
	out := map[string]any{"deletion": d.ID}
	if d.Reason != "" {
		out["reason"] = d.Reason
	}
	if d.Approver != "" {
		out["approved_by"], out["approval"] = d.Approver, d.ApprovalID
	}
	return with(out, pairs...)
}

// with adds pairs of a name and a value.
func with(to map[string]any, pairs ...any) map[string]any {
	for i := 0; i+1 < len(pairs); i += 2 {
		to[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return to
}
