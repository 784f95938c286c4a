package followup

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/member"
)

// Service holds the use cases of following up. Those about many things do all of them in one transaction.
type Service struct {
	Store Store
	Now   func() time.Time
}

const (
	longestText = 2000 // characters of a note
	mostAtOnce  = 1000 // things in one transaction
	furthest    = 366  // days ahead that something is put off, or promised
)

// AddNote writes the same note about one or many things, and tells about how many.
func (s *Service) AddNote(ctx context.Context, who actor.Actor, about []Object, text string) (int, error) {
	return s.write(ctx, who, about, Note{Text: text}, nil, "followup.noted", "A note was added.")
}

// Call is a call as it is written down.
type Call struct {
	Outcome Outcome
	Phone   string
	Text    string
	// Promise is what the client said it would pay, where the call ended so: a day, and 0 for all that is owed.
	Promise Promising
}

// LogCall writes down a call about one or many things. One that ended in a promise writes down the promise, too: what
// was promised waits until the day after, unless it is paid.
func (s *Service) LogCall(ctx context.Context, who actor.Actor, about []Object, call Call) (int, error) {
	if !slices.Contains(Outcomes, call.Outcome) {
		return 0, fault.At("outcome", "invalid_choice", "Choose how the call ended.")
	}
	var promised *Promising
	if call.Outcome == Promises {
		if call.Promise.DueOn.IsZero() {
			return 0, fault.At("due_on", "required", "Enter the day on which the client promised to pay.")
		}
		if err := s.checkPromise(&call.Promise); err != nil {
			return 0, err
		}
		promised = &call.Promise
	}
	return s.write(ctx, who, about, Note{Text: call.Text, Outcome: call.Outcome, Phone: call.Phone}, promised,
		"followup.called", "A call was logged: "+strings.ToLower(call.Outcome.Label())+".")
}

func (s *Service) write(ctx context.Context, who actor.Actor, about []Object, n Note, promised *Promising, action,
	sentence string) (count int, err error) {
	if err := s.may(who, len(about)); err != nil {
		return 0, err
	}
	if n.Text, err = cleanText("text", n.Text, !n.IsCall()); err != nil {
		return 0, err
	}
	if n.Phone != "" {
		phone, ok := bank.NormalisePhone(n.Phone)
		if !ok {
			return 0, fault.At("phone", "invalid", "“%s” is not a phone number.", n.Phone)
		}
		n.Phone = phone
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		subjects, err := living(tx, who.MerchantID, about)
		if err != nil {
			return err
		}
		seen, notes := map[uuid.UUID]bool{}, make([]Note, len(subjects))
		for i, of := range subjects {
			n.ID, n.MerchantID, n.CreatedAt = tx.NewID(), who.MerchantID, tx.Now()
			n.ObjectType, n.ObjectID, n.ClientID, n.PurchaseID = of.Type, of.ID, of.ClientID, of.shownWith()
			n.AuthorID, n.Author = who.ID, who.Name
			notes[i] = n
			tx.Audit(who, of.entry(action, sentence, nil))
			if owed := cmp.Or(of.PurchaseID, of.ClientID); promised != nil && !seen[owed] {
				seen[owed] = true
				if _, err := s.promise(tx, who, of, *promised); err != nil {
					return err
				}
			}
		}
		if err := addNotes(tx, notes); err != nil {
			return err
		}
		count = len(subjects)
		return tx.Answered(count)
	})
	return count, err
}

// Assign gives things to a person of the team, or with uuid.Nil to nobody, and tells how many.
func (s *Service) Assign(ctx context.Context, who actor.Actor, about []Object, owner uuid.UUID) (count int, err error) {
	if err := s.may(who, len(about)); err != nil {
		return 0, err
	}
	err = s.Store.InTx(ctx, func(tx *database.Tx) error {
		sentence := "This no longer has an owner."
		if owner != uuid.Nil {
			m, err := member.Hold(tx, who.MerchantID, owner)
			if err != nil && !fault.Is(err, fault.NotFound) {
				return err
			}
			if err != nil || !m.Active() {
				return fault.At("owner", "invalid_choice", "Choose a person of the team.")
			}
			sentence = "Assigned to " + m.Called() + "."
		}
		subjects, err := find(tx, who.MerchantID, about)
		if err != nil {
			return err
		}
		if len(subjects) == 0 {
			return fault.Missing()
		}
		if err := setOwner(tx, who.MerchantID, subjects, owner); err != nil {
			return err
		}
		for _, of := range subjects {
			tx.Audit(who, of.entry("followup.assigned", sentence, nil))
		}
		count = len(subjects)
		return tx.Answered(count)
	})
	return count, err
}

// may tells whether somebody may follow up that many things.
func (s *Service) may(who actor.Actor, n int) error {
	if err := who.May(actor.Write); err != nil {
		return err
	}
	switch {
	case n == 0:
		return fault.New(fault.Invalid, "required", "Choose at least one.")
	case n > mostAtOnce:
		return fault.New(fault.Invalid, "too_many", "At most %d can be changed at once.", mostAtOnce)
	}
	return nil
}

// WhyErased is why nothing is written about a client.
const WhyErased = "The personal data of this client was erased, so nothing is written about it."

// living finds what is followed up, and holds its clients: what is written about an erased one would be
// personal data anew.
func living(tx *database.Tx, merchantID uuid.UUID, about []Object) ([]subject, error) {
	subjects, err := find(tx, merchantID, about)
	if err != nil {
		return nil, err
	}
	if len(subjects) == 0 {
		return nil, fault.Missing()
	}
	var clients []uuid.UUID
	for _, s := range subjects {
		if s.ClientID != uuid.Nil {
			clients = append(clients, s.ClientID)
		}
	}
	erased, err := holdClients(tx, merchantID, clients)
	if err != nil {
		return nil, err
	}
	left := slices.DeleteFunc(subjects, func(s subject) bool { return erased[s.ClientID] })
	if len(left) == 0 {
		return nil, fault.New(fault.Conflict, "client_erased", WhyErased)
	}
	return left, nil
}

// entry is what the audit keeps: not what was written, which can be erased.
func (s subject) entry(action, text string, after map[string]any) audit.Entry {
	return audit.Entry{Action: action, ObjectType: string(s.Type), ObjectID: s.ID, ClientID: s.ClientID,
		PurchaseID: s.shownWith(), Text: text, After: after}
}

// cleanText is what may be kept of a note.
func cleanText(field, text string, needed bool) (string, error) {
	return FreeText{Most: longestText, Needed: needed, Missing: "Write a note.",
		Long: "A note has at most %d characters.",
		Numbers: "A note must not contain an identity number or a card number. They belong on the client’s page, " +
			"where they are kept sealed."}.Clean(field, text)
}
