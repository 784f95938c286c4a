package webhook

import (
	"context"
	"crypto/rsa"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/database"
	"debitdesk/models/mail"
	"debitdesk/models/user"
)

// tellAfter is how long an endpoint fails before its owner gets a mail.
const tellAfter = time.Hour

// deliver makes one attempt and notes what became of it. A process that ends
// between the call and the note has the attempt made again: at least once.
func (s *Service) deliver(ctx context.Context, t Task) error {
	if t.Gone {
		return s.Store.DropDelivery(ctx, t)
	}
	at := s.Now()
	began := time.Now() //nolint:forbidigo // how long the call takes is real time, whatever the product's clock says
	answer := s.call(ctx, t)
	took := time.Since(began)
	if ctx.Err() != nil { // the process stops: nobody can tell what became of it
		return s.Store.ReleaseDelivery(context.WithoutCancel(ctx), t)
	}
	o := Outcome{Attempt: Attempt{Number: t.Attempts + 1, At: at, TookMS: int(took.Milliseconds()), Status: answer.Status,
		Error: answer.Error, Answer: answer.Text}}
	first := t.FirstAt
	if first.IsZero() {
		first = at
	}
	switch {
	case answer.Error == "" && answer.Status >= 200 && answer.Status < 300:
		o.State = Delivered
	default:
		if o.Error == "" {
			o.Error = fmt.Sprintf("The endpoint answered %d.", answer.Status)
			if answer.Status >= 300 && answer.Status < 400 {
				o.Error += " Redirects are not followed: use the address that it leads to."
			}
		}
		if o.State, o.Next = Pending, next(first, at); o.Next.IsZero() || o.Number >= MaxAttempts {
			o.State, o.Next = Failed, time.Time{}
		}
	}
	if err := s.Store.NoteAttempt(ctx, t, o); err != nil {
		return err
	}
	if o.State == Delivered || t.WebhookID == uuid.Nil || t.Noticed || t.FailingSince.IsZero() ||
		at.Sub(t.FailingSince) < tellAfter {
		return nil
	}
	return s.tellOwner(ctx, t, o)
}

// call writes, signs and posts the body.
func (s *Service) call(ctx context.Context, t Task) Answer {
	body, err := s.body(t.Event)
	signature := ""
	if err == nil {
		signature, err = s.signature(ctx, t.Delivery, body)
	}
	if err != nil {
		if ctx.Err() == nil {
			s.log().ErrorContext(ctx, "delivery could not be written", "delivery_id", t.ID, "event",
				t.EventType, "error", err)
		}
		return Answer{Error: "We could not write the body."}
	}
	headers := []Header{{"Content-Type", "application/json"}, {"X-Signature", signature}, {"User-Agent", s.Agent},
		{"X-Debitdesk-Event-Id", t.EventID.String()}, {"X-Debitdesk-Delivery-Id", t.ID.String()}}
	if t.Resend {
		headers = append(headers, Header{"X-Debitdesk-Resend", "true"})
	}
	return s.Post.Post(ctx, t.Address, headers, body)
}

// tellOwner sends one mail for each time that an endpoint begins to fail.
func (s *Service) tellOwner(ctx context.Context, t Task, o Outcome) error {
	if s.Letters == nil {
		return nil
	}
	admins, err := user.Store{DB: s.Store.DB}.Admins(ctx, t.MerchantID)
	if err != nil || len(admins) == 0 {
		return err
	}
	var to []string
	for _, a := range admins {
		to = append(to, a.Email)
	}
	letter := s.Letters.EndpointFails(Webhook{ID: t.WebhookID, Title: t.Title, Callback: t.Address,
		FailingSince: t.FailingSince}, o.Error)
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		if first, err := noticeFailing(tx, t.WebhookID); err != nil || !first {
			return err
		}
		tx.InsertMail(mail.Mail{MerchantID: t.MerchantID, ObjectID: t.WebhookID, Kind: "webhook_failing",
			Attempt: int(t.FailingSince.Unix() / 60), To: to[0], CC: to[1:], Letter: letter})
		return nil
	})
}

// signature signs for the webhook, or for the company, whose key is made when it is
// wanted first.
func (s *Service) signature(ctx context.Context, d Delivery, body []byte) (string, error) {
	owner := d.WebhookID
	if owner == uuid.Nil {
		owner = d.MerchantID
	}
	key, err := s.keys.get(owner, func() (*rsa.PrivateKey, error) {
		if d.WebhookID == uuid.Nil {
			if _, err := s.companyKey(ctx, d.MerchantID); err != nil {
				return nil, err
			}
		}
		der, err := s.Store.WebhookKey(ctx, d.MerchantID, d.WebhookID)
		if err != nil {
			return nil, err
		}
		return privateKey(der)
	})
	if err != nil {
		return "", err
	}
	return Sign(key, body)
}

func (s *Service) log() *slog.Logger {
	if s.Log == nil {
		return slog.Default()
	}
	return s.Log
}

// keyring keeps keys that were opened: a key never changes.
type keyring struct {
	mu   sync.Mutex
	kept map[uuid.UUID]*rsa.PrivateKey
}

const mostKeys = 1000 // then it starts anew

func (k *keyring) get(owner uuid.UUID, open func() (*rsa.PrivateKey, error)) (*rsa.PrivateKey, error) {
	k.mu.Lock()
	key, ok := k.kept[owner]
	k.mu.Unlock()
	if ok {
		return key, nil
	}
	key, err := open()
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil || len(k.kept) >= mostKeys {
		k.kept = map[uuid.UUID]*rsa.PrivateKey{}
	}
	k.kept[owner] = key
	return key, nil
}
