package batch

import (
	"context"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/merchant"
	"debitdesk/models/ownrule"
	"debitdesk/models/purchase"
	"debitdesk/models/report"
)

// Review is what a person looks at before sending.
type Review struct {
	Batch      Batch
	BrandName  string
	Totals     []DueTotal // add up to what will be sent
	First      *purchase.Purchase
	FirstRow   Row
	VATCents   *int64 // in the first invoice; nil: the brand charges none
	Warned     []Row  // the first of them
	SentBefore *Batch // the same content was sent before
	Like       *Likeness
	Effects    Effects
	Demands    merchant.Demands // whether somebody may send it alone
}

// Effects is everything that sending the ready rows does.
type Effects struct {
	Counts     Counts
	Creates    []Row        // who would be made, the first of them
	Debits     []DebitTotal // by debit date and method
	DebitCents int64
	Disputable int   // of the debits
	Disputes   []Row // the first of these
	// Outcome is how the debits of the last days went, which the limits look at.
	Outcome report.Outcome
	Limits  report.Limits
}

// outcomeDays is how many days the limits of unpaid and disputed debits look back.
const outcomeDays = 30

// Effects says what sending a batch does; Review, the request for a second person and the button show the same.
func (s *Service) Effects(ctx context.Context, who actor.Actor, b Batch) (e Effects, err error) {
	if err := who.May(actor.Read); err != nil {
		return e, err
	}
	e.Counts = b.Counts
	if e.Creates, err = s.Store.newClients(ctx, b.MerchantID, b.ID, warnedShown); err != nil {
		return e, err
	}
	if e.Debits, err = s.Store.debitTotals(ctx, b.MerchantID, b.ID); err != nil || len(e.Debits) == 0 {
		return e, err
	}
	for _, d := range e.Debits {
		e.DebitCents += d.Cents
		e.Disputable += d.Disputable
	}
	if e.Disputes, err = s.Store.rows(ctx, b.MerchantID, b.ID,
		RowQuery{States: []RowState{Ready}, Disputable: true, Limit: warnedShown}); err != nil {
		return e, err
	}
	today := calendar.DateOf(s.Now())
	own, err := ownrule.Store(s.Store).OwnRules(ctx, b.MerchantID)
	if err != nil {
		return e, err
	}
	e.Limits = report.LimitsOf(b.MerchantID, own, s.Timetable.Rules, today)
	days, err := report.Store(s.Store).Outcomes(ctx, b.MerchantID, today.AddDays(-outcomeDays), today)
	for _, o := range days {
		e.Outcome.Collected += o.Collected
		e.Outcome.Unpaid += o.Unpaid
		e.Outcome.Disputed += o.Disputed
	}
	return e, err
}

// Forecast is how a limit stands when the debits of a batch are answered.
type Forecast struct {
	Before   int64 // hundredths of a percent, of the last days; -1: no debit was answered
	Expected int64 // so many of the batch, when it goes as before
	Margin   int64 // so many of the batch may go wrong before the limit is passed; less than 0: it is passed anyhow
}

// Against holds the debits of a batch against a limit in hundredths of a percent; bad is how many went wrong lately.
func (e Effects) Against(limit, bad int64) Forecast {
	debits, answered := int64(e.Counts.Debits), e.Outcome.Answered()
	f := Forecast{Before: -1, Margin: (limit*(answered+debits) - 10_000*bad) / 10_000}
	if limit*(answered+debits) < 10_000*bad {
		f.Margin = -1
	}
	if before, ok := e.Outcome.PerTenThousand(bad); ok {
		f.Before, f.Expected = before, (debits*before+5_000)/10_000
	}
	return f
}

// warnedShown is how many rows with a warning the review names.
const warnedShown = 50

// Review adds up what will be sent and makes the invoice of one row as it would be sent: the first ready one after row.
func (s *Service) Review(ctx context.Context, who actor.Actor, id uuid.UUID, after int) (Review, error) {
	if err := who.May(actor.Read); err != nil {
		return Review{}, err
	}
	b, err := s.Store.Batch(ctx, who.MerchantID, id)
	if err != nil {
		return Review{}, err
	}
	brand, err := merchant.Store(s.Store).Brand(ctx, b.MerchantID, b.BrandID)
	if err != nil {
		return Review{}, err
	}
	v := Review{Batch: b, BrandName: brand.Name}
	if v.Demands, err = merchant.Store(s.Store).Demands(ctx, b.MerchantID); err != nil {
		return v, err
	}
	if v.Effects, err = s.Effects(ctx, who, b); err != nil {
		return v, err
	}
	if v.Totals, err = s.Store.dueTotals(ctx, b.MerchantID, b.ID); err != nil {
		return v, err
	}
	if v.Warned, err = s.Store.rows(ctx, b.MerchantID, b.ID,
		RowQuery{States: []RowState{Ready}, Warned: true, Limit: warnedShown}); err != nil {
		return v, err
	}
	switch before, err := s.Store.sentBefore(ctx, b); {
	case err == nil:
		v.SentBefore = &before
	case !fault.Is(err, fault.NotFound):
		return v, err
	}
	if v.Like, err = s.likeness(ctx, b); err != nil {
		return v, err
	}
	rows, err := s.Store.rows(ctx, b.MerchantID, b.ID, RowQuery{States: []RowState{Ready}, After: after, Limit: 1})
	if err != nil || len(rows) == 0 {
		return v, err
	}
	v.FirstRow = rows[0]
	return v, s.sketch(ctx, who, &v)
}

// sketch makes the invoice of the first row, without keeping it.
func (s *Service) sketch(ctx context.Context, who actor.Actor, v *Review) error {
	line := v.Batch.read([]Row{v.FirstRow}, calendar.DateOf(s.Now()))[0].Values
	pattern, brand, err := s.Purchases.Pattern(ctx, who, s.inputOf(v.Batch, who, line))
	if err != nil {
		return nil //nolint:nilerr // what is wrong with it is said when it is sent; the totals still stand
	}
	details := line.details()
	if v.FirstRow.ClientID != uuid.Nil {
		c, err := s.Clients.Get(ctx, who, v.FirstRow.ClientID)
		if err != nil {
			return err
		}
		details = c.Details
	}
	p := pattern.For(v.FirstRow.ClientID, details, line.whitelist())
	p.Begin(uuid.Nil, s.Now())
	v.First, v.VATCents = &p, s.Billing.VATIn(p, brand)
	v.FirstRow.Cells = v.Batch.Mapping.mask(v.FirstRow.Cells)
	return nil
}

// PlannedDebits adds up the debits that a batch has planned, by debit date and method; those of voided invoices are
// dropped and do not count.
func (s *Service) PlannedDebits(ctx context.Context, who actor.Actor, id uuid.UUID) ([]DebitTotal, error) {
	if err := who.May(actor.Read); err != nil {
		return nil, err
	}
	return s.Store.plannedDebits(ctx, who.MerchantID, id)
}

// AddressOf is the e-mail address that a row says.
func (b Batch) AddressOf(r Row) string { return b.read([]Row{r}, Day{})[0].Values.Email }
