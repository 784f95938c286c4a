package webhook

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
)

// Service holds the use cases of webhooks and the engine that delivers.
type Service struct {
	Store   Store
	Post    Poster
	Letters Letters // nil tells nobody of a failing endpoint
	Now     func() time.Time
	Log     *slog.Logger // nil: the default
	Agent   string       // User-Agent of calls, such as Debitdesk/1.2
	Live    bool         // real money: events leave encrypted only
	// Body writes an event as its receiver gets it: the object with event_type added.
	Body func(Event) ([]byte, error)

	// NewKeys makes the key pair of a webhook or a company; nil: NewKeys, which takes a tenth of a second.
	NewKeys func() (Keys, error)
	// Alone refuses a person who may not change alone where events go; nil: everyone may.
	Alone func(context.Context, actor.Actor) error

	keys keyring
}

func (s *Service) newKeys() (Keys, error) {
	if s.NewKeys != nil {
		return s.NewKeys()
	}
	return NewKeys()
}

func (s *Service) alone(ctx context.Context, who actor.Actor) error {
	if err := mayChange(who); err != nil || s.Alone == nil {
		return err
	}
	return s.Alone(ctx, who)
}

// tries is how often a change starts again after another came first.
const tries = 5

// mayChange: programs need the scope write, people need to manage the business.
func mayChange(who actor.Actor) error {
	if who.Kind == actor.Credential {
		return who.May(actor.Write)
	}
	return who.May(actor.Manage)
}

// Create adds a webhook with a key pair of its own.
func (s *Service) Create(ctx context.Context, who actor.Actor, in Input) (Webhook, error) {
	if err := mayChange(who); err != nil {
		return Webhook{}, err
	}
	if _, err := in.checked("", s.Live); err != nil {
		return Webhook{}, err
	}
	if err := s.alone(ctx, who); err != nil {
		return Webhook{}, err
	}
	keys, err := s.newKeys() // slow, hence before the transaction
	if err != nil {
		return Webhook{}, err
	}
	var w Webhook
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		if w, err = s.CreateIn(tx, who, in, keys); err != nil {
			return err
		}
		return tx.Answered(w)
	})
	return w, err
}

// CreateIn is Create in the transaction of a decision, with a key pair that was made before.
func (s *Service) CreateIn(tx *database.Tx, who actor.Actor, in Input, keys Keys) (Webhook, error) {
	in, err := in.checked("", s.Live)
	if err != nil {
		return Webhook{}, err
	}
	w := Webhook{ID: tx.NewID(), MerchantID: who.MerchantID, PublicKey: keys.Public, Version: 1, CreatedAt: tx.Now(),
		UpdatedAt: tx.Now()}
	in.into(&w)
	insertWebhook(tx, w, keys.Private)
	tx.Audit(who, audit.Entry{Action: "webhook.created", ObjectType: "webhook", ObjectID: w.ID, After: facts(w),
		Text: "Added the webhook " + w.Title + "."})
	return w, nil
}

// Get gives one webhook; NotFound when it is unknown, deleted or another merchant's.
func (s *Service) Get(ctx context.Context, who actor.Actor, id uuid.UUID) (Webhook, error) {
	if err := who.May(actor.Read); err != nil {
		return Webhook{}, err
	}
	return s.Store.Webhook(ctx, who.MerchantID, id)
}

// List gives the merchant's webhooks, newest first.
func (s *Service) List(ctx context.Context, who actor.Actor, ask paging.Ask) (paging.Page[Webhook], error) {
	if err := who.May(actor.Read); err != nil {
		return paging.Page[Webhook]{}, err
	}
	found, err := s.Store.Webhooks(ctx, who.MerchantID, ask)
	return paging.Cut(ask, found), err
}

// Update changes a webhook; change gets the present values. Its keys stay.
func (s *Service) Update(ctx context.Context, who actor.Actor, id uuid.UUID, change func(*Input)) (Webhook, error) {
	if err := mayChange(who); err != nil {
		return Webhook{}, err
	}
	var lost error
	for range tries {
		w, err := s.Store.Webhook(ctx, who.MerchantID, id)
		if err != nil {
			return w, err
		}
		in := w.Input()
		change(&in)
		if _, err = in.checked(w.Callback, s.Live); err != nil {
			return w, err
		}
		if err := s.alone(ctx, who); err != nil {
			return w, err
		}
		err = s.Store.InTx(ctx, func(tx *database.Tx) error {
			if w, err = s.UpdateIn(tx, who, w, in); err != nil {
				return err
			}
			return tx.Answered(w)
		})
		if !errors.Is(err, fault.ErrLost) {
			return w, err
		}
		lost = err
	}
	return Webhook{}, fault.New(fault.Conflict, "conflict",
		"This webhook is being changed by another person. Try again.").Because(lost)
}

// UpdateIn is Update of a webhook that was read, in the transaction of a decision.
func (s *Service) UpdateIn(tx *database.Tx, who actor.Actor, w Webhook, in Input) (Webhook, error) {
	in, err := in.checked(w.Callback, s.Live)
	if err != nil {
		return w, err
	}
	before := facts(w)
	in.into(&w)
	w.UpdatedAt = tx.Now()
	if err := saveWebhook(tx, w); err != nil {
		return w, err
	}
	w.Version++
	tx.Audit(who, audit.Entry{Action: "webhook.changed", ObjectType: "webhook", ObjectID: w.ID, Before: before,
		After: facts(w), Text: "Changed the webhook " + w.Title + "."})
	return w, nil
}

// Input is a webhook as it would be asked for anew.
func (w Webhook) Input() Input {
	return Input{Title: w.Title, Callback: w.Callback, AllEvents: w.AllEvents, Events: w.Events}
}

// Delete ends a webhook; what was on its way to it is dropped.
func (s *Service) Delete(ctx context.Context, who actor.Actor, id uuid.UUID) error {
	if err := mayChange(who); err != nil {
		return err
	}
	if err := s.alone(ctx, who); err != nil {
		return err
	}
	w, err := s.Store.Webhook(ctx, who.MerchantID, id)
	if err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		if err := s.DeleteIn(tx, who, w); err != nil {
			return err
		}
		return tx.Answered(nil)
	})
}

// Failing lists the webhooks whose last delivery was not taken, longest failing first.
func (s *Service) Failing(ctx context.Context, merchantID uuid.UUID) ([]Webhook, error) {
	return s.Store.FailingWebhooks(ctx, merchantID)
}

// CompanyKey gives the public half (PEM) of the key that signs success_callback; it
// is made on first use. Whoever asks at the same time gets the same key.
func (s *Service) CompanyKey(ctx context.Context, who actor.Actor) (pem string, err error) {
	if err := who.May(actor.Read); err != nil {
		return "", err
	}
	return s.companyKey(ctx, who.MerchantID)
}

func (s *Service) companyKey(ctx context.Context, merchantID uuid.UUID) (string, error) {
	if text, err := s.Store.CompanyKey(ctx, merchantID); err != nil || text != "" {
		return text, err
	}
	keys, err := s.newKeys()
	if err != nil {
		return "", err
	}
	if err := s.Store.InTx(
		ctx,
		func(tx *database.Tx) error { return insertCompanyKey(tx, merchantID, keys) },
	); err != nil {
		return "", err
	}
	return s.Store.CompanyKey(ctx, merchantID)
}

func facts(w Webhook) map[string]any {
	return map[string]any{"title": w.Title, "callback": w.ShownCallback(), "all_events": w.AllEvents, "events": w.Events}
}

// DeleteIn is Delete of a webhook that was read, in the transaction of a decision.
func (s *Service) DeleteIn(tx *database.Tx, who actor.Actor, w Webhook) error {
	gone, err := deleteWebhook(tx, who.MerchantID, w.ID)
	if err != nil {
		return err
	}
	if !gone {
		return fault.Missing()
	}
	tx.Audit(who, audit.Entry{Action: "webhook.deleted", ObjectType: "webhook", ObjectID: w.ID, Before: facts(w),
		Text: "Deleted the webhook " + w.Title + "."})
	return nil
}
