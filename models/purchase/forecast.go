package purchase

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/collection"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/money"
	"debitdesk/models/token"
)

// Wish is a debit that somebody asks about or wants: a purchase, or the draft of one, and the stored account.
type Wish struct {
	// Purchase may be a draft without an id. What counts of it is merchant, brand, client, currency, total and due; of one
	// that exists, the status too.
	Purchase Purchase
	TokenID  uuid.UUID
	// AtOnce: the client is here and the two-day minimum does not bind (API contract 4.5).
	AtOnce bool
}

// The fields at which a forecast notes problems, beside fault.All.
const (
	AtToken  = "recurring_token"
	AtAmount = mandate.AtAmount
	AtDue    = mandate.AtDue
)

// Forecast is what charging a purchase to a stored account does. Charging itself, and every page, answer and mail that
// speaks of a debit to come, go by it.
type Forecast struct {
	Token    token.Token     // zero when it is not known, or not of this brand and client
	Mandate  mandate.Mandate // of the token
	Plan     collection.Plan // when the debit runs; zero without a token
	Because  []string        // why the client could dispute the debit, as the API names it
	Problems fault.Problems  // everything that stands against it, by field, in the order of API contract 3.8

	schedule collection.Schedule
	due      time.Time
	given    bool          // due was given
	others   []mandate.Day // other debits under the mandate near this one
}

// Schedule is when debits of a brand run by a method.
func (s *Service) Schedule(b merchant.Brand, m bank.Method) collection.Schedule {
	return s.Timetable.By(b.Rules(s.Timetable.Rules)).ScheduleOf(m, s.Calendar, b.ShiftFor(m))
}

// On is the purchase due on a day that a person picks.
func (s *Service) On(p Purchase, day calendar.Date) Purchase {
	p.Due, p.DueGiven = s.Timetable.DueOn(day).UTC(), true
	return p
}

// Forecast tells what charging a purchase to a stored account would do.
func (s *Service) Forecast(ctx context.Context, w Wish) (Forecast, error) {
	all, err := s.Forecasts(ctx, w.Purchase.MerchantID, []Wish{w})
	if err != nil {
		return Forecast{}, err
	}
	return all[0], nil
}

// Forecasts is Forecast for many debits of one merchant that are to run together: those before count as debits under
// their mandates for those after. It asks the store a handful of questions, however many there are.
func (s *Service) Forecasts(ctx context.Context, merchantID uuid.UUID, wishes []Wish) ([]Forecast, error) {
	return s.ForecastsAt(ctx, merchantID, wishes, s.Now())
}

// ForecastsAt is Forecasts for a charge that begins at a moment.
func (s *Service) ForecastsAt(ctx context.Context, merchantID uuid.UUID, wishes []Wish,
	now time.Time) ([]Forecast, error) {
	return s.forecastsAfter(ctx, merchantID, wishes, now, nil)
}

// Planned are debits that are to be made, by mandate.
type Planned map[uuid.UUID][]mandate.Day

// forecastsAfter is forecastsAt for debits that are to run together with others, which the forecasts join.
func (s *Service) forecastsAfter(ctx context.Context, merchantID uuid.UUID, wishes []Wish, now time.Time,
	others Planned) ([]Forecast, error) {
	k, err := s.known(ctx, merchantID, wishes)
	if err != nil {
		return nil, err
	}
	for id, days := range others {
		if k.mandates[id].ID != uuid.Nil && k.debits != nil {
			k.debits[id] = append(k.debits[id], days...)
		}
	}
	out := make([]Forecast, len(wishes))
	for i, w := range wishes {
		out[i] = k.forecast(s, w, now)
		if id := out[i].Mandate.ID; others != nil && len(out[i].Problems) == 0 && id != uuid.Nil {
			others[id] = append(others[id], out[i].day())
		}
	}
	return out, nil
}

// known is what forecasts are made from.
type known struct {
	brands   map[uuid.UUID]merchant.Brand
	tokens   map[uuid.UUID]token.Token
	mandates map[uuid.UUID]mandate.Mandate
	debits   map[uuid.UUID][]mandate.Day         // by mandate; for a once-off one all, for others those near the wishes
	last     map[uuid.UUID]collection.Collection // the newest debit, by purchase
	unable   func(method string) string          // why the bank connection cannot debit by a method
}

func (s *Service) known(ctx context.Context, merchantID uuid.UUID, wishes []Wish) (k known, err error) {
	var tried []uuid.UUID
	for _, w := range wishes {
		if w.Purchase.CollectionCount > 0 {
			tried = append(tried, w.Purchase.ID)
		}
	}
	if k, err = s.accounts(ctx, merchantID, wishes); err == nil {
		k.last, err = s.Collections().Latest(ctx, merchantID, tried...)
	}
	return k, err
}

// accounts is known, without the newest debits.
func (s *Service) accounts(ctx context.Context, merchantID uuid.UUID, wishes []Wish) (k known, err error) {
	k = known{tokens: map[uuid.UUID]token.Token{}, mandates: map[uuid.UUID]mandate.Mandate{}, unable: s.cannotDebit}
	var brands, tokens, held []uuid.UUID
	var first, last calendar.Date
	for _, w := range wishes {
		brands, tokens = append(brands, w.Purchase.BrandID), append(tokens, w.TokenID)
		due := calendar.DateOf(w.Purchase.Due)
		if first.IsZero() || due.Before(first) {
			first = due
		}
		if due.After(last) {
			last = due
		}
	}
	if k.brands, err = s.brandsOf(ctx, merchantID, brands); err != nil {
		return k, err
	}
	stored, given, err := s.Mandates().TokensWithMandates(ctx, merchantID, distinct(tokens))
	if err != nil {
		return k, err
	}
	for _, t := range stored {
		k.tokens[t.ID] = t
	}
	for _, m := range given {
		k.mandates[m.ID] = m
		if m.Terms != nil || m.AllowsOneDebit() {
			held = append(held, m.ID)
		}
	}
	k.debits, err = s.Store.DebitsNear(ctx, merchantID, held, first.AddDays(-mandate.PeriodReach),
		last.AddDays(mandate.PeriodReach))
	return k, err
}

// brandsOf finds brands, each once.
func (s *Service) brandsOf(ctx context.Context, merchantID uuid.UUID, ids []uuid.UUID) (map[uuid.UUID]merchant.Brand,
	error) {
	found := map[uuid.UUID]merchant.Brand{}
	for _, id := range distinct(ids) {
		brand, err := s.Merchants().Brand(ctx, merchantID, id)
		if err != nil {
			return nil, err
		}
		found[id] = brand
	}
	return found, nil
}

func distinct(ids []uuid.UUID) []uuid.UUID {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}

// forecast judges one wish, and counts it among the debits under its mandate when nothing stands against it.
func (k known) forecast(s *Service, w Wish, now time.Time) Forecast {
	p := w.Purchase
	f := Forecast{due: p.Due, given: p.DueGiven}
	lead := s.Timetable
	if k.account(p, w.TokenID, &f) {
		lead = s.Timetable.For(bank.Method(f.Token.Method))
		f.schedule = s.Schedule(k.brands[p.BrandID], bank.Method(f.Token.Method))
		f.Plan = f.schedule.Plan(p.Due, now)
	}
	switch tooSoon := !p.DueGiven || lead.TooSoon(p.Due, now); {
	case p.ID != uuid.Nil && !p.Payable(now):
		f.Problems.Add(fault.All, "purchase_charge_wrong_status",
			"Only a purchase that is not paid yet can be charged; this one is %s.", p.Status)
	case tooSoon && !w.AtOnce:
		f.Problems.Add(AtDue, "due_too_soon", "%s", lead.TooSoonWords())
	case f.Token.ID != uuid.Nil && !w.AtOnce:
		f.again(k.last[p.ID], now, s.Timetable.Rules)
	}
	if from := f.Token.NotBefore; f.Token.ID != uuid.Nil && f.Plan.ActionDate.Before(from) {
		f.Problems.Add(AtDue, "due_too_early", "Nothing is debited from this account before %s: until then the old "+
			"system may have debited the same. Choose a later day.", from.Format(calendar.DayForm))
	}
	switch {
	case p.Currency != money.ZAR:
		f.Problems.Add(fault.All, "purchase_charge_error", "Debit orders are in ZAR; this purchase is in %s.", p.Currency)
	case p.TotalCents == 0:
		f.Problems.Add(AtAmount, "purchase_charge_error", "There is nothing to collect: the total is 0.")
	}
	if f.Token.ID == uuid.Nil {
		return f
	}
	f.judge(p, k.debits[f.Mandate.ID], s.Calendar, now)
	if len(f.Problems) == 0 && k.debits != nil {
		k.debits[f.Mandate.ID] = append(k.debits[f.Mandate.ID], f.day())
	}
	return f
}

// account finds the stored account, or notes why it cannot be used and what helps.
func (k known) account(p Purchase, tokenID uuid.UUID, f *Forecast) bool {
	note := func(format string, args ...any) {
		f.Problems.Add(AtToken, "invalid_recurring_token", format, args...)
	}
	t, found := k.tokens[tokenID]
	switch {
	case !found:
		note("Invalid or inactive recurring token!")
		return false
	case t.BrandID != p.BrandID:
		note("This recurring token belongs to another brand.")
		return false
	case t.ClientID != uuid.Nil && p.ClientID != uuid.Nil && t.ClientID != p.ClientID:
		note("This recurring token belongs to another client.")
		return false
	}
	f.Token, f.Mandate = t, k.mandates[t.MandateID]
	m := f.Mandate
	switch {
	case t.Objected():
		note("%s", objectedWords)
	case t.Held():
		note("%s", stoppedWords)
	case t.Parked():
		note("%s", parkedWords)
	case t.State == token.Blocked:
		note("This recurring token is blocked: %s. %s", bank.Label(t.BlockedCode), bank.Remedy(t.BlockedCode))
	case t.State == token.Superseded:
		note("This recurring token was replaced by newer details of the client. Use the new token.")
	case t.State != token.Active:
		note("Invalid or inactive recurring token!")
	case !m.State.Usable():
		note("The mandate of this recurring token is not usable (%s). Store the account again with a new mandate.",
			m.State.Label())
	case k.unable(t.Method) != "":
		note("%s Store an account of the client by EFT.", k.unable(t.Method))
	case m.AllowsOneDebit() && len(k.debits[m.ID]) > 0:
		note("The mandate of this recurring token allows only one debit, which has run. Set up a new mandate for more.")
	}
	return true
}

// judge holds the debit against the terms of its mandate. What was noted of a field already is not said twice.
func (f *Forecast) judge(p Purchase, others []mandate.Day, cal *calendar.Calendar, now time.Time) {
	if f.Mandate.Kind != mandate.DebiCheck {
		f.Because = []string{collection.BecauseEFT}
		return
	}
	f.others = slices.Clone(others)
	d := mandate.Debit{AmountCents: p.OpenCents(), Currency: p.Currency, Due: f.Plan.OriginalDate, Others: others,
		Runs: f.runs(now)}
	because, against := f.Mandate.Judge(d, cal)
	f.Because = because
	for _, wrong := range against {
		if !f.Problems.Has(wrong.Path) {
			f.Problems = append(f.Problems, wrong)
		}
	}
}

// runs gives the action date of a due day: of the day that is asked about with its own due, which may be any minute.
func (f *Forecast) runs(now time.Time) func(calendar.Date) calendar.Date {
	return func(day calendar.Date) calendar.Date {
		if day == f.Plan.OriginalDate {
			return f.Plan.ActionDate
		}
		return f.schedule.Runs(day, now)
	}
}

func (f Forecast) day() mandate.Day {
	return mandate.Day{Due: f.Plan.OriginalDate, Action: f.Plan.ActionDate}
}

// Err is what the charge answers: the first thing that stands against it, in the order of API contract 3.8; of the
// terms of the mandate everything.
func (f Forecast) Err() error {
	if len(f.Problems) == 0 {
		return nil
	}
	switch first := f.Problems[0]; {
	case first.Code == "due_too_soon":
		return fault.At(first.Path, first.Code, "%s", first.Message)
	case first.Code != "purchase_charge_error":
		return fault.New(fault.Conflict, first.Code, "%s", first.Message)
	}
	var about []string
	var w fault.Problems
	for _, wrong := range f.Problems {
		if wrong.Path == AtDue {
			w = append(w, wrong)
		} else {
			about = append(about, wrong.Message)
		}
	}
	if len(w) == 0 {
		return fault.New(fault.Conflict, "purchase_charge_error", "%s", strings.Join(about, " "))
	}
	if len(about) > 0 {
		w.Add(fault.All, "purchase_charge_error", "%s", strings.Join(about, " "))
	}
	return w.Err()
}

// onlyCalendar tells that nothing is wrong with a due day but the calendar: it is the mandate's day, and the debit
// would run on a day that the mandate does not allow.
func (s *Service) onlyCalendar(days collection.Schedule, m mandate.Mandate, due, now time.Time) bool {
	return m.Terms != nil && !m.Terms.AllowDateAdjustment && m.Deducts(calendar.DateOf(due)) &&
		!m.Agreed(days.Plan(due, now).ActionDate, s.Calendar)
}

// agreedDue is the first due day on or after a day that a mandate allows.
func (s *Service) agreedDue(days collection.Schedule, m mandate.Mandate, from calendar.Date,
	now time.Time) calendar.Date {
	if m.Terms == nil || m.Terms.AllowDateAdjustment {
		return from
	}
	return m.NextDue(from, func(day calendar.Date) calendar.Date { return days.Runs(day, now) }, s.Calendar)
}
