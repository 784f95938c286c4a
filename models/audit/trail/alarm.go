package trail

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/fault"
)

// Alarm says that a chain does not hold. It stands until whoever runs the program
// has looked at it and accepts the chain as it is.
type Alarm struct {
	MerchantID uuid.UUID
	FoundAt    time.Time
	N          int64  // the link at which it was found
	Why        string // in words
	Stopped    bool   // no entry is linked to the chain any more
}

// Linked is what one round of linking did.
type Linked struct {
	Entries int          // looked at
	Heads   []audit.Head // new ones
	Alarms  []Alarm
}

// unsound tells in words why a head is not to be extended, empty when it is: the signature of the head, the
// link that it names, and the head that was noted outside of the database. hashAt gives the hash of the
// merchant's nth link, nil for none. Links before the base were dropped after their time.
func (k *Service) unsound(h audit.Head, base int64, hashAt func(n int64) ([]byte, error)) (string, error) {
	if h.N > 0 {
		if !k.Signer.Check(h.KeyID, h.Signed(), h.Signature) {
			return "The signature of the last link is not valid, or its key is not in the key file.", nil
		}
		at, err := hashAt(h.N)
		if err != nil {
			return "", err
		}
		if string(at) != string(h.Hash) {
			return "The last link is not the one that was signed.", nil
		}
	}
	if k.Anchors == nil {
		return "", nil
	}
	noted, known := k.Anchors.Last(h.MerchantID)
	switch {
	case !known:
		return "", nil
	case noted.N < base:
		return "", nil
	case noted.N > h.N:
		return fmt.Sprintf("The chain ends at link %d; outside the database link %d is noted.", h.N, noted.N), nil
	}
	at, err := hashAt(noted.N)
	if err == nil && string(at) != string(noted.Hash) {
		return fmt.Sprintf("Link %d is not the one that is noted outside the database.", noted.N), nil
	}
	return "", err
}

// sign signs a head.
func (k *Service) sign(h audit.Head) audit.Head {
	h.KeyID, h.Signature = k.Signer.Sign(h.Signed())
	return h
}

// refresh reads the anchors anew. It comes before a head is read: what is noted by
// then is in the database.
func (k *Service) refresh() error {
	if k.Anchors == nil {
		return nil
	}
	return k.Anchors.Refresh()
}

// note adds new heads to the anchors. A failure is told and does not stop the linking:
// an older anchor is an anchor too.
func (k *Service) note(ctx context.Context, accepted bool, heads ...audit.Head) {
	if k.Anchors == nil || len(heads) == 0 {
		return
	}
	if err := k.Anchors.Note(accepted, heads...); err != nil && k.Log != nil {
		k.Log.ErrorContext(ctx, "the heads of the audit were not noted outside the database", "error", err)
	}
}

func (k *Service) tell(ctx context.Context, a Alarm) {
	if k.Log != nil {
		k.Log.ErrorContext(ctx, "the audit log does not hold", "merchant_id", a.MerchantID, "link", a.N, "why", a.Why,
			"stopped", a.Stopped)
	}
}

// raise keeps an alarm about what a walk found.
func (k *Service) raise(ctx context.Context, c Checked) error {
	if c.Holds() {
		return nil
	}
	a := Alarm{MerchantID: c.MerchantID, N: c.Broken, Why: c.Why}
	fresh, err := k.Store.raiseAlarm(ctx, a)
	if fresh {
		k.tell(ctx, a)
	}
	return err
}

// Alarms are those of the caller's merchant; of all merchants for whoever runs the program.
func (k *Service) Alarms(ctx context.Context, who actor.Actor) ([]Alarm, error) {
	if err := who.May(actor.Manage); err != nil {
		return nil, err
	}
	return k.Store.alarms(ctx, who.MerchantID)
}

// CheckHead looks at the end of a chain alone: its signature, and what is noted of it
// outside of the database. n is 0 for a chain that has not begun.
func (k *Service) CheckHead(ctx context.Context, merchantID uuid.UUID) (n int64, why string, err error) {
	if err := k.refresh(); err != nil {
		return 0, "", err
	}
	h, err := k.Store.Head(ctx, merchantID)
	if err != nil {
		return 0, "", err
	}
	base, err := k.Store.Base(ctx, merchantID)
	if err != nil {
		return 0, "", err
	}
	why, err = k.unsound(h, base.N, func(n int64) ([]byte, error) { return k.Store.HashAt(ctx, merchantID, n) })
	return h.N, why, err
}

// Accept takes a chain as it stands, after somebody has looked into its alarm or has
// brought an older database back: what waits is linked, the head is signed anew, and
// the alarm ends. The reason is kept in the audit.
func (k *Service) Accept(ctx context.Context, who actor.Actor, merchantID uuid.UUID,
	reason string) (audit.Head, error) {
	if who.Kind != actor.Operator {
		return audit.Head{}, fault.New(fault.Forbidden, "permission_denied",
			"Only the command line can accept a chain.")
	}
	if reason = strings.TrimSpace(reason); reason == "" {
		return audit.Head{}, fault.At("reason", "required", "Say what you found.")
	}
	alarms, err := k.Store.alarms(ctx, merchantID)
	if err != nil {
		return audit.Head{}, err
	}
	before := map[string]any{}
	for _, a := range alarms {
		before["link"], before["why"] = a.N, a.Why
	}
	h, err := k.acceptChain(ctx, who, merchantID,
		audit.Entry{Action: "audit.accepted", ObjectType: "merchant", ObjectID: merchantID,
			Text: "The record of who did what was accepted as it stands: " + reason, Before: before,
			After: map[string]any{"reason": reason}})
	if err == nil {
		k.note(ctx, true, h)
	}
	return h, err
}
