package clientstop

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mail"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/token"
)

// ClientStop is "Stop everything" on a client: nothing is debited from the client until it is undone. It keeps what it
// changed, so that undoing brings back just that.
type ClientStop struct {
	ID, MerchantID, ClientID uuid.UUID
	State                    ClientStopState
	Changed                  StopChanges `gorm:"serializer:json;not null"`
	Reason                   string
	AskedBy                  uuid.UUID `gorm:"not null"`
	AskedName                string
	ApprovalID               uuid.UUID // zero: nobody had to agree
	Approver                 string
	EndedBy                  uuid.UUID
	EndedName                string
	EndedAt                  time.Time
	CreatedAt                time.Time
}

// ClientStopState is where a stop stands.
type ClientStopState string

// The states of a stop.
const (
	StopStanding ClientStopState = "standing"
	StopUndone   ClientStopState = "undone"
)

// StopChanges are what a stop changed. Their JSON is how they are stored.
type StopChanges struct {
	Debits        []StoppedDebit `json:"debits"`
	Subscriptions []uuid.UUID    `json:"subscriptions"` // paused
	Tokens        []uuid.UUID    `json:"tokens"`        // held
}

// StoppedDebit is a debit that a stop took back, with the status that its purchase had.
type StoppedDebit struct {
	PurchaseID   uuid.UUID       `json:"purchase"`
	CollectionID uuid.UUID       `json:"collection"`
	Status       purchase.Status `json:"status"`
}

// HaltOf tells what stopping everything would do now.
func (s *Service) HaltOf(ctx context.Context, who actor.Actor, clientID uuid.UUID) (h Halt, err error) {
	if err := who.May(actor.Read); err != nil {
		return h, err
	}
	if h.Client, err = s.Purchases.Clients().Client(ctx, who.MerchantID, clientID); err != nil {
		return h, err
	}
	return s.haltOf(ctx, h.Client)
}

func (s *Service) haltOf(ctx context.Context, c client.Client) (h Halt, err error) {
	h.Client = c
	pending, err := s.Purchases.Store.PendingOfClient(ctx, c.MerchantID, c.ID)
	if err != nil {
		return h, err
	}
	if h.Debits, err = s.Purchases.StopOf(ctx, c.MerchantID, pending); err != nil {
		return h, err
	}
	if h.Tokens, err = s.Purchases.Tokens().TokensOf(ctx, c.MerchantID, c.ID); err != nil {
		return h, err
	}
	if h.Asked, err = s.Purchases.Tokens().PendingTokensOf(ctx, c.MerchantID, c.ID); err != nil {
		return h, err
	}
	if s.Subscriptions != nil {
		all, err := s.Subscriptions.OfClient(ctx, c.MerchantID, c.ID)
		if err != nil {
			return h, err
		}
		for _, sub := range all {
			if sub.Billed {
				h.Subscriptions = append(h.Subscriptions, sub)
			}
		}
	}
	h.Brand, err = s.senderOf(ctx, h)
	return h, err
}

// senderOf is the brand in whose name the client is told: the one that debits.
func (s *Service) senderOf(ctx context.Context, h Halt) (merchant.Brand, error) {
	var of uuid.UUID
	switch d := h.Debits; {
	case len(d.Withdrawn) > 0:
		of = d.Withdrawn[0].BrandID
	case len(d.Running) > 0:
		of = d.Running[0].BrandID
	case len(h.Tokens) > 0:
		of = h.Tokens[0].BrandID
	}
	if of != uuid.Nil {
		return s.Purchases.Merchants().Brand(ctx, h.Client.MerchantID, of)
	}
	brands, err := s.Purchases.Merchants().Brands(ctx, h.Client.MerchantID)
	if err != nil || len(brands) == 0 {
		return merchant.Brand{}, err
	}
	return brands[0], nil
}

// StopInput says whose debits are stopped, why, and who agreed.
type StopInput struct {
	ClientID   uuid.UUID
	Reason     string
	Seen       string // the digest of what the person was shown; empty: not compared
	ApprovalID uuid.UUID
	Approver   string
}

// StopClient stops everything at once that is debited from a client. It is for those who could also agree to it;
// others ask for it. Repeating it changes nothing.
func (s *Service) StopClient(ctx context.Context, who actor.Actor, in StopInput) (stop ClientStop, err error) {
	if err := who.May(actor.Approve); err != nil {
		return ClientStop{}, err
	}
	if err := s.reasonOf(&in); err != nil {
		return ClientStop{}, err
	}
	err = s.stopping(ctx, func(tx *database.Tx) (wrong error) {
		stop, wrong = s.StopClientIn(tx.Context(), tx, who, in)
		return wrong
	})
	return stop, err
}

// maxReason is how long the reason of a stop is, in bytes.
const maxReason = 1000

func (s *Service) reasonOf(in *StopInput) error {
	switch in.Reason = strings.TrimSpace(in.Reason); {
	case in.Reason == "":
		return fault.At("reason", "required", "Give a reason: colleagues see it on the client’s page.")
	case len(in.Reason) > maxReason:
		return fault.At("reason", "max_length", "Write at most %d characters.", maxReason)
	}
	return nil
}

// stopping does it again when another change came first.
func (s *Service) stopping(ctx context.Context, do func(*database.Tx) error) error {
	return fault.Again(purchase.Tries, "Debits of this client are being changed at the moment. Try again.",
		func() error { return s.Purchases.InTx(ctx, do) })
}

// StopClientIn is StopClient in the transaction of a decision; who is the one who asked. The client's row is locked
// first and the tokens after it: what began to debit the client before is seen, and what comes later is refused.
func (s *Service) StopClientIn(ctx context.Context, tx *database.Tx, who actor.Actor, in StopInput) (ClientStop,
	error) {
	c, err := client.Lock(tx, who.MerchantID, in.ClientID)
	if err != nil {
		return ClientStop{}, err
	}
	if !c.StoppedAt.IsZero() {
		standing, _, err := s.store().Standing(ctx, who.MerchantID, c.ID)
		return standing, err
	}
	held, err := token.HoldOf(tx, c.MerchantID, c.ID)
	if err != nil {
		return ClientStop{}, err
	}
	client.SetStopped(tx, c.MerchantID, c.ID, tx.Now())
	h, err := s.haltOf(ctx, c)
	if err != nil {
		return ClientStop{}, err
	}
	if in.Seen != "" && in.Seen != h.Digest() {
		return ClientStop{}, fault.New(fault.Conflict, "stakes_grew",
			"What would stop changed since you looked. Look at it again.")
	}
	stop := ClientStop{ID: tx.NewID(), MerchantID: c.MerchantID, ClientID: c.ID, State: StopStanding, Reason: in.Reason,
		AskedBy: who.ID, AskedName: who.Name, ApprovalID: in.ApprovalID, Approver: in.Approver, CreatedAt: tx.Now(),
		Changed: StopChanges{Tokens: held}}
	lines := h.Lines()
	for _, rec := range h.Debits.Withdrawn {
		stop.Changed.Debits = append(stop.Changed.Debits, StoppedDebit{rec.ID, rec.Collection.ID, rec.Status})
	}
	const why = "All debits of the client were stopped, and the debit was withdrawn."
	if err := s.Purchases.Withdraw(tx, who, h.Debits, why); err != nil {
		return stop, err
	}
	for _, sub := range h.Subscriptions {
		if err := s.Subscriptions.Stop(ctx, tx, who, sub); err != nil {
			return stop, err
		}
		stop.Changed.Subscriptions = append(stop.Changed.Subscriptions, sub.ID)
	}
	tx.Create(&stop)
	after := map[string]any{"stop": stop.ID, "reason": in.Reason, "stopped": true, "tokens_held": len(held),
		"debits_withdrawn": len(h.Debits.Withdrawn), "debits_running": len(h.Debits.Running),
		"subscriptions_paused": len(h.Subscriptions), "effects": lines}
	if in.Approver != "" {
		after["approved_by"], after["approval"] = in.Approver, in.ApprovalID
	}
	tx.Audit(who, audit.Entry{Action: "client.stopped", ObjectType: "client", ObjectID: c.ID, ClientID: c.ID,
		Text:   "Everything that is debited from " + c.Name() + " was stopped: " + inShort(h) + ".",
		Before: map[string]any{"stopped": false}, After: after})
	if c.Email != "" {
		tx.InsertMail(stop.mail(tx, c, purchase.MailAllStopped,
			s.Purchases.Letters.AllStopped(c.Addressed(), h.Brand, h.Debits)))
	}
	return stop, nil
}

func (st ClientStop) mail(tx *database.Tx, c client.Client, kind string, l mail.Letter) mail.Mail {
	return mail.Mail{ID: tx.NewID(), MerchantID: c.MerchantID, ObjectID: st.ID, Kind: kind, Attempt: 1, ClientID: c.ID,
		To: c.Email, CC: c.CC, BCC: c.BCC, Letter: l, State: mail.Queued, CreatedAt: tx.Now()}
}
