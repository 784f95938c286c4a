package exchange

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
)

// prefixes begin the ids of messages, so that people tell them apart.
var prefixes = map[Kind]string{Debits: "DD", Refunds: "RF", Recalls: "RC", Mandates: "MI", Cancellations: "MC"}

// mostGroups is what two digits count.
const mostGroups = 99

// groupsIn is how many groups a message of a kind holds at most.
func (r Rules) groupsIn(k Kind) int {
	if r.OneGroup[k] {
		return 1
	}
	return mostGroups
}

// cutDue makes messages of everything that leaves by now, and writes each from what was read of it. What is not written
// is written in the next step.
func (s *Service) cutDue(ctx context.Context) (moved int, err error) {
	ids, err := s.cut(ctx, uuid.Nil, s.Now(), actor.Actor{}, func(out Outgoing) {
		if s.writeOut(ctx, out) == nil {
			moved++
		}
	})
	return moved + len(ids), err
}

// cut makes messages of what leaves by then, of one merchant or, with the zero id, of all, and gives their ids. made
// hears of each with its orders; nil: nobody does.
func (s *Service) cut(ctx context.Context, merchantID uuid.UUID, by time.Time, who actor.Actor,
	made func(Outgoing)) (ids []string, err error) {
	pending, err := s.Store.Pending(ctx, merchantID, by)
	if err != nil {
		return nil, fmt.Errorf("find what is to be cut: %w", err)
	}
	var wrong []error
	for _, p := range pending {
		for {
			out, err := s.cutOne(ctx, p, by, who)
			if err != nil {
				wrong = append(wrong, fmt.Errorf("cut %s: %w", p.Kind, err))
			}
			if out.ID == "" {
				break
			}
			if ids = append(ids, out.ID); made != nil {
				made(out)
			}
		}
	}
	return ids, errors.Join(wrong...)
}

// cutOne puts waiting items into one message: its number, its groups and its items are fixed in one transaction, and
// with them its bytes. It gives the message with its orders; with no id: nothing waits.
func (s *Service) cutOne(ctx context.Context, p Pending, by time.Time, who actor.Actor) (out Outgoing, err error) {
	var damaged []Item
	err = s.Store.inTx(ctx, func(tx unit) error {
		number, err := tx.nextNumber(p.Kind)
		if err != nil {
			return err
		}
		now := tx.Now()
		m := Message{MerchantID: p.MerchantID, Kind: p.Kind, Name: s.Encoder.Name(p.Kind), Number: number, State: Made,
			MadeBy: who.Name, MadeByID: who.ID, MadeAt: now,
			ID: fmt.Sprintf("%s%s-%06d", prefixes[p.Kind], calendar.DateOf(now).Format("20060102"), number)}
		m.FileName = s.Encoder.FileName(m)
		cut, err := tx.cutWaiting(m, by, max(s.Rules.MaxItems, 1), s.Rules.groupsIn(p.Kind))
		switch {
		case err != nil:
			return err
		case len(cut) == 0:
			return errNothing // and the number is not used up
		}
		items, err := tx.ordersIn(m.ID)
		if err != nil {
			return err
		}
		if damaged = slices.DeleteFunc(slices.Clone(items), Item.readable); len(damaged) > 0 {
			return errDamaged
		}
		groups, err := groupsOf(m, cut, items)
		if err != nil {
			return err
		}
		for _, g := range groups {
			m.Count, m.SumCents = m.Count+g.Count, m.SumCents+g.SumCents
		}
		if err := s.hold(tx, &m, groups); err != nil {
			return err
		}
		out = Outgoing{Message: m, Groups: groups}
		tx.Audit(actor.SystemOf(m.MerchantID), audit.Entry{Action: "bank.message_made", ObjectType: "bank_message",
			ObjectID: m.UUID(), Text: fmt.Sprintf("The file %s was made for the bank: %s.", m.FileName, contents(m)),
			After: map[string]any{"message": m.ID, "count": m.Count, "sum_cents": m.SumCents, "cut_by": who.Name,
				"state": m.State}})
		return tx.insertMessage(m, groups)
	})
	switch {
	case errors.Is(err, errNothing):
		return Outgoing{}, nil
	case errors.Is(err, errDamaged):
		if err := s.setAside(ctx, damaged); err != nil {
			return Outgoing{}, err
		}
		return s.cutOne(ctx, p, by, who) // the others leave
	case err != nil:
		return Outgoing{}, err
	}
	return out, nil
}

// errNothing undoes the beginning of a message for which nothing waits.
var errNothing = errors.New("nothing waits")

// groupsOf are the groups of a message with their items, and what all of those share.
func groupsOf(m Message, cut []Group, items []Item) ([]Group, error) {
	for n := range cut {
		cut[n].ID, cut[n].MessageID = GroupID(m.ID, cut[n].Position), m.ID
	}
	if err := filled(m.ID, cut, items); err != nil {
		return nil, err
	}
	for n := range cut {
		g, first := &cut[n], cut[n].Items[0].Order
		g.Creditor = first.Creditor()
		if first.Debit != nil {
			g.Sequence = first.Debit.Sequence
		}
		if m.Kind == Refunds {
			g.ActionDate = calendar.DateOf(m.MadeAt)
		}
	}
	return cut, nil
}

// GroupID names a group of a message: by two digits.
func GroupID(messageID string, position int) string {
	return fmt.Sprintf("%s-%02d", messageID, position)
}

// contents says what is in a message: "12 debits, R 1 234,00 in all".
func contents(m Message) string {
	names := map[Kind][2]string{Debits: {"debit", "debits"}, Refunds: {"refund", "refunds"},
		Recalls: {"recall", "recalls"}, Mandates: {"mandate request", "mandate requests"},
		Cancellations: {"cancellation", "cancellations"}}
	name := names[m.Kind][1]
	if m.Count == 1 {
		name = names[m.Kind][0]
	}
	if m.SumCents == 0 {
		return fmt.Sprintf("%d %s", m.Count, name)
	}
	return fmt.Sprintf("%d %s, %s in all", m.Count, name, money.Format(m.SumCents, "ZAR"))
}

// groupKey is the same for items that go to one account, on one day, by one service; recalls also name the message and
// group of their debits.
func groupKey(i Item) string {
	o := i.Order
	parts := []any{o.Creditor(), i.Method, i.ActionDate}
	switch {
	case o.Debit != nil:
		parts = append(parts, o.Debit.Sequence)
	case o.Recall != nil:
		parts = append(parts, o.Recall.MessageID, o.Recall.GroupID)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", parts))
	return hex.EncodeToString(sum[:8])
}

// write fixes the bytes of messages that have none yet.
func (s *Service) write(ctx context.Context) (int, error) {
	ids, err := s.Store.Unwritten(ctx)
	if err != nil {
		return 0, fmt.Errorf("find messages without bytes: %w", err)
	}
	written := 0
	_, err = each(ids, func(id string) error {
		err := s.writeOne(ctx, id)
		var no *Disallowed
		if errors.As(err, &no) { // it stays as it is until the profile is another one
			return about(id, s.notWritten(ctx, id, no))
		}
		if err == nil {
			written++
		}
		return about(id, err)
	})
	return written, err
}

// notWritten asks a person about a message that its form does not allow. It is tried again in every round.
func (s *Service) notWritten(ctx context.Context, id string, no *Disallowed) error {
	return s.Store.inTx(ctx, func(tx unit) error {
		m, err := tx.holdMessage(uuid.Nil, id)
		if err != nil {
			return err
		}
		return tx.openFindings([]Finding{{MerchantID: m.MerchantID, Kind: NotPlaced, Subject: m.ID, MessageID: m.ID,
			Text: fmt.Sprintf("The file %s (%s) was not written, since the bank could not read it: %s. The bank’s "+
				"profile has to be corrected; debitdesk bank check says what is wrong.", m.FileName, contents(m), no)}})
	})
}

// about says which message an error is about.
func about(id string, err error) error {
	if err != nil {
		return fmt.Errorf("message %s: %w", id, err)
	}
	return nil
}

func (s *Service) writeOne(ctx context.Context, id string) error {
	out, err := s.Store.Outgoing(ctx, id)
	if err != nil {
		return err
	}
	if out.damaged() {
		return s.giveBack(ctx, id)
	}
	return s.writeOut(ctx, out)
}

// writeOut fixes the bytes of a message, unless it has some.
func (s *Service) writeOut(ctx context.Context, out Outgoing) error {
	var packed bytes.Buffer
	zip, hash, size := gzip.NewWriter(&packed), sha256.New(), &counter{}
	if err := s.Encoder.Encode(io.MultiWriter(zip, hash, size), out); err != nil {
		return err
	}
	if err := zip.Close(); err != nil {
		return err
	}
	m := out.Message
	m.SHA256, m.Size = hash.Sum(nil), size.n
	return s.Store.inTx(ctx, func(tx unit) error {
		_, err := tx.writeContent(m, packed.Bytes())
		return err
	})
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) { c.n += int64(len(p)); return len(p), nil }

// unpack reads the bytes of a message.
func unpack(packed []byte) (io.ReadCloser, error) { return gzip.NewReader(bytes.NewReader(packed)) }

// place lays out messages for the bank, the same bytes under the same name however often it is tried.
func (s *Service) place(ctx context.Context) (int, error) {
	messages, err := s.Store.Unplaced(ctx)
	if err != nil {
		return 0, fmt.Errorf("find messages to lay out: %w", err)
	}
	placed := 0
	_, err = each(messages, func(m Message) error {
		err := s.placeOne(ctx, m)
		var occupied *Occupied
		if errors.As(err, &occupied) { // it stays as it is until a person has looked
			return about(m.ID, s.notPlaced(ctx, m, occupied))
		}
		if fault.HasCode(err, unreadableFile) {
			return about(m.ID, s.lost(ctx, m))
		}
		if err == nil {
			placed++
		}
		return about(m.ID, err)
	})
	return placed, err
}

// notPlaced asks a person about a message that cannot be laid out. It is tried again in every round.
func (s *Service) notPlaced(ctx context.Context, m Message, o *Occupied) error {
	return s.Store.inTx(ctx, func(tx unit) error {
		return tx.openFindings([]Finding{{MerchantID: m.MerchantID, Kind: NotPlaced, Subject: m.ID, MessageID: m.ID,
			Text: fmt.Sprintf("The file %s (%s) cannot be laid out for the bank: another file stands at %s. Have it taken "+
				"away from there; the file then leaves within a minute.", m.FileName, contents(m), o.Place)}})
	})
}

func (s *Service) placeOne(ctx context.Context, m Message) error {
	content, err := s.bytesOf(ctx, m.ID)
	if err != nil {
		return err
	}
	kept, groups, err := s.Store.Message(ctx, uuid.Nil, m.ID)
	if err != nil {
		return err
	}
	out := Outgoing{kept, groups}
	check := func(r io.Reader) error { return s.Encoder.Tally(r, out) }
	if err := s.Box.Place(ctx, m.FileName, m.SHA256, content, check); err != nil {
		return err
	}
	return s.Store.inTx(ctx, func(tx unit) error {
		m, err := tx.holdMessage(uuid.Nil, m.ID)
		if err != nil || m.State != Made {
			return err
		}
		m.State, m.PlacedAt = Placed, tx.Now()
		if err := tx.settleFindings(NotPlaced, m.ID, "", "The file was laid out."); err != nil {
			return err
		}
		return tx.saveMessage(m)
	})
}

func (s *Service) bytesOf(ctx context.Context, id string) (io.ReadCloser, error) {
	packed, err := s.Store.Content(ctx, id)
	if err != nil {
		return nil, err
	}
	return unpack(packed)
}

// moveMessage changes a message under its lock, when change says so.
func (s *Service) moveMessage(ctx context.Context, id string, change func(*Message, time.Time) bool) error {
	return s.Store.inTx(ctx, func(tx unit) error {
		m, err := tx.holdMessage(uuid.Nil, id)
		if err != nil || !change(&m, tx.Now()) {
			return err
		}
		return tx.saveMessage(m)
	})
}

// seeTaken notes which messages were taken from where they were laid out: from then on the bank has its time to
// acknowledge.
func (s *Service) seeTaken(ctx context.Context) (int, error) {
	messages, err := s.Store.Untaken(ctx)
	if err != nil {
		return 0, fmt.Errorf("find messages that wait: %w", err)
	}
	taken := 0
	_, err = each(messages, func(m Message) error {
		waiting, err := s.Box.Waiting(ctx, m.FileName)
		if err != nil || waiting {
			return about(m.ID, err)
		}
		return s.moveMessage(ctx, m.ID, func(m *Message, now time.Time) bool {
			if m.State != Placed {
				return false
			}
			s.taken(m, now)
			taken++
			return true
		})
	})
	return taken, err
}

// defaultAckWithin is how long a bank has to acknowledge when its profile does not say (ours).
const defaultAckWithin = time.Hour

// taken notes that a message is on its way: from now on the bank has its time to acknowledge.
func (s *Service) taken(m *Message, now time.Time) {
	m.State, m.TakenAt, m.AckDueAt = Taken, now, now.Add(cmp.Or(s.Rules.AckWithin, defaultAckWithin))
}

// missAcks raises a finding for each message that nobody acknowledged in time.
func (s *Service) missAcks(ctx context.Context) (int, error) {
	messages, err := s.Store.OverdueAcks(ctx, s.Now())
	if err != nil || len(messages) == 0 {
		return 0, err
	}
	return len(messages), s.Store.inTx(ctx, func(tx unit) error {
		findings := make([]Finding, len(messages))
		for i, m := range messages {
			findings[i] = Finding{MerchantID: m.MerchantID, Kind: NotAcknowledged, Subject: m.ID, MessageID: m.ID,
				Text: fmt.Sprintf("The bank has not acknowledged the file %s (%s). Nothing in it counts as paid until it does.",
					m.FileName, contents(m))}
		}
		return tx.openFindings(findings)
	})
}
