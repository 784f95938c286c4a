package purchase

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/token"
)

// What a subscription does with purchases. Each Insert writes a purchase that was
// begun already, in the transaction of the period that it bills.

// TemplatePattern is Pattern for a pattern that is kept: a deduction day that was
// left out stays open (0) until a purchase has its due.
func (s *Service) TemplatePattern(ctx context.Context, who actor.Actor, in Input) (Purchase, merchant.Brand, error) {
	p, brand, err := s.Pattern(ctx, who, in)
	if err == nil && in.DirectDebit != nil && in.DirectDebit.DeductionDay == nil {
		p.Details.DirectDebit.DeductionDay = 0
	}
	return p, brand, err
}

// SettleDay gives an open deduction day the day of due.
func (p *Purchase) SettleDay() {
	if dd := p.Details.DirectDebit; dd != nil && dd.DeductionDay == 0 {
		settled := *dd
		settled.DeductionDay = (&DirectDebitInput{}).day(&fault.Problems{}, dd.PeriodUnits, *p)
		p.Details.DirectDebit = &settled
	}
}

// NextReference makes the next generated reference of a brand, such as DD644.
func (s *Service) NextReference(ctx context.Context, b merchant.Brand) (string, error) {
	return s.nextReference(ctx, b)
}

// TokenFor finds the newest stored account of the purchase's client that can be
// charged again and again and that fits; found is false when there is none.
func (s *Service) TokenFor(ctx context.Context, p Purchase,
	fits func(Forecast) (bool, error)) (t token.Token, found bool, err error) {
	live, err := s.StoredFor(ctx, Record{Purchase: p})
	if err != nil {
		return t, false, err
	}
	wishes := make([]Wish, len(live))
	for i, t := range live {
		wishes[i] = Wish{Purchase: p, TokenID: t.ID}
	}
	all, err := s.Forecasts(ctx, p.MerchantID, wishes)
	if err != nil {
		return t, false, err
	}
	for _, f := range all {
		if f.Problems.Has(AtToken) || f.Mandate.AllowsOneDebit() {
			continue
		}
		if fit, err := fits(f); fit || err != nil {
			return f.Token, fit, err
		}
	}
	return token.Token{}, false, nil
}

// ForecastPeriod is the forecast of a subscription's purchase that is not made yet.
// A due that lies inside the two-day rule, or that closed days move off the
// mandate's day, moves to the earliest day that the calendar and the mandate allow
// (ours: API contract 12.3).
func (s *Service) ForecastPeriod(ctx context.Context, p Purchase, tokenID uuid.UUID) (Forecast, error) {
	p.DueGiven = true
	f, err := s.Forecast(ctx, Wish{Purchase: p, TokenID: tokenID})
	if err != nil || f.Token.ID == uuid.Nil {
		return f, err
	}
	p.Due = s.periodDue(f.schedule, f.Mandate, p.Due, s.Now())
	if p.Due.Equal(f.due) {
		return f, nil
	}
	return s.Forecast(ctx, Wish{Purchase: p, TokenID: tokenID})
}

// PlanPeriod is when a subscription's purchase runs that is charged at a moment,
// under a mandate where there is one.
func (s *Service) PlanPeriod(days collection.Schedule, m mandate.Mandate, due, at time.Time) collection.Plan {
	return days.Plan(s.periodDue(days, m, due, at), at)
}

func (s *Service) periodDue(days collection.Schedule, m mandate.Mandate, due, at time.Time) time.Time {
	switch day := calendar.DateOf(due); {
	case days.TooSoon(due, at):
		return days.DueOn(s.agreedDue(days, m, days.EarliestDue(at), at)).UTC()
	case s.onlyCalendar(days, m, due, at):
		return days.DueOn(s.agreedDue(days, m, day, at)).UTC()
	}
	return due
}

// InsertCharged writes a new purchase that is charged at once. The transaction ends
// with fault.ErrLost when the account is deleted at this moment.
func (s *Service) InsertCharged(tx *database.Tx, who actor.Actor, rec *Record, f Forecast) error {
	c, err := s.book(tx, rec, f)
	if err != nil {
		return err
	}
	Insert(tx, rec.Purchase)
	collection.Insert(tx, c)
	auditNew(tx, who, rec.Purchase, fmt.Sprintf("%s will be debited from %s on %s.", SayCents(rec.Purchase),
		f.Token.AccountMask, c.ActionDate.Format(calendar.DayForm)),
		map[string]any{"recurring_token": f.Token.ID, "action_date": c.ActionDate})
	return nil
}

// InsertInvoiced writes a new purchase that is asked for by a numbered invoice,
// mailed where there is somebody to send it to.
func (s *Service) InsertInvoiced(tx *database.Tx, who actor.Actor, rec *Record) error {
	p := &rec.Purchase
	mailed := p.Payer.Email != ""
	if mailed {
		p.MailCount++
	}
	Insert(tx, *p)
	auditNew(tx, who, *p, fmt.Sprintf("An invoice of %s was created.", SayCents(*p)), nil)
	number, err := s.issue(tx, who, *rec)
	if err == nil && mailed {
		tx.InsertMail(s.InvoiceMail(tx, *p, "Invoice "+number+" from "+rec.Brand.Name))
	}
	return err
}

// InsertRefused writes a new purchase whose stored account could not be charged,
// with the attempt that says why; with Options.InvoiceOnFailure its invoice is mailed.
func (s *Service) InsertRefused(tx *database.Tx, who actor.Actor, rec *Record, why error, method string) error {
	p := &rec.Purchase
	p.Attempted(Attempt{Type: "recurring_execute", Method: method, At: tx.Now(), Error: refusedBecause(why)})
	p.Move(Failed, tx.Now())
	invoice := p.invoicesFailure(tx.Now())
	if invoice {
		p.SentAfterFailure(tx.Now())
	}
	Insert(tx, *p)
	auditNew(tx, who, *p, "The token could not be charged: "+Sentences(why), nil)
	if !invoice {
		return nil
	}
	return s.MailFailure(tx, who, *rec)
}

// refusedBecause is the attempt error of a charge that could not begin.
func refusedBecause(why error) *AttemptError {
	code := bank.ErrorRejected
	if fault.HasCode(why, "invalid_recurring_token") {
		code = "recurring_token_expired"
	}
	return &AttemptError{code, Sentences(why)}
}

// Sentences is a refusal in words, without the names of the fields that it is about.
func Sentences(why error) string {
	f, known := fault.From(why)
	if !known || len(f.Fields) == 0 {
		return why.Error()
	}
	words := make([]string, len(f.Fields))
	for i, p := range f.Fields {
		words[i] = p.Message
	}
	return strings.Join(words, " ")
}

// InsertStoring writes a new purchase whose page stores the client's account.
func (s *Service) InsertStoring(tx *database.Tx, who actor.Actor, rec *Record, r Recurrence, mailed bool) {
	mailed = mailed && rec.Payer.Email != ""
	if mailed {
		rec.MailCount++
	}
	Insert(tx, rec.Purchase)
	auditNew(tx, who, rec.Purchase, fmt.Sprintf("Purchase of %s was created. Its page stores the client’s account.",
		SayCents(rec.Purchase)), nil)
	if mailed {
		tx.InsertMail(rec.Mail(tx, MailLink, rec.MailCount, s.askingFor(tx.Context(), rec.Purchase, rec.Brand, r)))
	}
}

func auditNew(tx *database.Tx, who actor.Actor, p Purchase, text string, more map[string]any) {
	after := map[string]any{"status": p.Status, "total_cents": p.TotalCents, "due": p.Due.Unix(),
		"billing_template": p.TemplateID}
	for k, v := range more {
		after[k] = v
	}
	tx.Audit(who, audit.Entry{Action: "purchase.created", ObjectType: "purchase", ObjectID: p.ID, ClientID: p.ClientID,
		PurchaseID: p.ID, Text: text, After: after})
}

// issue numbers the invoice of a purchase; without numbered documents its reference stands for it.
func (s *Service) issue(tx *database.Tx, who actor.Actor, rec Record) (number string, err error) {
	if s.Papers == nil {
		return rec.ReferenceGenerated, nil
	}
	return s.Papers.Issue(tx, who, rec)
}

// invoicesFailure tells whether a failed charge is asked for by an invoice: it must
// still be payable then, and there must be somebody to send it to.
func (p Purchase) invoicesFailure(now time.Time) bool {
	return p.Options.InvoiceOnFailure && p.Status == Failed && p.Payer.Email != "" && p.Payable(now)
}

// SentAfterFailure: the invoice goes out with this transaction (API contract 3.5).
func (p *Purchase) SentAfterFailure(at time.Time) {
	p.MailCount++
	p.Move(Sent, at)
}

// InvoiceFailure mails a payable invoice when the charge of a subscription failed
// at the bank and its subscriber's switch is on. The caller writes the purchase.
func (s *Service) InvoiceFailure(tx *database.Tx, who actor.Actor, rec *Record) error {
	if !rec.invoicesFailure(tx.Now()) {
		return nil
	}
	rec.SentAfterFailure(tx.Now())
	return s.MailFailure(tx, who, *rec)
}

// failedAfterDue tells whether the purchase was in error after its due had passed.
func (p Purchase) failedAfterDue() bool {
	return p.Options.InvoiceOnFailure && slices.ContainsFunc(p.History,
		func(c Change) bool { return c.Status == Failed && !c.At.Before(p.Due) })
}

// CancelIn cancels a purchase that nobody has paid or begun to pay, in a caller's
// transaction; any other stays as it is.
func (s *Service) CancelIn(ctx context.Context, tx *database.Tx, who actor.Actor, id uuid.UUID) error {
	rec, err := s.Load(ctx, who.MerchantID, id)
	if err != nil || s.MayCancel(rec) != nil {
		return err
	}
	before := rec.Status
	if err := DropCollection(tx, &rec); err != nil {
		return err
	}
	rec.Move(Cancelled, tx.Now())
	rec.UpdatedAt = tx.Now()
	if err := s.Credit(tx, who, &rec); err != nil {
		return err
	}
	Move(tx, rec.Purchase, before)
	tx.Audit(who, audit.Entry{Action: "purchase.cancelled", ObjectType: "purchase", ObjectID: rec.ID,
		ClientID: rec.ClientID, PurchaseID: rec.ID,
		Text: "The purchase was cancelled.", Before: map[string]any{"status": before},
		After: map[string]any{"status": rec.Status}})
	return nil
}

// MailAgainIn is ResendInvoice in a caller's transaction.
func (s *Service) MailAgainIn(ctx context.Context, tx *database.Tx, who actor.Actor, id uuid.UUID) error {
	rec, err := s.Load(ctx, who.MerchantID, id)
	if err != nil {
		return err
	}
	switch {
	case !rec.Payable(s.Now()):
		return fault.New(fault.Conflict, "purchase_resend_invoice_wrong_status",
			"The first purchase is %s; there is nothing to remind of.", rec.Status)
	case rec.Payer.Email == "":
		return fault.New(fault.Conflict, "purchase_resend_invoice_wrong_status",
			"The client has no e-mail address. Copy the link instead, or add an address to the client.")
	}
	rec.UpdatedAt = tx.Now()
	if err := s.mailAgain(tx, who, &rec); err != nil {
		return err
	}
	Move(tx, rec.Purchase, rec.Status)
	return nil
}
