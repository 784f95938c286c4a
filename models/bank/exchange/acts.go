package exchange

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/money"
	"debitdesk/models/plural"
)

// MostImported is how large a file from the bank is that a person imports, in bytes.
const MostImported = 20 << 20

// CutNow makes messages of everything that waits for one merchant, whatever the time of the next cut is.
func (s *Service) CutNow(ctx context.Context, who actor.Actor) (ids []string, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return nil, err
	}
	ids, err = s.cut(ctx, who.MerchantID, farAhead(s.Now()), who)
	if err == nil && len(ids) == 0 {
		return nil, fault.New(fault.Conflict, "nothing_waits", "Nothing waits for the bank.")
	}
	return ids, err
}

// farAhead is later than any cut.
func farAhead(now time.Time) time.Time { return now.AddDate(1, 0, 0) }

// Import takes a file from the bank that a person brings. The same bytes again give the document that is there.
func (s *Service) Import(ctx context.Context, who actor.Actor, name string, content []byte) (d Document, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return d, err
	}
	switch {
	case len(content) == 0:
		return d, fault.At("file", "required", "Choose a file from your bank.")
	case len(content) > MostImported:
		return d, fault.At("file", "too_large", "A file from the bank may have up to %d MB.", MostImported>>20)
	}
	packed, err := Pack(content)
	if err != nil {
		return d, err
	}
	hash := sha256.Sum256(content)
	err = s.Store.inTx(ctx, func(tx unit) error {
		var fresh bool
		d, fresh, err = tx.openDocument(Document{ID: tx.NewID(), MerchantID: who.MerchantID, FileName: cleanName(name),
			SHA256: hash[:], Size: int64(len(content)), State: DocumentOpen, BroughtBy: who.Name, ArrivedAt: tx.Now()}, packed)
		if err != nil || !fresh {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "bank.document_imported", ObjectType: "bank_document", ObjectID: d.ID,
			Text:  fmt.Sprintf("The file %s from the bank was imported.", d.FileName),
			After: map[string]any{"size": d.Size, "sha256": fmt.Sprintf("%x", d.SHA256)}})
		return nil
	})
	if err != nil || d.State != DocumentOpen {
		return d, err
	}
	return s.read(ctx, d, func() (io.ReadCloser, error) { return unpack(packed) })
}

// cleanName keeps what a file name may show.
func cleanName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._- ", r) {
			return r
		}
		return '_'
	}, name)
	return clean[:min(len(clean), 120)]
}

// Download gives the exact bytes of a message, and notes who took them.
func (s *Service) Download(ctx context.Context, who actor.Actor,
	id string) (m Message, content io.ReadCloser, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return m, nil, err
	}
	err = s.Store.inTx(ctx, func(tx unit) error {
		if m, err = tx.holdMessage(who.MerchantID, id); err != nil {
			return err
		}
		if m.Withheld() {
			return fault.New(fault.Conflict, "not_approved", "This file is not approved, so it cannot be downloaded.")
		}
		m.Downloads, m.DownloadsBy = m.Downloads+1, who.Name
		tx.Audit(who, messageEntry("bank.message_downloaded", m, "The file %s for the bank was downloaded.", m.FileName))
		return tx.saveMessage(m)
	})
	if err != nil {
		return m, nil, err
	}
	content, err = s.bytesOf(ctx, id)
	return m, content, err
}

func messageEntry(action string, m Message, format string, args ...any) audit.Entry {
	return audit.Entry{Action: action, ObjectType: "bank_message", ObjectID: m.UUID(), Text: fmt.Sprintf(format, args...),
		After: map[string]any{"message": m.ID, "state": m.State, "count": m.Count, "sum_cents": m.SumCents}}
}

// MarkTaken says that a person has brought a message to the bank by hand.
func (s *Service) MarkTaken(ctx context.Context, who actor.Actor, id string) (m Message, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return m, err
	}
	err = s.Store.inTx(ctx, func(tx unit) error {
		if m, err = tx.holdMessage(who.MerchantID, id); err != nil {
			return err
		}
		if m.State != Placed {
			return fault.New(fault.Conflict, "not_placed", "This file is not waiting to be taken to the bank.")
		}
		s.taken(&m, tx.Now())
		tx.Audit(who, messageEntry("bank.message_taken", m, "The file %s was taken to the bank by hand.", m.FileName))
		return tx.saveMessage(m)
	})
	return m, err
}

// PlaceAgain lays out a message that the bank never acknowledged once more: the same bytes under the same name, so that
// the bank, if it has it after all, refuses the second as a duplicate.
func (s *Service) PlaceAgain(ctx context.Context, who actor.Actor, id string) (m Message, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return m, err
	}
	if m, _, err = s.Store.Message(ctx, who.MerchantID, id); err != nil {
		return m, err
	}
	if err := unacknowledged(m); err != nil {
		return m, err
	}
	if err := s.Box.PutAside(ctx, m.FileName); err != nil { // first, or it would count as laid out already
		return m, err
	}
	err = s.Store.inTx(ctx, func(tx unit) error {
		if m, err = tx.holdMessage(who.MerchantID, id); err != nil {
			return err
		}
		if err := unacknowledged(m); err != nil {
			return err
		}
		m.State, m.PlacedAt, m.TakenAt, m.AckDueAt = Made, time.Time{}, time.Time{}, time.Time{}
		tx.Audit(who, messageEntry("bank.message_placed_again", m, "The file %s was laid out for the bank again, unchanged.",
			m.FileName))
		if err := tx.settleFindings(NotAcknowledged, m.ID, who.Name, "The same file was laid out again."); err != nil {
			return err
		}
		return tx.saveMessage(m)
	})
	return m, err
}

func unacknowledged(m Message) error {
	if m.State != Taken || m.Acknowledged() {
		return fault.New(fault.Conflict, "acknowledged",
			"Only a file that the bank has not acknowledged can be laid out again.")
	}
	return nil
}

// SendAgain puts the items of a refused message, or of its refused groups, into a new message under new numbers. It
// can be done once: the items are in the new message then.
func (s *Service) SendAgain(ctx context.Context, who actor.Actor, id string) (next Message, err error) {
	return s.decide(ctx, who, id, "bank.message_sent_again", Replaced, func(tx unit, m Message, items []Item) (string, error) {
		cut := tx.Now()
		for n := range items {
			items[n].State, items[n].MessageID, items[n].GroupID, items[n].CutAt = ItemWaiting, "", "", cut
		}
		return fmt.Sprintf("%s of the refused file %s are sent again with the next file.", contents(m), m.FileName),
			tx.saveItems(items)
	})
}

// Drop says that the bank did not run the items that it refused with their message: their debits were not collected.
func (s *Service) Drop(ctx context.Context, who actor.Actor, id string) (m Message, err error) {
	return s.decide(ctx, who, id, "bank.message_dropped", Closed, func(tx unit, m Message, items []Item) (string, error) {
		return fmt.Sprintf("%s of the refused file %s were marked as not collected.", contents(m), m.FileName),
			s.drop(tx, items)
	})
}

// decide lets a person say what becomes of refused items, once. A message that was refused as a whole moves to a state.
func (s *Service) decide(ctx context.Context, who actor.Actor, id, action string, to MessageState,
	act func(unit, Message, []Item) (string, error)) (m Message, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return m, err
	}
	err = s.Store.inTx(ctx, func(tx unit) error {
		all, err := tx.holdItemsOf(id, "") // items before messages, as answers do
		if err != nil {
			return err
		}
		if m, err = tx.holdMessage(who.MerchantID, id); err != nil {
			return err
		}
		var refused []Item
		var sum int64
		for _, i := range all {
			if i.State == ItemRefused {
				refused, sum = append(refused, i), sum+i.AmountCents
			}
		}
		if len(refused) == 0 {
			return fault.New(fault.Conflict, "nothing_refused", "Nothing in this file waits for a decision any more.")
		}
		of := m
		of.Count, of.SumCents = len(refused), sum
		text, err := act(tx, of, refused)
		if err != nil {
			return err
		}
		tx.Audit(who, messageEntry(action, of, "%s", text))
		if m.State == Refused {
			m.State = to
			if err := tx.saveMessage(m); err != nil {
				return err
			}
		}
		return settleAll(tx, m, who.Name, text)
	})
	return m, err
}

// settleAll closes what is open about the refusals of a message.
func settleAll(tx unit, m Message, by, text string) error {
	if err := tx.settleFindings(MessageRefused, m.ID, by, text); err != nil {
		return err
	}
	if err := tx.settleFindings(Declined, m.ID, by, text); err != nil {
		return err
	}
	groups, err := tx.groups(m.ID)
	if err != nil {
		return err
	}
	for _, g := range groups {
		if err := tx.settleFindings(GroupRefused, g.ID, by, text); err != nil {
			return err
		}
	}
	return nil
}

// drop tells the product that the bank did not run some items.
func (s *Service) drop(tx unit, items []Item) error {
	var answers []Answer
	for n, i := range items {
		kind := map[Kind]bank.MessageKind{Debits: bank.Unpaid, Refunds: bank.RefundFailed,
			Mandates: bank.MandateFailed}[i.Kind]
		items[n].State, items[n].SilenceAt = ItemDropped, time.Time{}
		if kind == "" {
			continue
		}
		items[n].Outcome, items[n].OutcomeOn = kind, calendar.DateOf(tx.Now())
		answers = append(answers, Answer{ID: "dropped:" + hexID(i.ID), ItemID: i.ID, MerchantID: i.MerchantID, Kind: kind,
			Code: bank.CodeNotRun, At: tx.Now(), Raw: []byte(`<NotRun/>`)})
	}
	if err := tx.saveItems(items); err != nil {
		return err
	}
	return tx.addAnswers(answers)
}

// Late says what becomes of debits that missed the deadline of their day: they are sent all the same, or they were not
// collected.
func (s *Service) Late(ctx context.Context, who actor.Actor, day calendar.Date, send bool) (n int, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return 0, err
	}
	err = s.Store.inTx(ctx, func(tx unit) error {
		items, err := tx.holdLate(who.MerchantID, day)
		if err != nil {
			return err
		}
		if n = len(items); n == 0 {
			return fault.New(fault.Conflict, "nothing_late", "No late debits of that day wait for a decision any more.")
		}
		var sum int64
		for i := range items {
			sum += items[i].AmountCents
			if send {
				items[i].State, items[i].CutAt = ItemWaiting, tx.Now()
			}
		}
		action, text := "bank.late_dropped", "%s for %s (%s) "+plural.Was(n)+" marked as not collected."
		if send {
			action, text = "bank.late_sent", "%s for %s (%s) "+plural.Is(n)+" still sent to the bank."
			err = tx.saveItems(items)
		} else {
			err = s.drop(tx, items)
		}
		if err != nil {
			return err
		}
		said := fmt.Sprintf(text, plural.Of(n, "late debit"), day.Format("2 Jan 2006"), money.Format(sum, "ZAR"))
		tx.Audit(who, audit.Entry{Action: action, ObjectType: "bank_day", Text: said,
			After: map[string]any{"day": day.String(), "count": n, "sum_cents": sum}})
		return tx.settleFindings(MissedDeadline, lateSubject(who.MerchantID, day), who.Name, said)
	})
	return n, err
}

// Settle closes a finding with what was done about it.
func (s *Service) Settle(ctx context.Context, who actor.Actor, id uuid.UUID, note string) (f Finding, err error) {
	if err := who.May(actor.Exchange); err != nil {
		return f, err
	}
	note = strings.TrimSpace(note)
	switch {
	case note == "":
		return f, fault.At("note", "required", "Say what was done about it.")
	case len(note) > 1000:
		return f, fault.At("note", "max_length", "Write at most 1000 characters.")
	}
	err = s.Store.inTx(ctx, func(tx unit) error {
		if f, err = tx.holdFinding(who.MerchantID, id); err != nil {
			return err
		}
		if !f.ClosedAt.IsZero() {
			return fault.New(fault.Conflict, "settled", "%s has settled this already.", f.ClosedBy)
		}
		f.ClosedAt, f.ClosedBy, f.Resolution = tx.Now(), who.Name, note
		tx.Audit(who, audit.Entry{Action: "bank.finding_settled", ObjectType: "bank_finding", ObjectID: f.ID,
			Text: "A finding about the bank was settled: " + f.Text, After: map[string]any{"note": note}})
		return tx.saveFinding(f)
	})
	return f, err
}
