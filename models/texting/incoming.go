package texting

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/client"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/sms"
)

// Reports keeps what the provider tells about messages. It may tell twice, late and in any order; what it tells about
// messages that are not ours is left out.
func (s *Service) Reports(ctx context.Context, c sms.Call) error {
	if !s.Ready() {
		return fault.Missing()
	}
	reports, err := s.Gateway.Reports(c)
	if err != nil {
		return malformed(err)
	}
	for _, r := range reports {
		if err := s.report(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

func malformed(err error) error {
	return fault.New(fault.Invalid, "malformed", "This could not be read: %s.", err)
}

func (s *Service) report(ctx context.Context, r sms.Report) error {
	m, err := s.Store.find(ctx, r.ID, s.Gateway.Limits().Name, r.ProviderID)
	if fault.Is(err, fault.NotFound) || err == nil && !r.State.Follows(m.State) {
		return nil
	}
	if err != nil {
		return err
	}
	why := short(r.Why)
	if r.State.Unsent() && why == "" {
		why = "The provider did not say why."
	}
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		won, err := reported(tx, m, r.State, why)
		if err != nil || !won || !r.State.Unsent() {
			return err
		}
		return s.tell(tx, m, r.State, why)
	})
}

// Replies keeps what people answered, and does what they ask for. It may be told twice.
func (s *Service) Replies(ctx context.Context, c sms.Call) error {
	if !s.Ready() {
		return fault.Missing()
	}
	replies, err := s.Gateway.Replies(c)
	if err != nil {
		return malformed(err)
	}
	for _, r := range replies {
		if err := s.reply(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// Reply is what a client answered.
type Reply struct {
	ID, MerchantID       uuid.UUID
	ClientID             uuid.UUID
	Phone                string
	Text                 string `gorm:"-"` // sealed
	Wish                 sms.Wish
	Provider, ProviderID string
	CreatedAt            time.Time
}

// mostWords is how much of a reply is kept, in characters.
const mostWords = 1000

// reply keeps one answer. It belongs to the merchant whose message it answers, or whose message the number got last.
func (s *Service) reply(ctx context.Context, r sms.Reply) error {
	from, ok := sms.Mobile(r.From)
	if !ok || r.ProviderID == "" {
		return nil
	}
	name := s.Gateway.Limits().Name
	m, err := s.Store.find(ctx, r.To, name, r.ToProvider)
	if fault.Is(err, fault.NotFound) || err == nil && m.To != from {
		m, err = s.Store.lastTo(ctx, from)
	}
	if fault.Is(err, fault.NotFound) { // it never got a message of ours
		return nil
	}
	if err != nil {
		return err
	}
	wish := sms.WishOf(r.Text)
	if wish != sms.NoWish {
		if ask, can := s.Gateway.(sms.Confirmer); can {
			sure, err := ask.Confirm(ctx, r)
			if err != nil {
				return fault.New(fault.Unavailable, "provider_away", "The provider could not be asked about this reply.").
					Because(fmt.Errorf("ask about a reply: %w", err))
			}
			if !sure {
				return nil
			}
		}
	}
	return s.Answer(ctx, m, name, r.ProviderID, r.Text)
}

// Answer keeps what the client said to a message, in one transaction with what that asks for. The same answer is
// kept once.
func (s *Service) Answer(ctx context.Context, m sms.Message, provider, providerID, text string) error {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "�")
	if letters := []rune(text); len(letters) > mostWords {
		text = string(letters[:mostWords])
	}
	wish := sms.WishOf(text)
	return s.Store.InTx(ctx, func(tx *database.Tx) error {
		a := Reply{ID: tx.NewID(), MerchantID: m.MerchantID, ClientID: m.ClientID, Phone: m.To, Text: text, Wish: wish,
			Provider: provider, ProviderID: providerID, CreatedAt: tx.Now()}
		if kept, err := insertReply(tx, a); err != nil || !kept {
			return err
		}
		who := actor.PayerOf(m.MerchantID, "Client", "", "")
		e := audit.Entry{Action: "sms.answered", ObjectType: "sms", ObjectID: m.ID, ClientID: m.ClientID,
			PurchaseID: m.PurchaseID, Text: "The client answered an SMS."}
		switch wish {
		case sms.Stop:
			return s.stop(tx, who, m, a, e)
		case sms.Resume:
			return s.resume(tx, who, m, a, e)
		case sms.NoWish:
		}
		tx.Audit(who, e)
		return nil
	})
}

// stop blocks the number, gives up what waits for it, and confirms once. Debits and debts are not stopped: the
// confirmation says so.
func (s *Service) stop(tx *database.Tx, who actor.Actor, m sms.Message, a Reply, e audit.Entry) error {
	won, err := block(tx, m.MerchantID, m.To)
	if err != nil {
		return err
	}
	if !won {
		tx.Audit(who, e)
		return nil
	}
	e.Action = "sms.stopped"
	e.Text = "The client answered STOP: no more SMS go to this number. Debits and subscriptions are not stopped by this."
	tx.Audit(who, e)
	waiting, err := waitingTo(tx, m.MerchantID, m.To)
	if err != nil {
		return err
	}
	for _, one := range waiting {
		won, err := stopped(tx, one, sms.Skipped, "The client answered STOP.")
		if err == nil && won {
			err = s.tell(tx, one, sms.Skipped, "The client answered STOP.")
		}
		if err != nil {
			return err
		}
	}
	return s.confirm(tx, m, a, sms.StopNoted)
}

// resume lets messages go to the number again.
func (s *Service) resume(tx *database.Tx, who actor.Actor, m sms.Message, a Reply, e audit.Entry) error {
	won, err := unblock(tx, m.MerchantID, m.To)
	if err != nil {
		return err
	}
	if won {
		e.Action, e.Text = "sms.resumed", "The client answered START: SMS go to this number again."
	}
	tx.Audit(who, e)
	if !won {
		return nil
	}
	return s.confirm(tx, m, a, sms.ResumeNoted)
}

// confirm tells a client once who answered STOP or START, in the language in which it reads.
func (s *Service) confirm(tx *database.Tx, m sms.Message, a Reply, kind string) error {
	name, err := s.Store.sender(tx.Context(), m.MerchantID, m.BrandID)
	if err != nil {
		return err
	}
	reads, err := s.Store.reads(tx.Context(), m)
	if err != nil {
		return err
	}
	_, err = s.Queue(tx, sms.Message{MerchantID: m.MerchantID, BrandID: m.BrandID, ClientID: m.ClientID, ObjectID: a.ID,
		Kind: kind, Attempt: 1, To: m.To, Text: s.Letters.Noted(kind, name, reads)})
	return err
}

// BlockedSince is since when a client gets no SMS; zero: it gets them, or has no mobile number.
func (s *Service) BlockedSince(ctx context.Context, c client.Client) (time.Time, error) {
	number, ok := sms.Mobile(c.Phone)
	if !ok {
		return time.Time{}, nil
	}
	return s.Store.Blocked(ctx, c.MerchantID, number)
}
