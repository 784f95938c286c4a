package exchange_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"debitdesk/models/actor"
	"debitdesk/models/bank"
	"debitdesk/models/bank/exchange"
	"debitdesk/models/bank/exchange/exchangetest"
	"debitdesk/models/fault"
)

// neighbour is a person of another business here, which is paid into an account of its own.
func (b *bench) neighbour(account string) actor.Actor {
	b.t.Helper()
	who := b.who
	who.MerchantID = b.store.NewID()
	b.exec(`INSERT INTO merchants (id, slug, name, is_test, created_at, updated_at) VALUES ($1, 'b', 'B', true, $2, $2)`,
		who.MerchantID, b.store.Now())
	brand := b.store.NewID()
	b.exec(`INSERT INTO brands (id, merchant_id, name, reference_prefix, created_at, updated_at)
		VALUES ($1, $2, 'B', 'DD', $3, $3)`, brand, who.MerchantID, b.store.Now())
	b.paidInto(who.MerchantID, brand, account)
	return who
}

func (b *bench) paidInto(merchantID, brandID uuid.UUID, account string) {
	b.t.Helper()
	b.exec(`INSERT INTO debit_profiles (id, merchant_id, brand_id, profile_code, abbreviated_name, account_number,
		is_default, created_at) VALUES ($1, $2, $3, 'GYM1', 'GYM', $4, true, $5)`, uuid.New(), merchantID, brandID, account,
		b.store.Now())
}

// own registers the account of the bench's own business.
func (b *bench) own() {
	b.t.Helper()
	var brand uuid.UUID
	must(b.t, b.store.Pool.QueryRow(b.t.Context(), `SELECT id FROM brands WHERE merchant_id = $1`,
		b.who.MerchantID).Scan(&brand))
	b.paidInto(b.who.MerchantID, brand, "50100000001")
}

func TestWhatOneBusinessImportsIsStillReadFromTheInboxForTheOthers(t *testing.T) {
	b := open(t, nil)
	ids, message := b.sent(1, thursday)
	b.arrive("ack", acknowledged(message))
	file := exchangetest.Arrival(booked(ids[0], 15000, false, thursday, "AM04"))
	stranger := b.neighbour("62000000001")
	imported, err := b.Import(t.Context(), stranger, "day.json", file)
	must(t, err)
	if len(b.outcomes()) != 0 {
		t.Fatalf("the other business answered: %v", b.outcomes())
	}
	again, err := b.Import(t.Context(), stranger, "day-2.json", file)
	if err != nil || again.ID != imported.ID {
		t.Errorf("the same bytes again: %v %v", again, err)
	}
	b.box.In["day.json"] = file
	b.work()
	b.at(thursday.AddDays(1).At(9, 0))
	b.work()
	if got := b.outcomes()[ids[0]]; !slices.Equal(got, []string{"unpaid 02"}) {
		t.Errorf("the returned debit is %v", got)
	}
	mine, err := b.Import(t.Context(), b.who, "day.json", file)
	if err != nil || mine.ID == imported.ID || !mine.Repeated() {
		t.Errorf("a copy of one's own: %+v %v", mine, err)
	}
}

func TestABookingCountsOnlyWhenItIsWhatWasAskedFor(t *testing.T) {
	wrong := map[string]func(*exchange.Event){
		"nobody's account":     func(e *exchange.Event) { e.Account = "99999999999" },
		"another business's":   func(e *exchange.Event) { e.Account = "62000000001" },
		"no account at all":    func(e *exchange.Event) { e.Account = "" },
		"an outgoing transfer": func(e *exchange.Event) { e.BankCode = "PMNT/ICDT/ESCT" },
		"another currency":     func(e *exchange.Event) { e.Currency = "ZWL" },
		"another amount":       func(e *exchange.Event) { e.AmountCents = 1 },
	}
	for name, change := range wrong {
		for _, credit := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, in %v", name, credit), func(t *testing.T) {
				b := open(t, func(r *exchange.Rules) { r.Success[bank.EFT] = exchange.ByBooking })
				b.own()
				b.neighbour("62000000001")
				ids, _ := b.sent(2, thursday)
				e := booked(ids[0], 15000, credit, thursday)
				e.Account = "50100000001"
				change(&e)
				b.arriveRevealed("wrong", e)
				if got := b.outcomes(); len(got) != 0 {
					t.Errorf("it counted: %v", got)
				}
				if n := b.number(`SELECT count(*) FROM bank_files_out WHERE ack_at IS NOT NULL`); n != 0 {
					t.Error("it acknowledged the whole file")
				}
				if !slices.Contains(b.findings(), "differs") ||
					b.number(`SELECT count(*) FROM bank_entries WHERE state = 'matched'`) != 0 {
					t.Errorf("findings: %v", b.findings())
				}
				right := booked(ids[0], 15000, credit, thursday)
				right.Account = "0050100000001"
				b.arriveRevealed("right", right)
				if got := b.outcomes(); len(got) != 1 || b.number(`SELECT count(*) FROM bank_entries
					WHERE state = 'matched'`) != 1 {
					t.Errorf("what is right does not count beside it: %v", got)
				}
			})
		}
	}
}

func TestAStatusThatDoesNotAgreeNeitherCountsNorAcknowledges(t *testing.T) {
	for name, change := range map[string]func(*exchange.Event){
		"another file":     func(e *exchange.Event) { e.MessageID = "DD20270101-000009" },
		"another amount":   func(e *exchange.Event) { e.HasAmount, e.AmountCents = true, 1 },
		"another currency": func(e *exchange.Event) { e.HasAmount, e.AmountCents, e.Currency = true, 15000, "ZWL" },
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, nil)
			ids, _ := b.sent(2, thursday)
			e := status(ids[0], "RJCT", "AM04")
			change(&e)
			b.arrive("wrong", e)
			b.at(thursday.AddDays(1).At(9, 0))
			b.work()
			if len(b.outcomes()) != 0 || !slices.Contains(b.findings(), "differs") {
				t.Errorf("outcomes %v, findings %v", b.outcomes(), b.findings())
			}
		})
	}
	b := open(t, nil)
	_, message := b.sent(2, thursday)
	b.arrive("half", exchange.Event{Kind: exchange.OnMessage, MessageID: message, Status: "ACTC",
		HasCount: true, Count: 1})
	b.at(thursday.AddDays(1).At(9, 0))
	b.work()
	if len(b.outcomes()) != 0 || !slices.Equal(b.findings(), []string{"differs", "not_acknowledged"}) {
		t.Fatalf("a bank that counts one of two: %v, findings %v", b.outcomes(), b.findings())
	}
	_, err := b.Confirm(t.Context(), b.who, message)
	must(t, err)
	b.work()
	if got := b.outcomes(); len(got) != 2 || len(b.findings()) != 0 {
		t.Errorf("after a person said that the bank has all of it: %v, findings %v", got, b.findings())
	}
	if _, err := b.Confirm(t.Context(), b.who, message); !fault.HasCode(err, "acknowledged") {
		t.Errorf("twice: %v", err)
	}
}

func TestAnotherFileUnderOurNameIsAFindingAndOursLeavesOnceItIsGone(t *testing.T) {
	b := open(t, nil)
	b.box.Out["DD20270111-000001.txt"] = []byte("somebody else's")
	b.debits(1, thursday)
	b.at(monday.At(11, 30))
	b.work()
	b.work()
	if !slices.Equal(b.findings(), []string{"not_placed"}) {
		t.Fatalf("findings: %v", b.findings())
	}
	delete(b.box.Out, "DD20270111-000001.txt")
	b.work()
	if len(b.box.Placed) != 1 || len(b.findings()) != 0 {
		t.Errorf("placed %v, findings %v", b.box.Placed, b.findings())
	}
}

func TestEqualMovementsOnTwoAccountsAreTwo(t *testing.T) {
	b := open(t, nil)
	b.own()
	stranger := b.neighbour("62000000001")
	of := func(account bank.AccountNumber) exchange.Event {
		return exchange.Event{Kind: exchange.OnEntry, Status: "BOOK", Account: account, Credit: true, HasAmount: true,
			AmountCents: 15000, Currency: "ZAR", BookedOn: thursday, Reference: "NONREF", BankCode: "PMNT/RCDT/ESCT"}
	}
	b.arriveRevealed("day", of("50100000001"), of("62000000001"))
	b.arriveRevealed("again", of("050100000001"), of("62000000001"))
	for _, merchant := range []uuid.UUID{b.who.MerchantID, stranger.MerchantID} {
		if n := b.number(`SELECT count(*) FROM bank_entries WHERE merchant_id = $1`, merchant); n != 1 {
			t.Errorf("%d movements of one", n)
		}
	}
}

func TestAMovementThatWasKeptBeforeAccountsWereIsNotKeptTwice(t *testing.T) {
	b := open(t, nil)
	b.own()
	e := exchange.Event{Kind: exchange.OnEntry, Status: "BOOK", Account: "50100000001", Credit: true, HasAmount: true,
		AmountCents: 15000, Currency: "ZAR", BookedOn: thursday, Reference: "FB1", BankCode: "PMNT/RCDT/ESCT"}
	b.arriveRevealed("day", e)
	b.exec(`UPDATE bank_entries SET account_hash = NULL, key = $1`, "c4a7b3d6a4fd9ffadb6bb5d7b1f0c8fa")
	b.arriveRevealed("day-2", e)
	if n := b.number(`SELECT count(*) FROM bank_entries`); n != 2 { // the key is another one: it is another movement
		t.Fatalf("%d movements", n)
	}
	b.exec(`DELETE FROM bank_entries WHERE account_hash IS NULL`)
	b.exec(`UPDATE bank_entries SET account_hash = NULL, key = $1`, exchange.EarlierKey(e))
	b.arriveRevealed("day-3", e)
	if n := b.number(`SELECT count(*) FROM bank_entries`); n != 1 {
		t.Errorf("%d movements", n)
	}
}

func TestSilenceCountsOnlyUpToTheLastRoundThatBroughtEverything(t *testing.T) {
	b := open(t, nil)
	ids, message := b.sent(1, thursday)
	b.arrive("ack", acknowledged(message))
	b.box.Carried, b.box.Ago = true, 3*time.Hour
	b.at(thursday.AddDays(1).At(7, 30)) // silence speaks at six
	b.work()
	if len(b.outcomes()) != 0 || !slices.Equal(b.findings(), []string{"not_fetched"}) {
		t.Fatalf("outcomes %v, findings %v", b.outcomes(), b.findings())
	}
	b.box.Ago = time.Minute
	b.work()
	if got := b.outcomes()[ids[0]]; !slices.Equal(got, []string{"provisional 00"}) || len(b.findings()) != 0 {
		t.Errorf("after a whole round: %v, findings %v", got, b.findings())
	}
}

func TestAFileOfManyProblemsOpensSoManyFindingsAndOneForTheRest(t *testing.T) {
	b := open(t, nil)
	b.Chunk = 70
	var events []exchange.Event
	for range 250 {
		events = append(events, status(uuid.New(), "RJCT", "AM04"))
	}
	b.arrive("flood", events...)
	if n := b.number(`SELECT count(*) FROM bank_findings`); n != 101 {
		t.Errorf("%d findings", n)
	}
	if n := b.number(`SELECT count(*) FROM bank_findings WHERE text LIKE '%150 problems more of this kind%'`); n != 1 {
		t.Errorf("%d findings say how many more there are", n)
	}
}

func TestAMatchCanBeTakenBackUntilWhatFollowsIsTold(t *testing.T) {
	b := open(t, func(r *exchange.Rules) { r.Success[bank.EFT] = exchange.ByBooking })
	b.own()
	ids, message := b.sent(2, thursday)
	entry := exchange.Event{Kind: exchange.OnEntry, Status: "BOOK", Account: "50100000001", Credit: true, HasAmount: true,
		AmountCents: 15000, Currency: "ZAR", BookedOn: thursday, Reference: "FB1", BankCode: "PMNT/IDDT/ESDD"}
	b.arriveRevealed("statement", acknowledged(message), entry)
	page, err := b.Movements(t.Context(), b.who, exchange.EntryFilter{State: exchange.EntryUnmatched}, all)
	must(t, err)
	n := page.Items[0].Entry
	match := func(id uuid.UUID) { _, err := b.Match(t.Context(), b.who, n.ID, id, 0); must(t, err) }
	match(ids[0])
	_, err = b.Unmatch(t.Context(), b.who, n.ID)
	must(t, err)
	if !slices.Equal(b.findings(), []string{"unmatched"}) || b.number(`SELECT count(*) FROM bank_answers`) != 0 ||
		b.number(`SELECT count(*) FROM bank_items WHERE outcome <> ''`) != 0 {
		t.Fatalf("findings %v", b.findings())
	}
	match(ids[1])
	b.at(b.store.Now().Add(11 * time.Minute))
	if _, err := b.Unmatch(t.Context(), b.who, n.ID); !fault.HasCode(err, "final") {
		t.Errorf("after it was told: %v", err)
	}
	if got := b.outcomes(); len(got) != 1 || !slices.Equal(got[ids[1]], []string{"provisional 00"}) {
		t.Errorf("outcomes: %v", got)
	}
	stranger := b.neighbour("62000000001")
	if _, err := b.Unmatch(t.Context(), stranger, n.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("another business: %v", err)
	}
}

func TestAStatementOfAnotherAccountAndARepeatedOneAreKnownAsSuch(t *testing.T) {
	b := open(t, nil)
	b.own()
	of := func(account bank.AccountNumber) playback {
		return playback{{Kind: exchange.OnEntry, Status: "BOOK", Account: account, Credit: true, HasAmount: true,
			AmountCents: 15000, Currency: "ZAR", BookedOn: thursday, Reference: "FB1", BankCode: "PMNT/RCDT/ESCT"}}
	}
	for n, c := range []struct {
		account           bank.AccountNumber
		strange, repeated bool
	}{{"50100000001", false, false}, {"50100000001", false, true}, {"4047527520", true, false}} {
		b.Decoder = of(c.account)
		d, err := b.Import(t.Context(), b.who, "day.xml", []byte(fmt.Sprint(n)))
		must(t, err)
		if d.Strange() != c.strange || d.Repeated() != c.repeated || c.strange && d.StrangeAccount != c.account.String() {
			t.Errorf("%d: %+v", n, d)
		}
	}
}

func TestADifferenceOpensToWhatIsInOneListOnlyAndCanBeAccepted(t *testing.T) {
	b := open(t, func(r *exchange.Rules) { r.Success[bank.EFT] = exchange.ByReport })
	b.own()
	ids, message := b.sent(4, thursday)
	b.arrive("day", acknowledged(message), status(ids[0], "ACSC"), status(ids[1], "ACSC"),
		booked(ids[1], 15000, true, thursday), booked(ids[2], 15000, true, thursday))
	b.at(thursday.AddDays(3).At(9, 0))
	d, err := b.Service.Day(t.Context(), b.who, thursday)
	must(t, err)
	var sum int64
	of := map[uuid.UUID]int64{}
	for _, a := range d.Apart {
		sum += a.BookedCents - a.ExpectedCents
		of[a.ID] = a.BookedCents - a.ExpectedCents
	}
	cents, _ := d.Difference()
	if sum != cents || len(of) != 2 || d.All != 2 || of[ids[0]] != -15000 || of[ids[2]] != 15000 {
		t.Errorf("the difference is %d, what is in one list only comes to %d: %v", cents, sum, of)
	}
	if err := b.AcceptDay(t.Context(), b.who, thursday, 0, "fine"); !fault.HasCode(err, "no_difference") {
		t.Errorf("a day without a difference: %v", err)
	}
	b.arrive("late", booked(ids[3], 15000, true, thursday))
	must(t, b.AcceptDay(t.Context(), b.who, thursday, 15000, "the bank told us"))
	state := func() exchange.DayState {
		d, err := b.Service.Day(t.Context(), b.who, thursday)
		must(t, err)
		return d.State()
	}
	if state() != exchange.DayAccepted {
		t.Errorf("it is %s", state())
	}
	b.arrive("later", status(ids[2], "ACSC"), status(ids[3], "RJCT", "AM04"))
	if state() == exchange.DayAccepted {
		t.Error("another difference is accepted as well")
	}
	must(t, b.ReopenDay(t.Context(), b.who, thursday))
	if err := b.ReopenDay(t.Context(), b.who, thursday); !fault.HasCode(err, "not_accepted") {
		t.Errorf("twice: %v", err)
	}
}
