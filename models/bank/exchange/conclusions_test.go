package exchange_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/calendar"
)

var friday = thursday.AddDays(1)

func byBooking(r *exchange.Rules) { r.Success[bank.EFT] = exchange.ByBooking }

// stray is a movement that names nothing.
func stray(cents int64, credit bool, told exchange.Telling) exchange.Event {
	return exchange.Event{Kind: exchange.OnEntry, Status: "BOOK", Account: "50100000001", Credit: credit, HasAmount: true,
		AmountCents: cents, Currency: "ZAR", BookedOn: thursday, Told: told}
}

// states counts movements by state.
func (b *bench) states() map[string]int {
	b.t.Helper()
	found := map[string]int{}
	rows, err := b.store.Pool.Query(b.t.Context(), `SELECT state, count(*) FROM bank_entries GROUP BY 1`)
	must(b.t, err)
	defer rows.Close()
	for rows.Next() {
		var state string
		var n int
		must(b.t, rows.Scan(&state, &n))
		found[state] = n
	}
	must(b.t, rows.Err())
	return found
}

func (b *bench) wantStates(want map[string]int) {
	b.t.Helper()
	got := b.states()
	for state, n := range want {
		if got[state] != n {
			b.t.Fatalf("movements: %v, want %v", got, want)
		}
	}
	for state := range got {
		if want[state] == 0 {
			b.t.Fatalf("movements: %v, want %v", got, want)
		}
	}
}

func TestAMovementWithoutABookingDayIsKeptOnTheDayOfItsArrival(t *testing.T) {
	b := open(t, nil)
	b.own()
	ids, message := b.sent(2, thursday)
	e := booked(ids[0], 15000, false, thursday, "AM04")
	e.Account, e.BookedOn = "50100000001", calendar.Date{}
	nothing := exchange.Event{Kind: exchange.OnBalance, Account: "50100000001", Problem: "It says nothing."}
	b.at(friday.At(5, 0))
	b.arriveRevealed("day", acknowledged(message), e, nothing)
	if got := b.outcomes()[ids[0]]; !slices.Equal(got, []string{"unpaid 02"}) {
		t.Fatalf("%v", b.outcomes())
	}
	if n := b.number(`SELECT count(*) FROM bank_entries WHERE booked_on = $1::date AND booked_by = 'arrival'`,
		friday.String()); n != 1 {
		t.Error("it is not booked on the day on which it came")
	}
	b.at(friday.At(9, 0))
	b.work()
	if got := b.outcomes()[ids[1]]; !slices.Equal(got, []string{"provisional 00"}) {
		t.Errorf("silence no longer counts for the other: %v", b.outcomes())
	}
}

func TestEveryIdThatTheBankGivesBackIsTried(t *testing.T) {
	for name, change := range map[string]func(*exchange.Event, string){
		"its own in place of ours": func(e *exchange.Event, id string) {
			e.InstructionID, e.EndToEndID = uuid.NewString(), id
		},
		"the original transaction": func(e *exchange.Event, id string) { e.InstructionID, e.TransactionID = "", id },
		"the unique reference":     func(e *exchange.Event, id string) { e.InstructionID, e.UETR = "BANK 1", id },
		"cut to sixteen": func(e *exchange.Event, id string) {
			e.InstructionID, e.EndToEndID = "", strings.ToUpper(id[:16])
		},
		"with hyphens": func(e *exchange.Event, id string) {
			e.InstructionID = strings.ToUpper(id[:8] + "-" + id[8:12] + "-" + id[12:16] + "-" + id[16:20] + "-" + id[20:])
		},
		"in the text": func(e *exchange.Event, id string) { e.InstructionID, e.StatementLine = "", id },
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, nil)
			ids, message := b.sent(2, thursday)
			e := status(ids[0], "RJCT", "AM04")
			change(&e, strings.ReplaceAll(ids[0].String(), "-", ""))
			b.arrive("answer", acknowledged(message), e)
			if got := b.outcomes()[ids[0]]; !slices.Equal(got, []string{"unpaid 02"}) || len(b.findings()) != 0 {
				t.Errorf("%v, findings %v", b.outcomes(), b.findings())
			}
		})
	}
	b := open(t, nil)
	ids, message := b.sent(2, thursday)
	e := status(ids[0], "RJCT", "AM04")
	e.EndToEndID = ids[1].String()
	b.arrive("both", acknowledged(message), e)
	b.at(friday.At(9, 0))
	b.work()
	if len(b.outcomes()) != 0 || !slices.Equal(b.findings(), []string{"differs", "differs"}) {
		t.Errorf("two ids that disagree: %v, findings %v", b.outcomes(), b.findings())
	}
}

func TestTwoMovementsOfOneDocumentAreTwoWhateverTheirReference(t *testing.T) {
	b := open(t, nil)
	b.own()
	for _, reference := range []string{"", "SAMEALLDAY"} {
		one, two := stray(15000, false, exchange.ByStatement), stray(15000, false, exchange.ByStatement)
		one.Reference, two.Reference = reference, reference
		before := b.number(`SELECT count(*) FROM bank_entries`)
		b.arriveRevealed("day "+reference, one, two)
		b.arriveRevealed("day again "+reference, one, two)
		want := 2
		if reference == "" {
			want = 4 // two statements with two movements each, and nothing that says they are the same
		}
		if n := b.number(`SELECT count(*) FROM bank_entries`) - before; n != want {
			t.Errorf("%q: %d movements", reference, n)
		}
	}
}

func TestWhatWaitsForAPersonHoldsSilence(t *testing.T) {
	wrong := func(id uuid.UUID) exchange.Event {
		e := status(id, "RJCT", "AM04")
		e.HasAmount, e.AmountCents, e.Currency = true, 1, "ZAR"
		return e
	}
	unknown := func(message string) exchange.Event {
		e := status(uuid.New(), "RJCT", "AM04")
		e.MessageID = message
		return e
	}
	for name, c := range map[string]struct {
		say  func(b *bench, id uuid.UUID, message string)
		free int // debits that silence may count all the same
	}{
		"an answer with another amount": {func(b *bench, id uuid.UUID, _ string) { b.arrive("a", wrong(id)) }, 1},
		"an answer about nothing in it": {func(b *bench, _ uuid.UUID, m string) { b.arrive("a", unknown(m)) }, 0},
		"money out that names nothing": {func(b *bench, _ uuid.UUID, _ string) {
			b.arriveRevealed("a", stray(15000, false, exchange.ByStatement))
		}, 0},
		"a file that cannot be read": {func(b *bench, _ uuid.UUID, _ string) {
			b.box.In["a"] = []byte("no events")
			b.work()
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, nil)
			b.own()
			ids, message := b.sent(2, thursday)
			b.arrive("ack", acknowledged(message))
			c.say(b, ids[0], message)
			b.at(friday.At(9, 0))
			b.work()
			if got := b.outcomes(); len(got) != c.free || got[ids[0]] != nil {
				t.Fatalf("outcomes %v, findings %v", got, b.findings())
			}
			page, err := b.Findings(t.Context(), b.who, exchange.FindingFilter{State: exchange.FindingOpen}, all)
			must(t, err)
			for _, f := range page.Items {
				_, err := b.Settle(t.Context(), b.who, f.ID, "The bank says it is nothing.")
				must(t, err)
			}
			b.work()
			if got := b.outcomes(); len(got) != 2 || len(b.findings()) != 0 {
				t.Errorf("once it is settled: outcomes %v, findings %v", got, b.findings())
			}
		})
	}
}

func TestAReturnWithTheBanksFeeCountsAndTheFeeIsAFee(t *testing.T) {
	for name, change := range map[string]func(*exchange.Event){
		"the instructed amount": func(e *exchange.Event) { e.InstructedCents = 15000 },
		"charges":               func(e *exchange.Event) { e.ChargesCents = 300 },
		"both":                  func(e *exchange.Event) { e.InstructedCents, e.ChargesCents = 15000, 300 },
	} {
		b := open(t, nil)
		b.own()
		ids, message := b.sent(1, thursday)
		e := booked(ids[0], 15300, false, friday, "AM04")
		e.Account = "50100000001"
		change(&e)
		b.arriveRevealed("day", acknowledged(message), e)
		if got := b.outcomes()[ids[0]]; !slices.Equal(got, []string{"unpaid 02"}) {
			t.Errorf("%s: %v, findings %v", name, b.outcomes(), b.findings())
		}
		if n := b.number(`SELECT coalesce(sum(fee_cents), 0) FROM bank_entries WHERE state = 'matched'`); n != 300 {
			t.Errorf("%s: a fee of %d", name, n)
		}
	}
	b := open(t, nil)
	b.own()
	ids, message := b.sent(1, thursday)
	e := booked(ids[0], 15300, false, friday, "AM04")
	e.Account, e.ChargesCents = "50100000001", 200
	b.arriveRevealed("day", acknowledged(message), e)
	b.wantStates(map[string]int{"unmatched": 1})
	page, err := b.Movements(t.Context(), b.who, exchange.EntryFilter{State: exchange.EntryUnmatched}, all)
	must(t, err)
	id := page.Items[0].ID
	if _, err := b.Match(t.Context(), b.who, id, ids[0], 0); err == nil {
		t.Error("another amount was matched without a word")
	}
	_, err = b.Match(t.Context(), b.who, id, ids[0], 300)
	must(t, err)
	b.at(b.store.Now().Add(12 * time.Minute))
	b.work()
	if got := b.outcomes()[ids[0]]; !slices.Equal(got, []string{"unpaid 02"}) {
		t.Errorf("matched by hand with its difference: %v", got)
	}
}

func TestEverythingThatNobodyExplainsIsUnmatched(t *testing.T) {
	b := open(t, func(r *exchange.Rules) { r.OtherCodes, r.FeeCodes = []string{"SALARY"}, []string{"SVC"} })
	b.own()
	var events []exchange.Event
	for i, own := range []string{"RET77", "SALARY", "SVC", ""} {
		e := stray(int64(1000+i), false, exchange.ByStatement)
		e.BankOwnCode = own
		events = append(events, e)
	}
	fee := stray(55, false, exchange.ByStatement)
	fee.BankCode = "ACMT/MDOP/CHRG"
	b.arriveRevealed("day", append(events, fee)...)
	b.wantStates(map[string]int{"unmatched": 2, "other": 1, "fee": 2})
	if !slices.Equal(b.findings(), []string{"unmatched"}) {
		t.Errorf("findings: %v", b.findings())
	}
}

func TestMoneyThatIsToldTwiceCountsOnce(t *testing.T) {
	detail := func(id uuid.UUID, n int) exchange.Event {
		e := booked(id, 15000, true, thursday)
		e.Account, e.Told, e.Detail, e.EntryCents, e.Reference = "50100000001", exchange.ByNotification, n, 30000, "FB1"
		return e
	}
	sum := stray(30000, true, exchange.ByStatement)
	sum.Reference, sum.BankCode = "FB1", "PMNT/IDDT/ESDD"
	for _, sumFirst := range []bool{false, true} {
		b := open(t, byBooking)
		b.own()
		ids, _ := b.sent(2, thursday)
		parts := func() { b.arriveRevealed("054", detail(ids[0], 1), detail(ids[1], 2)) }
		if sumFirst {
			b.arriveRevealed("053", sum)
			parts()
		} else {
			parts()
			b.arriveRevealed("053", sum)
		}
		b.wantStates(map[string]int{"matched": 2, "explained": 1})
		if len(b.outcomes()) != 2 || len(b.findings()) != 0 {
			t.Errorf("outcomes %v, findings %v", b.outcomes(), b.findings())
		}
	}
	for _, sumFirst := range []bool{false, true} { // the sum names our file
		b := open(t, byBooking)
		b.own()
		ids, message := b.sent(2, thursday)
		whole := sum
		whole.Batch, whole.MessageID, whole.Detail, whole.EntryCents = true, message, 1, 30000
		parts := func() { b.arriveRevealed("054", detail(ids[0], 1), detail(ids[1], 2)) }
		if sumFirst {
			b.arriveRevealed("053", whole)
			parts()
		} else {
			parts()
			b.arriveRevealed("053", whole)
		}
		b.wantStates(map[string]int{"matched": 1, "explained": 2})
		if d, err := b.Service.Day(t.Context(), b.who, thursday); err != nil || d.Booked.Cents != 30000 || len(d.Apart) != 0 {
			t.Errorf("the day: %+v %v", d, err)
		}
	}
	b := open(t, nil) // a report during the day, and the statement
	b.own()
	b.arriveRevealed("052 a", stray(100, true, exchange.ByReportOfDay))
	b.arriveRevealed("052 b", stray(100, true, exchange.ByReportOfDay), stray(200, true, exchange.ByReportOfDay),
		stray(300, true, exchange.ByReportOfDay))
	first, second := stray(100, true, exchange.ByStatement), stray(200, true, exchange.ByStatement)
	second.Reference = "FB9"
	end := exchange.Event{Kind: exchange.OnStatement, Account: "50100000001", Told: exchange.ByStatement, From: thursday,
		Until: thursday}
	b.arriveRevealed("053", first, second, end)
	b.wantStates(map[string]int{"unmatched": 2, "explained": 2})
}

func TestADebitThatIsPaidAfterItCameBackIsPaid(t *testing.T) {
	b := open(t, byBooking)
	b.own()
	ids, _ := b.sent(1, thursday)
	on := func(day calendar.Date, credit bool, reasons ...string) exchange.Event {
		e := booked(ids[0], 15000, credit, day, reasons...)
		e.Account = "50100000001"
		return e
	}
	paid, back, again := on(thursday, true), on(friday, false, "AM04"), on(friday.AddDays(3), true)
	b.arriveRevealed("back", back)
	b.arriveRevealed("paid", paid) // it came late, and says nothing new
	if got := b.outcomes()[ids[0]]; !slices.Equal(got, []string{"unpaid 02"}) {
		t.Fatalf("%v", got)
	}
	b.arriveRevealed("again", again)
	b.arriveRevealed("again and again", again, back, paid)
	if got := b.outcomes()[ids[0]]; !slices.Equal(got, []string{"unpaid 02", "paid_again 00"}) ||
		!slices.Equal(b.findings(), []string{"paid_again"}) {
		t.Fatalf("%v, findings %v", got, b.findings())
	}
	for _, day := range []calendar.Date{thursday, friday, friday.AddDays(3)} {
		if d, err := b.Service.Day(t.Context(), b.who, day); err != nil || d.Booked.Cents != d.ExpectedCents() {
			t.Errorf("%s does not add up: %+v %v", day, d.Day, err)
		}
	}
	b.arriveRevealed("gone", on(friday.AddDays(5), false, "AM04"))
	if !slices.Equal(b.findings(), []string{"late_result", "paid_again"}) {
		t.Errorf("it went back once more, and nobody hears of it: %v", b.findings())
	}
}

func TestARefusalSaysWhoWasDebitedAndContradictionsAreFindings(t *testing.T) {
	b := open(t, byBooking)
	b.own()
	ids, message := b.sent(2, thursday)
	e := booked(ids[0], 15000, true, thursday)
	e.Account = "50100000001"
	b.arriveRevealed("paid", e)
	b.arrive("refused", exchange.Event{Kind: exchange.OnMessage, MessageID: message, Status: "RJCT"})
	if n := b.number(`SELECT count(*) FROM bank_findings WHERE kind = 'message_refused'
		AND text LIKE '%money of 1 item%' AND text NOT LIKE '%No one was debited%'`); n != 1 {
		t.Error("the refusal says that nobody was debited")
	}
	c := open(t, func(r *exchange.Rules) { r.Success[bank.EFT] = exchange.ByReport })
	ids, message = c.sent(1, thursday)
	c.arrive("rejected", acknowledged(message), status(ids[0], "RJCT", "AM04"))
	c.arrive("settled", status(ids[0], "ACSC"))
	if !slices.Equal(c.findings(), []string{"late_result"}) {
		t.Errorf("findings: %v", c.findings())
	}
}

func TestTheMostCarefulReasonCounts(t *testing.T) {
	for text, want := range map[string]string{
		"36 STOP PAYMENT": "disputed 36", "UNPAID 02 NOT PROVIDED FOR": "unpaid 02", "ACCOUNT CLOSED": "unpaid 12",
		"22 NOV 2026 something": "unpaid NARR",
	} {
		b := open(t, nil)
		b.own()
		ids, message := b.sent(1, thursday)
		e := booked(ids[0], 15000, false, friday)
		e.Account, e.Text = "50100000001", text
		b.arriveRevealed("day", acknowledged(message), e)
		if got := b.outcomes()[ids[0]]; !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %v", text, got)
		}
	}
	b := open(t, nil)
	b.own()
	ids, message := b.sent(1, thursday)
	e := booked(ids[0], 15000, false, friday, "AM04")
	e.Account, e.Text = "50100000001", "PAYMENT STOPPED BY ACCOUNT HOLDER"
	b.arriveRevealed("day", acknowledged(message), e)
	if got := b.outcomes()[ids[0]]; !slices.Equal(got, []string{"unpaid 04"}) {
		t.Errorf("a code and words that disagree: %v", got)
	}
}

func TestAnAccountIsOursHoweverTheBankWritesIt(t *testing.T) {
	for _, written := range []bank.AccountNumber{"250655 50100000001", "250655-5010-0000-001", "25065550100000001",
		"0000050100000001", "5010 0000 001"} {
		b := open(t, nil)
		b.own()
		b.neighbour("62000000001")
		ids, message := b.sent(1, thursday)
		e := booked(ids[0], 15000, false, friday, "AM04")
		e.Account = written
		other := stray(700, true, exchange.ByStatement)
		other.Account = written
		b.arriveRevealed("day", acknowledged(message), e, other)
		if got := b.outcomes()[ids[0]]; !slices.Equal(got, []string{"unpaid 02"}) ||
			b.number(`SELECT count(*) FROM bank_entries WHERE merchant_id = $1`, b.who.MerchantID) != 2 {
			t.Errorf("%s: %v, findings %v", string(written), got, b.findings())
		}
	}
	b := open(t, nil)
	b.own()
	nobodys := stray(700, true, exchange.ByStatement)
	nobodys.Account = "99999999999"
	b.arriveRevealed("day", nobodys)
	if !slices.Equal(b.findings(), []string{"strange_account"}) {
		t.Errorf("findings: %v", b.findings())
	}
}

func TestAPartThatCannotBeStoredCostsNeitherItsFileNorTheNext(t *testing.T) {
	b := open(t, nil)
	b.own()
	ids, message := b.sent(3, thursday)
	broken := stray(100, true, exchange.ByStatement)
	broken.Text = "a\x00b" // no text of the database has it
	b.arriveRevealed("day", acknowledged(message), status(ids[0], "RJCT", "AM04"), broken, status(ids[2], "RJCT", "AM04"))
	if got := b.outcomes(); len(got) != 2 || !slices.Equal(b.findings(), []string{"not_stored"}) {
		t.Fatalf("outcomes %v, findings %v", got, b.findings())
	}
	b.at(friday.At(9, 0))
	b.work()
	if got := b.outcomes(); len(got) != 2 {
		t.Errorf("silence counted: %v", got)
	}
	page, err := b.Findings(t.Context(), b.who, exchange.FindingFilter{State: exchange.FindingOpen}, all)
	must(t, err)
	d, err := b.TryAgain(t.Context(), b.who, page.Items[0].ID)
	must(t, err)
	if _, err := b.TryAgain(t.Context(), b.who, page.Items[0].ID); err == nil {
		t.Error("it was tried again twice")
	}
	b.Decoder = playback{acknowledged(message), status(ids[0], "RJCT", "AM04"), broken, status(ids[2], "RJCT", "AM04")}
	b.work()
	if got := b.outcomes(); len(got) != 2 || !slices.Equal(b.findings(), []string{"not_stored"}) {
		t.Errorf("%s read again: %v, findings %v", d.FileName, got, b.findings())
	}
}

// A file that tells of a return may come after the one that tells that it was reversed.
func TestADebitThatWasPaidAgainStaysPaidInWhateverOrderTheBankTellsIt(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}} {
		b := open(t, byBooking)
		b.own()
		ids, message := b.sent(1, thursday)
		in, out, again := booked(ids[0], 15000, true, thursday), booked(ids[0], 15000, false, friday, "AM04"),
			booked(ids[0], 15000, true, friday.AddDays(3))
		told := []exchange.Event{in, out, again}
		b.at(friday.AddDays(4).At(9, 0))
		for _, n := range order {
			told[n].Account = "50100000001"
			b.arriveRevealed("day "+strconv.Itoa(n), acknowledged(message), told[n])
		}
		got := b.outcomes()[ids[0]]
		if len(got) == 0 || got[len(got)-1] != "paid_again 00" || !slices.Equal(b.findings(), []string{"paid_again"}) {
			t.Errorf("%v: %v, findings %v", order, got, b.findings())
		}
	}
}

func TestTheOnlyDetailOfAnEntryIsThatEntryWhereOtherDocumentsTellIt(t *testing.T) {
	b := open(t, byBooking)
	b.own()
	ids, message := b.sent(1, thursday)
	sum := stray(15000, false, exchange.ByStatement)
	sum.Reference = "R1"
	one := booked(ids[0], 15000, false, thursday, "AM04")
	one.Account, one.Told, one.Reference, one.DetailRef = "50100000001", exchange.ByNotification, "R1", "R1/1"
	one.Detail, one.EntryCents = 1, 15000
	b.arriveRevealed("statement", sum)
	b.arriveRevealed("notice", acknowledged(message), one)
	b.wantStates(map[string]int{"explained": 1, "matched": 1})
}

func TestAMovementOutThatCannotBeReadHoldsSilence(t *testing.T) {
	broken := stray(0, false, exchange.ByStatement)
	broken.HasAmount, broken.Problem, broken.Account = false, "Its amount is none.", "250655-50100000001"
	b := open(t, nil)
	b.own()
	_, message := b.sent(1, thursday)
	b.at(friday.At(5, 0))
	b.arriveRevealed("day", acknowledged(message), broken)
	b.at(friday.At(9, 0))
	b.work()
	if got := b.outcomes(); len(got) != 0 || !slices.Equal(b.findings(), []string{"not_stored"}) {
		t.Errorf("%v, findings %v", got, b.findings())
	}
}
