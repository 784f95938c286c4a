package batch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/queue"
	"debitdesk/models/token"
)

const (
	checkedAtOnce = 1000 // rows of one transaction
	quickly       = 2000 // rows that are checked before the answer, so that nobody waits for a worker
)

// Map fixes which column means what and has every row checked. Small files are checked before it comes back.
func (s *Service) Map(ctx context.Context, who actor.Actor, id uuid.UUID, m Mapping) (Batch, error) {
	if err := who.May(actor.Bill); err != nil {
		return Batch{}, err
	}
	if err := m.problems(); err != nil {
		return Batch{}, err
	}
	b, err := s.change(ctx, who, id, func(tx Tx, b *Batch) error {
		switch {
		case b.Started():
			return fault.New(fault.Conflict, "batch_started", "Rows of this batch were sent already; its columns cannot change any more.")
		case !b.in(ToMap, Checking, Checked):
			return wrongState(*b)
		}
		b.Mapping, b.WarningsAccepted = m, false
		if err := tx.RememberMapping(*b); err != nil {
			return err
		}
		tx.Audit(who, audit.Entry{Action: "batch.mapped", ObjectType: "batch", ObjectID: b.ID, Text: "The columns were chosen."})
		return recheck(tx, b)
	})
	if err != nil || b.Rows > quickly {
		return b, err
	}
	if err := s.Work(ctx, b.ID); err != nil {
		return b, err
	}
	return s.Read.Batch(ctx, who.MerchantID, id)
}

// recheck has all rows that nothing has become of checked anew.
func recheck(tx Tx, b *Batch) error {
	if _, err := tx.MoveRows(*b, []RowState{Ready, Bad}, Fresh, "", nil); err != nil {
		return err
	}
	b.State = Checking
	tx.Enqueue(queue.WorkBatch{BatchID: b.ID})
	return nil
}

func (b Batch) in(states ...State) bool { return slices.Contains(states, b.State) }

func wrongState(b Batch) error {
	return fault.New(fault.Conflict, "batch_wrong_state", "That is not possible now: the batch is %s.", StateWords[b.State])
}

// StateWords say where a batch stands, as the end of a sentence.
var StateWords = map[State]string{ToMap: "waiting for its columns", Checking: "being checked", Checked: "checked", Running: "being sent",
	Paused: "paused", Voiding: "being voided", Done: "done", Stopped: "stopped"}

// change locks a batch, lets do decide and counts anew.
func (s *Service) change(ctx context.Context, who actor.Actor, id uuid.UUID, do func(Tx, *Batch) error) (Batch, error) {
	var b Batch
	err := s.InTx(ctx, func(tx Tx) (err error) {
		if b, err = tx.LockBatch(who.MerchantID, id); err != nil {
			return err
		}
		if err := do(tx, &b); err != nil {
			return err
		}
		b.UpdatedAt = tx.Now()
		if err := tx.SaveBatch(&b); err != nil {
			return err
		}
		return tx.Answered(b)
	})
	return b, err
}

// checkSome checks the next rows; more tells that there are others.
func (s *Service) checkSome(ctx context.Context, ref Ref) (more bool, err error) {
	err = s.InTx(ctx, func(tx Tx) error {
		b, err := tx.LockBatch(ref.MerchantID, ref.ID)
		if err != nil || b.State != Checking {
			return err
		}
		rows, err := tx.RowsIn(b, []RowState{Fresh}, 0, checkedAtOnce)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			b.State, b.UpdatedAt = Checked, tx.Now()
			if err := tx.Warn(b, tx.Now().Add(-warnWithin)); err != nil {
				return err
			}
			return tx.SaveBatch(&b)
		}
		more = true
		if err := s.judge(ctx, tx, b, rows); err != nil {
			return err
		}
		if err := tx.SaveRows(b, rows, false); err != nil {
			return err
		}
		return tx.SaveBatch(&b)
	})
	return more, err
}

// judge reads rows, finds their clients and says what is wrong with each.
func (s *Service) judge(ctx context.Context, tx Tx, b Batch, rows []Row) error {
	brand, err := s.Read.Brand(ctx, b.MerchantID, b.BrandID)
	if err != nil {
		return err
	}
	lines := make([]Line, len(rows))
	for i := range rows {
		lines[i], rows[i].Problems = b.Mapping.read(b.Format, rows[i], calendar.DateOf(tx.Now()))
	}
	known, err := clientsOf(tx, b.MerchantID, lines)
	if err != nil {
		return err
	}
	for i := range rows {
		if err := s.judgeOne(ctx, b, brand, &rows[i], lines[i], known); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) judgeOne(ctx context.Context, b Batch, brand merchant.Brand, r *Row, l Line, known *directory) error {
	c, isNew, wrong := known.find(l)
	r.Problems = append(r.Problems, wrong...)
	r.ClientID, r.NewClient, r.Due, r.Charge, r.Warnings, r.Error = c.ID, isNew, l.Due, NoCharge, nil, ""
	r.Name = nameOf(c, l)
	if isNew && len(wrong) == 0 {
		r.Problems = append(r.Problems, l.checkClient(calendar.DateOf(s.Now()))...)
	}
	r.Problems = append(r.Problems, s.checkDue(l)...)
	total, wrongTotal := purchase.Details{Products: l.Products}.TotalCents()
	r.TotalCents = total
	if len(r.Problems) == 0 {
		for _, f := range wrongTotal {
			r.Problems = append(r.Problems, Problem{Field: "amount", Code: f.Code, Message: f.Message})
		}
		if total == 0 && len(wrongTotal) == 0 {
			r.Problems = append(r.Problems, Problem{Field: "amount", Code: "min_value", Message: "The amount must be above 0."})
		}
	}
	if l.Charge {
		r.Charge = ChargeWanted
		if err := s.checkCharge(ctx, b, r, brand); err != nil {
			return err
		}
	}
	r.SameKey = fmt.Sprintf("%s %d", sameClient(c, l), total)
	if r.State = Ready; len(r.Problems) > 0 {
		r.State = Bad
	}
	return nil
}

func (s *Service) checkDue(l Line) []Problem {
	if l.Due.IsZero() {
		return nil // the reading says so, where a date is needed
	}
	if due := s.Timetable.DueOn(l.Due); !due.After(s.Now()) {
		return []Problem{{Field: "due", Code: "due_not_greater_than_now", Message: "The due date has passed."}}
	}
	return nil
}

// checkCharge asks for what a debit on the due date needs: a stored account, time and rand.
func (s *Service) checkCharge(ctx context.Context, b Batch, r *Row, brand merchant.Brand) error {
	bad := func(code, message string) {
		r.Problems = append(r.Problems, Problem{Field: "charge", Code: code, Message: message})
	}
	switch {
	case r.Due.IsZero() || s.Timetable.TooSoon(s.Timetable.DueOn(r.Due), s.Now()):
		bad("due_too_soon", "A debit order needs a due date at least two days ahead.")
	case brand.Currency != "ZAR":
		bad("currency", "Debit orders are in ZAR.")
	case r.ClientID == uuid.Nil:
		bad("no_token", "A new client has no stored account to charge.")
	default:
		_, found, err := s.tokenFor(ctx, b, r.ClientID)
		if err == nil && !found {
			bad("no_token", "The client has no stored account that can be charged.")
		}
		return err
	}
	return nil
}

// tokenFor gives the client's newest account of the brand that can be charged.
func (s *Service) tokenFor(ctx context.Context, b Batch, clientID uuid.UUID) (token.Token, bool, error) {
	all, err := s.Read.TokensOf(ctx, b.MerchantID, clientID)
	for _, t := range all {
		if err == nil && t.State == token.Active && t.BrandID == b.BrandID {
			return t, true, nil
		}
	}
	return token.Token{}, false, err
}

func nameOf(c client.Client, l Line) string {
	if c.ID != uuid.Nil {
		return c.Name()
	}
	return cmp.Or(l.Client.FullName, l.Client.LegalName, l.Client.BrandName, l.Client.Email)
}

// sameClient names a payer equally in every row of a file.
func sameClient(c client.Client, l Line) string {
	if c.ID != uuid.Nil {
		return c.ID.String()
	}
	return cmp.Or(strings.ToLower(l.Client.Email), bank.CleanID(l.Client.PersonalCode.Reveal()).Reveal(), l.Client.FullName)
}
