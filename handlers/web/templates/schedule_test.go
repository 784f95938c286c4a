package templates

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/handlers/web/kit"
	"debitdesk/handlers/web/purchases"
	"debitdesk/handlers/web/words"
	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/calendar"
	"debitdesk/models/client"
	"debitdesk/models/collection"
	"debitdesk/models/database"
	"debitdesk/models/database/seal"
	"debitdesk/models/dryrun"
	"debitdesk/models/mandate"
	"debitdesk/models/merchant"
	"debitdesk/models/purchase"
	"debitdesk/models/storetest"
	"debitdesk/models/subscription"
	"debitdesk/models/token"
	"debitdesk/views/components"
)

// desk is what a charge reads and writes, at a moment that a test chooses.
type desk struct {
	brand  merchant.Brand
	token  token.Token
	given  mandate.Mandate
	asked  purchase.Purchase
	db     *database.DB
	micros atomic.Int64
}

func (d *desk) to(now time.Time) { d.micros.Store(now.UnixMicro()) }

func (d *desk) Now() time.Time { return time.UnixMicro(d.micros.Load()).UTC() }

func (d *desk) service() *purchase.Service {
	return &purchase.Service{Store: purchase.Store{DB: d.db}, Now: d.Now, Calendar: calendar.New(),
		Timetable: collection.DefaultTimetable(), Limits: mandate.DefaultLimits(), Bank: bank.Everything()}
}

// opened keeps the records of the desk in a database of its own.
func (d *desk) opened(t *testing.T) *purchase.Service {
	t.Helper()
	d.to(calendar.On(2026, time.November, 1).At(9, 0))
	box, err := seal.NewBox([]seal.Key{{ID: "k1", Secret: make([]byte, 32)}}, make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	s, err := database.Open(t.Context(), storetest.DSN(t), database.Options{Seal: box, Machine: d.Now, MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	d.db = s
	if err := s.InTx(t.Context(), func(tx *database.Tx) error {
		now := tx.Now()
		d.asked.CreatedAt, d.asked.UpdatedAt, d.token.CreatedAt, d.token.UpdatedAt = now, now, now, now
		d.given.CreatedAt, d.given.UpdatedAt, d.given.Consent.At = now, now, now
		merchant.Insert(tx, merchant.Merchant{ID: d.brand.MerchantID, Slug: "gym", Name: "Gym"})
		merchant.InsertBrand(tx, d.brand)
		storing := d.asked
		storing.ID, storing.ReferenceGenerated = d.token.ID, "DD1"
		purchase.Insert(tx, storing)
		purchase.Insert(tx, d.asked)
		mandate.Insert(tx, d.given)
		token.Insert(tx, d.token)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	service := d.service()
	service.InTx = s.InTx
	return service
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
				m := uuid.UUID{7}
				d := &desk{brand: merchant.Brand{ID: uuid.UUID{1}, MerchantID: m, Currency: "ZAR",
					BrandInput: merchant.BrandInput{Name: "Gym", ReferencePrefix: "DD", Shift: shift, DebiCheckShift: other}},
					token: token.Token{ID: uuid.UUID{2}, MerchantID: m, BrandID: uuid.UUID{1}, MandateID: uuid.UUID{2},
						Method: method, State: token.Active, Account: "4051234", AccountMask: "•••• 1234"},
					given: mandate.Mandate{ID: uuid.UUID{2}, MerchantID: m, BrandID: uuid.UUID{1},
						Kind: mandate.Kind(method), State: mandate.ActiveState, PeriodUnits: "days"},
					asked: purchase.Purchase{ID: uuid.UUID{3}, MerchantID: m, BrandID: uuid.UUID{1}, Status: purchase.Created,
						Currency: "ZAR", TotalCents: 10000, ReferenceGenerated: "DD2",
						Issued: calendar.On(2026, time.November, 1), Due: calendar.On(2026, time.November, 1).At(9, 0)}}
				if method == purchase.DebiCheck {
					d.brand.Shift, d.brand.DebiCheckShift = other, shift
					d.given.Terms = &mandate.Terms{ValueType: mandate.Fixed, DebitSequence: mandate.Recurring,
						AdjustmentCategory: mandate.Never, PriceCents: 10000, MaxAmountCents: 10000}
				}
				try(t, d, d.opened(t))
			})
		}
	}
}

// someDays are those around each day of two years on which banks are closed beside Sundays, and every eleventh: all
// weekdays are among them.
func someDays(s *purchase.Service) (days []calendar.Date) {
	first := calendar.On(2026, time.December, 1)
	for n := range 2 * 366 {
		near := false
		for around := -1; around <= 1; around++ {
			_, holiday := s.Calendar.Holiday(first.AddDays(n + around))
			near = near || holiday
		}
		if near || n%11 == 0 {
			days = append(days, first.AddDays(n))
		}
	}
	return days
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

// For days of two years, each method and each shift rule: the day and the deadline that the page names are those
// that are booked, and the square of the day says the same.
func TestWhatThePageSaysOfADebitIsWhatIsBooked(t *testing.T) {
	t.Parallel()
	who := actor.Actor{Kind: actor.User, Role: actor.Admin}
	everyDesk(t, func(t *testing.T, d *desk, s *purchase.Service) {
		who.MerchantID = d.brand.MerchantID
		for _, day := range someDays(s) {
			for _, ahead := range []time.Duration{49 * time.Hour, 73 * time.Hour, 20 * 24 * time.Hour} {
				d.to(day.At(12, 0).Add(-ahead))
				days := (&purchases.Purchases{Service: s, Desk: &kit.Desk{Now: d.Now}}).Days(d.brand,
					purchases.Account{Token: d.token, Mandate: d.given})
				f, err := s.Forecast(t.Context(), purchase.Wish{Purchase: s.On(d.asked, day), TokenID: d.token.ID})
				if err != nil {
					t.Fatal(err)
				}
				page, square := days.Forecast(f, true), days.Square(day)
				rec, err := s.ChargeOn(dryrun.With(t.Context()), who, d.asked.ID, d.token.ID, day)
				if (err != nil) != (len(page.Problems) > 0) {
					t.Fatalf("%s, %s ahead: the page says %v, and the charge %v", day, ahead, page.Problems, err)
				}
				if err != nil {
					if square.Why == "" {
						t.Errorf("%s, %s ahead: can be picked, and is refused: %v", day, ahead, err)
					}
					continue
				}
				c := rec.Collection
				if got, want := said(page.Steps, "Debit"), words.SayDay(c.ActionDate, d.Now()); got != want {
					t.Fatalf("%s: the page says %s, booked for %s", day, got, want)
				}
				deadline := words.SayMinute(c.SubmitAt, d.Now())
				if got, want := said(page.Steps, "To the bank"), deadline+"; can be cancelled until then"; got != want {
					t.Fatalf("%s: the page says %s, booked for %s", day, got, want)
				}
				switch words := square.Spoken + square.Why; {
				case square.Why == "" && !strings.Contains(words, "can be cancelled until "+deadline),
					square.Why != "" && !strings.Contains(words, c.ActionDate.Format("Mon 2 Jan 2006")),
					square.Why == "" && c.ActionDate != day:
					t.Fatalf("%s, %s ahead: the picker says %q, booked for %s by %s", day, ahead, words, c.ActionDate, deadline)
				}
				if next := purchases.NextStep(rec, s, d.Now()); !strings.Contains(next,
					"debited on "+words.SayDay(c.ActionDate, d.Now())) || !strings.Contains(next, "handed to the bank on "+deadline) {
					t.Fatalf("%s: the page of the purchase says %q", day, next)
				}
			}
		}
	})
}

// errSeen undoes what was booked: it was looked at.
var errSeen = errors.New("seen")

// For days on which a subscriber is billed: the day in the list of coming debits is the one that is booked.
func TestTheComingDebitsOfASubscriberAreThoseThatAreBooked(t *testing.T) {
	t.Parallel()
	everyDesk(t, func(t *testing.T, d *desk, s *purchase.Service) {
		first := calendar.On(2026, time.December, 1)
		for _, billed := range someDays(s) {
			for _, wait := range []int{1, 3, 7} {
				plan := subscription.Plan{Period: 1, Units: subscription.Months, DuePeriod: wait, DueUnits: subscription.Days}
				d.to(first.At(9, 0))
				h := &Templates{Purchases: &purchases.Purchases{Service: s, Desk: &kit.Desk{Now: d.Now}}}
				shown := h.billingDay(d.brand, purchases.Account{Token: d.token, Mandate: d.given}, plan, billed).Debit.ISO

				d.to(billed.At(0, 0))
				p := purchase.Purchase{MerchantID: d.brand.MerchantID, BrandID: d.brand.ID, Currency: "ZAR", TotalCents: 10000,
					Due: s.Timetable.DueOn(plan.DueOn(billed)).UTC()}
				f, err := s.ForecastPeriod(t.Context(), p, d.token.ID)
				rec := purchase.Record{Purchase: p, Brand: d.brand}
				if err := errors.Join(err, f.Err()); err != nil {
					t.Fatal(err)
				}
				if err := s.InTx(t.Context(), func(tx *database.Tx) error {
					return errors.Join(s.InsertCharged(tx, actor.Actor{}, &rec, f), errSeen)
				}); !errors.Is(err, errSeen) {
					t.Fatal(err)
				}
				if booked := rec.Collection.ActionDate.String(); shown != booked {
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
			d.to(first.AddDays(n).At(11, 59))
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
			var c *collection.Collection
			if err := s.InTx(t.Context(), func(tx *database.Tx) error {
				c = s.Authenticated(tx, &p, d.given, d.brand)
				return errSeen
			}); !errors.Is(err, errSeen) {
				t.Fatal(err)
			}
			if o.FirstDebit != c.ActionDate || !strings.Contains(text, c.ActionDate.Format("Monday 2 January 2006")) {
				t.Fatalf("due %s: offered %s, booked for %s, agreed: %s", p.Due, o.FirstDebit, c.ActionDate, text)
			}
		}
	})
}

func TestAPickerOffersTheDaysOfTheMandateOnly(t *testing.T) {
	d := &desk{
		brand: merchant.Brand{BrandInput: merchant.BrandInput{DebiCheckShift: calendar.Next}},
	}
	d.to(calendar.On(2026, time.December, 1).At(9, 0))
	m := mandate.Mandate{Kind: mandate.DebiCheck, PeriodUnits: "months", DeductionDay: 25, Terms: &mandate.Terms{}}
	days := purchases.DaysOf(d.service(), d.brand, bank.DebiCheck, d.Now()).Within(m)
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
