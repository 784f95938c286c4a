package templates

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/audit"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/fault"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/subscription"
	"debitdesk/models/token"
	"debitdesk/views/components"
)

// desk is the whole of what a charge reads and writes, kept in memory.
type desk struct {
	purchase.Reader
	purchase.Tx
	brand  merchant.Brand
	token  token.Token
	given  mandate.Mandate
	now    time.Time
	asked  purchase.Purchase
	booked collection.Collection
}

func (d *desk) Brand(context.Context, uuid.UUID, uuid.UUID) (merchant.Brand, error) {
	return d.brand, nil
}

func (d *desk) TokensWithMandates(context.Context, uuid.UUID, []uuid.UUID) ([]token.Token, []mandate.Mandate, error) {
	return []token.Token{d.token}, []mandate.Mandate{d.given}, nil
}

func (d *desk) DebitsNear(context.Context, uuid.UUID, []uuid.UUID, calendar.Date,
	calendar.Date) (map[uuid.UUID][]mandate.Day, error) {
	return map[uuid.UUID][]mandate.Day{}, nil
}

func (d *desk) Mandate(context.Context, uuid.UUID, uuid.UUID) (mandate.Mandate, error) {
	return mandate.Mandate{}, fault.Missing()
}

func (d *desk) LatestCollections(context.Context, uuid.UUID,
	...uuid.UUID) (map[uuid.UUID]collection.Collection, error) {
	return map[uuid.UUID]collection.Collection{}, nil
}

func (d *desk) Purchase(context.Context, uuid.UUID, uuid.UUID) (purchase.Purchase, error) {
	return d.asked, nil
}

func (d *desk) Now() time.Time { return d.now }

func (d *desk) NewID() uuid.UUID { return uuid.UUID{9} }

func (d *desk) Unit() *database.Tx { return &database.Tx{} }

func (d *desk) HoldDebits(_, _ uuid.UUID, _, _ calendar.Date, _ int) {}

func (d *desk) InsertPurchase(purchase.Purchase) {}

func (d *desk) MovePurchase(purchase.Purchase, purchase.Status) {}

func (d *desk) InsertCollection(c collection.Collection) { d.booked = c }

func (d *desk) Audit(actor.Actor, audit.Entry) {}

func (d *desk) Answered(any) error { return nil }

func (d *desk) service() *purchase.Service {
	return &purchase.Service{Read: d, Now: d.Now, Calendar: calendar.New(), Timetable: collection.DefaultTimetable(),
		Limits: mandate.DefaultLimits(), Bank: bank.Everything(),
		InTx: func(_ context.Context, fn func(purchase.Tx) error) error { return fn(d) }}
}

// The methods and shift rules under which every day is tried.
func everyDesk(t *testing.T, try func(t *testing.T, d *desk, s *purchase.Service)) {
	t.Helper()
	for _, method := range []string{purchase.EFT, purchase.DebiCheck} {
		for _, shift := range []calendar.Shift{calendar.Previous, calendar.Next} {
			t.Run(fmt.Sprintf("%s %s", method, shift), func(t *testing.T) {
				t.Parallel()
				other := map[calendar.Shift]calendar.Shift{calendar.Previous: calendar.Next,
					calendar.Next: calendar.Previous}[shift]
				d := &desk{brand: merchant.Brand{ID: uuid.UUID{1}, Currency: "ZAR",
					BrandInput: merchant.BrandInput{Shift: shift, DebiCheckShift: other}},
					token: token.Token{ID: uuid.UUID{2}, BrandID: uuid.UUID{1}, MandateID: uuid.UUID{2}, Method: method,
						State: token.Active, AccountMask: "•••• 1234"},
					given: mandate.Mandate{ID: uuid.UUID{2}, Kind: mandate.Kind(method), State: mandate.ActiveState,
						PeriodUnits: "days"}}
				if method == purchase.DebiCheck {
					d.brand.Shift, d.brand.DebiCheckShift = other, shift
					d.given.Terms = &mandate.Terms{ValueType: mandate.Fixed, DebitSequence: mandate.Recurring,
						AdjustmentCategory: mandate.Never, PriceCents: 10000, MaxAmountCents: 10000}
				}
				try(t, d, d.service())
			})
		}
	}
}

// said finds a sentence part of a list of facts.
func said(facts []components.Fact, label string) string {
	for _, f := range facts {
		if f.Label == label {
			return f.Value
		}
	}
	return "nothing under " + label
}

// For every day of two years, each method and each shift rule: the day and the deadline that the page names are those
// that are booked, and the square of the day says the same.
func TestWhatThePageSaysOfADebitIsWhatIsBooked(t *testing.T) {
	t.Parallel()
	who := actor.Actor{Kind: actor.User, Role: actor.Admin}
	everyDesk(t, func(t *testing.T, d *desk, s *purchase.Service) {
		first := calendar.On(2026, time.December, 1)
		for n := range 2 * 366 {
			day := first.AddDays(n)
			for _, ahead := range []time.Duration{49 * time.Hour, 73 * time.Hour, 20 * 24 * time.Hour} {
				d.now, d.booked = day.At(12, 0).Add(-ahead), collection.Collection{}
				d.asked = purchase.Purchase{ID: uuid.UUID{3}, BrandID: d.brand.ID, Status: purchase.Created, Currency: "ZAR",
					TotalCents: 10000, Due: d.now.Add(time.Hour)}
				days := (&purchases.Purchases{Service: s, Desk: &kit.Desk{Now: d.Now}}).Days(d.brand,
					purchases.Account{Token: d.token, Mandate: d.given})
				f, err := s.Forecast(t.Context(), purchase.Wish{Purchase: s.On(d.asked, day), TokenID: d.token.ID})
				if err != nil {
					t.Fatal(err)
				}
				page, square := days.Forecast(f, true), days.Square(day)
				rec, err := s.ChargeOn(t.Context(), who, d.asked.ID, d.token.ID, day)
				if (err != nil) != (len(page.Problems) > 0) {
					t.Fatalf("%s, %s ahead: the page says %v, and the charge %v", day, ahead, page.Problems, err)
				}
				if err != nil {
					if square.Why == "" {
						t.Errorf("%s, %s ahead: can be picked, and is refused: %v", day, ahead, err)
					}
					continue
				}
				c := d.booked
				if got, want := said(page.Steps, "Debit"), words.SayDay(c.ActionDate, d.now); got != want {
					t.Fatalf("%s: the page says %s, booked for %s", day, got, want)
				}
				deadline := words.SayMinute(c.SubmitAt, d.now)
				if got, want := said(page.Steps, "To the bank"), deadline+"; can be cancelled until then"; got != want {
					t.Fatalf("%s: the page says %s, booked for %s", day, got, want)
				}
				switch words := square.Spoken + square.Why; {
				case square.Why == "" && !strings.Contains(words, "can be cancelled until "+deadline),
					square.Why != "" && !strings.Contains(words, c.ActionDate.Format("Mon 2 Jan 2006")),
					square.Why == "" && c.ActionDate != day:
					t.Fatalf("%s, %s ahead: the picker says %q, booked for %s by %s", day, ahead, words, c.ActionDate, deadline)
				}
				if next := purchases.NextStep(rec, s, d.now); !strings.Contains(next,
					"debited on "+words.SayDay(c.ActionDate, d.now)) || !strings.Contains(next, "handed to the bank on "+deadline) {
					t.Fatalf("%s: the page of the purchase says %q", day, next)
				}
			}
		}
	})
}

// For every day on which a subscriber is billed: the day in the list of coming debits is the one that is booked.
func TestTheComingDebitsOfASubscriberAreThoseThatAreBooked(t *testing.T) {
	t.Parallel()
	everyDesk(t, func(t *testing.T, d *desk, s *purchase.Service) {
		first := calendar.On(2026, time.December, 1)
		for n := range 2 * 366 {
			for _, wait := range []int{1, 3, 7} {
				billed := first.AddDays(n)
				plan := subscription.Plan{Period: 1, Units: subscription.Months, DuePeriod: wait, DueUnits: subscription.Days}
				d.now = first.At(9, 0)
				h := &Templates{Purchases: &purchases.Purchases{Service: s, Desk: &kit.Desk{Now: d.Now}}}
				shown := h.billingDay(d.brand, purchases.Account{Token: d.token, Mandate: d.given}, plan, billed).Debit.ISO

				d.now = billed.At(0, 0)
				p := purchase.Purchase{BrandID: d.brand.ID, Currency: "ZAR", TotalCents: 10000,
					Due: s.Timetable.DueOn(plan.DueOn(billed)).UTC()}
				f, err := s.ForecastPeriod(t.Context(), p, d.token.ID)
				rec := purchase.Record{Purchase: p, Brand: d.brand}
				if err := errors.Join(err, f.Err(), s.InsertCharged(d, actor.Actor{}, &rec, f)); err != nil {
					t.Fatal(err)
				}
				if booked := d.booked.ActionDate.String(); shown != booked {
					t.Fatalf("billed on %s, due %d days later: the page says %s, booked for %s", billed, wait, shown, booked)
				}
			}
		}
	})
}

// For every day: the first debit that the payer reads of is the one that is booked when the payer agrees.
func TestTheFirstDebitOfTheAgreementIsTheOneThatIsBooked(t *testing.T) {
	t.Parallel()
	everyDesk(t, func(t *testing.T, d *desk, s *purchase.Service) {
		first := calendar.On(2026, time.December, 1)
		for n := range 2 * 366 {
			d.now = first.AddDays(n).At(11, 59)
			p := purchase.Purchase{ID: uuid.UUID{3}, BrandID: d.brand.ID, Status: purchase.Created, Currency: "ZAR",
				TotalCents: 10000, Due: first.AddDays(n+4).At(8, 0), DueGiven: true, Method: d.token.Method,
				Payer:   client.Details{FullName: "T Nkosi"},
				Details: purchase.Details{DirectDebit: &purchase.DirectDebit{PeriodUnits: "days", Terms: d.given.Terms}}}
			o, err := s.Offer(t.Context(), purchase.Record{Purchase: p,
				Brand: merchant.Brand{ID: d.brand.ID, Currency: "ZAR", BrandInput: merchant.BrandInput{Name: "Gym",
					Shift: d.brand.Shift, DebiCheckShift: d.brand.DebiCheckShift}}})
			if err != nil {
				t.Fatal(err)
			}
			text := s.MandateText(purchase.Record{Purchase: p, Brand: d.brand}, purchase.Account{})
			p.Status = purchase.PendingExecute
			c := s.Authenticated(d, &p, d.given, d.brand)
			if o.FirstDebit != c.ActionDate || !strings.Contains(text, c.ActionDate.Format("Monday 2 January 2006")) {
				t.Fatalf("due %s: offered %s, booked for %s, agreed: %s", p.Due, o.FirstDebit, c.ActionDate, text)
			}
		}
	})
}

func TestAPickerOffersTheDaysOfTheMandateOnly(t *testing.T) {
	d := &desk{
		brand: merchant.Brand{BrandInput: merchant.BrandInput{DebiCheckShift: calendar.Next}},
		now:   calendar.On(2026, time.December, 1).At(9, 0),
	}
	m := mandate.Mandate{Kind: mandate.DebiCheck, PeriodUnits: "months", DeductionDay: 25, Terms: &mandate.Terms{}}
	days := purchases.DaysOf(d.service(), d.brand, bank.DebiCheck, d.now).Within(m)
	var open []string
	for _, month := range days.Picker(url.Values{}, "", nil).Months {
		for _, week := range month.Weeks {
			for _, day := range week {
				if day.Number != "" && day.Why == "" {
					open = append(open, day.Value)
				}
			}
		}
	}
	if got := strings.Join(open, " "); got != "2026-12-28 2027-01-25" { // 25 to 27 December are closed
		t.Errorf("offered: %s", got)
	}
}
