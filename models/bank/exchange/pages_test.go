package exchange_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/exchange/exchangetest"
	"debitdesk/models/calendar"
	"debitdesk/models/fault"
	"debitdesk/models/paging"
)

var all = paging.Ask{Limit: 1000}

// figure counts and sums the items behind one figure of a day, as the list shows them.
func (b *bench) figure(day calendar.Date, part exchange.DayPart) exchange.Figure {
	b.t.Helper()
	f := exchange.ItemFilter{Day: day, Part: part}
	counted, err := b.CountItems(b.t.Context(), b.who, f)
	must(b.t, err)
	page, err := b.Items(b.t.Context(), b.who, f, all)
	must(b.t, err)
	listed := exchange.Figure{Count: int64(len(page.Items))}
	for _, i := range page.Items {
		listed.Cents += i.DayCents
	}
	if counted != listed {
		b.t.Errorf("%s of %s: counted %v, listed %v", part, day, counted, listed)
	}
	return listed
}

func TestADayIsTheSumOfItsItemsAndMovements(t *testing.T) {
	b := open(t, func(r *exchange.Rules) { r.Success[bank.EFT] = exchange.ByBooking })
	friday := thursday.AddDays(1)
	ids, message := b.sent(7, thursday)
	others := b.debits(1, friday)
	b.arrive("one", exchangetest.Acknowledged(message),
		booked(ids[0], 15000, true, thursday), booked(ids[1], 15000, true, thursday), booked(ids[2], 15000, true, thursday),
		booked(ids[3], 15000, true, thursday), status(ids[4], "RJCT", "AC04"))
	b.arrive("two", booked(ids[1], 15000, false, friday, "AM04"), booked(ids[2], 15000, false, friday.AddDays(20), "MD01"),
		booked(ids[3], 15000, false, thursday, "AM04"), // in and out on one day
		booked(ids[5], 15000, false, friday, "AM04"))   // the return tells that it had been there
	b.at(friday.AddDays(40).At(12, 0))
	days, err := b.Days(t.Context(), b.who, thursday, friday.AddDays(30))
	must(t, err)
	at := map[calendar.Date]exchange.Day{}
	for _, d := range days {
		at[d.Day] = d
		for part, is := range map[exchange.DayPart]exchange.Figure{exchange.PartHandedOver: d.HandedOver,
			exchange.PartAcknowledged: d.Acknowledged, exchange.PartOpen: d.Open, exchange.PartPaid: d.Paid,
			exchange.PartBack: d.Back} {
			if got := b.figure(d.Day, part); got != is {
				t.Errorf("%s of %s: %v, its items come to %v", part, d.Day, is, got)
			}
		}
		if got := b.figure(d.Day, exchange.PartExpected); got.Cents != d.ExpectedCents() {
			t.Errorf("expected on %s: %d, its items come to %d", d.Day, d.ExpectedCents(), got.Cents)
		}
		moved, err := b.CountMovements(t.Context(), b.who, exchange.EntryFilter{From: d.Day, To: d.Day})
		must(t, err)
		if moved[exchange.EntryMatched] != d.Booked {
			t.Errorf("booked on %s: %v, the movements come to %v", d.Day, d.Booked, moved)
		}
	}
	thu := at[thursday]
	if thu.HandedOver != (exchange.Figure{Count: 7, Cents: 105000}) ||
		thu.Paid != (exchange.Figure{Count: 5, Cents: 75000}) ||
		thu.Back != (exchange.Figure{Count: 1, Cents: 15000}) ||
		thu.Open.Count != 1 ||
		thu.Acknowledged.Count != 7 {
		t.Errorf("Thursday: %+v", thu)
	}
	if cents, told := thu.Difference(); cents != -15000 || !told || thu.State() != exchange.DayDiffers {
		t.Errorf("the debit whose credit was never booked: %d %v %s", cents, told, thu.State())
	}
	for _, day := range []calendar.Date{friday, friday.AddDays(20)} {
		if d := at[day]; d.State() != exchange.DayAddsUp {
			t.Errorf("%s does not add up: %+v", day, d)
		}
	}
	if len(at) != 3 || slices.ContainsFunc(days, func(d exchange.Day) bool { return d.Day == monday }) {
		t.Errorf("days on which nothing happened: %v", days)
	}
	_ = others
}

func TestADayIsTooEarlyToJudgeUntilSilenceSpeaks(t *testing.T) {
	b := open(t, nil)
	ids, message := b.sent(2, thursday)
	b.arrive("ack", acknowledged(message), booked(ids[0], 15000, true, thursday), booked(ids[1], 15000, true, thursday))
	state := func() exchange.DayState {
		days, err := b.Days(t.Context(), b.who, thursday, thursday)
		must(t, err)
		return days[0].State()
	}
	b.at(thursday.AddDays(1).At(5, 0))
	if got := state(); got != exchange.DayEarly {
		t.Errorf("before silence: %s", got)
	}
	b.at(thursday.AddDays(1).At(6, 0))
	if got := state(); got != exchange.DayDiffers {
		t.Errorf("before it was worked on: %s", got)
	}
	b.work()
	if got := state(); got != exchange.DayAddsUp {
		t.Errorf("after silence: %s", got)
	}
	if c, err := b.Concerns(t.Context(), b.who); err != nil || c.Findings != 0 || len(c.Days) != 0 {
		t.Errorf("concerns %+v %v", c, err)
	}
}

func TestWhatAPersonImportsSpeaksOfTheirBusinessAlone(t *testing.T) {
	b := open(t, nil)
	ids, message := b.sent(1, thursday)
	stranger := b.who
	stranger.MerchantID = b.store.NewID()
	b.exec(`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, 'b', 'B', true, $2, $2)`,
		stranger.MerchantID, b.store.Now())
	d, err := b.Import(t.Context(), stranger, "made-up.json", exchangetest.Arrival(
		exchange.Event{Kind: exchange.OnMessage, MessageID: message, Status: "RJCT"}, status(ids[0], "RJCT", "AM04"),
		booked(ids[0], 15000, false, thursday, "AM04")))
	must(t, err)
	sheet, err := b.Sheet(t.Context(), b.who, message)
	must(t, err)
	if sheet.State != exchange.Taken || len(b.outcomes()) != 0 ||
		b.number(`SELECT count(*) FROM bank_entries WHERE merchant_id = $1`, b.who.MerchantID) != 0 {
		t.Errorf("another business answered: %s %v", sheet.State, b.outcomes())
	}
	found, err := b.Findings(t.Context(), stranger, exchange.FindingFilter{ArrivalID: d.ID}, all)
	must(t, err)
	if len(found.Items) == 0 {
		t.Error("who imported it is not told")
	}
	if mine, err := b.Findings(t.Context(), b.who, exchange.FindingFilter{ArrivalID: d.ID}, all); err != nil ||
		len(mine.Items) != 0 {
		t.Errorf("the other business is: %v %v", mine.Items, err)
	}
	if _, err := b.Document(t.Context(), b.who, d.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("the document is shown to the other business: %v", err)
	}
}

func TestTryingAMatchTellsWhatFollowsAndKeepsNothing(t *testing.T) {
	b := open(t, func(r *exchange.Rules) { r.Success[bank.EFT] = exchange.ByBooking })
	b.exec(
		`INSERT INTO debit_profiles (id, merchant_id, brand_id, profile_code, abbreviated_name,
			account_number, is_default, created_at)
		SELECT $1, merchant_id, id, 'GYM1', 'GYM', '50100000001', true, $2 FROM brands`,
		uuid.New(),
		b.store.Now(),
	)
	ids, message := b.sent(2, thursday)
	entry := exchange.Event{Kind: exchange.OnEntry, Status: "BOOK", Account: "50100000001", Credit: true, HasAmount: true,
		AmountCents: 15000, BookedOn: thursday, Reference: "FB1", BankCode: "PMNT/IDDT/ESDD"}
	b.arriveRevealed("statement", acknowledged(message), entry)
	page, err := b.Movements(t.Context(), b.who, exchange.EntryFilter{State: exchange.EntryUnmatched}, all)
	must(t, err)
	n := page.Items[0].Entry
	candidates, err := b.Candidates(t.Context(), b.who, n, "", 10)
	must(t, err)
	if len(candidates) != 2 {
		t.Fatalf("candidates: %v", candidates)
	}
	tried, err := b.TryMatch(t.Context(), b.who, n.ID, ids[0], 0)
	must(t, err)
	if len(tried.Answers) != 1 || tried.Answers[0].Kind != bank.Provisional || len(b.outcomes()) != 0 ||
		!slices.Equal(b.findings(), []string{"unmatched"}) {
		t.Errorf("tried %+v, told %v, findings %v", tried, b.outcomes(), b.findings())
	}
	if _, err := b.Match(t.Context(), b.who, n.ID, ids[0], 0); err != nil {
		t.Fatal(err)
	}
	if got := b.outcomes()[ids[0]]; len(got) != 0 || len(b.findings()) != 0 {
		t.Errorf("told at once: %v, findings %v", got, b.findings())
	}
	b.at(b.store.Now().Add(11 * time.Minute))
	if got := b.outcomes()[ids[0]]; !slices.Equal(got, []string{"provisional 00"}) {
		t.Errorf("told %v", got)
	}
}

func TestListsOfMessagesAreWalkedAndCounted(t *testing.T) {
	b := open(t, func(r *exchange.Rules) { r.MaxItems = 1 })
	b.debits(5, thursday)
	waits, err := b.Waits(t.Context(), b.who)
	must(t, err)
	if !slices.Equal(waits, []exchange.Waiting{{Kind: exchange.Debits, Total: exchange.Figure{Count: 5, Cents: 75000}}}) {
		t.Errorf("waits: %v", waits)
	}
	cut, err := b.CutNow(t.Context(), b.who)
	must(t, err)
	var walked []string
	ask := paging.Ask{Limit: 2}
	for {
		page, err := b.Messages(t.Context(), b.who, exchange.MessageFilter{Kind: exchange.Debits}, ask)
		must(t, err)
		for _, m := range page.Items {
			walked = append(walked, m.ID)
			ask.From = m.UUID()
		}
		if !page.Older {
			break
		}
	}
	slices.Reverse(walked)
	if !slices.Equal(walked, cut) {
		t.Errorf("walked %v, cut %v", walked, cut)
	}
	counts, err := b.CountMessages(t.Context(), b.who, exchange.MessageFilter{})
	must(t, err)
	sheet, err := b.Sheet(t.Context(), b.who, cut[0])
	must(t, err)
	if counts[exchange.Made] != 5 || len(sheet.Groups) != 1 || len(sheet.History) != 1 ||
		sheet.History[0].Action != "bank.message_made" {
		t.Errorf("counts %v, sheet %+v", counts, sheet)
	}
	k, number := exchange.NumberOf(sheet.UUID())
	if k != exchange.Debits || number != sheet.Number {
		t.Errorf("the UUID names %s %d", k, number)
	}
}
