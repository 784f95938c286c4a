package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/batch/sheet"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/purchase"
)

// judge reads rows, finds their clients and says what is wrong with each, and what each will do. It reads by itself and
// is called outside of transactions; who writes its outcome makes sure that the rows are still the same.
func (s *Service) judge(ctx context.Context, b Batch, rows []Row) error {
	_, _, _, err := s.judged(ctx, b, rows)
	return err
}

// judged is judge, with what the rows say, the clients they may mean, and the forecasts of their debits.
func (s *Service) judged(ctx context.Context, b Batch,
	rows []Row) (lines []Line, known *directory, debits []*purchase.Forecast, err error) {
	if len(rows) == 0 {
		return nil, nil, nil, nil
	}
	lines = b.read(rows, calendar.DateOf(s.Now()))
	if known, err = s.clientsOf(ctx, b, rows, lines); err != nil {
		return nil, nil, nil, err
	}
	wrong := make([][]Problem, len(rows))
	for i := range rows {
		wrong[i] = s.identify(&rows[i], lines[i], known)
	}
	if debits, err = s.forecast(ctx, b, rows, lines, wrong); err != nil {
		return nil, nil, nil, err
	}
	for i := range rows {
		if err := s.conclude(b, &rows[i], lines[i], known, wrong[i]); err != nil {
			return nil, nil, nil, err
		}
	}
	return lines, known, debits, nil
}

// identify says whom a row bills, how much and when, and what is wrong with that beyond how it is written.
func (s *Service) identify(r *Row, l Line, known *directory) []Problem {
	v := l.Values
	r.ClientKey = v.person()
	c, isNew, wrong := known.resolve(*r, v)
	r.warnings = known.warn(c, isNew && r.Decision == CreateClient, v)
	switch {
	case !isNew || len(wrong) > 0 || l.about(Email, ClientID, PersonalCode):
	case r.Decision != CreateClient:
		wrong = append(wrong, v.unknown())
	case l.OK():
		wrong = v.checkNew(calendar.DateOf(s.Now()))
	}
	wrong = append(wrong, s.checkDue(v)...)
	if v.TotalCents == 0 && l.OK() {
		wrong = append(wrong, Problem{Field: Amount, Code: "min_value", Message: "expected an amount above 0",
			Cause: CauseRange})
	}
	if r.TotalCents != v.TotalCents {
		r.Confirmed = false
	}
	r.ClientID, r.NewClient, r.Due, r.Charge, r.Debit, r.Error = c.ID, isNew, v.Due, NoCharge, Debit{}, ""
	r.Name, r.TotalCents, r.SameKey = nameOf(c, v), v.TotalCents, fmt.Sprintf("%s %d", sameClient(c, v), v.TotalCents)
	r.Mailed = mailTo(c, v) != ""
	return wrong
}

// conclude gives a row its state.
func (s *Service) conclude(b Batch, r *Row, l Line, known *directory, wrong []Problem) error {
	r.Problems = append(l.Problems, b.placed(wrong)...)
	r.Warnings = nil
	for _, w := range append(l.Warnings, b.placed(r.warnings)...) {
		if w.Cause != CausePast { // judged above, at the minute
			r.Warnings = append(r.Warnings, Warning(w.At(r.N)))
		}
	}
	if r.State = Ready; len(r.Problems) > 0 {
		r.State = Bad
	}
	return s.digest(b, r, l.Values, known)
}

// digest names everything that sending a row does: who is billed and gets the mail, for what, and what is debited and
// when. Why that could be disputed depends on other debits too and is compared by itself. A client that the batch
// itself has made is as new as before.
func (s *Service) digest(b Batch, r *Row, v Values, known *directory) error {
	c := known.byID[r.ClientID]
	who := c.ID.String()
	if r.NewClient || known.made[c.ID] && r.Decision == CreateClient {
		who = "new " + v.address() + known.beside(v)
	}
	facts, err := json.Marshal(struct {
		Cells    []string
		Who, To  string
		Products any
		Due      Day
		Cents    int64
		Method   string
		Charge   bool
		Token    uuid.UUID
		Debited  Day
	}{r.Cells, who, mailTo(c, v), v.Products, v.Due, v.TotalCents, v.Method, v.Charge, r.Debit.TokenID, r.Debit.Date})
	if err != nil {
		return fmt.Errorf("name what row %d does: %w", r.N, err)
	}
	r.Digest = s.Store.digest(b.MerchantID, string(facts))
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
		return []Problem{{Field: Due, Code: "due_not_greater_than_now", Message: "the due date " + v.Due.String() +
			" has passed", Cause: CausePast}}
	}
	return nil
}

// The causes that only a look at stored records shows.
const (
	CauseClient  = "client"
	causeCharge  = "charge"
	causeDetails = "new_client"
)

// read says what rows mean.
func (b Batch) read(rows []Row, today Day) []Line {
	c := Checker{Header: b.Format.Header, Mapping: b.Mapping, Today: today}
	lines := make([]Line, len(rows))
	for i, r := range rows {
		lines[i] = c.Check(sheet.Row{Number: r.N, Cells: r.Cells, Broken: r.Broken, Numbers: r.Numbers})
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

// person names whom a row means, as the row says it: people who share an address are told apart by their names, so
// that a choice made for one of them holds for no other.
func (v Values) person() string {
	if v.ClientID != uuid.Nil {
		return v.ClientID.String()
	}
	return v.address() + "\x1f" + nameKey(v.FullName)
}

// address is what a client is found by.
func (v Values) address() string {
	if v.ClientID != uuid.Nil {
		return v.ClientID.String()
	}
	return strings.ToLower(v.Email) + "\x1f" + bank.CleanID(v.PersonalCode.Reveal()).Reveal()
}

// CauseUnknown is the cause of rows that name nobody we know: a person decides who is billed.
const CauseUnknown = "unknown_client"

// unknown asks who is billed.
func (v Values) unknown() Problem {
	if v.Email == "" {
		return Problem{Field: PersonalCode, Code: "unknown_client", Message: "no client has this identity number",
			Cause: CauseUnknown}
	}
	return Problem{Field: Email, Code: "unknown_client", Message: "no client has the address " + v.Email,
		Cause: CauseUnknown}
}

// sameClient names a client equally in every row of a file.
func sameClient(c client.Client, v Values) string {
	if c.ID != uuid.Nil {
		return c.ID.String()
	}
	return cmp.Or(strings.ToLower(v.Email), v.PersonalCode.Reveal(), v.FullName)
}

// details is the client that a row makes.
func (v Values) details() client.Details {
	return client.Details{Email: v.Email, FullName: v.FullName, Phone: v.Phone, PersonalCode: v.PersonalCode,
		BankCode: v.BankCode, BankAccount: v.BankAccount}
}

// checkNew says what a new client still needs.
func (v Values) checkNew(today Day) (wrong []Problem) {
	d := v.details()
	for _, f := range d.Check(client.AsRecord, today) {
		wrong = append(wrong, Problem{Field: Field(f.Leaf()), Code: f.Code, Message: f.Message, Cause: causeDetails})
	}
	return wrong
}
