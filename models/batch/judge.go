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
	"debitdesk/models/batch/sheet"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
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
	if err := m.Check().Err(); err != nil {
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
	return s.checked(ctx, b, err)
}

// checked checks the rows of a small batch at once, so that nobody waits for a worker.
func (s *Service) checked(ctx context.Context, b Batch, err error) (Batch, error) {
	if err != nil || b.Rows > quickly {
		return b, err
	}
	if err := s.Work(ctx, b.ID); err != nil {
		return b, err
	}
	return s.Read.Batch(ctx, b.MerchantID, b.ID)
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
		if b, err = s.changeIn(tx, who, id, do); err != nil {
			return err
		}
		return tx.Answered(b)
	})
	return b, err
}

func (s *Service) changeIn(tx Tx, who actor.Actor, id uuid.UUID, do func(Tx, *Batch) error) (Batch, error) {
	b, err := tx.LockBatch(who.MerchantID, id)
	if err != nil {
		return b, err
	}
	if err := do(tx, &b); err != nil {
		return b, err
	}
	b.UpdatedAt = tx.Now()
	return b, tx.SaveBatch(&b)
}

// checkSome checks the next rows; more tells that there are others.
func (s *Service) checkSome(ctx context.Context, ref Ref) (more bool, err error) {
	err = s.InTx(ctx, func(tx Tx) error {
		ctx := tx.Context()
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
	lines := b.read(rows, calendar.DateOf(tx.Now()))
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
	v := l.Values
	c, isNew, wrong := known.find(v)
	if isNew && l.OK() {
		wrong = v.checkNew(calendar.DateOf(s.Now()))
	}
	wrong = append(wrong, s.checkDue(v)...)
	if v.TotalCents == 0 && l.OK() {
		wrong = append(wrong, Problem{Field: Amount, Code: "min_value", Message: "expected an amount above 0", Mend: MendRange})
	}
	r.ClientID, r.NewClient, r.Due, r.Charge, r.Error = c.ID, isNew, v.Due, NoCharge, ""
	r.Name, r.TotalCents, r.SameKey = nameOf(c, v), v.TotalCents, fmt.Sprintf("%s %d", sameClient(c, v), v.TotalCents)
	if v.Charge {
		r.Charge = ChargeWanted
		more, err := s.checkCharge(ctx, b, r, brand)
		if err != nil {
			return err
		}
		wrong = append(wrong, more...)
	}
	r.Problems = append(l.Problems, b.placed(wrong)...)
	r.Warnings = nil
	for _, w := range l.Warnings {
		if w.Mend != MendPast { // judged above, at the minute
			r.Warnings = append(r.Warnings, Warning(w.At(r.N)))
		}
	}
	if r.State = Ready; len(r.Problems) > 0 {
		r.State = Bad
	}
	return nil
}

func (s *Service) checkDue(v Values) []Problem {
	if v.Due.IsZero() {
		return nil // the reading says so
	}
	if due := s.Timetable.DueOn(v.Due); !due.After(s.Now()) {
		return []Problem{{Field: Due, Code: "due_not_greater_than_now", Message: "the due date " + v.Due.String() + " has passed", Mend: MendPast}}
	}
	return nil
}

// The causes that only a look at stored records shows.
const (
	mendClient  = "client"
	mendCharge  = "charge"
	mendDetails = "new_client"
)

// checkCharge asks for what a debit on the due date needs: a stored account, time and rand.
func (s *Service) checkCharge(ctx context.Context, b Batch, r *Row, brand merchant.Brand) ([]Problem, error) {
	bad := func(code, message string) []Problem {
		return []Problem{{Field: Charge, Code: code, Message: message, Mend: mendCharge}}
	}
	switch {
	case r.Due.IsZero():
		return nil, nil
	case s.Timetable.TooSoon(s.Timetable.DueOn(r.Due), s.Now()):
		return bad("due_too_soon", "a debit order needs a due date at least two days ahead"), nil
	case brand.Currency != money.ZAR:
		return bad("currency", "debit orders are in ZAR"), nil
	case r.ClientID == uuid.Nil:
		return bad("no_token", "a new client has no stored account to charge"), nil
	}
	_, found, err := s.tokenFor(ctx, b, r.ClientID)
	if err == nil && !found {
		return bad("no_token", "the client has no stored account that can be charged"), nil
	}
	return nil, err
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

// read says what rows mean.
func (b Batch) read(rows []Row, today Day) []Line {
	c := Checker{Header: b.Format.Header, Mapping: b.Mapping, Today: today}
	lines := make([]Line, len(rows))
	for i, r := range rows {
		lines[i] = c.Check(sheet.Row{Number: r.N, Cells: r.Cells, Broken: r.Broken})
	}
	return lines
}

// placed finds the columns of problems that were found beyond the file.
func (b Batch) placed(wrong []Problem) []Problem {
	for i, p := range wrong {
		if at := b.Mapping.Column(p.Field); at >= 0 {
			wrong[i].Column, wrong[i].Name = at+1, b.ColumnName(at)
		}
	}
	return wrong
}

func nameOf(c client.Client, v Values) string {
	if c.ID != uuid.Nil {
		return c.Name()
	}
	return cmp.Or(v.FullName, v.Email)
}

// sameClient names a payer equally in every row of a file.
func sameClient(c client.Client, v Values) string {
	if c.ID != uuid.Nil {
		return c.ID.String()
	}
	return cmp.Or(strings.ToLower(v.Email), v.PersonalCode.Reveal(), v.FullName)
}

// details is the client that a row makes.
func (v Values) details() client.Details {
	return client.Details{Email: v.Email, FullName: v.FullName, Phone: v.Phone, PersonalCode: v.PersonalCode, BankCode: v.BankCode, BankAccount: v.BankAccount}
}

// checkNew says what a new client still needs.
func (v Values) checkNew(today Day) (wrong []Problem) {
	d := v.details()
	for _, f := range d.Check(client.AsRecord, today) {
		wrong = append(wrong, Problem{Field: Field(f.Leaf()), Code: f.Code, Message: f.Message, Mend: mendDetails})
	}
	return wrong
}
