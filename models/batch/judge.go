package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
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
		tx.ForgetDecisions(*b) // the rows may name others now
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
	b.Revision++
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

// tries is how often a change that met another one begins anew.
const tries = 5

// change locks a batch, lets do decide and counts anew. A request for a second person that is about something else now is
// withdrawn with it.
func (s *Service) change(ctx context.Context, who actor.Actor, id uuid.UUID, do func(Tx, *Batch) error) (Batch, error) {
	var b Batch
	for range tries {
		watch, err := s.watch(ctx, who.MerchantID, id)
		if err != nil {
			return b, err
		}
		err = s.InTx(ctx, func(tx Tx) (err error) {
			if b, err = s.changeIn(tx, who, id, do); err != nil {
				return err
			}
			if err := watch(tx, who, b); err != nil {
				return err
			}
			return tx.Answered(b)
		})
		if !errors.Is(err, fault.ErrLost) {
			return b, err
		}
	}
	return b, fault.New(fault.Conflict, "conflict", "Somebody else changed this batch at the same moment. Look at it again.")
}

func (s *Service) watch(ctx context.Context, merchantID, id uuid.UUID) (func(Tx, actor.Actor, Batch) error, error) {
	if s.Requests == nil {
		return func(Tx, actor.Actor, Batch) error { return nil }, nil
	}
	return s.Requests.Watch(ctx, merchantID, id)
}

// edit changes rows of a checked batch. prepare reads and judges outside of the transaction; what it gives is written only
// when nothing changed meanwhile.
func (s *Service) edit(ctx context.Context, who actor.Actor, id uuid.UUID, prepare func(Batch) (func(Tx, *Batch) error, error)) (Batch, error) {
	for range tries {
		seen, err := s.Read.Batch(ctx, who.MerchantID, id)
		if err != nil {
			return seen, err
		}
		if !seen.in(Checked) {
			return seen, wrongState(seen)
		}
		seen.Revision++
		write, err := prepare(seen)
		if err != nil {
			return seen, err
		}
		moved := false
		b, err := s.change(ctx, who, id, func(tx Tx, b *Batch) error {
			if moved = b.State != seen.State || b.Revision != seen.Revision-1; moved {
				return fault.New(fault.Conflict, "conflict", "This batch changed meanwhile.")
			}
			b.Revision, b.WarningsAccepted = seen.Revision, false
			return write(tx, b)
		})
		if !moved {
			return b, err
		}
	}
	return Batch{}, fault.New(fault.Conflict, "conflict", "Somebody else changed this batch at the same moment. Look at it again.")
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
func (s *Service) checkSome(ctx context.Context, seen Batch) (more bool, err error) {
	rows, err := s.Read.BatchRows(ctx, seen.MerchantID, seen.ID, RowQuery{States: []RowState{Fresh}, Limit: checkedAtOnce})
	if err != nil {
		return false, err
	}
	if err := s.judge(ctx, seen, rows); err != nil {
		return false, err
	}
	watch, err := s.watch(ctx, seen.MerchantID, seen.ID)
	if err != nil {
		return false, err
	}
	err = s.InTx(ctx, func(tx Tx) error {
		b, err := tx.LockBatch(seen.MerchantID, seen.ID)
		switch {
		case err != nil:
			return err
		case b.State != seen.State || b.Revision != seen.Revision:
			return fault.ErrLost
		}
		if more = len(rows) > 0; more {
			if err := tx.SaveRows(b, rows, false); err != nil {
				return err
			}
			return tx.SaveBatch(&b)
		}
		b.State, b.UpdatedAt = Checked, tx.Now()
		if err := warn(tx, b, nil); err != nil {
			return err
		}
		if err := tx.SaveBatch(&b); err != nil {
			return err
		}
		return watch(tx, actor.SystemOf(b.MerchantID), b)
	})
	return more, err
}

// warn notes what a person should look at in the ready rows. Amounts are compared for the rows that are numbered, or for all.
func warn(tx Tx, b Batch, numbered []int) error {
	if err := tx.Warn(b, tx.Now().Add(-warnWithin)); err != nil {
		return err
	}
	return tx.MarkUnusual(b, numbered)
}

// What is far from usual: so many times a client's usual amount, or that of the file where the client has none. A file
// with fewer rows has no usual amount.
const (
	UnusualForClient = 3
	UnusualForFile   = 10
	FileMiddle       = 3
)

// judge reads rows, finds their clients and says what is wrong with each, and what each will do. It reads by itself and is
// called outside of transactions; who writes its outcome makes sure that the rows are still the same.
func (s *Service) judge(ctx context.Context, b Batch, rows []Row) error {
	_, _, err := s.judged(ctx, b, rows)
	return err
}

func (s *Service) judged(ctx context.Context, b Batch, rows []Row) ([]Line, *directory, error) {
	if len(rows) == 0 {
		return nil, nil, nil
	}
	brand, err := s.Read.Brand(ctx, b.MerchantID, b.BrandID)
	if err != nil {
		return nil, nil, err
	}
	lines := b.read(rows, calendar.DateOf(s.Now()))
	known, err := s.clientsOf(ctx, b, rows, lines)
	if err != nil {
		return nil, nil, err
	}
	for i := range rows {
		if err := s.judgeOne(ctx, b, brand, &rows[i], lines[i], known); err != nil {
			return nil, nil, err
		}
	}
	return lines, known, nil
}

func (s *Service) judgeOne(ctx context.Context, b Batch, brand merchant.Brand, r *Row, l Line, known *directory) error {
	v := l.Values
	r.ClientKey = v.person()
	c, isNew, wrong := known.resolve(*r, v)
	switch {
	case !isNew || len(wrong) > 0 || l.about(Email, ClientID, PersonalCode):
	case r.Decision != CreateClient:
		wrong = append(wrong, v.unknown())
	case l.OK():
		wrong = v.checkNew(calendar.DateOf(s.Now()))
	}
	wrong = append(wrong, s.checkDue(v)...)
	if v.TotalCents == 0 && l.OK() {
		wrong = append(wrong, Problem{Field: Amount, Code: "min_value", Message: "expected an amount above 0", Mend: MendRange})
	}
	r.ClientID, r.NewClient, r.Due, r.Charge, r.Error = c.ID, isNew, v.Due, NoCharge, ""
	if r.TotalCents != v.TotalCents {
		r.Confirmed = false
	}
	r.Name, r.TotalCents, r.SameKey = nameOf(c, v), v.TotalCents, fmt.Sprintf("%s %d", sameClient(c, v), v.TotalCents)
	r.Debit = Debit{}
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
	r.Mailed = mailTo(c, v) != ""
	return s.digest(b, r, v, c, known.made[c.ID])
}

// digest names everything that sending a row does: who is billed and gets the mail, for what, and what is debited. ours
// tells that the batch itself has made the client.
func (s *Service) digest(b Batch, r *Row, v Values, c client.Client, ours bool) error {
	who := c.ID.String()
	if r.NewClient || ours && r.Decision == CreateClient {
		who = "new " + r.ClientKey
	}
	facts, err := json.Marshal(struct {
		Cells    []string
		Who, To  string
		Products any
		Due      Day
		Cents    int64
		Method   string
		Charge   bool
		Debit    Debit
	}{r.Cells, who, mailTo(c, v), v.Products, v.Due, v.TotalCents, v.Method, v.Charge, r.Debit})
	if err != nil {
		return fmt.Errorf("name what row %d does: %w", r.N, err)
	}
	r.Digest = s.Read.Digest(b.MerchantID, string(facts))
	return nil
}

// mailTo is where the invoice of a row goes.
func mailTo(c client.Client, v Values) string {
	if c.ID != uuid.Nil {
		return strings.ToLower(c.Email)
	}
	return strings.ToLower(v.Email)
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
	MendClient  = "client"
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
	t, found, err := s.tokenFor(ctx, b, r.ClientID)
	if err == nil && !found {
		return bad("no_token", "the client has no stored account that can be charged"), nil
	}
	r.Debit.TokenID, r.Debit.Method = t.ID, t.Method
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

// person names whom a row means, as the row says it.
func (v Values) person() string {
	if v.ClientID != uuid.Nil {
		return v.ClientID.String()
	}
	return strings.ToLower(v.Email) + "\x1f" + bank.CleanID(v.PersonalCode.Reveal()).Reveal()
}

// MendUnknown is the cause of rows that name nobody we know: a person decides who is billed.
const MendUnknown = "unknown_client"

// unknown asks who is billed.
func (v Values) unknown() Problem {
	if v.Email == "" {
		return Problem{Field: PersonalCode, Code: "unknown_client", Message: "no client has this identity number", Mend: MendUnknown}
	}
	return Problem{Field: Email, Code: "unknown_client", Message: "no client has the address " + v.Email, Mend: MendUnknown}
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
